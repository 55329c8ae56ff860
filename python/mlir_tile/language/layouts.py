# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts that a kernel states. The compiler chooses layouts; what it cannot take over is left to it."""

from .buffers import Buffer
from .errors import fail, unsupported


class Layout:
    """Where an element lies: a function of its indices (kept as it was given)."""

    def __init__(self, shape, forward_fn=None, **_):
        self.shape, self.forward_fn = list(shape), forward_fn

    def get_input_shape(self):
        return self.shape


class Fragment(Layout):
    """Who holds an element: functions of its indices that give the thread and the register."""

    def __init__(
        self,
        shape,
        forward_fn=None,
        forward_thread_fn=None,
        replicate=1,
        forward_index_fn=None,
        **_,
    ):
        super().__init__(shape, forward_fn)
        self.forward_thread_fn, self.forward_index_fn, self.replicate = (
            forward_thread_fn,
            forward_index_fn,
            replicate,
        )


def fragment_text(layout):
    """The text of a fragment layout; only of layouts of mlir_tile.layout."""
    text = getattr(layout, "mlir", None)
    if isinstance(text, str):
        return text
    if isinstance(layout, str):
        return layout
    if isinstance(layout, Layout):
        return unsupported(
            "a loop layout given as functions of indices", "leave it out: the compiler chooses one"
        )
    return fail(f"expected a layout, got {layout!r}")


def state_layout(buffer, layout):
    """Keeps a layout that the compiler can respect; functions of indices are the compiler's choice again."""
    if not isinstance(buffer, Buffer):
        fail(f"T.annotate_layout: expected buffers as keys, got {buffer!r}")
    text = getattr(layout, "mlir", None)
    if isinstance(text, str):
        buffer.layout = text
