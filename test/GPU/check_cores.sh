#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: check_cores.sh TOOLS WHEEL TILELANG OUT [FIRST END]
# Checks what needs many processors and no GPU: a kernel over 134 million elements (its time on 16 of them), then, side by side,
# the matrix of kernels through ptxas for every architecture, the lowered code of fresh random programs (seeds FIRST to END,
# each for one of three architectures), and TileLang's own scripts, regression rows and tests on the CPU target (needs
# PyTorch). The arguments are those of check_all.sh. The exit status is 1 where a part failed; OUT/acceptance_cpu.jsonl says
# which of TileLang's scripts passed.
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
bin=$work/bin

large() {
  local start=${EPOCHREALTIME/./}
  taskset -c "0-$((cores < 16 ? cores - 1 : 15))" "$bin/tile-run" "$here/../../examples/scale.mlir" --args=X=16384x8192,Y=16384x8192 --check || return 1
  echo "$(((${EPOCHREALTIME/./} - start) / 1000)) ms for 134,217,728 elements"
}

install_python "$wheel" "$tilelang"
export MLIR_TILE_CACHE_DIR=$work/cache

part large large
part all-archs python3 "$here/../Matrix/ptx_test.py" --bin "$bin" --all-archs --jobs "$cores" &
((end > first)) && part lowered counted "$here/../Fuzz/shards.sh" "$bin" "$first" "$end" "$cores" "$out/lowered" \
  --paths lowered:sm_80,lowered:sm_90a,lowered:sm_100a --turns 1 &
OMP_NUM_THREADS=2 part acceptance_cpu "$python" "$here/../python/acceptance/run.py" --repo "$work/tilelang" --commit HEAD --torch real \
  --limit 150 --jobs $((cores / 2)) --out "$out/acceptance_cpu.jsonl" --logs "$out/acceptance_cpu" &
wait
failed=0
for name in large all-archs lowered acceptance_cpu; do
  [[ $name == lowered ]] && ((end <= first)) && continue
  report "$name" 40 || failed=1
done
exit $failed
