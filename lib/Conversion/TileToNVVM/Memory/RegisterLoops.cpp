//===- RegisterLoops.cpp - loops over a thread's registers ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory/RegisterLoops.h"
#include "RegisterMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// More than so many, and digits become loops, too, that move the registers of
/// fragments which would not have to lie in local memory.
static constexpr int64_t kMostWrittenOut = 128;
/// A loop that uses no fragment is written out whole up to here: 512 accesses
/// of one element take 0.3 s to compile, 8192 of them half a minute.
static constexpr int64_t kMostWithoutFragments = 512;
/// Of a run along the innermost dimension, what an access may need: 16 bytes of
/// packed elements.
static constexpr int64_t kLongestRun = 32;

/// Values of a mode that one access may take.
static int64_t runOf(const FragmentLayout &layout, unsigned index) {
  if (index != 0 || layout.rank() == 0 ||
      layout.vectorWidth(layout.rank() - 1) == 1)
    return 1;
  int64_t run = 1;
  while (run < kLongestRun &&
         layout.modes(Axis::Register)[0].extent % (2 * run) == 0)
    run *= 2;
  return run;
}

RegisterLoops::RegisterLoops(KernelLowering &lowering,
                             const FragmentLayout &loop,
                             ArrayRef<FragmentUse> uses,
                             ArrayRef<unsigned> unrolled, int64_t writtenOut)
    : lowering(lowering), layout(loop),
      unrolled(unrolled.begin(), unrolled.end()), writtenOut(writtenOut) {
  for (const FragmentUse &use : uses)
    views.push_back({use, lowering.fragments.lookup(use.buffer), {}});
  chooseDigits(writtenOut, /*movesRegisters=*/false);
  chooseDigits(std::max(writtenOut, kMostWrittenOut), /*movesRegisters=*/true);
}

void RegisterLoops::chooseDigits(int64_t mostRegisters, bool movesRegisters) {
  for (unsigned i = layout.modes(Axis::Register).size(); i-- > 0;) {
    const Mode mode = layout.modes(Axis::Register)[i];
    int64_t rest = layout.numRegisters() / mode.extent;
    if (rest * mode.extent <= mostRegisters)
      return;
    if (mode.isReplication() || mode.stride == 0 ||
        llvm::is_contained(unrolled, unsigned(mode.dim)))
      continue;
    int64_t run = runOf(layout, i);
    // As many values stay as there is room for.
    for (int64_t kept = mode.extent / 2; kept > 0; --kept)
      if (mode.extent % kept == 0 && kept % run == 0 &&
          (rest * kept <= writtenOut || kept == run) &&
          takeDigit(i, kept, movesRegisters))
        break;
  }
}

bool RegisterLoops::takeDigit(unsigned index, int64_t kept,
                              bool movesRegisters) {
  Modes registers = layout.modes(Axis::Register);
  Mode digit = registers[index];
  digit.extent /= kept;
  digit.stride *= kept;
  std::vector<View> moved;
  for (const View &view : views) {
    std::optional<View> with = withDigit(view, digit);
    if (!with || (!movesRegisters && !view.buffer.isInLocalMemory &&
                  with->steps.back() != 0))
      return false;
    moved.push_back(std::move(*with));
  }
  registers[index].extent = kept;
  if (kept == 1)
    registers.erase(registers.begin() + index);
  Modes warps = layout.modes(Axis::Warp);
  warps.push_back(digit);
  FragmentLayout rest(layout.shape(), registers, layout.modes(Axis::Lane),
                      warps);
  if (!llvm::all_of(moved, [&](const View &view) { return holds(view, rest); }))
    return false;
  // One buffer has one view.
  for (const View &view : moved)
    for (const View &other : moved)
      if (view.use.buffer == other.use.buffer &&
          (view.buffer.layout != other.buffer.layout ||
           view.steps != other.steps))
        return false;
  views = std::move(moved);
  digits.push_back(digit);
  layout = std::move(rest);
  return true;
}

/// Whether what is left of a fragment has a register for all that the rest of
/// the loop uses while every digit is 0.
bool RegisterLoops::holds(const View &view, const FragmentLayout &rest) {
  RegisterMap map(view.buffer.layout);
  for (int64_t r = 0, e = rest.numRegisters(); r < e; ++r) {
    SmallVector<int64_t> own = rest.axisCoordinates(Axis::Register, r), at;
    for (ArrayRef<int64_t> coefficients : view.use.coefficients) {
      at.push_back(0);
      for (auto [coefficient, index] : llvm::zip(coefficients, own))
        at.back() += coefficient * index;
    }
    if (map(at) < 0)
      return false;
  }
  return true;
}

std::optional<RegisterLoops::View>
RegisterLoops::withDigit(const View &view, const Mode &digit) const {
  View result = view;
  Mode moved{digit.extent, Mode::kReplicated, 0};
  for (auto [dim, coefficients] : llvm::enumerate(view.use.coefficients)) {
    int64_t stride = coefficients[digit.dim] * digit.stride;
    if (stride == 0)
      continue;
    if (!moved.isReplication() || stride < 0)
      return std::nullopt;
    moved.dim = dim;
    moved.stride = stride;
  }
  const FragmentLayout &own = view.buffer.layout;
  Modes warps = own.modes(Axis::Warp), registers = own.modes(Axis::Register);
  warps.push_back(moved);
  int64_t step = moved.isReplication() ? 0 : -1, divisor = 1;
  for (unsigned i = 0; step < 0 && i < registers.size(); ++i) {
    // Of the mode's values every `inner`-th is the digit's.
    Mode mode = registers[i];
    int64_t inner = mode.dim == moved.dim && mode.stride > 0 &&
                            moved.stride % mode.stride == 0
                        ? moved.stride / mode.stride
                        : mode.extent;
    if (inner < mode.extent && mode.extent % (inner * moved.extent) == 0) {
      step = divisor * inner;
      // The numbers of registers stay as they are: a mode that repeats what is
      // there stands where the digit was.
      Mode outer{mode.extent / inner / moved.extent, mode.dim,
                 moved.stride * moved.extent};
      registers[i].extent = inner;
      registers.insert(registers.begin() + i + 1,
                       {Mode{moved.extent, Mode::kReplicated, 0}, outer});
    }
    divisor *= mode.extent;
  }
  bool isPackedHalf =
      step % 2 &&
      isPacked(cast<MemRefType>(view.use.buffer.getType()).getElementType());
  if (step < 0 || isPackedHalf)
    return std::nullopt;
  result.buffer.layout =
      FragmentLayout(own.shape(), registers, own.modes(Axis::Lane), warps);
  result.steps.push_back(step);
  return result;
}

FragmentBuffer RegisterLoops::viewInside(const View &view,
                                         ArrayRef<Value> values) {
  FragmentBuffer inside = view.buffer;
  Type element = cast<MemRefType>(view.use.buffer.getType()).getElementType();
  for (auto [value, step] : llvm::zip(values, view.steps))
    if (step)
      inside.registers =
          LLVM::GEPOp::create(lowering.builder, inside.registers.getType(),
                              lowering.storageType(element), inside.registers,
                              ArrayRef<LLVM::GEPArg>{lowering.mulConst(
                                  value, isPacked(element) ? step / 2 : step)});
  return inside;
}

FailureOr<SmallVector<Value>> RegisterLoops::emit(
    ValueRange init,
    llvm::function_ref<FailureOr<SmallVector<Value>>(ValueRange)> body) {
  auto &b = lowering.builder;
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> values, carried(init);
  SmallVector<scf::ForOp> loops;
  for (const Mode &digit : digits) {
    auto loop =
        scf::ForOp::create(b, lowering.i32(0), lowering.i32(digit.extent),
                           lowering.i32(1), carried);
    loop->setAttr("loop_annotation", notUnrolled(b.getContext()));
    carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    values.push_back(loop.getInductionVar());
    loops.push_back(loop);
    b.setInsertionPointToStart(loop.getBody());
  }
  auto outside = lowering.fragments;
  for (const View &view : views)
    lowering.fragments[view.use.buffer] = viewInside(view, values);
  SmallVector<Value> all = lowering.loopDigits;
  llvm::append_range(all, values);
  llvm::SaveAndRestore digitValues(lowering.loopDigits, std::move(all));
  llvm::SaveAndRestore inside(lowering.innerLayout,
                              std::optional<FragmentLayout>(layout));
  FailureOr<SmallVector<Value>> results = body(carried);
  lowering.fragments = std::move(outside);
  if (failed(results))
    return failure();
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b.setInsertionPointToEnd(loop.getBody());
    if (loop.getNumResults() != 0)
      scf::YieldOp::create(b, *results);
    results = llvm::to_vector_of<Value>(loop.getResults());
  }
  return results;
}

FragmentUse tile::nvvm::wholeUse(Value buffer) {
  unsigned rank = cast<MemRefType>(buffer.getType()).getRank();
  FragmentUse use{buffer, {}};
  for (unsigned d = 0; d < rank; ++d) {
    use.coefficients.emplace_back(rank, 0);
    use.coefficients[d][d] = 1;
  }
  return use;
}

SmallVector<int64_t>
tile::nvvm::registersInside(KernelLowering &lowering,
                            const FragmentBuffer &fragment) {
  if (!lowering.innerLayout)
    return llvm::to_vector(
        llvm::seq<int64_t>(0, fragment.layout.numRegisters()));
  RegisterMap map(fragment.layout);
  SmallVector<int64_t> registers;
  const FragmentLayout &loop = *lowering.innerLayout;
  for (int64_t r = 0, e = loop.numRegisters(); r < e; ++r)
    registers.push_back(map(loop.axisCoordinates(Axis::Register, r)));
  return registers;
}

/// The fragments that an operation over a tile reaches; nullopt where it
/// doesn't run over one, or reaches one otherwise than by sums of its indices.
static std::optional<SmallVector<FragmentUse>>
fragmentUses(KernelLowering &lowering, Operation *op, unsigned rank) {
  LayoutConstraints constraints(lowering.target, lowering.kernel.getThreads());
  cast<TileOpInterface>(op).getLayoutConstraints(constraints);
  if (!constraints.loopDemand || constraints.loopDemand->shape.size() != rank)
    return std::nullopt;
  SmallVector<FragmentUse> uses;
  for (const LoopAccess &access : constraints.loopDemand->accesses) {
    if (!isFragment(access.buffer()))
      continue;
    FragmentUse use{access.buffer(), {}};
    for (const LoopIndex &index : access.indices) {
      // A part may start inside of a digit.
      if (index.isIrregular || index.hasUniform() || index.constant != 0)
        return std::nullopt;
      use.coefficients.push_back(index.coefficients);
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

/// Whether threads go through a tile element by element or in runs of them, not
/// in matrices.
static bool runsByElements(Operation *op) {
  const CopyTraits *move = moveTraits(op);
  return !move ||
         (move->isPlain && llvm::none_of(op->getOperands(), [](Value operand) {
            return isTensorMemory(operand);
          }));
}

LogicalResult tile::nvvm::lowerInLoops(KernelLowering &lowering, Operation *op,
                                       LowerFunction lower) {
  auto isInLocalMemory = [&](Value buffer) {
    auto it = lowering.fragments.find(buffer);
    return it != lowering.fragments.end() && it->second.isInLocalMemory;
  };
  auto isUsed = [&](Operation *inner) {
    return llvm::any_of(inner->getOperands(), isInLocalMemory)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  if (!lowering.loopDigits.empty() || !runsByElements(op))
    return lower(lowering, op);
  auto tileOp = cast<TileOpInterface>(op);
  FragmentLayoutAttr stated = tileOp.getLoopLayout();
  bool usesLocalMemory = op->walk(isUsed).wasInterrupted();
  bool isLong =
      stated && stated.getLayout().numRegisters() > kMostWithoutFragments;
  if (!usesLocalMemory && !isLong)
    return lower(lowering, op);
  FragmentLayout loop;
  bool fillsAsHeld = !stated && tileOp.getFillValue();
  if (stated)
    loop = stated.getLayout();
  else if (fillsAsHeld)
    loop = lowering.fragments.lookup(op->getOperand(0)).layout;
  auto uses = fillsAsHeld
                  ? SmallVector<FragmentUse>{wholeUse(op->getOperand(0))}
                  : fragmentUses(lowering, op, loop.rank());
  // A fragment in registers is reached by numbers only.
  if (!uses || (!usesLocalMemory && !uses->empty()))
    return lower(lowering, op);
  // Without fragments registers are free for more accesses at a time.
  RegisterLoops loops(lowering, loop, *uses, {},
                      uses->empty() ? kMostWrittenOut
                                    : RegisterLoops::kWrittenOut);
  if (loops.isEmpty())
    return lower(lowering, op);
  return loops.emit({}, [&](ValueRange) -> FailureOr<SmallVector<Value>> {
    if (failed(lower(lowering, op)))
      return failure();
    return SmallVector<Value>();
  });
}
