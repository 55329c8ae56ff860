//===- RingEval.cpp - values of a ring model's scalars --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RingEval.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

Evaluator::Evaluator(const Model &model, Choices &choices, Environment start,
                     int agent, int rank, PayloadLookup payload)
    : env(std::move(start)), model(model), choices(choices), agent(agent),
      rank(rank), payload(std::move(payload)) {
  env.values.resize(model.scalars.size());
  env.known.resize(model.scalars.size());
  env.variables.resize(model.scalars.size(), -1);
  env.instanceOfRing.resize(model.rings.size(), -1);
  env.useOfView.resize(model.views.size(), {-1, 0});
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("all predicates are above");
}

static std::optional<int64_t> evalAffine(Operation *op,
                                         ArrayRef<int64_t> operands) {
  AffineMap map =
      llvm::TypeSwitch<Operation *, AffineMap>(op)
          .Case<affine::AffineApplyOp, affine::AffineMinOp,
                affine::AffineMaxOp>([](auto typed) { return typed.getMap(); });
  SmallVector<Attribute> inputs, outputs;
  Type index = IndexType::get(op->getContext());
  for (int64_t operand : operands)
    inputs.push_back(IntegerAttr::get(index, operand));
  if (failed(map.constantFold(inputs, outputs)) || outputs.empty())
    return std::nullopt;
  std::optional<int64_t> best;
  for (Attribute output : outputs) {
    int64_t value = cast<IntegerAttr>(output).getInt();
    if (!best)
      best = value;
    else
      best = isa<affine::AffineMinOp>(op) ? std::min(*best, value)
                                          : std::max(*best, value);
  }
  return best;
}

/// Undefined results (division by zero) are none; sums wrap.
std::optional<int64_t> Evaluator::compute(const Scalar &scalar,
                                          ArrayRef<int64_t> v) const {
  auto u = [&](unsigned i) { return static_cast<uint64_t>(v[i]); };
  bool divides = v.size() > 1 && v[1] != 0 && v[1] != -1;
  switch (scalar.code) {
  case ScalarCode::Constant:
  case ScalarCode::Leaf:
  case ScalarCode::Bound:
    return scalar.constant;
  case ScalarCode::Affine:
    return evalAffine(scalar.op, v);
  case ScalarCode::Add:
    return static_cast<int64_t>(u(0) + u(1));
  case ScalarCode::Sub:
    return static_cast<int64_t>(u(0) - u(1));
  case ScalarCode::Mul:
    return static_cast<int64_t>(u(0) * u(1));
  case ScalarCode::DivU:
    if (v[1] == 0)
      return std::nullopt;
    return static_cast<int64_t>(u(0) / u(1));
  case ScalarCode::RemU:
    if (v[1] == 0)
      return std::nullopt;
    return static_cast<int64_t>(u(0) % u(1));
  case ScalarCode::CeilDivU:
    if (v[1] == 0)
      return std::nullopt;
    return static_cast<int64_t>(u(0) / u(1) + (u(0) % u(1) != 0));
  case ScalarCode::DivS:
    return divides ? std::optional(v[0] / v[1]) : std::nullopt;
  case ScalarCode::RemS:
    return divides ? std::optional(v[0] % v[1]) : std::nullopt;
  case ScalarCode::CeilDivS:
    return divides ? std::optional(llvm::divideCeilSigned(v[0], v[1]))
                   : std::nullopt;
  case ScalarCode::FloorDivS:
    return divides ? std::optional(llvm::divideFloorSigned(v[0], v[1]))
                   : std::nullopt;
  case ScalarCode::MinS:
    return std::min(v[0], v[1]);
  case ScalarCode::MaxS:
    return std::max(v[0], v[1]);
  case ScalarCode::MinU:
    return static_cast<int64_t>(std::min(u(0), u(1)));
  case ScalarCode::MaxU:
    return static_cast<int64_t>(std::max(u(0), u(1)));
  case ScalarCode::And:
    return v[0] & v[1];
  case ScalarCode::Or:
    return v[0] | v[1];
  case ScalarCode::Xor:
    return v[0] ^ v[1];
  case ScalarCode::Shl:
    return u(1) < 63 ? static_cast<int64_t>(u(0) << u(1)) : 0;
  case ScalarCode::Shr:
    return u(1) < 63 ? v[0] >> v[1] : 0;
  case ScalarCode::Compare:
    return compare(static_cast<arith::CmpIPredicate>(scalar.constant), v[0],
                   v[1]);
  case ScalarCode::Select:
    return v[0] ? v[1] : v[2];
  case ScalarCode::Cast:
    return v[0];
  case ScalarCode::SignExtendBool:
    return -v[0];
  }
  llvm_unreachable("all codes are above");
}

std::optional<int64_t> Evaluator::eval(ScalarId id) {
  const Scalar &scalar = model.scalars[id];
  if (scalar.code == ScalarCode::Constant)
    return scalar.constant;
  if (env.known[id])
    return env.values[id];
  if (scalar.code == ScalarCode::Bound)
    return std::nullopt;
  std::optional<int64_t> result;
  if (scalar.code == ScalarCode::Leaf) {
    result = leafValue(id);
  } else {
    SmallVector<int64_t, 3> operands;
    for (ScalarId operand : scalar.operands) {
      std::optional<int64_t> value = eval(operand);
      if (!value)
        return std::nullopt;
      operands.push_back(*value);
    }
    result = compute(scalar, operands);
  }
  if (result)
    set(id, *result);
  return result;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// Appends the value of `id` to `key`. One that is still open is known by how
/// it is computed, and from what: each role has operations of its own that
/// compute the same.
void Evaluator::appendKey(ScalarId id, SmallVectorImpl<int64_t> &key) {
  if (std::optional<int64_t> value = eval(id)) {
    key.push_back(*value);
    return;
  }
  constexpr int64_t kOpen = std::numeric_limits<int64_t>::min();
  constexpr size_t kLongest = 256; // operands that are shared count each time
  const Scalar &scalar = model.scalars[id];
  key.append({kOpen, int64_t(scalar.code)});
  if (scalar.code == ScalarCode::Leaf) {
    key.push_back(variableOf(id));
    return;
  }
  if (scalar.code == ScalarCode::Bound || key.size() > kLongest) {
    key.push_back(id);
    return;
  }
  key.push_back(scalar.constant);
  if (scalar.op)
    key.append({int64_t(uintptr_t(scalar.op->getName().getAsOpaquePointer())),
                int64_t(uintptr_t(
                    scalar.op->getAttrDictionary().getAsOpaquePointer()))});
  for (ScalarId operand : scalar.operands)
    appendKey(operand, key);
}

/// What makes two looks at a source the same look.
int Evaluator::variableOf(ScalarId id) {
  int32_t &known = env.variables[id];
  if (known >= 0)
    return known;
  const Scalar &scalar = model.scalars[id];
  const Source &source = model.sources[scalar.constant];
  SmallVector<int64_t> key;
  if (source.kind == SourceKind::Effect)
    key = {agent, rank, effects++};
  if (source.kind == SourceKind::Payload) {
    auto [instance, use] = env.useOfView[source.view];
    key = {instance, use, source.buffer};
  }
  if (source.kind != SourceKind::Effect)
    for (ScalarId operand : scalar.operands)
      appendKey(operand, key);
  return known = choices.variable(scalar.constant, key);
}

std::optional<int64_t> Evaluator::leafValue(ScalarId id) {
  const Scalar &scalar = model.scalars[id];
  const Source &source = model.sources[scalar.constant];
  if (source.kind == SourceKind::Payload) {
    auto [instance, use] = env.useOfView[source.view];
    SmallVector<int64_t> key{instance, use, source.buffer};
    for (ScalarId operand : scalar.operands)
      key.push_back(eval(operand).value_or(0));
    if (std::optional<int64_t> stored = payload(key, isMissingPayload))
      return stored;
    if (isMissingPayload)
      return std::nullopt;
  }
  const Variable &variable = choices.variables[variableOf(id)];
  if (!variable.isAssigned)
    return std::nullopt;
  if (source.gridDim < 0 || model.clusterSize == 1)
    return variable.value;
  // Blocks of a cluster are neighbours; the first dimension runs fastest.
  ArrayRef<int64_t> extents = model.clusterExtents;
  int64_t digit = rank;
  for (int64_t extent : extents.take_front(source.gridDim))
    digit /= extent;
  int64_t extent = extents[source.gridDim];
  return variable.value * extent + digit % extent;
}

SmallVector<int, 2> Evaluator::variablesOf(ArrayRef<ScalarId> ids,
                                           bool unassignedOnly) {
  SmallVector<int, 2> found;
  llvm::SmallDenseSet<ScalarId> seen;
  SmallVector<ScalarId> pending(ids.rbegin(), ids.rend());
  while (!pending.empty()) {
    ScalarId id = pending.pop_back_val();
    if (!seen.insert(id).second)
      continue;
    const Scalar &scalar = model.scalars[id];
    if (scalar.code != ScalarCode::Leaf) {
      pending.append(scalar.operands.rbegin(), scalar.operands.rend());
      continue;
    }
    if (model.sources[scalar.constant].kind == SourceKind::Payload &&
        env.known[id] && env.variables[id] < 0)
      continue; // it was stored
    int var = variableOf(id);
    if (unassignedOnly && choices.variables[var].isAssigned)
      continue;
    if (!llvm::is_contained(found, var))
      found.push_back(var);
  }
  return found;
}
