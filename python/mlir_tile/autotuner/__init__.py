# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuner: tries configurations of a kernel, keeps the fastest, remembers it on disk."""

from .compiling import Portable, compile_portable
from .decorator import TunedFunction, autotune, par_compile
from .inputs import get_autotune_inputs, set_autotune_inputs
from .measuring import ProfileArgs, TimeoutException, run_with_timeout
from .tuner import AutoTuner, AutotuneResult, CompileArgs

__all__ = [
    "AutoTuner",
    "AutotuneResult",
    "CompileArgs",
    "Portable",
    "ProfileArgs",
    "TimeoutException",
    "TunedFunction",
    "autotune",
    "compile_portable",
    "get_autotune_inputs",
    "par_compile",
    "run_with_timeout",
    "set_autotune_inputs",
]
