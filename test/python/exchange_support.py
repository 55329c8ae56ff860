# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds exchange/exchange.cpp: tensors with DLPack's exchange functions, and the mock driver."""

import functools
import importlib.machinery
import importlib.util
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

ADDRESSES = [0x10000 * (i + 1) for i in range(3)]
"""Of the arguments of ADD."""

ADD = """
tile.kernel @add(%A: memref<?x?xf32, strided<[?, 1]>>, %B: memref<?x?xf32, strided<[?, 1]>>,
                 %C: memref<?x?xf32, strided<[?, 1]>>)
    grid(%bx, %by) = (dim(%A, 1) ceildiv 32, dim(%A, 0)) threads(32) {
  %c32 = arith.constant 32 : index
  %m = arith.muli %bx, %c32 : index
  %a = tile.alloc : memref<1x32xf32, #tile.fragment>
  %b = tile.alloc : memref<1x32xf32, #tile.fragment>
  tile.copy %A[%by, %m] to %a : memref<?x?xf32, strided<[?, 1]>> to memref<1x32xf32, #tile.fragment>
  tile.copy %B[%by, %m] to %b : memref<?x?xf32, strided<[?, 1]>> to memref<1x32xf32, #tile.fragment>
  %c0 = arith.constant 0 : index
  tile.parallel (%i) in (32) {
    %x = memref.load %a[%c0, %i] : memref<1x32xf32, #tile.fragment>
    %y = memref.load %b[%c0, %i] : memref<1x32xf32, #tile.fragment>
    %z = arith.addf %x, %y : f32
    memref.store %z, %a[%c0, %i] : memref<1x32xf32, #tile.fragment>
  }
  tile.copy %a to %C[%by, %m] : memref<1x32xf32, #tile.fragment> to memref<?x?xf32, strided<[?, 1]>>
}
"""


@functools.lru_cache(maxsize=1)
def build():
    """Compiles and imports the extension; its `__file__` is the mock driver."""
    compiler = next(filter(None, map(shutil.which, ("clang++-22", "c++", "g++", "clang++"))), None)
    if compiler is None:
        raise RuntimeError("expected a C++ compiler on PATH")
    folder = tempfile.TemporaryDirectory()
    path = pathlib.Path(folder.name) / ("exchange" + sysconfig.get_config_var("EXT_SUFFIX"))
    mock = HERE.parents[1] / "unittests/Runtime/MockCuda.cpp"
    command = [compiler, "-std=c++17", "-O0", "-shared", "-fPIC"]
    command += ["-I" + sysconfig.get_path("include"), str(HERE / "exchange/exchange.cpp")]
    subprocess.run([*command, str(mock), "-o", str(path)], check=True)
    loader = importlib.machinery.ExtensionFileLoader("exchange", str(path))
    spec = importlib.util.spec_from_file_location("exchange", path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    module.folder = folder  # removed with the module
    return module


def declare_parameters(exchange, manifest):
    """Tells the mock driver the parameters of a kernel's code, and of its versions."""
    sizes = {"i32": 4, "f32": 4, "f16": 2, "i8": 1}
    for kernel in [manifest, *manifest.get("versions", [])]:
        exchange.parameters(
            kernel["name"],
            [
                8 if param["kind"] != "scalar" else sizes.get(param.get("type"), 8)
                for param in kernel["params"]
            ],
        )
