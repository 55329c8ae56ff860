#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: check_schedules.sh TOOLS OUT [FIRST END]
# Checks schedules, not speed, on a machine with a GPU and some processors: the Hopper set with racecheck, memcheck and
# synccheck, the matrix for sm_90a, the gallery, and, on the processors beside them, the lowered code of fresh random programs
# (seeds FIRST to END). TOOLS is an archive with bin/tile-run, bin/tile-translate, bin/tile-opt and
# lib/libtile_runtime.so (static build). OUT gets the logs. The exit status is 1 where a part failed.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/parts.sh"
need 2 "$@"
tools=$(realpath "$1") out=$2
first=${3:-0} end=${4:-0}
cores=$(nproc)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
tar -xJf "$tools" -C "$work"
nvidia-smi -L

hopper() {
  mkdir -p "$work/h" && tar -xJf "$work/hopper.tar.xz" -C "$work/h" || return 1
  part hopper python3 "$work/h/run_hopper.py" run "$work/h" --json "$out/hopper.json"
  part stress python3 "$work/h/run_hopper.py" stress "$work/h"
  local check=(compute-sanitizer --error-exitcode 3 --report-api-errors no --tool)
  part racecheck "${check[@]}" racecheck python3 "$work/h/run_hopper.py" run "$work/h" --core --in-process --runs 1 --work 8000000 --only '^(?!.*split)' &
  part memcheck "${check[@]}" memcheck python3 "$work/h/run_hopper.py" run "$work/h" --core --in-process --runs 2 &
  part synccheck "${check[@]}" synccheck python3 "$work/h/run_hopper.py" run "$work/h" --core --in-process --runs 1 &
  wait
}

matrix() {
  mkdir -p "$work/m" && tar -xJf "$work/matrix.tar.xz" -C "$work/m" && python3 "$work/m/run_gpu_matrix.py" run "$work/m"
}

part pack python3 "$here/run_hopper.py" pack --bin "$work/bin" --runtime "$work/lib/libtile_runtime.so" --jobs "$cores" -o "$work/hopper.tar.xz"
part pack-matrix python3 "$here/run_gpu_matrix.py" pack --bin "$work/bin" --arch=sm_90a --jobs "$cores" -o "$work/matrix.tar.xz"
((end > first)) && part lowered counted "$here/../Fuzz/shards.sh" "$work/bin" "$first" "$end" $((cores - 4)) "$out/lowered" \
  --paths lowered:sm_80,lowered:sm_90a,lowered:sm_100a &
CUDA_VISIBLE_DEVICES=0 hopper &
# The last of the GPUs, which may be the first.
export CUDA_VISIBLE_DEVICES=$(($(nvidia-smi -L | wc -l) - 1))
part gallery python3 "$here/../Gallery/gallery_test.py" --cuda --bin "$work/bin"
part matrix matrix
wait
failed=0
for log in "$out"/*.log; do
  report "$(basename "$log" .log)" 8 || failed=1
done
exit $failed
