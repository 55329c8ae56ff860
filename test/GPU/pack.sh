#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: pack.sh OUT [PYTHON]
# Packs what a machine with a GPU needs to run this folder's scripts: OUT/tools.tar.xz has bin/tile-run, bin/tile-translate,
# bin/tile-opt and lib/libtile_runtime.so of build/release (static, stripped), built first where they are not up to date. With PYTHON, a
# CPython, OUT gets the package's wheel for it, too; build/release is configured for scripts/build.sh again afterwards.
set -euo pipefail
(($# == 1 || $# == 2)) || {
  sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
  exit 2
}
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if (($# == 2)); then
  scripts/wheel.sh --no-sdist "$2"
  cp build/dist/*.whl "$out"
fi
targets=(tile-run tile-translate tile-opt TileRuntimeShared)
# build/release has been configured for that interpreter: back to the one of scripts/test.sh.
(($# == 2)) && targets+=(TilePythonPackage)
scripts/build.sh "${targets[@]}"
tar -cf - -C build/release bin/tile-run bin/tile-translate bin/tile-opt lib/libtile_runtime.so | xz --lzma2=preset=4,dict=128MiB >"$out/tools.tar.xz"
ls -l "$out"
