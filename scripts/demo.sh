#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shows the compiler at work on examples/gemm.mlir: installs what is missing, builds the
# tools, compiles to PTX (to machine code where there is an assembler), runs the kernel
# on the CPU and compares it with a reference, and on a GPU where there is one.
#
#   scripts/demo.sh [--python]     --python: builds the Python package, too, and runs a GEMM from it
set -euo pipefail
python=0
case "$*" in
"") ;;
--python) python=1 ;;
*)
  echo "expected no argument but --python, got '$*'" >&2
  exit 2
  ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kernel=examples/gemm.mlir
arch=sm_90
bin=build/release/bin
out=build/demo
step() { printf '\n== %s\n' "$*"; }
show() {
  echo "\$ $*"
  "$@"
}

scripts/build.sh tile-opt tile-translate tile-run
mkdir -p "$out"

step "compiling $kernel for $arch"
show $bin/tile-translate $kernel --tile-to-ptx --arch=$arch -o $out/gemm.ptx
echo
echo "instructions that move and multiply, of $(grep -c ';' $out/gemm.ptx) in $out/gemm.ptx:"
grep -oE '\b(mma\.sync|ldmatrix|cp\.async|wgmma|ld\.global|st\.global|ld\.shared|st\.shared|bar\.sync|barrier)[.a-z0-9_:]*' \
  $out/gemm.ptx | sort | uniq -c | sort -rn | sed 's/^/  /'

# A program on PATH or below CUDA's usual place, or the library.
if command -v ptxas >/dev/null || ldconfig -p | grep -q libnvJitLink; then
  step "assembling for $arch"
  show $bin/tile-translate $kernel --tile-to-cubin --arch=$arch --dump-ptxas-info -o $out/gemm.cubin
  ls -l $out/gemm.cubin | awk '{print $9 ": " $5 " bytes"}'
else
  step "no ptxas and no libnvJitLink here: the PTX is left to the driver of the machine that runs it"
fi

step "layouts: who holds which element, and where it lies"
if $bin/tile-translate --help | grep -q -- --tile-layout-to-text; then
  show $bin/tile-translate $kernel --tile-layout-to-text --arch=$arch
else
  show $bin/tile-opt $kernel --tile-set-target=arch=$arch '--tile-infer-layouts=print-analysis-only' -o /dev/null
fi

step "running on the CPU, against the same kernel in wider precision"
show $bin/tile-run $kernel --target=cpu --args=A=1024x1024,B=1024x1024,C=1024x1024 --check --bench

if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU &&
  $bin/tile-run --help | grep -q -- '=cuda'; then
  step "running on $(nvidia-smi -L | head -1 | cut -d'(' -f1)"
  native=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d ' .')
  show $bin/tile-run $kernel --target=cuda --arch="$native" --args=A=4096x4096,B=4096x4096,C=4096x4096 --check --bench
else
  step "no GPU with a driver here: the run on the CPU is the check"
fi

if ((python)); then
  step "the same from Python"
  scripts/build.sh TilePythonPackage
  show env PYTHONPATH=build/release/python build/python/venv/bin/python examples/python/gemm.py
fi

step "next"
cat <<END
  $bin/tile-opt $kernel --tile-to-nvvm=arch=$arch --mlir-print-ir-after-all   every phase
  $bin/tile-translate $kernel --tile-to-ptx --arch=$arch --remarks -o /dev/null   decisions, with reasons
  $bin/tile-run $kernel --args=A=100x40,B=40x24,C=100x24 --check --stage=scheduled   other shapes, as scheduled
  ./scripts/test.sh                                            every test
  docs/GettingStarted.md                                       a first kernel of your own
END
