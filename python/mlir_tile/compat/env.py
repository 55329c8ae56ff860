# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches of TileLang: the cache, the log's level, `tilelang.env`."""

from __future__ import annotations

import functools
import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path

from .. import cache

__all__ = [
    "build_date",
    "clear_cache",
    "deprecated",
    "disable_cache",
    "enable_cache",
    "env",
    "is_cache_enabled",
    "logger",
    "set_log_level",
]

logger = logging.getLogger("mlir_tile")


def set_log_level(level: str | int) -> None:
    """Sets the level of the log "mlir_tile": "DEBUG" to "CRITICAL", or logging's number."""
    logger.setLevel(level.upper() if isinstance(level, str) else level)


class Environment:
    """Values of TileLang's environment variables that have a meaning here; can be assigned."""

    def __init__(self) -> None:
        self.TILELANG_TMP_DIR = os.environ.get("TILELANG_TMP_DIR", "")
        self.TILELANG_CACHE_DIR = os.environ.get("TILELANG_CACHE_DIR", "")
        self.TILELANG_PRINT_ON_COMPILATION = os.environ.get("TILELANG_PRINT_ON_COMPILATION", "0")

    def is_cache_enabled(self) -> bool:
        """Whether kernels are kept on disk."""
        return cache.is_enabled()

    def enable_cache(self) -> None:
        """Keeps kernels on disk."""
        cache.enable()

    def disable_cache(self) -> None:
        """Neither reads nor writes kernels on disk."""
        cache.disable()

    def is_autotune_cache_disabled(self) -> bool:
        """Whether results of tuning are not kept on disk."""
        return os.environ.get("TILELANG_AUTO_TUNING_DISABLE_CACHE", "0").lower() in ("1", "true")

    def get_default_target(self) -> str:
        """TILELANG_DEFAULT_TARGET, "auto" without it."""
        return os.environ.get("TILELANG_DEFAULT_TARGET", "auto")

    def get_default_execution_backend(self) -> str:
        """There is one: "auto"."""
        return "auto"

    def get_default_verbose(self) -> bool:
        """TILELANG_VERBOSE."""
        return os.environ.get("TILELANG_VERBOSE", "0").lower() in ("1", "true", "yes", "on")


env = Environment()
is_cache_enabled, enable_cache = env.is_cache_enabled, env.enable_cache
disable_cache = env.disable_cache


def clear_cache() -> None:
    """Deletes the kernels on disk."""
    cache.clear()


def deprecated(method_name: str, new_method_name: str, phaseout_version: str | None = None):
    """Marks a function that warns when it is called."""

    def mark(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args, **kwargs):
            until = f" (until {phaseout_version})" if phaseout_version else ""
            message = f"{method_name} is deprecated{until}; use {new_method_name}"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return call

    return mark


def build_date() -> str:
    """When the package's files were written, as YYYY-MM-DD."""
    import datetime

    seconds = Path(__file__).stat().st_mtime
    return datetime.datetime.fromtimestamp(seconds).strftime("%Y-%m-%d")
