# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each new `Context` of this package knows (see `_mlir_libs/__init__.py`).

And what is done with contexts that were entered and not left (`Context().__enter__()` of a
script, a notebook or a thread). MLIR's bindings keep them in a variable of the thread, which
is destroyed when the interpreter, or the thread's part of it, is gone: the process would
abort. Here they are left before.
"""

import atexit
import threading

from ._tile import register_dialects as register_dialects


@atexit.register
def _leave_contexts():
    """Leaves what this thread has entered."""
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


class _EndOfThread:
    """Dies with its thread's part of the interpreter."""

    def __del__(self):
        _leave_contexts()


_threads = threading.local()


def context_init_hook(_):
    """Called for each new Context. The main thread is looked after at exit."""
    if threading.current_thread() is not threading.main_thread():
        _threads.end = getattr(_threads, "end", None) or _EndOfThread()
