# usage: to-ptx.sh FILE ARCH PTX   functions of arith, math and vector to PTX
set -e
tile-opt "$1" --tile-set-target=arch=$2 --tile-expand-math |
  sed 's/module attributes {tile.target[^}]*}/module/' | # upstream cannot parse it
  mlir-opt --canonicalize --convert-scf-to-cf --convert-math-to-llvm --convert-vector-to-llvm \
    --arith-expand --convert-arith-to-llvm --convert-cf-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts |
  mlir-translate --mlir-to-llvmir |
  llc -mtriple=nvptx64-nvidia-cuda -mcpu=$2 -mattr=+ptx$3 -o -
