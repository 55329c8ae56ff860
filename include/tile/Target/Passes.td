//===- Passes.td - checks of what goes to LLVM ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_PASSES_TD
#define TILE_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyNvvmPass : Pass<"tile-verify-nvvm", "::mlir::ModuleOp"> {
  let summary = "Checks that the target has every instruction of a module, and for hazards";
  let description = [{
    Looks up each NVVM operation, NVVM intrinsic and instruction of inline
    assembly in a table of what architectures have, and reports those that the
    target lacks, at the operation. LLVM would abort on them. Changes nothing.

    Also reports what assembles and goes wrong, with the section of the PTX
    manual: an accumulator of wgmma used before its wait, a loop that waits for
    one phase of an mbarrier, a bulk copy issued by every thread, a wgmma behind
    generic stores to shared memory without a proxy fence.

    With `arch=sm_90` this is an error, with `arch=sm_90a` it is not:

    ```mlir
    nvvm.wgmma.fence.aligned
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"\"",
      "architecture; empty: the module's `tile.target`">];
}

#endif // TILE_TARGET_PASSES_TD
