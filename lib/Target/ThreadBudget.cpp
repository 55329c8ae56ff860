//===- ThreadBudget.cpp - how many registers a thread has -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Target/ThreadBudget.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir::tile;

/// The hardware allocates a thread's registers in steps of 8 (CUDA C++
/// Programming Guide, "Compute Capabilities": per warp in units of 256).
static int64_t wholeSteps(int64_t registers) { return registers / 8 * 8; }

/// Bounds of what a producer gets where a role's threads copy together.
static constexpr int64_t kFewestCopying = 40, kLeastCopying = 72,
                         kMostCopying = 120;
/// setmaxnreg takes up to 256, of which a thread can use 255.
static constexpr int64_t kMostConsuming = 240;

int64_t ThreadBudget::share(int64_t threads, int64_t blocks) const {
  return std::min(target.maxRegistersPerThread,
                  target.registersPerSm / (threads * blocks));
}

int64_t ThreadBudget::launched(int64_t threads, int64_t blocks) const {
  return std::min(target.maxRegistersPerThread,
                  wholeSteps(target.registersPerSm / (threads * blocks)));
}

/// What the producers of a block keep, as the cost model counts.
static int64_t kept(bool hasRoles) {
  return hasRoles ? kProducerThreads * kRegistersOfProducer : 0;
}

int64_t ThreadBudget::consumer(int64_t consumers, bool hasRoles,
                               int64_t blocks) const {
  int64_t left = target.registersPerSm / blocks - kept(hasRoles);
  return std::min(target.maxRegistersPerThread,
                  wholeSteps(left / std::max<int64_t>(1, consumers)));
}

int64_t ThreadBudget::blocks(int64_t registers, int64_t consumers,
                             bool hasRoles) const {
  return target.registersPerSm /
         std::max<int64_t>(1, registers * consumers + kept(hasRoles));
}

RoleRegisters ThreadBudget::redistribute(int64_t threads, int64_t blocks,
                                         const RoleDemand &demand) const {
  int64_t each = launched(threads, blocks);
  // Every thread has the most there is anyway.
  if (each > wholeSteps(target.maxRegistersPerThread))
    return {};
  auto left = [&](int64_t producer) {
    return wholeSteps((each * threads - producer * kProducerThreads) /
                      (threads - kProducerThreads));
  };
  RoleRegisters result;
  // Issuing copies takes few.
  result.producer = each >= 160 ? 40 : each >= 128 ? 32 : 24;
  if (demand.copies) {
    result.producer = std::clamp<int64_t>(llvm::alignTo(demand.copies, 8),
                                          kLeastCopying, kMostCopying);
    while (result.producer > kLeastCopying &&
           left(result.producer) < demand.fragments + kRegistersBesideFragments)
      result.producer -= 8;
    while (result.producer > kFewestCopying &&
           left(result.producer) < demand.gemms + kRegistersBesideGemms)
      result.producer -= 8;
  }
  result.consumer = std::min(left(result.producer), kMostConsuming);
  return result;
}

/// Whether both roles have what they need without spilling: several blocks are
/// worth less than that.
static bool suffices(const RoleRegisters &registers, const RoleDemand &demand) {
  int64_t copying =
      std::min(int64_t(llvm::alignTo(demand.copies, 8)), kMostCopying);
  return registers.producer >= copying &&
         registers.consumer >=
             demand.fragments + kRegistersBesideDyingFragments;
}

RoleRegisters ThreadBudget::roles(int64_t threads, int64_t blocks,
                                  const RoleDemand &demand) const {
  if (!target.hasSetMaxRegisters())
    return {};
  RoleRegisters result;
  for (result.blocks = blocks; result.blocks > 0; --result.blocks) {
    RoleRegisters divided = redistribute(threads, result.blocks, demand);
    result.producer = divided.producer;
    result.consumer = divided.consumer;
    if (result.consumer && result.blocks > 1 && !suffices(result, demand))
      continue;
    if (!result.consumer ||
        result.consumer >= demand.gemms + kRegistersBesideGemms)
      break;
  }
  result.blocks = std::max<int64_t>(result.blocks, 1);
  return result;
}
