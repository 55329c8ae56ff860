//===- CpuWorkspaces.cpp - memory of one run ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "CpuWorkspaces.h"
#include "CpuRuntime.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::tile;

char *CpuWorkspaces::get(int64_t number, int64_t bytes, bool zeroed) {
  std::lock_guard<std::mutex> lock(mutex);
  Memory &memory = memories[number];
  if (memory.bytes.empty()) {
    memory.bytes.assign(bytes, zeroed ? 0 : char(0xff));
    memory.zeroed = zeroed;
  }
  return memory.bytes.data();
}

llvm::Error CpuWorkspaces::checkZeroed() const {
  for (const auto &[number, memory] : memories) {
    auto isZero = [](char byte) { return byte == 0; };
    if (!memory.zeroed || llvm::all_of(memory.bytes, isZero))
      continue;
    return llvm::createStringError(
        "expected the kernel to leave zeros in tile.workspace " +
        llvm::Twine(number) +
        ", which is zeroed: the next launch finds what "
        "this one left");
  }
  return llvm::Error::success();
}

static char *workspace(CpuContext *context, int64_t number, int64_t bytes,
                       int64_t zeroed) {
  return context->workspaces->get(number, bytes, zeroed != 0);
}

void mlir::tile::appendWorkspaceFunctions(
    std::vector<std::pair<llvm::StringRef, void *>> &functions) {
  functions.push_back(
      {"tile_cpu_workspace", reinterpret_cast<void *>(workspace)});
}
