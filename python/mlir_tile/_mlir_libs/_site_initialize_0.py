# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each new `Context` of this package knows (see `_mlir_libs/__init__.py`)."""

import atexit

from ._tile import register_dialects as register_dialects


@atexit.register
def _leave_contexts():
    """Leaves what the main thread entered and did not leave (`Context().__enter__()` of a script
    or a notebook). MLIR's bindings keep it in a variable of the thread, which is destroyed
    when the interpreter is gone: the process would abort."""
    from ._mlir import ir

    kinds = (ir.InsertionPoint, ir.Location, ir.Context)
    while any(_left(kind) for kind in kinds):
        pass


def _left(kind):
    """Leaves the innermost entry, where it is of this kind."""
    try:
        current = kind.current
        if current is None:
            return False
        current.__exit__(None, None, None)
    except (RuntimeError, ValueError):
        return False
    return True
