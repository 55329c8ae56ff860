#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds everything and runs every test that this machine can run: GoogleTest, lit,
# pytest, the matrices, random programs, the wheel, part of lit with assertions on. The last line counts
# them all; the exit status is zero only when none failed.
#
#   scripts/test.sh [--without-ptxas]
#
# Without ptxas on PATH it fails, unless it is told so: what needs it is skipped then.
set -uo pipefail
assembler=()
for word in "$@"; do
  case "$word" in
  --without-ptxas) assembler+=("$word") ;;
  *)
    echo "expected no argument but --without-ptxas, got '$word'" >&2
    exit 2
    ;;
  esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# section TITLE: says what comes next, and how many seconds everything before it took.
section() { echo "== $1 (after $SECONDS s)"; }

results=build/release/test-results
if ! scripts/build.sh; then
  echo "the build failed: no test was run"
  echo "0 passed, 1 failed"
  exit 1
fi
rm -rf "$results"
mkdir -p "$results"

section "GoogleTest (ctest)"
GTEST_OUTPUT="xml:$PWD/$results/gtest/" ctest --test-dir build/release --no-tests=error \
  --output-on-failure --timeout 900 --output-junit "$PWD/$results/ctest.xml"

section "lit"
lit=$(command -v lit || true)
[[ -x /usr/lib/llvm-22/bin/lit ]] && lit=/usr/lib/llvm-22/bin/lit
"$lit" -sv --timeout 900 --output "$results/lit.json" build/release/test

# References are numpy's. Another python3 in front of Debian's may lack it.
python=python3
python3 -c 'import numpy' 2>/dev/null || python=/usr/bin/python3

section "the matrix of kernels through ptxas, on the CPU, lowered, its references, its schedules, and faults put into it"
"$python" test/Matrix/ptx_test.py --bin build/release/bin --junit "$results/matrix-ptx.xml" "${assembler[@]}"
for half in cpu lowered references rings faults; do
  "$python" test/Matrix/${half}_test.py --bin build/release/bin --junit "$results/matrix-$half.xml"
done
for half in ptx cpu lowered references rings faults; do
  [[ -f $results/matrix-$half.xml ]] || echo "test/Matrix/${half}_test.py left no results" >>"$results/errors.txt"
done

section "the kernels of examples/gallery against numpy, and through ptxas"
"$python" test/Gallery/gallery_test.py --bin build/release/bin --junit "$results/matrix-gallery.xml" "${assembler[@]}"
[[ -f $results/matrix-gallery.xml ]] || echo "test/Gallery/gallery_test.py left no results" >>"$results/errors.txt"

section "random programs against numpy"
# Two of the paths for each program.
"$python" test/Fuzz/fuzz.py --seeds 0:230,1000000000:1000000010,3000000000:3000000020,4000000000:4000000020,5000000000:5000000012,6000000000:6000000016,7000000000:7000000016,8000000000:8000000040,9000000000:9000000020,10000000000:10000000030,11000000000:11000000040,12000000000:12000000020,13000000000:13000000020,14000000000:14000000020,15000000000:15000000020,16000000000:16000000020,17000000000:17000000020,18000000000:18000000020,19000000000:19000000030 --turns 2 --bin build/release/bin --junit "$results/matrix-fuzz.xml" "${assembler[@]}"
[[ -f $results/matrix-fuzz.xml ]] || echo "test/Fuzz/fuzz.py left no results" >>"$results/errors.txt"

section "pytest, of the wheel in an environment of its own"
# The package of the checkout, which PYTHONPATH=build/release/python finds, is the same files.
wheel_env=$results/wheel-venv
if scripts/wheel.sh --no-sdist build/python/venv/bin/python >"$results/wheel.log" 2>&1 &&
  /usr/bin/python3 -m venv "$wheel_env" &&
  "$wheel_env/bin/pip" install -q -r python/requirements-test.txt build/dist/*.whl; then
  # From elsewhere, so that nothing of the checkout is found by its place.
  (cd "$wheel_env" && bin/python -m pytest -q "$OLDPWD/test/python" -p no:cacheprovider \
    --junitxml "$OLDPWD/$results/pytest-wheel.xml")
fi
[[ -f $results/pytest-wheel.xml ]] || echo "the wheel was not tested (see $results/wheel.log)" >>"$results/errors.txt"

section "with the assertions of our own code on (preset dev): lit of what compiles, mutated files and artifacts"
# Not test/Integration, test/Matrix and test/tools, which compile the same again for a quarter of an hour: they ran
# above, and scripts/test-asserts.sh alone runs all.
TILE_RESULTS=$PWD/$results scripts/test-asserts.sh Conversion Dialect Lowered Target || echo "scripts/test-asserts.sh" >>"$results/errors.txt"

# A hint to whoever changes these files, not a failure.
if command -v clang-format-22 >/dev/null; then
  git ls-files '*.h' '*.cpp' '*.c' | while read -r file; do
    clang-format-22 --dry-run --Werror "$file" >/dev/null 2>&1 || echo "  $file"
  done >"$results/unformatted.txt"
  if [[ -s $results/unformatted.txt ]]; then
    echo "== not formatted (clang-format-22 -i FILE):"
    cat "$results/unformatted.txt"
  fi
fi

echo "everything took $SECONDS s"
python3 scripts/count_tests.py "$results"
