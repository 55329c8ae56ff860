#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: shards.sh BIN FIRST END SHARDS FOLDER [options of fuzz.py]
# Runs fuzz.py on many cores: a process for each part of the seeds (the generator is one thread of Python). What fails
# lies in FOLDER afterwards (findings.jsonl names the commands); the last lines count cases and findings. GPUs, where there
# are several, are used by turns (path `cuda`).
set -uo pipefail
bin=$1 first=$2 end=$3 shards=$4 folder=$5
shift 5
here=$(dirname "${BASH_SOURCE[0]}")
mkdir -p "$folder"
gpus=$(nvidia-smi -L 2>/dev/null | wc -l)
step=$(((end - first + shards - 1) / shards))
for ((i = 0; i < shards; ++i)); do
  from=$((first + i * step)) to=$((first + (i + 1) * step < end ? first + (i + 1) * step : end))
  ((from < to)) || continue
  CUDA_VISIBLE_DEVICES=$((gpus ? i % gpus : 0)) python3 "$here/fuzz.py" --seeds "$from:$to" --bin "$bin" --jobs 1 --keep "$folder/$i" "$@" >"$folder/$i.log" 2>&1 &
done
wait
cat "$folder"/*/findings.jsonl >"$folder/findings.jsonl" 2>/dev/null
awk '/^[a-z]+:sm|^source|^cuda/ { r[$1] += $2; w[$1] += $3; f[$1] += $4; h[$1] += $5; n[$1] += $6 }
     END { printf "%-24s right wrong fault hang refused\n", "path"; for (p in r) printf "%-24s %d %d %d %d %d\n", p, r[p], w[p], f[p], h[p], n[p] }' "$folder"/*.log
# An end other than fuzz.py's own last line is a finding of the fuzzer.
for log in "$folder"/*.log; do tail -1 "$log" | grep -q 'passed,' || { echo "$log did not end:"; tail -3 "$log"; }; done
awk '/passed, [0-9]+ failed$/ { p += $1; f += $3 } END { print p " passed, " f " failed" }' "$folder"/*.log
