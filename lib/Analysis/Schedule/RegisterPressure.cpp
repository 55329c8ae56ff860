//===- RegisterPressure.cpp - where a thread needs most registers ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of fragments are exact, and passes decide by them. The peak is
// an estimate: the assembler schedules as it likes.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/RegisterPressure.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Layout/MmaLayouts.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::tile;

int64_t tile::registersOf(const FragmentLayout &layout, Type element) {
  return llvm::divideCeil(layout.numRegisters() * getStorageBits(element), 32);
}

int64_t tile::registersOfFragment(AllocOp fragment) {
  if (!getFragmentLayout(fragment.getResult()))
    return std::numeric_limits<int32_t>::max();
  return registersOf(getFragmentLayout(fragment.getResult()).getLayout(),
                     elementTypeOf(fragment.getResult()));
}

/// Operands of one step of k that mma.sync reads from shared memory.
static int64_t operandRegisters(GemmOp gemm) {
  auto plan = gemm.getPlan();
  if (!traitsOf(gemm).loadsOperandFragments)
    return 0;
  MmaShape shape{plan->getM(), plan->getN(), plan->getK()};
  WarpGrid warps{plan->getWarpsM(), plan->getWarpsN()};
  int64_t registers = 0;
  for (auto [buffer, role] : {std::pair(gemm.getA(), MmaOperand::A),
                              std::pair(gemm.getB(), MmaOperand::B)}) {
    Type element = elementTypeOf(buffer);
    auto fragment = gemm.isSparse()
                        ? mmaSpFragment(shape, role, getStorageBits(element))
                        : mmaSyncFragment(shape, role, getStorageBits(element));
    if (isFragment(buffer) || !fragment)
      continue;
    int64_t count = role == MmaOperand::A
                        ? llvm::divideCeil(gemm.getM(), warps.m * shape.m)
                        : llvm::divideCeil(gemm.getN(), warps.n * shape.n);
    registers += count * registersOf(*fragment, element);
  }
  return registers;
}

static int64_t ownRegisters(Operation *op) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return operandRegisters(gemm);
  auto copy = dyn_cast<TileMoveOpInterface>(op);
  if (!copy || !copy.isPlain() || !copy.getPlan() || !copy.getLayout() ||
      isFragment(copy.getSource()) || isFragment(copy.getTarget()) ||
      !traitsOf(*copy.getPlan()).isPlain)
    return 0;
  return registersOf(copy.getLayout()->getLayout(),
                     elementTypeOf(copy.getSource()));
}

/// Whether a copy moves an accumulator between tensor memory and registers.
static bool movesAccumulator(Operation *op) {
  auto copy = dyn_cast<TileMoveOpInterface>(op);
  return copy &&
         (isTensorMemory(copy.getSource()) || isTensorMemory(copy.getTarget()));
}

bool tile::isFragmentOfGemm(Value fragment) {
  return llvm::any_of(fragment.getUsers(), [](Operation *user) {
    return gemmTraits(user) || movesAccumulator(user) ||
           (isa<ViewLikeOpInterface>(user) &&
            isFragmentOfGemm(user->getResult(0)));
  });
}

bool tile::isKeptInLocalMemory(AllocOp fragment, const TargetInfo &target) {
  return isFragment(fragment.getResult()) &&
         getFragmentLayout(fragment.getResult()) &&
         registersOfFragment(fragment) > target.maxRegistersPerThread &&
         !isFragmentOfGemm(fragment.getResult());
}

/// The peak where each fragment takes as many registers as `countOf` says; one
/// of which it says nothing takes none.
static std::optional<RegisterPeak>
findPeak(KernelOp kernel,
         llvm::function_ref<std::optional<int64_t>(AllocOp)> countOf) {
  // Operations in order; those inside another follow it up to its last.
  SmallVector<Operation *> order;
  llvm::DenseMap<Operation *, int64_t> first, last;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    first[op] = order.size();
    order.push_back(op);
  });
  for (auto [number, op] : llvm::enumerate(order))
    for (Operation *outer = op; outer != kernel; outer = outer->getParentOp())
      last[outer] = number;

  SmallVector<int64_t> alive(order.size() + 1, 0);
  bool hasFragments = false;
  kernel.walk([&](AllocOp alloc) {
    std::optional<int64_t> registers;
    if (!alloc->use_empty())
      registers = countOf(alloc);
    if (!registers)
      return;
    hasFragments = true;
    int64_t begin = order.size(), end = 0;
    for (Operation *user : alloc->getUsers())
      for (Operation *op = user; op != alloc->getParentOp();
           op = op->getParentOp()) {
        // A parallel loop's iterations hand nothing to each other.
        bool isLoop = isa<LoopLikeOpInterface>(op) && !isa<TileOpInterface>(op);
        begin = std::min(begin, first[isLoop ? op : user]);
        end = std::max(end, last[isLoop ? op : user]);
      }
    alive[begin] += *registers;
    alive[end + 1] -= *registers;
  });
  if (!hasFragments)
    return std::nullopt;
  RegisterPeak peak;
  int64_t fragments = 0;
  for (auto [number, op] : llvm::enumerate(order)) {
    fragments += alive[number];
    RegisterPeak here{op, fragments, ownRegisters(op)};
    if (!peak.op || here.registers() > peak.registers())
      peak = here;
  }
  return peak;
}

std::optional<RegisterPeak> tile::findRegisterPeak(KernelOp kernel,
                                                   const TargetInfo &target) {
  return findPeak(kernel, [&](AllocOp alloc) -> std::optional<int64_t> {
    if (!getFragmentLayout(alloc.getResult()) ||
        isKeptInLocalMemory(alloc, target))
      return std::nullopt;
    return registersOfFragment(alloc);
  });
}

std::optional<RegisterPeak> tile::estimateRegisterPeak(KernelOp kernel,
                                                       int64_t threads) {
  return findPeak(kernel, [&](AllocOp alloc) -> std::optional<int64_t> {
    auto type = dyn_cast<MemRefType>(alloc.getType());
    if (!isFragment(alloc.getResult()) || !type || !type.hasStaticShape() ||
        !isFragmentOfGemm(alloc.getResult()))
      return std::nullopt;
    int64_t bits =
        type.getNumElements() * getStorageBits(type.getElementType());
    return llvm::divideCeil(bits, 32 * threads);
  });
}
