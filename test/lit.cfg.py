# The lit suite of mlir-tile: its directories mirror lib/.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Features: `ptxas`, `nvdisasm`, `mlir-opt` (the upstream one, which cannot parse the tile
# dialect), `gpu`, `tmpfs` (a small file system can be mounted), `static` (how LLVM
# is linked), and one per tool of this build.
# A test that names a tool this checkout has no sources for is unsupported; a tool
# that should have been built and was not makes its tests fail.
import glob
import os
import shutil
import subprocess
import sys

# A module of its own: lit's workers cannot unpickle a class of this file.
sys.path.insert(0, os.path.join(config.tile_source_dir, "test"))
import tile_lit

config.name = "mlir-tile"
config.test_format = tile_lit.TileTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["Inputs", "originals", "python", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.tile_source_dir, "test")
config.test_exec_root = os.path.join(config.tile_binary_dir, "test")

tools_dir = os.path.join(config.tile_binary_dir, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)

# References are numpy's: another python3 in front of Debian's, which install-deps.sh gives numpy to, may lack it.
def has_numpy(python):
    return subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0


config.python = next(filter(has_numpy, (config.python, "/usr/bin/python3")), config.python)
# lit's own %python and the places tests refer to.
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%tile_src", config.tile_source_dir))
config.substitutions.append(("%tile_bin", tools_dir))

search_path = config.environment["PATH"]
for program in ("ptxas", "mlir-opt", "clang-22", "cc"):
    if shutil.which(program, path=search_path):
        config.available_features.add(program)
config.available_features.update(tool for tool in config.tile_built_tools if tool)

# The disassembler comes with the packages of the Python tests (python/requirements-test.txt).
packaged = glob.glob(os.path.join(config.tile_source_dir, "build/python/venv/lib/python3*/site-packages/nvidia/*/bin/nvdisasm"))
disassembler = shutil.which("nvdisasm", path=search_path) or next(iter(packaged), None)
if disassembler:
    config.available_features.add("nvdisasm")
    config.substitutions.append(("%nvdisasm", disassembler))

if config.tile_static:
    config.available_features.add("static")
if config.tile_sanitized:
    config.available_features.add("sanitized")


def has_gpu():
    """True when a driver answers; the library alone says nothing."""
    program = shutil.which("nvidia-smi", path=search_path)
    if not program:
        return False
    try:
        listing = subprocess.run(
            [program, "-L"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listing.returncode == 0 and "GPU" in listing.stdout


if has_gpu():
    config.available_features.add("gpu")


def can_mount():
    """True where this user may mount a file system of its own."""
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=8k", "t", "/mnt"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


if can_mount():
    config.available_features.add("tmpfs")
