//===- MbarrierHazards.cpp - arrivals on mbarriers, and what they publish -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads that reach an instruction are found by evaluating the branches
// before it for every thread of the block, as far as they are functions of the
// thread's index; everything else that they depend on is the same for all
// threads of a role.
//
//===----------------------------------------------------------------------===//
#include "NvvmShapes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tile/Target/PtxMnemonics.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::hazards;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
/// Which threads of a block execute an operation.
class ThreadFinder {
public:
  ThreadFinder(DominanceInfo &dominance, int64_t threads)
      : dominance(dominance), threads(threads) {}

  const llvm::BitVector &reaching(Block *block);

private:
  std::optional<uint64_t> eval(Value value, unsigned thread, unsigned depth);

  DominanceInfo &dominance;
  int64_t threads;
  llvm::DenseMap<Block *, llvm::BitVector> found;
};
} // namespace

static uint64_t truncated(uint64_t value, Type type) {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

static int64_t asSigned(uint64_t value, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits >= 64 ? int64_t(value)
                    : int64_t(value << (64 - bits)) >> (64 - bits);
}

static bool compares(LLVM::ICmpPredicate predicate, uint64_t a, uint64_t b,
                     Type type) {
  int64_t sa = asSigned(a, type), sb = asSigned(b, type);
  switch (predicate) {
  case LLVM::ICmpPredicate::eq:
    return a == b;
  case LLVM::ICmpPredicate::ne:
    return a != b;
  case LLVM::ICmpPredicate::slt:
    return sa < sb;
  case LLVM::ICmpPredicate::sle:
    return sa <= sb;
  case LLVM::ICmpPredicate::sgt:
    return sa > sb;
  case LLVM::ICmpPredicate::sge:
    return sa >= sb;
  case LLVM::ICmpPredicate::ult:
    return a < b;
  case LLVM::ICmpPredicate::ule:
    return a <= b;
  case LLVM::ICmpPredicate::ugt:
    return a > b;
  case LLVM::ICmpPredicate::uge:
    return a >= b;
  }
  return false;
}

/// The value in one thread; nothing where it is no function of its index.
std::optional<uint64_t> ThreadFinder::eval(Value value, unsigned thread,
                                           unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 32)
    return std::nullopt;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getZExtValue();
  if (isa<NVVM::ThreadIdXOp>(op))
    return thread;
  if (isa<NVVM::LaneIdOp>(op))
    return thread % 32;
  // An elected lane is the first of those that are there: of a whole warp.
  if (isa<NVVM::ElectSyncOp>(op))
    return thread % 32 == 0;
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    auto lane = eval(shuffle.getOffset(), thread, depth + 1);
    if (!lane || shuffle.getKind() != NVVM::ShflKind::idx)
      return std::nullopt;
    return eval(shuffle.getVal(), thread / 32 * 32 + *lane % 32, depth + 1);
  }
  SmallVector<uint64_t, 3> operands;
  if (!isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::AndOp, LLVM::OrOp,
           LLVM::XOrOp, LLVM::LShrOp, LLVM::ShlOp, LLVM::UDivOp, LLVM::URemOp,
           LLVM::ZExtOp, LLVM::SExtOp, LLVM::TruncOp, LLVM::ICmpOp>(op))
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    std::optional<uint64_t> known = eval(operand, thread, depth + 1);
    if (!known)
      return std::nullopt;
    operands.push_back(*known);
  }
  uint64_t a = operands[0], b = operands.size() > 1 ? operands[1] : 0;
  Type type = op->getOperand(0).getType();
  if (!type.isIntOrIndex())
    return std::nullopt;
  if (auto compare = dyn_cast<LLVM::ICmpOp>(op))
    return compares(compare.getPredicate(), a, b, type);
  bool divides = isa<LLVM::UDivOp, LLVM::URemOp>(op);
  if ((divides && b == 0) || (isa<LLVM::LShrOp, LLVM::ShlOp>(op) && b > 63))
    return std::nullopt;
  uint64_t result = isa<LLVM::AddOp>(op)    ? a + b
                    : isa<LLVM::SubOp>(op)  ? a - b
                    : isa<LLVM::MulOp>(op)  ? a * b
                    : isa<LLVM::AndOp>(op)  ? a & b
                    : isa<LLVM::OrOp>(op)   ? a | b
                    : isa<LLVM::XOrOp>(op)  ? a ^ b
                    : isa<LLVM::LShrOp>(op) ? a >> b
                    : isa<LLVM::ShlOp>(op)  ? a << b
                    : isa<LLVM::UDivOp>(op) ? a / b
                    : isa<LLVM::URemOp>(op) ? a % b
                    : isa<LLVM::SExtOp>(op) ? uint64_t(asSigned(a, type))
                                            : a;
  return truncated(result, op->getResult(0).getType());
}

const llvm::BitVector &ThreadFinder::reaching(Block *block) {
  auto known = found.find(block);
  if (known != found.end())
    return known->second;
  llvm::BitVector result(threads, true);
  if (!block->getParent()->hasOneBlock()) {
    auto *node = dominance.getNode(block);
    if (node && node->getIDom()) {
      Block *above = node->getIDom()->getBlock();
      result = reaching(above);
      auto branch = dyn_cast<LLVM::CondBrOp>(above->getTerminator());
      if (branch && block->getSinglePredecessor() == above &&
          branch.getTrueDest() != branch.getFalseDest())
        for (unsigned thread : llvm::make_early_inc_range(result.set_bits()))
          if (auto condition = eval(branch.getCondition(), thread, 0))
            if ((*condition & 1) != (branch.getTrueDest() == block))
              result.reset(thread);
    }
  }
  return found.insert({block, std::move(result)}).first->second;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

namespace {
struct Arrival {
  Operation *op;
  bool isExact;
  /// Arrivals by copies, once they have landed.
  bool isOfCopies;
  /// Shared memory was written before, through the generic proxy.
  bool followsWrites = false;
};

struct Barrier {
  Operation *init = nullptr;
  int64_t count = 0;
  SmallVector<Arrival> arrivals;
  /// Somebody else arrives as well: another block, the tensor core.
  bool isOpen = false;
  /// Copies that count bytes complete on it.
  bool hasBytes = false;
};

class MbarrierCheck {
public:
  MbarrierCheck(LLVM::LLVMFuncOp function, DominanceInfo &dominance,
                int64_t threads)
      : function(function), finder(dominance, threads) {}
  bool run();

private:
  void collect();
  void findWrites();
  bool checkCounts();
  bool checkFences();
  bool bringsGenericData(Operation *wait, Value address);
  /// Also counts arrivals whose slot is computed from the place of another
  /// barrier of the same ring.
  SmallVector<const Arrival *> arrivalsAt(std::pair<Value, int64_t> key);
  /// Runs `step` over the function until one bit at the ends of blocks settles.
  void settle(llvm::function_ref<bool(Operation *, bool)> step);

  LLVM::LLVMFuncOp function;
  ThreadFinder finder;
  llvm::MapVector<std::pair<Value, int64_t>, Barrier> barriers;
};
} // namespace

void MbarrierCheck::collect() {
  function.walk([&](Operation *op) {
    StringRef text = assembly(op);
    APInt count;
    if (text.starts_with(ptx::kMbarrierInit) && op->getNumOperands() == 2 &&
        matchPattern(op->getOperand(1), m_ConstantInt(&count)))
      if (std::optional<Place> place = placeOf(op->getOperand(0)))
        if (place->isExact) {
          Barrier &barrier = barriers[place->key()];
          barrier.isOpen |= barrier.init != nullptr;
          barrier.init = op;
          barrier.count = count.getZExtValue();
        }
  });
  if (barriers.empty())
    return;
  function.walk([&](Operation *op) {
    StringRef text = assembly(op);
    auto copies = dyn_cast<NVVM::CpAsyncMBarrierArriveOp>(op);
    bool arrives = text.contains(ptx::kMbarrierArrive) || copies;
    StringRef name = op->getName().getStringRef();
    bool counts = text.contains(ptx::kExpectBytes) ||
                  text.contains(ptx::kCompleteBytes) ||
                  name.contains(ptx::kExpectBytes) ||
                  name.starts_with("nvvm.cp.async.bulk");
    bool commits = text.contains(ptx::kTcgen05Commit);
    if (!arrives && !counts && !commits)
      return;
    // Whatever of it is an address of a barrier.
    for (Value operand : op->getOperands()) {
      std::optional<Place> place = placeOf(operand);
      auto it = place ? barriers.find(place->key()) : barriers.end();
      if (it == barriers.end())
        continue;
      Barrier &barrier = it->second;
      barrier.hasBytes |= counts;
      if (commits || text.contains(ptx::kSharedOfCluster) ||
          text.contains("mapa") || text.trim("{ ").starts_with("@") ||
          (copies && !copies.getNoinc()))
        barrier.isOpen = true;
      else if (arrives)
        barrier.arrivals.push_back(
            {op, place->isExact, static_cast<bool>(copies)});
    }
  });
}

SmallVector<const Arrival *>
MbarrierCheck::arrivalsAt(std::pair<Value, int64_t> key) {
  constexpr int64_t kBytes = 8;
  SmallVector<const Arrival *> result;
  int64_t count = barriers[key].count;
  for (int64_t offset = key.second;; offset -= kBytes) {
    auto it = barriers.find({key.first, offset});
    if (it == barriers.end() || it->second.count != count)
      return result;
    bool isBase = false;
    for (const Arrival &arrival : it->second.arrivals) {
      if (offset == key.second || !arrival.isExact)
        result.push_back(&arrival);
      isBase |= !arrival.isExact;
    }
    if (isBase)
      return result;
  }
}

bool MbarrierCheck::checkCounts() {
  bool ok = true;
  for (auto &[key, barrier] : barriers) {
    if (barrier.isOpen || barrier.arrivals.empty())
      continue;
    // Ways to one arrival: the same threads. Parts of it: others.
    SmallVector<llvm::BitVector> parts;
    bool isClear = true;
    llvm::BitVector all;
    for (const Arrival *arrival : arrivalsAt(key)) {
      const llvm::BitVector &threads = finder.reaching(arrival->op->getBlock());
      if (llvm::is_contained(parts, threads))
        continue;
      isClear &= parts.empty() || !all.anyCommon(threads);
      all |= threads;
      parts.push_back(threads);
    }
    int64_t arriving = all.count();
    if (!isClear || arriving == barrier.count)
      continue;
    InFlightDiagnostic diag =
        barrier.init->emitError()
        << "the mbarrier counts " << barrier.count << " arrivals a phase, and "
        << arriving
        << " threads arrive: PTX ISA, 'Phase of the mbarrier object', it "
           "completes when the pending count has reached zero";
    diag.attachNote(barrier.arrivals.front().op->getLoc()) << "arrives here";
    ok = false;
  }
  return ok;
}

void MbarrierCheck::settle(llvm::function_ref<bool(Operation *, bool)> step) {
  llvm::DenseMap<Block *, bool> atEnd;
  bool isChanging = true;
  while (isChanging) {
    isChanging = false;
    for (Block &block : function.getBody()) {
      bool state = false;
      for (Block *before : block.getPredecessors())
        state |= atEnd.lookup(before);
      for (Operation &op : block)
        state = step(&op, state);
      isChanging |= state && !atEnd.lookup(&block);
      atEnd[&block] |= state;
    }
  }
}

void MbarrierCheck::findWrites() {
  llvm::DenseMap<Operation *, Arrival *> arrivalOf;
  for (auto &[key, barrier] : barriers)
    for (Arrival &arrival : barrier.arrivals)
      arrivalOf[arrival.op] = &arrival;
  settle([&](Operation *op, bool wrote) {
    // The threads that wrote have made it visible to the async proxy.
    if (isProxyFence(op))
      return false;
    auto it = arrivalOf.find(op);
    if (it == arrivalOf.end())
      return wrote || writesShared(op);
    it->second->followsWrites |= wrote;
    return false;
  });
}

/// Whether a wait is for what other threads wrote through the generic proxy.
bool MbarrierCheck::bringsGenericData(Operation *wait, Value address) {
  std::optional<Place> place = placeOf(address);
  auto it = place ? barriers.find(place->key()) : barriers.end();
  if (it == barriers.end() || it->second.hasBytes)
    return false;
  return llvm::any_of(arrivalsAt(place->key()), [&](const Arrival *arrival) {
    // What threads tell themselves, of a slot that is empty for one, is ordered
    // by other means.
    return arrival->isOfCopies ||
           (arrival->followsWrites &&
            !finder.reaching(arrival->op->getBlock())
                 .anyCommon(finder.reaching(wait->getBlock())));
  });
}

bool MbarrierCheck::checkFences() {
  bool ok = true;
  llvm::SmallPtrSet<Operation *, 4> reported;
  llvm::DenseMap<Operation *, bool> brings;
  Operation *last = nullptr;
  CopiedByTma copied(function);
  function.walk([&](Operation *op) {
    if (auto wait = phaseWait(op))
      if ((brings[op] = bringsGenericData(op, wait->first)) && !last)
        last = op;
  });
  if (!last)
    return true;
  settle([&](Operation *op, bool isPending) {
    if (isProxyFence(op))
      return false;
    if (isPending && (isWgmma(op) || isTcgen05Mma(op)) &&
        !copied.areOperandsOf(op) && reported.insert(op).second) {
      InFlightDiagnostic diag =
          op->emitError()
          << (isWgmma(op) ? "wgmma" : "tcgen05.mma")
          << " reads what others wrote through the generic proxy, without "
             "fence.proxy.async after the wait for it: PTX ISA, 'Async Proxy'";
      diag.attachNote(last->getLoc()) << "waited for here";
      ok = false;
    }
    return isPending || brings.lookup(op);
  });
  return ok;
}

bool MbarrierCheck::run() {
  collect();
  if (barriers.empty())
    return true;
  findWrites();
  bool counts = checkCounts(), fences = checkFences();
  return counts && fences;
}

bool hazards::checkMbarriers(LLVM::LLVMFuncOp function,
                             DominanceInfo &dominance) {
  auto extents = function->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getMaxntidAttrName());
  int64_t threads = 1;
  if (!extents)
    return true;
  for (int32_t extent : extents.asArrayRef())
    threads *= extent;
  if (threads < 1 || threads > 1024 || threads != extents.asArrayRef()[0])
    return true;
  return MbarrierCheck(function, dominance, threads).run();
}
