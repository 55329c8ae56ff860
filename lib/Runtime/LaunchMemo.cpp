//===- LaunchMemo.cpp - What launches with equal arguments share ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LaunchMemo.h"

#include <algorithm>
#include <cstring>

using namespace mlir::tile::runtime;

//===----------------------------------------------------------------------===//
// At load
//===----------------------------------------------------------------------===//

static bool asksFor(const Expr &expr, unsigned scalar) {
  if (expr.isBinary())
    return asksFor(expr.lhs(), scalar) || asksFor(expr.rhs(), scalar);
  return expr.kind() == Expr::Kind::Scalar && expr.arg() == scalar;
}

static bool asksFor(const CostSpec &cost, unsigned scalar) {
  auto asks = [&](const Expr &expr) { return asksFor(expr, scalar); };
  return std::any_of(cost.tiles.begin(), cost.tiles.end(), asks) ||
         std::any_of(cost.loops.begin(), cost.loops.end(),
                     [&](const CostLoop &loop) { return asks(loop.trips); }) ||
         std::any_of(cost.streams.begin(), cost.streams.end(),
                     [&](const CostStream &stream) {
                       return asks(stream.elements) || asks(stream.pitch);
                     });
}

/// Whether anything but a parameter follows from a scalar.
static bool decides(const KernelSpec &kernel, unsigned scalar) {
  auto asks = [&](const Expr &expr) { return asksFor(expr, scalar); };
  auto any = [&](const auto &exprs) {
    return std::any_of(exprs.begin(), exprs.end(), asks);
  };
  return any(kernel.grid) || asksFor(kernel.cost, scalar) ||
         std::any_of(kernel.assumptions.begin(), kernel.assumptions.end(),
                     [&](const Assumption &one) { return asks(one.expr); }) ||
         std::any_of(kernel.tensorMaps.begin(), kernel.tensorMaps.end(),
                     [&](const TensorMapSpec &map) {
                       return any(map.dims) || any(map.strides);
                     }) ||
         std::any_of(kernel.versions.begin(), kernel.versions.end(),
                     [&](const KernelSpec &version) {
                       return decides(version, scalar);
                     });
}

/// Bits of an address that a kernel or one of its versions asks for.
static uint64_t alignmentMask(const KernelSpec &kernel, size_t arg) {
  uint64_t mask = uint64_t(kernel.args[arg].alignment) - 1;
  for (const KernelSpec &version : kernel.versions)
    mask |= uint64_t(version.args[arg].alignment) - 1;
  return mask;
}

static size_t paramBytes(const KernelSpec &kernel) {
  size_t bytes = 0;
  for (const ParamSpec &param : kernel.params)
    bytes += param.size() + param.align();
  for (const KernelSpec &version : kernel.versions)
    bytes = std::max(bytes, paramBytes(version));
  return bytes;
}

static size_t numParams(const KernelSpec &kernel) {
  size_t count = kernel.params.size();
  for (const KernelSpec &version : kernel.versions)
    count = std::max(count, numParams(version));
  return count;
}

static size_t numMaps(const KernelSpec &kernel) {
  size_t count = kernel.tensorMaps.size();
  for (const KernelSpec &version : kernel.versions)
    count = std::max(count, numMaps(version));
  return count;
}

/// Everything has its room here, so that launches allocate nothing.
LaunchMemo::LaunchMemo(const KernelSpec &kernel) {
  size_t rank = 0;
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const ArgSpec &arg = kernel.args[i];
    Known one = {};
    one.kind = arg.kind;
    one.rank = unsigned(arg.shape.size());
    one.decides = arg.kind == ArgKind::Scalar && decides(kernel, unsigned(i));
    one.isWritten = arg.isWritten();
    one.mayAlias = arg.mayAlias;
    one.mask = arg.kind == ArgKind::MemRef ? alignmentMask(kernel, i) : 0;
    known.push_back(one);
    rank += arg.shape.size();
  }
  dims.resize(2 * rank);
  values.resize(kernel.args.size());
  shapes.resize(rank);
  strides.resize(rank);
  patches.reserve(numParams(kernel));
  params.reserve(numParams(kernel));
  maps.reserve(numMaps(kernel));
  storage.resize(paramBytes(kernel) + kTensorMapAlign);
  size_t past = reinterpret_cast<uintptr_t>(storage.data()) % kTensorMapAlign;
  bytes = storage.data() + (past ? kTensorMapAlign - past : 0);
}

//===----------------------------------------------------------------------===//
// At launch
//===----------------------------------------------------------------------===//

static uint64_t valueOf(const Arg &arg) {
  return arg.kind == ArgKind::MemRef ? arg.data : arg.bits;
}

/// `at`: the argument's shape and strides as they were given.
bool LaunchMemo::fits(const Known &one, const Arg &arg, const int64_t *at) {
  if (arg.kind != one.kind || arg.type != one.type)
    return false;
  if (one.kind == ArgKind::Scalar)
    return !one.decides || arg.bits == one.value;
  if (arg.rank != one.rank || (arg.strides != nullptr) != one.hasStrides ||
      ((arg.data ^ one.value) & one.mask))
    return false;
  for (unsigned i = 0; i < one.rank; ++i)
    if (arg.shape[i] != at[i])
      return false;
  for (unsigned i = 0; one.hasStrides && i < one.rank; ++i)
    if (arg.strides[i] != at[one.rank + i])
      return false;
  // What the manifest's checks say of an address alone.
  return one.isEmpty || (arg.data && arg.data >= one.below &&
                         arg.data + one.above >= arg.data);
}

/// Whether the bytes of a written argument meet those of another. Those that do
/// may still be other elements: the checks of a first launch find out.
bool LaunchMemo::overlaps(Span<const Arg> args) const {
  size_t count = args.size();
  for (size_t i = 0; i < count; ++i) {
    const Known &written = known[i];
    if (written.kind != ArgKind::MemRef || !written.isWritten ||
        written.isEmpty)
      continue;
    uint64_t begin = args[i].data - written.below;
    uint64_t end = args[i].data + written.above;
    for (size_t j = 0; j < count; ++j) {
      const Known &other = known[j];
      if (j != i && other.kind == ArgKind::MemRef &&
          !(written.mayAlias && other.mayAlias) && !other.isEmpty &&
          begin < args[j].data + other.above &&
          args[j].data - other.below < end)
        return true;
    }
  }
  return false;
}

bool LaunchMemo::matches(Span<const Arg> args) {
  bool match = kernel && args.size() == known.size(), isSame = true;
  const int64_t *at = dims.data();
  for (size_t i = 0; match && i < known.size(); ++i) {
    const Known &one = known[i];
    const Arg &arg = args[i];
    match = fits(one, arg, at);
    isSame &= one.value == valueOf(arg);
    at += 2 * size_t(one.rank);
  }
  // The same addresses do not overlap now, either.
  if (!match || (!isSame && overlaps(args))) {
    ++misses;
    return false;
  }
  ++hits;
  if (!isSame)
    patch(args);
  return true;
}

void LaunchMemo::patch(Span<const Arg> args) {
  for (size_t i = 0; i < known.size(); ++i)
    known[i].value = valueOf(args[i]);
  for (const Patch &patch : patches) {
    const uint64_t &value = known[patch.arg].value;
    // Almost all are addresses: a copy of a known size is one instruction.
    if (patch.size == sizeof(value))
      std::memcpy(patch.slot, &value, sizeof(value));
    else
      std::memcpy(patch.slot, &value, patch.size);
  }
}

/// Shapes that change with every launch are kept now and then only.
bool LaunchMemo::isWorthKeeping() {
  constexpr unsigned kPatience = 16;
  bool worth = !kernel || hits || misses >= kPatience;
  if (worth)
    hits = misses = 0;
  return worth;
}

void LaunchMemo::keep(Span<const Arg> args, const CheckedArgs &checked,
                      const KernelSpec &version, const LaunchBuffer &buffer,
                      const std::vector<unsigned> &offsets) {
  if (!isWorthKeeping())
    return;
  kernel = buffer.kernel;
  std::copy_n(buffer.grid, 3, extents);
  int64_t *at = dims.data();
  size_t dim = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const Arg &arg = args[i];
    const ByteRange &range = checked.ranges[i];
    Known &one = known[i];
    values[i] = checked.described[i];
    one.type = arg.type;
    one.value = valueOf(arg);
    if (arg.kind == ArgKind::Scalar)
      continue;
    one.hasStrides = arg.strides;
    one.isEmpty = range.empty();
    one.below = arg.data - range.begin;
    one.above = range.end - arg.data;
    at = std::copy_n(arg.shape, arg.rank, at);
    at = arg.strides ? std::copy_n(arg.strides, arg.rank, at) : at + arg.rank;
    values[i].shape = shapes.data() + dim;
    values[i].strides = strides.data() + dim;
    std::copy_n(checked.described[i].shape, arg.rank, shapes.data() + dim);
    std::copy_n(checked.described[i].strides, arg.rank, strides.data() + dim);
    dim += arg.rank;
  }
  patches.clear();
  maps.clear();
  params.clear();
  for (size_t i = 0; i < version.params.size(); ++i) {
    const ParamSpec &param = version.params[i];
    char *slot = bytes + offsets[i];
    std::memcpy(slot, buffer.params[i], param.size());
    params.push_back(slot);
    if (param.kind == ParamKind::Pointer || param.kind == ParamKind::Scalar)
      patches.push_back({slot, param.arg, param.size()});
    if (param.kind != ParamKind::TensorMap)
      continue;
    unsigned described = version.tensorMaps[param.arg].arg;
    maps.push_back({slot, param.arg, described, args[described].data});
  }
}
