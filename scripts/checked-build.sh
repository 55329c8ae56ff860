#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: checked-build.sh PRESET MUTANTS [folders of test/...]
# Builds the tools of a preset whose code checks itself, runs the unit tests of the runtime
# and of layouts, lit (the whole suite, or the folders) and MUTANTS mutated files and
# artifacts with them. The work of test-asserts.sh and sanitize.sh. The exit status is zero
# only when everything passed. In the folder TILE_RESULTS, where it is set, lit's results are
# left as lit-PRESET.json.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1 mutants=$2
shift 2
folders=("${@:-.}")
build=build/$preset

scripts/install-deps.sh || exit 1
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
echo "== building the tools in $build"
mkdir -p "$build"
if ! cmake --preset "$preset" >"$build/configure.log" 2>&1; then
  cat "$build/configure.log" >&2
  exit 1
fi
ninja -C "$build" tile-opt tile-translate tile-run tile-reduce tile-lsp-server \
  TileRuntimeTests TileLayoutTests || exit 1

status=0
echo "== unit tests without LLVM: the launcher (with 40,000 mutated artifacts) and layouts"
ctest --test-dir "$build" --no-tests=error --output-on-failure --timeout 1800 \
  -R 'TileRuntimeTests|TileLayoutTests' || status=1
echo "== lit"
lit=$(command -v lit || true)
[[ -x /usr/lib/llvm-22/bin/lit ]] && lit=/usr/lib/llvm-22/bin/lit
output=()
[[ -n ${TILE_RESULTS-} ]] && output=(--output "$TILE_RESULTS/lit-$preset.json")
# These run whole programs on the CPU, as the suite of the release build has done; their compilation runs in others, too.
"$lit" -sv --timeout 1800 --filter-out 'Matrix/(attention|recurrent)\.test|gemm-matrix\.test' "${output[@]}" \
  "${folders[@]/#/$build/test/}" || status=1

if ((mutants > 0)); then
  echo "== mutated files and artifacts"
  # Sanitizers reserve more addresses than the limit allows.
  limit=()
  [[ $preset == sanitize ]] && limit=(--no-memory-limit)
  for script in mutate mutate_artifacts; do
    python3 "scripts/$script.py" --bin "$build/bin" --count "$mutants" --timeout 60 \
      --jobs "$(nproc)" "${limit[@]}" || status=1
  done
fi
exit $status
