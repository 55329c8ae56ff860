//===- RingScalars.cpp - the index arithmetic of a ring model -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RingScalars.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Dialect/Tile/IR/Iterations.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

/// The arithmetic an operation stands for; Leaf when it is none we know.
static ScalarCode codeOf(Operation *op) {
  using Code = ScalarCode;
  return llvm::TypeSwitch<Operation *, Code>(op)
      .Case([](arith::AddIOp) { return Code::Add; })
      .Case([](arith::SubIOp) { return Code::Sub; })
      .Case([](arith::MulIOp) { return Code::Mul; })
      .Case([](arith::DivUIOp) { return Code::DivU; })
      .Case([](arith::DivSIOp) { return Code::DivS; })
      .Case([](arith::CeilDivUIOp) { return Code::CeilDivU; })
      .Case([](arith::CeilDivSIOp) { return Code::CeilDivS; })
      .Case([](arith::FloorDivSIOp) { return Code::FloorDivS; })
      .Case([](arith::RemUIOp) { return Code::RemU; })
      .Case([](arith::RemSIOp) { return Code::RemS; })
      .Case([](arith::MinSIOp) { return Code::MinS; })
      .Case([](arith::MaxSIOp) { return Code::MaxS; })
      .Case([](arith::MinUIOp) { return Code::MinU; })
      .Case([](arith::MaxUIOp) { return Code::MaxU; })
      .Case([](arith::AndIOp) { return Code::And; })
      .Case([](arith::OrIOp) { return Code::Or; })
      .Case([](arith::XOrIOp) { return Code::Xor; })
      .Case([](arith::ShLIOp) { return Code::Shl; })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [](Operation *) { return Code::Shr; })
      .Case<arith::CmpIOp, IterationOp>(
          [](Operation *) { return Code::Compare; })
      .Case([](arith::SelectOp select) {
        return select.getType().isIntOrIndex() ? Code::Select : Code::Leaf;
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
            arith::TruncIOp>([](Operation *) { return Code::Cast; })
      .Case([](arith::ExtSIOp extend) {
        return extend.getIn().getType().isInteger(1) ? Code::SignExtendBool
                                                     : Code::Cast;
      })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [](Operation *) { return Code::Affine; })
      .Default([](Operation *) { return Code::Leaf; });
}

bool rings::isArithmetic(Operation *op) {
  return codeOf(op) != ScalarCode::Leaf || matchPattern(op, m_Constant());
}

static bool isBool(Value value) { return value.getType().isInteger(1); }

bool ScalarBuilder::isLoadOfSlot(Value value) const {
  auto load = value.getDefiningOp<memref::LoadOp>();
  return load && tracer(load.getMemRef()).first >= 0;
}

ScalarId ScalarBuilder::add(Scalar scalar) {
  model.scalars.push_back(std::move(scalar));
  return static_cast<ScalarId>(model.scalars.size()) - 1;
}

ScalarId ScalarBuilder::constant(int64_t value) {
  auto [it, isNew] = constants.try_emplace(value, kNoScalar);
  if (isNew)
    it->second = add({ScalarCode::Constant, value, nullptr, {}});
  return it->second;
}

/// Scalars are forgotten whenever the body they are computed in starts again.
void ScalarBuilder::registerLocal(Value value, ScalarId id) {
  auto it = bodyOf.find(value.getParentBlock());
  if (it != bodyOf.end())
    model.bodies[it->second].locals.push_back(id);
}

ScalarId ScalarBuilder::bound(Value value) {
  auto [it, isNew] = ids.try_emplace(value, kNoScalar);
  if (isNew) {
    it->second = add({ScalarCode::Bound, 0, nullptr, {}});
    registerLocal(value, it->second);
  }
  return it->second;
}

ScalarId ScalarBuilder::get(Value value) {
  if (auto it = ids.find(value); it != ids.end())
    return it->second;
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known))) {
    int64_t number =
        isBool(value) ? known.getZExtValue() : known.getSExtValue();
    return ids[value] = constant(number);
  }
  Operation *op = value.getDefiningOp();
  // A token of nothing.
  if (isDoneToken(value))
    return ids[value] = constant(0);
  ScalarCode code = op ? codeOf(op) : ScalarCode::Leaf;
  ScalarId id;
  if (code == ScalarCode::Leaf) {
    id = leaf(value);
  } else {
    Scalar scalar{code, 0, op, {}};
    auto iteration = dyn_cast<IterationOp>(op);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      scalar.constant = static_cast<int64_t>(compare.getPredicate());
    if (iteration)
      scalar = comparison(iteration);
    else
      for (Value operand : op->getOperands())
        scalar.operands.push_back(get(operand));
    id = add(std::move(scalar));
  }
  ids[value] = id;
  if (model.scalars[id].code != ScalarCode::Constant)
    registerLocal(value, id);
  return id;
}

/// What a question about iterations compares.
Scalar ScalarBuilder::comparison(IterationOp op) {
  IterationComparison compared = comparisonOf(op);
  auto side = [&](Value value, int64_t steps) {
    ScalarId start = get(value);
    if (steps == 0)
      return start;
    ScalarId offset =
        add({ScalarCode::Mul, 0, op, {get(op.getStep()), constant(steps)}});
    ScalarId sum = add({ScalarCode::Add, 0, op, {start, offset}});
    registerLocal(op.getResult(), offset);
    registerLocal(op.getResult(), sum);
    return sum;
  };
  ScalarId left = side(compared.left, compared.leftSteps),
           right = side(compared.right, compared.rightSteps);
  return {ScalarCode::Compare,
          static_cast<int64_t>(compared.predicate),
          op,
          {left, right}};
}

/// The name of a kernel's argument, or empty.
static std::string argumentName(KernelOp kernel, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->getParentOp() != kernel ||
      argument.getArgNumber() >= kernel.getNumKernelArguments())
    return {};
  return cast<StringAttr>(kernel.getArgNames()[argument.getArgNumber()])
      .getValue()
      .str();
}

int ScalarBuilder::source(Key key, llvm::function_ref<Source()> make) {
  auto [it, isNew] =
      sources.try_emplace(std::move(key), static_cast<int>(sources.size()));
  if (isNew)
    model.sources.push_back(make());
  return it->second;
}

/// True when nothing in the kernel writes what `load` reads.
bool ScalarBuilder::readsConstantMemory(Value memref) {
  if (!accessesKnown) {
    accessesKnown = true;
    // What only synchronizes has effects on everything, and writes nothing.
    model.kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<TileOrderOpInterface, TileStorageOpInterface>(op))
        return WalkResult::advance();
      if (isa<TileOpInterface>(op)) {
        unknownAccess |= collectAccesses(op, accesses) != nullptr;
        return WalkResult::skip();
      }
      if (op->getNumRegions() == 0)
        unknownAccess |= collectAccesses(op, accesses) != nullptr;
      return WalkResult::advance();
    });
  }
  return !unknownAccess && llvm::none_of(accesses, [&](const OpAccess &own) {
    return own.access.isWrite && mayAlias(own.access.buffer, memref);
  });
}

ScalarId ScalarBuilder::leaf(Value value) {
  Scalar scalar{ScalarCode::Leaf, 0, value.getDefiningOp(), {}};
  KernelOp kernel = model.kernel;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    scalar.constant = source({value.getAsOpaquePointer()}, [&] {
      Source made;
      made.isBool = isBool(value);
      made.name = argumentName(kernel, value);
      if (made.name.empty() && argument.getOwner()->getParentOp() == kernel) {
        unsigned dim = argument.getArgNumber() - kernel.getNumKernelArguments();
        made.gridDim = static_cast<int>(dim);
        made.name = "block index " + std::to_string(dim);
      }
      return made;
    });
    return add(std::move(scalar));
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  Source made;
  made.isBool = isBool(value);
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (type && index && *index < type.getRank() && !type.isDynamicDim(*index))
      return constant(type.getDimSize(*index));
    std::string of = argumentName(kernel, dim.getSource());
    made.name = "dim(" + (of.empty() ? "a memref" : of) + ", " +
                (index ? std::to_string(*index) : "?") + ")";
    made.isExtent = true;
    const void *which =
        index ? reinterpret_cast<const void *>(static_cast<uintptr_t>(*index))
              : dim.getIndex().getAsOpaquePointer();
    scalar.constant = source({op->getName().getAsOpaquePointer(),
                              dim.getSource().getAsOpaquePointer(), which},
                             [&] { return made; });
    return add(std::move(scalar));
  }

  // What equal operands make equal, in whatever agent.
  Key key{op->getName().getAsOpaquePointer(),
          op->getAttrDictionary().getAsOpaquePointer(),
          reinterpret_cast<const void *>(static_cast<uintptr_t>(number))};
  bool isFunction = op->getNumRegions() == 0;
  for (Value operand : op->getOperands()) {
    if (operand.getType().isIntOrIndex())
      scalar.operands.push_back(get(operand));
    else
      key.push_back(operand.getAsOpaquePointer());
  }
  made.kind = SourceKind::Effect;
  made.name = "a value of '" + op->getName().getStringRef().str() + "'";
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    auto [view, buffer] = tracer(load.getMemRef());
    if (view >= 0) {
      made.kind = SourceKind::Payload;
      made.view = view;
      made.buffer = buffer;
    } else if (readsConstantMemory(load.getMemRef())) {
      made.kind = SourceKind::Keyed;
    }
    made.name = "an element of " + describeBuffer(load.getMemRef());
    // Tables say "none" by a negative number.
    if (load.getType().isIntOrIndex() && !load.getType().isInteger(1))
      made.min = -made.max;
  } else if (isFunction && isMemoryEffectFree(op)) {
    made.kind = SourceKind::Keyed;
  }
  if (isa<BlockRangeOp>(op)) {
    static constexpr StringLiteral names[] = {"first block", "end of blocks",
                                              "step of blocks"};
    made.kind = SourceKind::Fixed;
    made.name = names[number].str();
    made.min = number == 2; // a step is positive
  } else if (isPlaceOfBlock(op)) {
    made.gridDim = static_cast<int>(number);
    made.name = "block coordinate " + std::to_string(number);
  }
  if (made.kind == SourceKind::Effect)
    key.push_back(op);
  if (made.kind == SourceKind::Payload)
    key.push_back(model.views[made.view].op);
  scalar.constant = source(std::move(key), [&] { return made; });
  return add(std::move(scalar));
}

void ScalarBuilder::assume(AssumeOp op) {
  auto it = ids.find(op.getValue());
  if (it == ids.end() || model.scalars[it->second].code != ScalarCode::Leaf)
    return;
  Source &promised = model.sources[model.scalars[it->second].constant];
  if (promised.kind != SourceKind::Fixed)
    return;
  if (op.getMin())
    promised.min = std::max(promised.min, static_cast<int64_t>(*op.getMin()));
  if (op.getMax())
    promised.max = std::min(promised.max, static_cast<int64_t>(*op.getMax()));
  if (op.getDivisibleBy())
    promised.divisor =
        std::max(promised.divisor, static_cast<int64_t>(*op.getDivisibleBy()));
}
