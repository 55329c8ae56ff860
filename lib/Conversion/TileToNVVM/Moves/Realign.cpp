//===- Realign.cpp - rows that start anywhere, in aligned loads -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of 16 bytes that starts at any element lies in two aligned pieces of 16
// bytes. A thread loads both and shifts them into place: by words (two rounds
// of selections) and by bytes within words (a funnel shift). Per run that is
// two loads, one store and 15 instructions of arithmetic, where loads of single
// elements take 8 or 16 of each.
//
// An aligned piece is loaded only where it holds an element of the region, so
// no load leaves the memory that was allocated. It may still reach over the end
// of the buffer, which tools report; a region that comes so near to the end
// goes element by element.
//
//===----------------------------------------------------------------------===//
#include "LoadedRuns.h"
#include "Move.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Bytes of an aligned piece, and words in it.
static constexpr int64_t kPieceBytes = 16;
static constexpr int64_t kPieceWords = 4;
/// Runs that threads of a role that copies load before they store: 8 words
/// each.
static constexpr size_t kRunsOfCopyingWarps = 4;

namespace {
/// A run of a thread: what was loaded for it.
struct Run {
  Value predicate; // i1, whether the thread has such a run; null: always
  Value shift;     // i32, bytes from the first piece's start
  Value valid;     // i32, elements inside; null: all
  SmallVector<Value> words;
};

class Realigner {
public:
  /// `pad` (null: zero) is what elements outside of the buffer are.
  Realigner(KernelLowering &lowering, const Endpoint &source, Value pad)
      : lowering(lowering), b(lowering.builder),
        bits(getStorageBits(source.elementType)), policy(source.policy) {
    if (pad)
      padWord = repeated(pad);
  }

  /// Issues the loads of the run at `pointer`.
  Run load(Value pointer, Value predicate, Value valid);
  /// The run's words, the pad in place of what is not valid.
  SmallVector<Value> words(const Run &run);

private:
  Value i32(int64_t value) { return lowering.i32(value); }
  Value isSet(Value value, int64_t bit) {
    return b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::ne,
        b.createOrFold<arith::AndIOp>(value, i32(bit)), i32(0));
  }
  Value moved(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  /// The words of an aligned piece; zeros where the predicate does not hold.
  void piece(Value pointer, Value predicate, SmallVectorImpl<Value> &words);

  KernelLowering &lowering;
  ImplicitLocOpBuilder &b;
  /// A word (i32) of elements that are all `element`.
  Value repeated(Value element);

  int64_t bits;
  Value policy;  // of the cache; null: the usual one
  Value padWord; // null: zero
};
} // namespace

Value Realigner::repeated(Value element) {
  Type type = b.getIntegerType(bits);
  Value stored = lowering.toStorage(element);
  if (stored.getType() != type)
    stored = arith::BitcastOp::create(b, type, stored);
  if (bits == 32)
    return stored;
  Value word = arith::ExtUIOp::create(b, b.getI32Type(), stored);
  int64_t ones = bits == 8 ? 0x01010101 : 0x00010001;
  return b.createOrFold<arith::MulIOp>(word, i32(ones));
}

void Realigner::piece(Value pointer, Value predicate,
                      SmallVectorImpl<Value> &words) {
  Type word = b.getI32Type();
  if (!predicate && !policy) {
    // Tells the executor of lowered code that not all loaded bytes are used:
    // bytes of a neighbour, which another block may be writing, are shifted
    // out. Unlike metadata, a place survives LLVM's transformations: it looks
    // as if the load were inlined. LLVM may load elements where they are
    // extracted.
    ImplicitLocOpBuilder part(CallSiteLoc::get(b.getLoc(), b.getLoc()), b);
    Value whole =
        LLVM::LoadOp::create(part, VectorType::get({kPieceWords}, word),
                             pointer, static_cast<unsigned>(kPieceBytes));
    for (int64_t i = 0; i < kPieceWords; ++i)
      words.push_back(LLVM::ExtractElementOp::create(part, whole, i32(i)));
    return;
  }
  // A branch would wait for each load before the next one.
  SmallVector<Type> types(kPieceWords, word);
  Type packed = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  SmallVector<Value> operands{pointer};
  std::string text, constraints = "=&r,=&r,=&r,=&r,l";
  if (predicate) {
    text = "mov.b32 $0, 0; mov.b32 $1, 0; mov.b32 $2, 0; mov.b32 $3, 0; @$5 ";
    constraints += ",b";
    operands.push_back(predicate);
  }
  text += "ld.global";
  if (policy)
    text += ".L2::cache_hint";
  text += ".v4.b32 {$0, $1, $2, $3}, [$4]";
  if (policy) {
    text += ", $" + std::to_string(kPieceWords + operands.size());
    constraints += ",l";
    operands.push_back(policy);
  }
  Value whole =
      lowering
          .inlineAsm(packed, text + ";", constraints + ",~{memory}", operands)
          .getRes();
  for (int64_t i = 0; i < kPieceWords; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, whole, i));
}

Run Realigner::load(Value pointer, Value predicate, Value valid) {
  Run run;
  run.predicate = predicate;
  run.valid = valid;
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
  Value low = b.createOrFold<arith::TruncIOp>(b.getI32Type(), address);
  run.shift = b.createOrFold<arith::AndIOp>(low, i32(kPieceBytes - 1));
  Value back = b.createOrFold<arith::SubIOp>(i32(0), run.shift);
  // The second piece is the first one again where that holds the whole run.
  Value forth = b.createOrFold<arith::AndIOp>(back, i32(kPieceBytes - 1));
  Value first = predicate, second = predicate;
  auto both = [&](Value &condition, Value other) {
    condition =
        condition ? b.createOrFold<arith::AndIOp>(condition, other) : other;
  };
  if (valid) {
    both(first, b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, valid,
                                              i32(0)));
    Value end = lowering.add(run.shift, lowering.mulConst(valid, bits / 8));
    both(second, b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ugt, end,
                                               i32(kPieceBytes)));
  }
  piece(moved(pointer, back), first, run.words);
  piece(moved(pointer, forth), second, run.words);
  return run;
}

SmallVector<Value> Realigner::words(const Run &run) {
  SmallVector<Value> words = run.words;
  // Eight words become six, then five, then four.
  for (int64_t step : {2, 1}) {
    Value skips = isSet(run.shift, 4 * step);
    for (size_t i = 0; i + step < words.size(); ++i)
      words[i] =
          b.createOrFold<arith::SelectOp>(skips, words[i + step], words[i]);
    words.resize(words.size() - step);
  }
  SmallVector<Value> result(words.begin(), words.begin() + kPieceWords);
  if (bits < 32) {
    Value shift =
        lowering.mulConst(b.createOrFold<arith::AndIOp>(run.shift, i32(3)), 8);
    for (int64_t i = 0; i < kPieceWords; ++i)
      result[i] = LLVM::FshrOp::create(b, words[i + 1], words[i], shift);
  }
  if (!run.valid)
    return result;
  int64_t perWord = 32 / bits;
  for (auto [i, word] : llvm::enumerate(result)) {
    // Bits to keep: 0 to 32, as a funnel shift of ones over zeros.
    Value left = b.createOrFold<arith::SubIOp>(
        run.valid, i32(static_cast<int64_t>(i) * perWord));
    left = b.createOrFold<arith::MaxSIOp>(left, i32(0));
    left = b.createOrFold<arith::MinSIOp>(left, i32(perWord));
    Value all = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, left,
                                              i32(perWord));
    Value mask = b.createOrFold<arith::SubIOp>(
        b.createOrFold<arith::ShLIOp>(i32(1), lowering.mulConst(left, bits)),
        i32(1));
    mask = b.createOrFold<arith::SelectOp>(all, i32(-1), mask);
    word = b.createOrFold<arith::AndIOp>(word, mask);
    if (!padWord)
      continue;
    Value others = b.createOrFold<arith::XOrIOp>(mask, i32(-1));
    word = b.createOrFold<arith::OrIOp>(
        word, b.createOrFold<arith::AndIOp>(padWord, others));
  }
  return result;
}

LogicalResult tile::nvvm::moveRealigned(
    KernelLowering &lowering, TileMoveOpInterface move, Endpoint &source,
    Endpoint &target, const FragmentLayout &loop, bool isInside,
    LoadedRuns *loaded, llvm::function_ref<LogicalResult()> byElements) {
  auto &b = lowering.builder;
  int64_t bits = getStorageBits(source.elementType);
  int64_t count = kPieceBytes * 8 / bits;
  bool isPlace = loaded || (target.space == MemorySpace::Shared &&
                            source.elementType == target.elementType);
  if (source.space != MemorySpace::Global || !isPlace ||
      (bits != 8 && bits != 16 && bits != 32) || loop.rank() == 0 ||
      loop.vectorWidth(loop.rank() - 1) % count || loop.numRegisters() % count)
    return move->emitOpError()
           << "expected to realign runs of 16 bytes from global memory to a "
              "fragment, or to shared memory where elements are not converted, "
              "of elements of one, two or four bytes";
  SmallVector<Value> threadPart = lowering.threadCoordinates(loop);
  // Replicas all keep their own copy of a fragment; memory is written once.
  Value replica = loaded ? Value() : lowering.firstReplica(loop);
  auto emit = [&](bool inside) {
    source.assumeInside(inside);
    Value pad = move.getPad();
    Realigner realigner(lowering, source,
                        pad ? lowering.convertElement(pad, source.elementType)
                            : Value());
    auto finishRun = [&](const Run &run, int64_t reg) {
      SmallVector<Value> words = realigner.words(run);
      Value whole = LLVM::PoisonOp::create(
          b, VectorType::get({kPieceWords}, b.getI32Type()));
      for (auto [j, word] : llvm::enumerate(words))
        whole = LLVM::InsertElementOp::create(b, whole, word, lowering.i32(j));
      if (loaded)
        return loaded->putBytes(reg, whole);
      Value place = target.address(reg);
      OpBuilder::InsertionGuard guard(b);
      if (run.predicate) {
        auto branch = scf::IfOp::create(b, run.predicate, /*withElse=*/false);
        b.setInsertionPointToStart(branch.thenBlock());
      }
      LLVM::StoreOp::create(b, whole, place,
                            static_cast<unsigned>(kPieceBytes));
    };
    // All loads are issued before anything waits for them; warps that copy far
    // ahead and have few registers issue only some at a time.
    SmallVector<Run> runs;
    int64_t first = 0;
    auto finish = [&] {
      for (auto [i, run] : llvm::enumerate(runs))
        finishRun(run, first + static_cast<int64_t>(i) * count);
      first += static_cast<int64_t>(runs.size()) * count;
      runs.clear();
    };
    for (int64_t reg = 0, e = loop.numRegisters(); reg < e; reg += count) {
      if (lowering.agent.isCopying && runs.size() == kRunsOfCopyingWarps)
        finish();
      Value predicate = lowering.inBounds(loop, threadPart, reg);
      if (replica)
        predicate = predicate
                        ? b.createOrFold<arith::AndIOp>(predicate, replica)
                        : replica;
      runs.push_back(
          realigner.load(source.address(reg), predicate,
                         inside ? Value() : source.validElements(reg, count)));
    }
    finish();
  };
  Value nearEnd = source.regionReachesOverEnd(kPieceBytes);
  auto elsewhere = scf::IfOp::create(b, nearEnd, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(elsewhere.thenBlock());
  if (failed(byElements()))
    return failure();
  b.setInsertionPointToStart(elsewhere.elseBlock());
  Value inside = isInside ? Value() : source.regionInside();
  if (!inside) {
    emit(/*inside=*/true);
    return success();
  }
  auto branch = scf::IfOp::create(b, inside, /*withElse=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  emit(/*inside=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  emit(/*inside=*/false);
  return success();
}
