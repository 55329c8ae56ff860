//===- Passes.td - conversions out of the tile dialect ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_PASSES_TD
#define TILE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// TileToCPU
//===----------------------------------------------------------------------===//

def ConvertTileToCPUPass : Pass<"convert-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Gives each kernel its meaning as a function over memrefs";
  let description = [{
    Each `tile.kernel` becomes a function that runs some of its blocks, one
    after the other: `@name(arguments..., %worker, %workers, %context)` runs the
    blocks `worker, worker + workers, ...` of the grid, numbered with the first
    grid dimension fastest. Tiles become buffers that a call allocates once;
    `parallel` becomes loops in order; `gemm` accumulates in increasing k.
    Layouts, plans and barriers have no meaning here and are dropped; rings become
    buffers with one copy per stage, and roles functions that take turns. What
    waits and what a wrong schedule breaks is up to the functions that are called
    (`tile_cpu_*`). docs/Rationale/CpuMeaning.md defines them, and what each
    operation does to each element type.

    Before:
    ```mlir
    tile.kernel @zero(%A: memref<?xf32>) grid(%bx) = (dim(%A, 0) ceildiv 64) threads(32) {
      %c64 = arith.constant 64 : index
      %z = arith.constant 0.0 : f32
      %m = arith.muli %bx, %c64 : index
      tile.fill %A[%m] sizes [64] with %z : memref<?xf32>, f32
    }
    ```
    After, in outline:
    ```mlir
    func.func @zero(%A: memref<?xf32>, %worker: index, %workers: index, %context: index) {
      %blocks = ...
      scf.for %block = %worker to %blocks step %workers {
        %m = arith.muli %block, %c64 : index
        scf.for %i = ... { memref.store %z, %A[%e] : memref<?xf32> }
      }
      return
    }
    ```
  }];
  let options = [
    Option<"widen", "widen", "bool", "false",
           "compute and store every float as f64: what results are compared with">,
    Option<"checkAssumptions", "check-assumptions", "bool", "false",
           "turn tile.assume into an assertion">,
    Option<"checkAccesses", "check-accesses", "bool", "false",
           "assert that indices lie inside their buffers, steps are positive and divisions defined">,
    Option<"lazyAsync", "lazy-async", "bool", "false",
           "execute asynchronous gemms and stores when they are awaited, not when issued">,
    Option<"poison", "poison", "bool", "false",
           "overwrite tiles where they are allocated, and slots of rings at first and when they are released">,
    Option<"poisonPattern", "poison-pattern", "unsigned", "0",
           "what overwrites: 0 NaN in floats and 0x7f7f... in integers; 1 and 2 numbers that differ between the two">,
    Option<"backwards", "backwards", "bool", "false",
           "run the iterations of `tile.parallel` in decreasing order">,
    Option<"blocks", "blocks", "int64_t", "0",
           "blocks that are launched of a kernel with block ranges (0: one for each of the grid)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandSmallFloatsPass : Pass<"tile-expand-small-floats"> {
  let summary = "Expands casts of bf16, fp8 and fp4 into integer arithmetic";
  let description = [{
    Narrowing rounds to nearest even and saturates to the largest finite number
    for fp8 and fp4 (infinities too); NaN stays NaN where the format has one and
    becomes the largest number otherwise. Casts from f64 round once, through an
    f32 rounded to odd. Scalars and vectors.

    Before: `%y = arith.truncf %x : f32 to f8E4M3FN`; after: integer arithmetic
    on the bits of `%x`, ending in `arith.bitcast %code : i8 to f8E4M3FN`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

//===----------------------------------------------------------------------===//
// TileToNVVM
//===----------------------------------------------------------------------===//

def ConvertTileToNVVMPass : Pass<"convert-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lowers kernels to functions of the llvm and nvvm dialects";
  let description = [{
    A full conversion: what comes out holds no operation, type or attribute of
    the tile dialect. Each `tile.kernel` becomes an `llvm.func` whose parameters
    follow docs/Artifact.md; fragments become arrays of registers, shared tiles
    parts of one arena placed by liveness, and barriers stand where accesses
    conflict. Layouts and plans must be there (`tile-infer-layouts`,
    `tile-select-copies`) and loops scheduled (`tile-pipeline`).

    Before:
    ```mlir
    tile.kernel @k(%A: memref<64xf32>) grid(%bx) = (1) threads(32) {
      tile.return
    }
    ```
    After:
    ```mlir
    llvm.func @k(%arg0: !llvm.ptr<1> {llvm.noalias})
        attributes {mlir_tile.shared_bytes = 0 : i64, nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>} {
      llvm.return
    }
    ```
  }];
  let options = [Option<"fastMath", "fast-math", "bool", "false",
                        "treat every math function as approximate and "
                        "flushing (docs/Rationale/Math.md has the bounds)">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// ExpandMath
//===----------------------------------------------------------------------===//

def ExpandMathPass : Pass<"tile-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replaces math functions by arithmetic that NVPTX has code for";
  let description = [{
    Runs on scalar and vector code after tile operations are gone, before arith
    and math become LLVM. No device library is needed afterwards. Functions are
    accurate to the bounds in docs/Rationale/Math.md and keep denormals; those
    with `fastmath<afn>`, or all under `fast-math`, use the approximate
    instructions of PTX. f16 and bf16 compute in f32. Casts to fp8 and fp4
    saturate and round to nearest even: by `cvt` from sm_89 on, else by integer
    arithmetic. What has no expansion (80- and 128-bit floats, scalable
    vectors) is an error.

    Before: `%y = math.exp %x fastmath<afn> : f32`; after:
    ```mlir
    %c = arith.constant 1.44269502 : f32
    %0 = arith.mulf %x, %c : f32
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%0) : (f32) -> f32
    ```
  }];
  let options = [Option<"fastMath", "fast-math", "bool", "false",
                        "treat every function as approximate and flushing">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // TILE_CONVERSION_PASSES_TD
