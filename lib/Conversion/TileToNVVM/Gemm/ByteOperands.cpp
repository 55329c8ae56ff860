//===- ByteOperands.cpp - 8-bit operands along m or n ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of an 8-bit mma.sync from shared memory whose rows run along m or
// n, which no ldmatrix before sm_100a transposes: pairs of bytes by
// ldmatrix.trans, taken apart by prmt and exchanged between lanes
// (tile/Layout/ByteTransposition.h says which and why).
//
//===----------------------------------------------------------------------===//
#include "GemmOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Layout/ByteTransposition.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
class ByteLoader : public OperandLoader {
public:
  ByteLoader(KernelLowering &lowering, const SharedBuffer &buffer,
             MmaOperand operand, const MmaSetup &setup)
      : lowering(lowering), isA(operand == MmaOperand::A),
        halves(setup.shape.k / 16) {
    constexpr int64_t kColumns = ByteTransposition::kColumns;
    int64_t perInstruction = isA ? setup.shape.m : setup.shape.n;
    int64_t instructions = isA ? setup.tilesM : setup.tilesN;
    groups = instructions * perInstruction / kColumns;
    // The buffer is [k, columns].
    int64_t own = isA ? setup.warps.m : setup.warps.n;
    int64_t others = isA ? setup.warps.n : setup.warps.m;
    Mode ownMode{own, 1, groups * kColumns};
    Mode otherMode{others, Mode::kReplicated, 0};
    FragmentLayout rows(
        buffer.layout.shape(),
        {{groups, 1, kColumns}, {setup.tilesK, 0, setup.shape.k}},
        ByteTransposition::addressModes(setup.shape.k, 0),
        isA ? Modes{ownMode, otherMode} : Modes{otherMode, ownMode});
    // Selectors follow from the lane, too, and computing them again takes more
    // registers at a time than it saves.
    llvm::SaveAndRestore kept(lowering.recomputesPlaces, false);
    Value lane = lowering.laneId();
    addresses = std::make_unique<KernelLowering::SharedAddresses>(
        lowering, buffer, rows, ArrayRef<unsigned>{0, 1}, ArrayRef<Value>(),
        addressLane(lane));
    for (int64_t round : {0, 1}) {
      selectors[round] = byLane(lane, [&](int64_t l) {
        return ByteTransposition::selector(l, round);
      });
      senders[round] = byLane(
          lane, [&](int64_t l) { return ByteTransposition::sender(l, round); });
    }
    auto &b = lowering.builder;
    Value bit = b.createOrFold<arith::AndIOp>(lane, lowering.i32(4));
    exchanged = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bit,
                                              lowering.i32(0));
  }

  FailureOr<SmallVector<Value>> load(int64_t i, int64_t k) override {
    int64_t group = isA ? i : i / 2;
    auto [it, isNew] = cache.try_emplace({group, k});
    if (isNew)
      it->second = transposed(group, k);
    if (isA)
      return it->second;
    SmallVector<Value> registers;
    for (int64_t h = 0; h < halves; ++h)
      registers.push_back(it->second[2 * h + i % 2]);
    return registers;
  }

private:
  /// Registers of columns g and g + 8, for each half of k.
  SmallVector<Value> transposed(int64_t group, int64_t k) {
    auto &b = lowering.builder;
    Type i32 = b.getI32Type();
    int64_t matrices = 2 * halves;
    Type result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(matrices, i32));
    Value loaded = NVVM::LdMatrixOp::create(
        b, result, (*addresses)(group + groups * k),
        static_cast<uint32_t>(matrices), NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> registers;
    for (int64_t h = 0; h < halves; ++h) {
      Value pairs[2], received[2];
      for (int64_t m : {0, 1})
        pairs[m] = LLVM::ExtractValueOp::create(b, loaded, 2 * h + m);
      for (int64_t round : {0, 1}) {
        Value sent = lowering
                         .inlineAsm(i32, "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r",
                                    {pairs[0], pairs[1], selectors[round]},
                                    /*sideEffects=*/false)
                         .getResult(0);
        received[round] = NVVM::ShflOp::create(b, i32, lowering.i32(-1), sent,
                                               senders[round], lowering.i32(31),
                                               NVVM::ShflKind::idx, UnitAttr());
      }
      registers.push_back(
          b.createOrFold<arith::SelectOp>(exchanged, received[1], received[0]));
      registers.push_back(
          b.createOrFold<arith::SelectOp>(exchanged, received[0], received[1]));
    }
    return registers;
  }

  /// lane ^ (lane & 4) << 1, as ByteTransposition::addressLane.
  Value addressLane(Value lane) {
    auto &b = lowering.builder;
    Value bit = b.createOrFold<arith::AndIOp>(lane, lowering.i32(4));
    return b.createOrFold<arith::XOrIOp>(
        lane, b.createOrFold<arith::ShLIOp>(bit, lowering.i32(1)));
  }

  /// A function of the lane that is linear over its bits (a XOR of what each
  /// gives), as selectors and senders are.
  Value byLane(Value lane, llvm::function_ref<int64_t(int64_t)> function) {
    auto &b = lowering.builder;
    Value value = lowering.i32(function(0));
    for (int64_t bit = 1; bit < kWarpSize; bit *= 2) {
      int64_t change = function(bit) ^ function(0);
      if (!change)
        continue;
      Value isSet = b.createOrFold<arith::CmpIOp>(
          arith::CmpIPredicate::ne,
          b.createOrFold<arith::AndIOp>(lane, lowering.i32(bit)),
          lowering.i32(0));
      Value part = b.createOrFold<arith::SelectOp>(isSet, lowering.i32(change),
                                                   lowering.i32(0));
      value = b.createOrFold<arith::XOrIOp>(value, part);
    }
    return value;
  }

  KernelLowering &lowering;
  bool isA;
  int64_t halves, groups = 0;
  std::unique_ptr<KernelLowering::SharedAddresses> addresses;
  Value selectors[2], senders[2], exchanged;
  std::map<std::pair<int64_t, int64_t>, SmallVector<Value>> cache;
};
} // namespace

std::unique_ptr<OperandLoader>
tile::nvvm::makeByteLoader(KernelLowering &lowering, const SharedBuffer &buffer,
                           MmaOperand operand, const MmaSetup &setup) {
  return std::make_unique<ByteLoader>(lowering, buffer, operand, setup);
}
