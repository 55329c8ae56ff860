//===- ShuffledRegisters.cpp - another layout by shuffles -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what tile/Layout/WarpShuffle.h plans: words of elements, selects, and
// shuffles.
//
//===----------------------------------------------------------------------===//
#include "ShuffledRegisters.h"
#include "Reduce/Exchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
/// Registers of a fragment as words, whose elements lie `elements` behind the
/// first one.
class ScatteredWords {
public:
  ScatteredWords(KernelLowering &lowering, const FragmentBuffer &buffer,
                 Type elementType, ArrayRef<int64_t> elements)
      : lowering(lowering), buffer(buffer), elementType(elementType),
        elements(elements),
        bits(lowering.storageType(elementType).getIntOrFloatBitWidth()) {}

  Value load(int64_t word) {
    auto &b = lowering.builder;
    // Two bytes of a conversion of two are one value again: as a vector they
    // would cross branches in two registers.
    auto count = int64_t(elements.size());
    int64_t run = bits == 8 && elementsOfPiece() > 1 ? 2 : 1;
    Value whole =
        LLVM::PoisonOp::create(b, VectorType::get({count / run}, integer(run)));
    for (int64_t i = 0; i < count; i += run) {
      Value piece = element(word + elements[i]);
      if (run > 1) {
        Value upper = arith::ShLIOp::create(
            b,
            arith::ExtUIOp::create(b, integer(run),
                                   element(word + elements[i + 1])),
            arith::ConstantOp::create(b, b.getIntegerAttr(integer(run), bits)));
        piece = arith::OrIOp::create(
            b, arith::ExtUIOp::create(b, integer(run), piece), upper);
      }
      whole =
          LLVM::InsertElementOp::create(b, whole, piece, lowering.i32(i / run));
    }
    return LLVM::BitcastOp::create(b, integer(count), whole);
  }

  /// Takes a word apart; `storeAll` writes it.
  void store(int64_t word, Value value) {
    auto &b = lowering.builder;
    int64_t run = elementsOfPiece(), count = int64_t(elements.size()) / run;
    Value whole = LLVM::BitcastOp::create(
        b, VectorType::get({count}, integer(run)), value);
    for (int64_t i = 0; i < count; ++i)
      pieces[word + elements[i * run]] =
          LLVM::ExtractElementOp::create(b, whole, lowering.i32(i));
  }

  /// Words of 32 bits of neighbours, which instructions read, are one value
  /// each: bytes that a loop carries would be a register each.
  void storeAll() {
    auto &b = lowering.builder;
    int64_t run = elementsOfPiece();
    int64_t together = std::max<int64_t>(run, kWordBits / bits);
    for (int64_t reg = 0, e = buffer.layout.numRegisters(); reg < e;
         reg += together) {
      SmallVector<Value> word;
      for (int64_t at = reg; at < reg + together; at += run)
        if (Value piece = pieces.lookup(at))
          word.push_back(piece);
      auto count = int64_t(word.size());
      if (count * run == together) {
        Value whole =
            LLVM::PoisonOp::create(b, VectorType::get({count}, integer(run)));
        for (auto [i, piece] : llvm::enumerate(word))
          whole =
              LLVM::InsertElementOp::create(b, whole, piece, lowering.i32(i));
        Type type =
            VectorType::get({together}, lowering.storageType(elementType));
        LLVM::StoreOp::create(b, LLVM::BitcastOp::create(b, type, whole),
                              address(reg), bits / 8);
        continue;
      }
      for (int64_t at = reg; at < reg + together; at += run)
        if (Value piece = pieces.lookup(at))
          LLVM::StoreOp::create(b, piece, address(at), bits / 8);
    }
  }

private:
  static constexpr int64_t kWordBits = 32;

  /// Elements that follow each other in the word and in registers.
  int64_t elementsOfPiece() const {
    uint64_t run = 1;
    while (run < elements.size() && elements[run] == int64_t(run))
      ++run;
    return int64_t(llvm::bit_floor(run));
  }
  Value element(int64_t reg) {
    return LLVM::LoadOp::create(lowering.builder, integer(1), address(reg),
                                bits / 8);
  }
  Value address(int64_t reg) {
    return lowering.registerAddress(buffer, elementType, reg);
  }
  Type integer(int64_t count) const {
    return lowering.builder.getIntegerType(unsigned(bits * count));
  }

  KernelLowering &lowering;
  FragmentBuffer buffer;
  Type elementType;
  ArrayRef<int64_t> elements;
  int64_t bits;
  llvm::DenseMap<int64_t, Value> pieces;
};

using WordsByRegister = llvm::DenseMap<int64_t, Value>;

/// Exchanges words in the lanes whose numbers have the bit of each swap.
void swapWords(KernelLowering &lowering, ArrayRef<WarpShuffle::Swap> swaps,
               Value lane, WordsByRegister &words) {
  auto &b = lowering.builder;
  for (const WarpShuffle::Swap &swap : swaps) {
    Value bit = b.createOrFold<arith::AndIOp>(lane, lowering.i32(swap.lanes));
    Value isSet = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bit,
                                                lowering.i32(0));
    for (auto [one, two] : swap.words) {
      Value first = words.at(one), second = words.at(two);
      words[one] = b.createOrFold<arith::SelectOp>(isSet, second, first);
      words[two] = b.createOrFold<arith::SelectOp>(isSet, first, second);
    }
  }
}

/// The number of the lane that gives, without a round's own XOR.
Value giverOf(KernelLowering &lowering, const WarpShuffle &plan, Value lane) {
  auto &b = lowering.builder;
  Value giver;
  for (auto [i, bit] : llvm::enumerate(plan.laneBits)) {
    if (!bit)
      continue;
    Value own = b.createOrFold<arith::AndIOp>(lane, lowering.i32(1 << i));
    int64_t distance = int64_t(llvm::countr_zero(bit)) - int64_t(i);
    Value moved = own;
    if (distance > 0)
      moved = b.createOrFold<arith::ShLIOp>(own, lowering.i32(distance));
    else if (distance < 0)
      moved = b.createOrFold<arith::ShRUIOp>(own, lowering.i32(-distance));
    giver = giver ? b.createOrFold<arith::OrIOp>(giver, moved) : moved;
  }
  return giver ? giver : lowering.i32(0);
}
} // namespace

void nvvm::convertByShuffles(KernelLowering &lowering, const WarpShuffle &plan,
                             const FragmentBuffer &from,
                             const FragmentBuffer &to, Type elementType) {
  auto &b = lowering.builder;
  Value lane = lowering.laneId();
  ScatteredWords sources(lowering, from, elementType, plan.sourceElements);
  ScatteredWords targets(lowering, to, elementType, plan.targetElements);
  WordsByRegister given, received;
  for (int64_t word : plan.sourceWords)
    given[word] = sources.load(word);
  swapWords(lowering, plan.before, lane, given);
  bool keepsLanes = plan.keepsLanes();
  Value giver = keepsLanes ? Value() : giverOf(lowering, plan, lane);
  for (const WarpShuffle::Round &round : plan.rounds) {
    Value word = given.at(round.source);
    if (keepsLanes && round.lanes)
      word = shuffle(lowering, word, NVVM::ShflKind::bfly,
                     lowering.i32(round.lanes));
    else if (!keepsLanes)
      word = shuffle(
          lowering, word, NVVM::ShflKind::idx,
          b.createOrFold<arith::XOrIOp>(giver, lowering.i32(round.lanes)));
    received[round.target] = word;
  }
  swapWords(lowering, plan.after, lane, received);
  for (const WarpShuffle::Round &round : plan.rounds)
    targets.store(round.target, received.at(round.target));
  targets.storeAll();
}
