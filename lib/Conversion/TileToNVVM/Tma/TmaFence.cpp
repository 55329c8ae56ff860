//===- TmaFence.cpp - fences of global memory before tensor copies --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TmaBoxes.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Whether threads write the memory of `buffer` by ordinary stores anywhere in
/// the kernel, or read it where `readsCount`.
static bool isTouchedByThreads(Value buffer, bool readsCount) {
  auto counts = [&](const TileAccess &access) {
    return access.buffer == buffer && (access.isWrite || readsCount);
  };
  for (Operation *user : buffer.getUsers()) {
    if (auto tileOp = dyn_cast<TileOpInterface>(user)) {
      const CopyTraits *move = moveTraits(user);
      if (move && move->byAsyncProxy)
        continue;
      SmallVector<TileAccess> accesses;
      tileOp.getAccesses(accesses);
      if (llvm::any_of(accesses, counts))
        return true;
      continue;
    }
    if (isa<ViewLikeOpInterface>(user)) {
      if (llvm::any_of(user->getResults(), [&](Value view) {
            return isTouchedByThreads(view, readsCount);
          }))
        return true;
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (effects &&
        (effects.getEffectOnValue<MemoryEffects::Write>(buffer) ||
         (readsCount && effects.getEffectOnValue<MemoryEffects::Read>(buffer))))
      return true;
  }
  return false;
}

void tile::nvvm::fenceGlobal(KernelLowering &lowering, const CopyParts &parts) {
  KernelOp kernel = lowering.kernel;
  auto isTouched = [&](Value buffer) {
    return isTouchedByThreads(buffer, /*readsCount=*/!parts.isLoad);
  };
  bool fences = isTouched(parts.argument);
  if (!fences && kernel.mayAlias(parts.argument.getArgNumber())) {
    for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i)
      if (isa<MemRefType>(kernel.getKernelArgument(i).getType()) &&
          kernel.mayAlias(i))
        fences |= isTouched(kernel.getKernelArgument(i));
    lowering.function.walk(
        [&](FromAddressOp there) { fences |= isTouched(there); });
  }
  if (fences)
    lowering.inlineAsm(TypeRange(), "fence.proxy.async.global;", "~{memory}",
                       {});
}
