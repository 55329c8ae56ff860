#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: random_cases.sh TILE-RUN FOLDER   runs every line of FOLDER/list.txt as tile-run's arguments on this machine's
# GPU, each in a process of its own, and says which are not right; the last line counts.
set -uo pipefail
run=$(realpath "$1")
cd "$2"
export run
one() {
  text=$(timeout 120 "$run" $1 --target=cuda --check 2>&1)
  if [[ $? == 0 && $text == *PASS* ]]; then echo "PASS ${1%% *}"; else echo "FAIL ${1%% *}: $(grep -E 'error|wrong' <<<"$text" | head -1 | cut -c1-200)"; fi
}
export -f one
results=$(xargs -P 8 -d '\n' -I{} bash -c 'one "{}"' <list.txt)
grep '^FAIL' <<<"$results"
echo "$(grep -c '^PASS' <<<"$results") passed, $(grep -c '^FAIL' <<<"$results") failed"
