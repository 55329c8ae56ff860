#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fetches what the Python package is built and tested with into build/python: the
# sources of MLIR's bindings (mlir/), nanobind (nanobind/) and a virtual environment
# with numpy and pytest (venv/). Says nothing, and touches no network, when it is there.
#
#   scripts/python-deps.sh [--sources]   --sources: without the virtual environment
#
# -DTILE_MLIR_PYTHON_SOURCES=DIR of CMake takes the bindings' sources from elsewhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=${TILE_PYTHON_EXECUTABLE:-/usr/bin/python3}
requirements=python/requirements-build.txt
tests=python/requirements-test.txt
folder=build/python
stamp=$folder/stamp
wanted=$(cat "$requirements")
fail() {
  echo "python-deps.sh: $1" >&2
  echo "(without the Python package: cmake -DTILE_PYTHON=OFF)" >&2
  exit 1
}

if [[ ! -f $stamp || "$(cat "$stamp")" != "$wanted" ]]; then
  echo "== fetching the sources of MLIR's Python bindings (into $folder)"
  rm -rf "$folder/mlir" "$folder/nanobind" "$folder/unpacked" "$folder/wheels"
  mkdir -p "$folder"
  "$python" -m pip download -q --no-deps --require-hashes -r "$requirements" -d "$folder/wheels" ||
    fail "could not download the packages of $requirements"
  "$python" - "$folder" <<'END' || fail "could not unpack the downloaded packages"
import pathlib, shutil, sys, zipfile
folder = pathlib.Path(sys.argv[1])
for wheel in (folder / "wheels").glob("*.whl"):
    root = {"xtc_mlir_dev": "mlir/src/python/", "nanobind": "nanobind/"}[wheel.name.split("-")[0]]
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked", [n for n in archive.namelist() if n.startswith(root)])
shutil.move(folder / "unpacked/mlir/src/python", folder / "mlir")
shutil.move(folder / "unpacked/nanobind", folder / "nanobind")
shutil.rmtree(folder / "unpacked")
shutil.rmtree(folder / "wheels")
END
  echo "$wanted" >"$stamp"
fi
if [[ "${1:-}" == --sources ]]; then
  exit 0
fi

stamp=$folder/venv/stamp
wanted=$(cat "$tests" && "$python" -VV)
if [[ ! -f $stamp || "$(cat "$stamp")" != "$wanted" ]]; then
  echo "== making the virtual environment of the Python tests (into $folder/venv)"
  rm -rf "$folder/venv"
  "$python" -m venv "$folder/venv" || fail "could not make a virtual environment with $python"
  "$folder/venv/bin/python" -m pip install -q -r "$tests" ||
    fail "could not install the packages of $tests"
  echo "$wanted" >"$stamp"
fi
