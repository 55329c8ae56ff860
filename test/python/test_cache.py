# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled kernels: keys, damage, other builds, many processes, its size."""

import os
import subprocess
import sys
import time

import pytest

from mlir_tile import cache, execution, ir
from mlir_tile.errors import CompileError
from mlir_tile.execution import CompileOptions

KERNEL = """
tile.kernel @copy(%X: memref<?xf32>, %Y: memref<?xf32>) grid(%b) = (dim(%X, 0)) threads(32) {
  tile.parallel (%i) in (1) {
    %x = memref.load %X[%b] : memref<?xf32>
    memref.store %x, %Y[%b] : memref<?xf32>
  }
}
"""
TARGET = "cuda:sm_90a"


def new_process(monkeypatch):
    """Nothing is in memory."""
    monkeypatch.setattr(cache, "_state", cache._State())


@pytest.fixture
def folder(monkeypatch, tmp_path):
    for name in ("MLIR_TILE_CACHE", "MLIR_TILE_CACHE_DISK", "MLIR_TILE_CACHE_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MLIR_TILE_CACHE_DIR", str(tmp_path))
    new_process(monkeypatch)
    return tmp_path


def files(folder):
    return sorted(folder.rglob("*.entry"))


def module(text=KERNEL, lines=0):
    with ir.Context():
        return ir.Module.parse("\n" * lines + text)


def counts(*names):
    found = cache.statistics()
    return tuple(found[name] for name in names)


def test_hits(folder, monkeypatch):
    first = execution.compile(module(), target=TARGET)
    assert execution.compile(module(), target=TARGET) is first
    assert counts("misses", "stores", "memory hits", "files") == (1, 1, 1, 1)
    new_process(monkeypatch)
    again = execution.compile(module(), target=TARGET)
    assert again is not first and again.artifact == first.artifact
    assert again.manifest == first.manifest and again.diagnostics == ""
    assert counts("misses", "disk hits", "stores") == (0, 1, 0)


def test_keys(folder):
    """What changes the code has a key of its own; what does not, has not."""
    same = execution.compile(module(), target=TARGET)
    # A kernel that moves in its file is the same kernel, unless lines are in its code.
    assert execution.compile(module(lines=5), target=TARGET) is same
    lines = CompileOptions(line_info=True)
    with_lines = execution.compile(module(), target=TARGET, options=lines)
    assert with_lines is not same
    assert execution.compile(module(lines=5), target=TARGET, options=lines) is not with_lines
    others = [
        execution.compile(module(), target="cuda:sm_80"),
        execution.compile(module(), target=TARGET, options=CompileOptions(fast_math=True)),
        execution.compile(module(), target=TARGET, options=CompileOptions(device="H200")),
        execution.compile(module(KERNEL.replace("f32", "f16")), target=TARGET),
        execution.compile(KERNEL, target=TARGET),
        execution.compile(module(), target="cpu"),
    ]
    assert len({id(one) for one in [same, with_lines, *others]}) == 8
    assert counts("files") == (8,)  # the kernel for the CPU is in memory alone
    named = execution.compile(module(), target=TARGET, name="copy")
    assert counts("files") == (8,) and named.artifact == same.artifact


def test_a_disk_hit_takes_five_milliseconds(folder, monkeypatch):
    source = module()
    execution.compile(source, target=TARGET)
    times = []
    for _ in range(10):
        cache._state.memory.clear()
        start = time.thread_time()
        execution.compile(source, target=TARGET)
        times.append(time.thread_time() - start)
    assert counts("disk hits") == (10,)
    assert min(times) < 0.005


def damage_truncate(path):
    path.write_bytes(path.read_bytes()[:-7])


def damage_empty(path):
    path.write_bytes(b"")


def damage_flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) * 3 // 4] ^= 1
    path.write_bytes(data)


def damage_append(path):
    path.write_bytes(path.read_bytes() + b"more")


def damage_foreign(path):
    path.write_bytes(b"#!/bin/sh\necho this is another program's\n" * 10)


def damage_header(path):
    data = bytearray(path.read_bytes())
    data[8] ^= 0xFF  # the version of the format
    path.write_bytes(data)


def damage_build(path):
    data = bytearray(path.read_bytes())
    data[12] ^= 0xFF  # the hash of the compiler's build
    path.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        damage_truncate,
        damage_empty,
        damage_flip,
        damage_append,
        damage_foreign,
        damage_header,
        damage_build,
    ],
)
def test_damaged_files_are_replaced(folder, monkeypatch, damage):
    artifact = execution.compile(KERNEL, target=TARGET).artifact
    (path,) = files(folder)
    whole = path.read_bytes()
    damage(path)
    new_process(monkeypatch)
    assert execution.compile(KERNEL, target=TARGET).artifact == artifact
    assert counts("rejected", "disk hits", "stores") == (1, 0, 1)
    assert path.read_bytes() == whole


def test_a_file_under_the_name_of_another_key(folder, monkeypatch):
    execution.compile(KERNEL, target=TARGET)
    (first,) = files(folder)
    execution.compile(KERNEL.replace("f32", "f64"), target=TARGET)
    (second,) = set(files(folder)) - {first}
    second.write_bytes(first.read_bytes())
    new_process(monkeypatch)
    run = execution.compile(KERNEL.replace("f32", "f64"), target=TARGET)
    assert run.arguments[0]["type"] == "f64" and counts("rejected") == (1,)


def test_another_build_has_other_keys(folder, monkeypatch):
    execution.compile(KERNEL, target=TARGET)
    new_process(monkeypatch)
    cache._state.build = "mlir-tile 9.9 " + "0" * 64
    execution.compile(KERNEL, target=TARGET)
    assert counts("misses", "files") == (1, 2)


def test_the_build_is_hashed_once(folder, monkeypatch):
    build = cache.build_id()
    assert build.startswith("mlir-tile ") and len(build.split()[-1]) == 64
    (note,) = folder.glob("build-*")
    new_process(monkeypatch)
    monkeypatch.setattr(cache, "open", None, raising=False)  # the library is not read again
    assert cache.build_id() == build
    monkeypatch.undo()
    monkeypatch.setenv("MLIR_TILE_CACHE_DIR", str(folder))
    note.write_text("damaged")
    new_process(monkeypatch)
    assert cache.build_id() == build


def test_switches(folder, monkeypatch):
    cache.disable()
    first = execution.compile(KERNEL, target=TARGET)
    assert execution.compile(KERNEL, target=TARGET) is not first
    assert not cache.is_enabled() and files(folder) == []
    cache.enable()
    execution.compile(KERNEL, target=TARGET)
    assert cache.is_enabled() and len(files(folder)) == 1
    cache.clear()
    assert files(folder) == [] and counts("files", "bytes") == (0, 0)
    new_process(monkeypatch)
    monkeypatch.setenv("MLIR_TILE_CACHE", "0")
    assert not cache.is_enabled()
    cache.configure(enabled=True, disk=False, directory=folder / "sub")
    cache.configure(size_limit=10, memory_entries=1)
    kept = execution.compile(KERNEL, target=TARGET)
    assert execution.compile(KERNEL, target=TARGET) is kept
    execution.compile(KERNEL, target="cuda:sm_80")  # takes the only place
    assert execution.compile(KERNEL, target=TARGET) is not kept
    assert cache.directory() == folder / "sub" and not cache.directory().exists()
    for wrong in ({"size_limit": -1}, {"memory_entries": "many"}):
        with pytest.raises(ValueError, match="expected a number"):
            cache.configure(**wrong)


def test_size(folder, monkeypatch):
    """What was used last stays."""
    cache.configure(size_limit=5500)
    payload = b"x" * 900
    keys = [cache.make_key(str(i)) for i in range(8)]
    now = time.time()
    for i, key in enumerate(keys[:5]):
        cache.store(key, payload)
        os.utime(cache._path(key), (now - 100 + i, now - 100 + i))
    assert cache.load(keys[0]) == payload  # used now
    assert counts("files") == (5,)
    cache.store(keys[5], payload)
    kept = [key for key in keys if cache._path(key).exists()]
    assert keys[0] in kept and keys[5] in kept and keys[1] not in kept
    assert sum(path.stat().st_size for path in files(folder)) <= 5500
    cache.store(keys[6], b"x" * 6000)  # more than the limit: not kept
    assert not cache._path(keys[6]).exists()
    new_process(monkeypatch)
    monkeypatch.setenv("MLIR_TILE_CACHE_SIZE", "1.5K")
    assert cache._size_limit() == 1536
    monkeypatch.setenv("MLIR_TILE_CACHE_SIZE", "plenty")
    with pytest.raises(ValueError, match="MLIR_TILE_CACHE_SIZE: expected a number of bytes"):
        cache._size_limit()


def test_what_killed_writers_leave(folder):
    execution.compile(KERNEL, target=TARGET)
    old, new = folder / "ab" / ".x.entry.1.2.tmp", folder / "ab" / ".y.entry.3.4.tmp"
    old.parent.mkdir(exist_ok=True)
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    cache.statistics()
    assert not old.exists() and new.exists()


def test_a_directory_that_cannot_be_written(folder, monkeypatch):
    blocked = folder / "file"
    blocked.write_text("no directory")
    new_process(monkeypatch)
    cache.configure(directory=blocked)
    assert execution.compile(KERNEL, target=TARGET).name == "copy"
    assert counts("stores", "files") == (0, 0)


def test_failures_are_not_kept(folder):
    for _ in range(2):
        with pytest.raises(CompileError):
            execution.compile(KERNEL.replace("memref.store", "memref.stare"), target=TARGET)
    assert files(folder) == []


def test_adopted(folder, monkeypatch):
    cache.configure(disk=False)
    artifact = execution.compile(KERNEL, target=TARGET).artifact
    new_process(monkeypatch)
    made = execution.adopt(KERNEL, artifact, target=TARGET)
    assert execution.compile(KERNEL, target=TARGET) is made
    new_process(monkeypatch)
    execution.compile(KERNEL, target=TARGET)
    assert counts("disk hits", "misses") == (1, 0)


WORKER = """
import sys
from mlir_tile import cache, execution
kernel = sys.argv[1]
for i in range(12):
    cache._state.memory.clear()
    run = execution.compile(kernel.replace("copy", f"copy{i % 3}"), target="cuda:sm_80")
    assert run.name == f"copy{i % 3}" and len(run.artifact) > 1000
    if i % 4 == 3:
        cache.clear()
assert cache.statistics()["rejected"] == 0
"""


def test_many_processes(folder):
    """Each compiles, reads and clears while the others do: nobody reads half a file."""
    processes = [
        subprocess.Popen([sys.executable, "-c", WORKER, KERNEL], stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    assert not list(folder.rglob("*.tmp"))


KILLED = """
import os, signal, threading
from mlir_tile import cache
key = cache.make_key("killed")
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
while True:
    cache.store(key, os.urandom(1 << 22))
"""


def test_a_writer_that_is_killed(folder):
    """Under the entry's name there is all of a file or none."""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", KILLED])
    for path in files(folder):
        key = path.stem
        assert cache.load(key) is not None
    assert counts("rejected") == (0,)
