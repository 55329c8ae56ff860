//===- LayoutConstraints.cpp - what each operation demands of layouts -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/TileOps.h"

using namespace mlir::tile;

void CopyOp::getLayoutConstraints(LayoutConstraints &) {}
void FillOp::getLayoutConstraints(LayoutConstraints &) {}
void AtomicOp::getLayoutConstraints(LayoutConstraints &) {}
void ConvertLayoutOp::getLayoutConstraints(LayoutConstraints &) {}
void GemmOp::getLayoutConstraints(LayoutConstraints &) {}
void ReduceOp::getLayoutConstraints(LayoutConstraints &) {}
void ParallelOp::getLayoutConstraints(LayoutConstraints &) {}
void PrintOp::getLayoutConstraints(LayoutConstraints &) {}
