# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has been compiled before, in memory and on disk.

An entry's key is a hash of all that its bytes follow from: the kernel's IR (without
locations, unless line tables are asked for), target, options, and the build of the compiler.
Files appear under their name whole or not at all, and are read only where every byte is as
it was written: a file of another build, of a process that was killed, or damaged by anything
is removed and made anew. Any number of processes may share a directory; nobody waits for
anybody. Beyond the limit, what was not used for longest goes first.

Settings, each by `configure`, else by an environment variable:

| `configure(...)` | variable | default |
|---|---|---|
| `directory` | `MLIR_TILE_CACHE_DIR` | `$XDG_CACHE_HOME/mlir_tile`, else `~/.cache/mlir_tile` |
| `size_limit` (bytes) | `MLIR_TILE_CACHE_SIZE` (`512M`, `4G`) | 2 GiB |
| `enabled` | `MLIR_TILE_CACHE` (`0`: neither memory nor disk) | enabled |
| `disk` | `MLIR_TILE_CACHE_DISK` (`0`: memory alone) | enabled |
| `memory_entries` | | 1024 |
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import os
import pathlib
import struct
import threading
import time
from typing import Any

from mlir_tile.errors import ArgumentError

__all__ = [
    "build_id",
    "clear",
    "clear_cache",
    "configure",
    "directory",
    "disable",
    "enable",
    "is_enabled",
    "load",
    "make_key",
    "statistics",
    "store",
]

_MAGIC = b"MLIRTILE"
_HEADER = struct.Struct("<8sI32s32s32sQ")  # magic, version, build, key, digest, bytes
_VERSION = 1
_SUFFIX = ".entry"
_OLD_TEMPORARY = 3600.0  # seconds after which nobody writes a temporary file any more
_KEPT = 0.8  # of the limit, after entries were removed


class _State:
    """Settings and what is in memory; one for the process."""

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}
        self.build: str | None = None
        self.new_process()
        self.counts = collections.Counter()

    def new_process(self) -> None:
        """A forked child may have inherited a lock that nobody holds."""
        self.lock = threading.Lock()
        self.memory: collections.OrderedDict[str, Any] = collections.OrderedDict()
        self.written = None  # bytes in the directory, as far as known


_state = _State()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _state.new_process())


# -- settings ----------------------------------------------------------------------------


def configure(
    *,
    directory: str | os.PathLike | None = None,
    size_limit: int | None = None,
    enabled: bool | None = None,
    disk: bool | None = None,
    memory_entries: int | None = None,
) -> None:
    """Changes the settings that are given, for this process.

    `directory`: where files lie; made when the first one is. `size_limit`: bytes of all
    files together. `enabled`: whether anything is kept. `disk`: whether files are.
    `memory_entries`: how many kernels are kept in memory.
    """
    for name, value in (("size_limit", size_limit), ("memory_entries", memory_entries)):
        if value is not None and (not isinstance(value, int) or value < 0):
            raise ArgumentError(f"{name}: expected a number of 0 or more, got {value!r}")
    given = {
        "directory": None if directory is None else pathlib.Path(directory),
        "size_limit": size_limit,
        "enabled": enabled,
        "disk": disk,
        "memory_entries": memory_entries,
    }
    with _state.lock:
        _state.settings.update({key: value for key, value in given.items() if value is not None})
        _state.written = None


def enable() -> None:
    """Keeps what is compiled, in memory and on disk."""
    configure(enabled=True, disk=True)


def disable() -> None:
    """Neither looks for what was compiled before nor keeps what is compiled now."""
    configure(enabled=False)


def _switch(name: str, variable: str) -> bool:
    if name in _state.settings:
        return bool(_state.settings[name])
    return os.environ.get(variable, "1").strip().lower() not in ("0", "off", "false", "no")


def is_enabled() -> bool:
    """Whether anything is kept."""
    return _switch("enabled", "MLIR_TILE_CACHE")


def _uses_disk() -> bool:
    return is_enabled() and _switch("disk", "MLIR_TILE_CACHE_DISK")


def directory() -> pathlib.Path:
    """The folder of the files; it need not be there yet."""
    if "directory" in _state.settings:
        return _state.settings["directory"]
    if os.environ.get("MLIR_TILE_CACHE_DIR"):
        return pathlib.Path(os.environ["MLIR_TILE_CACHE_DIR"])
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "mlir_tile"


def _size_limit() -> int:
    if "size_limit" in _state.settings:
        return _state.settings["size_limit"]
    text = os.environ.get("MLIR_TILE_CACHE_SIZE", "2G").strip().upper().removesuffix("B")
    unit = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}.get(text[-1:], 1)
    try:
        return int(float(text.rstrip("KMGT")) * unit)
    except ValueError:
        raise ArgumentError(
            f"MLIR_TILE_CACHE_SIZE: expected a number of bytes like 512M or 4G, got {text!r}"
        ) from None


# -- keys --------------------------------------------------------------------------------


def _library() -> pathlib.Path:
    return pathlib.Path(__file__).parent / "_mlir_libs" / "libtile_compiler.so"


def build_id() -> str:
    """Names the compiler to the byte: its version and a hash of its library.

    Reading the library takes a tenth of a second; what it hashes to is kept in the
    directory, under its size and time.
    """
    if _state.build is not None:
        return _state.build
    from ._mlir_libs import _tile

    stat = os.stat(_library())
    where = f"{os.path.realpath(_library())}\0{stat.st_size}\0{stat.st_mtime_ns}"
    note = directory() / ("build-" + hashlib.sha256(where.encode()).hexdigest()[:32])
    digest = None
    if _uses_disk():
        try:
            text = note.read_text()
            digest = text if len(text) == 64 and int(text, 16) >= 0 else None
        except (OSError, ValueError):
            digest = None
    if digest is None:
        hasher = hashlib.sha256()
        with open(_library(), "rb") as file:
            while block := file.read(1 << 20):
                hasher.update(block)
        digest = hasher.hexdigest()
        if _uses_disk():
            _write(note, digest.encode())
    _state.build = f"{_tile.compiler_version()} {digest}"
    return _state.build


def make_key(*parts: str | bytes) -> str:
    """The key of what follows from `parts` and this build of the compiler."""
    hasher = hashlib.sha256()
    for part in (build_id(), *parts):
        data = part.encode() if isinstance(part, str) else part
        hasher.update(struct.pack("<Q", len(data)))
        hasher.update(data)
    return hasher.hexdigest()


# -- memory ------------------------------------------------------------------------------


def recall(key: str) -> Any:
    """What `remember` was given in this process, or None."""
    if not is_enabled():
        return None
    with _state.lock:
        value = _state.memory.get(key)
        if value is not None:
            _state.memory.move_to_end(key)
            _state.counts["memory hits"] += 1
        return value


def remember(key: str, value: Any) -> None:
    """Keeps an object for this process."""
    if not is_enabled():
        return
    with _state.lock:
        _state.memory[key] = value
        _state.memory.move_to_end(key)
        while len(_state.memory) > _state.settings.get("memory_entries", 1024):
            _state.memory.popitem(last=False)


# -- disk --------------------------------------------------------------------------------


def _path(key: str) -> pathlib.Path:
    return directory() / key[:2] / (key + _SUFFIX)


def _header(key: str, payload: bytes) -> bytes:
    build = hashlib.sha256(build_id().encode()).digest()
    digest = hashlib.sha256(payload).digest()
    return _HEADER.pack(_MAGIC, _VERSION, build, bytes.fromhex(key), digest, len(payload))


def load(key: str) -> bytes | None:
    """The bytes that were stored under `key`, or None.

    A file that is not exactly what was written is removed.
    """
    if not _uses_disk():
        return None
    path = _path(key)
    try:
        data = path.read_bytes()
    except OSError:
        _state.counts["misses"] += 1
        return None
    payload = data[_HEADER.size :]
    if data[: _HEADER.size] != _header(key, payload):
        _state.counts["rejected"] += 1
        _remove(path)
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # used now
    _state.counts["disk hits"] += 1
    return payload


def store(key: str, payload: bytes) -> None:
    """Keeps bytes under `key`. A full or read-only disk is no error: nothing is kept."""
    if not _uses_disk():
        return
    data = _header(key, payload) + payload
    limit = _size_limit()
    if len(data) <= limit and _write(_path(key), data):
        _state.counts["stores"] += 1
        _limit_size(len(data), limit)


def _write(path: pathlib.Path, data: bytes) -> bool:
    """Puts a file in place at once; other processes see the old one or this one."""
    temporary = path.parent / f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
        return True
    except OSError:
        _remove(temporary)
        return False
    except BaseException:  # Ctrl-C
        _remove(temporary)
        raise


def _remove(path: pathlib.Path | str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _entries() -> list[tuple[float, int, str]]:
    """Time of last use, bytes and path of each file; removes what writers left behind."""
    found = []
    now = time.time()
    for folder, _, names in os.walk(directory()):
        for name in names:
            path = os.path.join(folder, name)
            try:
                stat = os.stat(path)
            except OSError:
                continue
            if name.endswith(".tmp"):
                if now - stat.st_mtime > _OLD_TEMPORARY:
                    _remove(path)
            elif name.endswith(_SUFFIX):
                found.append((stat.st_mtime, stat.st_size, path))
    return sorted(found)


def _limit_size(written: int, limit: int) -> None:
    """Looks at the whole directory where what this process knows of it is near the limit."""
    with _state.lock:
        known = _state.written
        if known is not None:
            _state.written = known + written
            if _state.written <= limit:
                return
    entries = _entries()
    total = sum(size for _, size, _ in entries)
    if total > limit:
        for _, size, path in entries:
            if total <= limit * _KEPT:
                break
            _remove(path)
            _state.counts["removed"] += 1
            total -= size
    with _state.lock:
        _state.written = total


def clear() -> None:
    """Forgets everything, in memory and on disk."""
    with _state.lock:
        _state.memory.clear()
        _state.written = None
    for _, _, path in _entries():
        _remove(path)


clear_cache = clear  # TileLang's name


def statistics() -> dict[str, int]:
    """Of this process: memory hits, disk hits, misses, stores, rejected and removed files;
    and the files and bytes in the directory now."""
    entries = _entries()
    names = ("memory hits", "disk hits", "misses", "stores", "rejected", "removed")
    result = {name: _state.counts[name] for name in names}
    result["files"] = len(entries)
    result["bytes"] = sum(size for _, size, _ in entries)
    return result
