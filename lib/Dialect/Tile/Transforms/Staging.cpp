//===- Staging.cpp - room for tiles that fragments pass through -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Staging.h"

using namespace mlir;
using namespace mlir::tile;

int64_t tile::tileBytes(KernelOp kernel) {
  int64_t bytes = 0;
  kernel.getBodyRegion().walk([&](AllocOp alloc) {
    SharedLayoutAttr layout = getSharedLayout(alloc.getResult());
    if (!layout)
      return;
    int64_t stages = 1;
    for (Operation *user : alloc->getUsers())
      if (auto copy = dyn_cast<TileMoveOpInterface>(user))
        if (auto loop = dyn_cast<PipelinedOp>(copy->getParentOp()))
          if (copy.getTarget() == alloc.getResult())
            stages = std::max<int64_t>(stages, loop.getStages());
    bytes += llvm::alignTo(layout.getLayout().sizeInBytes(), 1024) * stages;
  });
  return bytes;
}
