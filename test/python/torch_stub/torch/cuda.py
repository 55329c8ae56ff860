# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.cuda of the stand-in: one device, an H200 by name, that is this machine's CPU."""

import contextlib
import time
from types import SimpleNamespace

from ._random import manual_seed, manual_seed_all

__all__ = ["manual_seed", "manual_seed_all"]


def is_available():
    """True: "cuda" is accepted."""
    return True


def device_count():
    """One."""
    return 1


def current_device():
    """Number 0."""
    return 0


def get_device_capability(device=None):
    """Hopper's."""
    return (9, 0)


def get_device_name(device=None):
    """What it stands for."""
    return "NVIDIA H200 (the CPU, for tests)"


def get_device_properties(device=None):
    """Figures of an H200 that scripts ask for."""
    return SimpleNamespace(
        name=get_device_name(),
        major=9,
        minor=0,
        multi_processor_count=132,
        total_memory=141 << 30,
        warp_size=32,
        shared_memory_per_block_optin=232448,
        max_threads_per_multi_processor=2048,
        L2_cache_size=50 << 20,
    )


def _nothing(*_, **__):
    return None


synchronize = init = empty_cache = set_device = reset_peak_memory_stats = _nothing


def mem_get_info(device=None):
    """Free and all bytes."""
    return (141 << 30, 141 << 30)


def memory_allocated(device=None):
    """Nobody counts."""
    return 0


max_memory_allocated = memory_allocated


class Event:
    """A moment of the wall clock."""

    def __init__(self, enable_timing=False, blocking=False):
        self.at = None

    def record(self, stream=None):
        """Now."""
        self.at = time.perf_counter()

    def synchronize(self):
        """Nothing to wait for."""

    wait = query = synchronize

    def elapsed_time(self, end):
        """Milliseconds until `end`."""
        return (end.at - self.at) * 1e3


class Stream:
    """A stream: everything runs at once."""

    cuda_stream = 0

    def __init__(self, device=None, priority=0):
        pass

    def synchronize(self):
        """Nothing to wait for."""

    wait_stream = wait_event = record_event = _nothing


def current_stream(device=None):
    """The one stream."""
    return Stream()


default_stream = current_stream


@contextlib.contextmanager
def stream(_):
    """The one stream."""
    yield


device = stream
