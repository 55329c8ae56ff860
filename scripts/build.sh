#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: build.sh [targets...]   configures the `release` preset in build/release and
# builds the targets (all when none is named). Installs what is missing first. The Python
# package is among all, and is built where it was before (or with `build.sh TilePythonPackage`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/install-deps.sh

# ccache hits across clones of the repository, wherever they lie.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
# Precompiled headers are cached only so; what uses __TIME__ is not ours.
export CCACHE_SLOPPINESS=pch_defines,time_macros
python=()
if (($# == 0)) || [[ " $* " == *" TilePythonPackage "* ]]; then
  scripts/python-deps.sh
  python=(-DTILE_PYTHON=ON "-DTILE_PYTHON_INTERPRETERS=$PWD/build/python/venv/bin/python")
fi
log=build/configure.log
mkdir -p build
echo "== configuring build/release (log: $log)"
# scripts/wheel.sh may have left its own Python there.
if ! cmake --preset release -U 'Python3_*' -U '_Python3_*' "${python[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
echo "== building ${*:-everything} in build/release on $(nproc) cores"
export NINJA_STATUS='[%f/%t, %es] '
ninja -C build/release "$@"
