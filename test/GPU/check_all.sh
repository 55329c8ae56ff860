#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: check_all.sh TOOLS WHEEL TILELANG OUT [FIRST END]
# Checks results, not speed, on a machine with GPUs: fresh random programs (seeds FIRST to END), TileLang's own scripts,
# regression rows and tests through the Python package, launches from Python, and every path that a user of the tools has.
# TileLang's scripts run after the others, which run side by side. TOOLS is an archive with bin/tile-run, bin/tile-translate
# and lib/libtile_runtime.so (static build), WHEEL the package for the machine's Python, TILELANG what `git archive` wrote of
# TileLang's repository. OUT gets the logs. The exit status is 1 where a part failed; of TileLang's scripts it does not count
# which of them pass: OUT/acceptance.jsonl says that.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/parts.sh"
need 4 "$@"
tools=$(realpath "$1") wheel=$(realpath "$2") tilelang=$(realpath "$3") out=$4
first=${5:-0} end=${6:-0}
cores=$(nproc)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
tar -xJf "$tools" -C "$work"
nvidia-smi -L

install_python "$wheel" "$tilelang"
export MLIR_TILE_CACHE_DIR=$work/cache
((end > first)) && part random counted "$here/../Fuzz/shards.sh" "$work/bin" "$first" "$end" "$cores" "$out/random" --paths cuda --timeout 60 &
part launches "$python" "$here/python_launch.py" &
part example "$python" "$here/../../examples/python/gemm.py" &
part paths python3 "$here/user_paths.py" --bin "$work/bin" --lib "$work/lib" &
wait
# Alone: some of these scripts take most of a GPU's memory.
part acceptance "$python" "$here/../python/acceptance/run.py" --repo "$work/tilelang" --commit HEAD --torch real --target cuda \
  --own-sizes --limit 150 --jobs $((cores / 3)) --out "$out/acceptance.jsonl" --logs "$out/acceptance"
failed=0
for name in acceptance random launches example paths; do
  [[ $name == random ]] && ((end <= first)) && continue
  report "$name" "$([[ $name == acceptance ]] && echo 40 || echo 8)" || failed=1
done
exit $failed
