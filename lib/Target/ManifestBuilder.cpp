//===- ManifestBuilder.cpp - what a launcher must know about a kernel -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Target/ManifestBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/LaunchedBlocks.h"
#include <optional>

using namespace mlir;
using namespace mlir::tile;
using runtime::Expr;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::optional<runtime::ElementType> convertElementType(Type type) {
  runtime::ElementType result;
  std::string name = "i64";
  if (!type.isIndex()) {
    name.clear();
    llvm::raw_string_ostream(name) << type;
  }
  // The manifest's names are MLIR's, but for the case of float types.
  for (unsigned i = 0; i < runtime::kNumElementTypes; ++i) {
    auto candidate = static_cast<runtime::ElementType>(i);
    if (StringRef(runtime::spelling(candidate)).equals_insensitive(name)) {
      result = candidate;
      return result;
    }
  }
  return std::nullopt;
}

namespace {
struct AccessKinds {
  bool reads = false;
  bool writes = false;
};
} // namespace

/// How the kernel touches the memory behind `buffer`, an argument or a view of
/// one. What is not understood counts as both.
static void collectAccesses(Value buffer, AccessKinds &kinds) {
  for (Operation *user : buffer.getUsers()) {
    if (auto tileOp = dyn_cast<TileOpInterface>(user)) {
      SmallVector<TileAccess> accesses;
      tileOp.getAccesses(accesses);
      for (const TileAccess &access : accesses) {
        if (access.buffer != buffer)
          continue;
        kinds.writes |= access.isWrite;
        kinds.reads |= !access.isWrite || access.isAtomic;
      }
      continue;
    }
    if (isa<memref::DimOp, memref::RankOp>(user))
      continue;
    if (isa<ViewLikeOpInterface>(user)) {
      // Sizes and strides among the results are no way to the memory.
      for (Value result : user->getResults())
        if (isa<MemRefType>(result.getType()))
          collectAccesses(result, kinds);
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects) {
      kinds = {true, true};
      continue;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances) {
      if (instance.getValue() && instance.getValue() != buffer)
        continue;
      kinds.reads |= isa<MemoryEffects::Read>(instance.getEffect());
      kinds.writes |= isa<MemoryEffects::Write>(instance.getEffect());
    }
  }
}

static runtime::Access accessOf(Value buffer) {
  AccessKinds kinds;
  collectAccesses(buffer, kinds);
  if (!kinds.writes)
    return runtime::Access::Read;
  return kinds.reads ? runtime::Access::ReadWrite : runtime::Access::Write;
}

/// A memref without a layout is row-major and dense. Its strides reach the
/// kernel as products of extents, so the launcher has to check them; a stride
/// that is multiplied by nothing but zero does not matter.
static void assumeDense(MemRefType type, unsigned index,
                        runtime::KernelSpec &spec) {
  const std::string &name = spec.args[index].name;
  ArrayRef<int64_t> shape = type.getShape();
  auto extent = [&](unsigned dim) {
    return type.isDynamicDim(dim) ? Expr::dim(index, dim) : Expr(shape[dim]);
  };
  Expr inner(1);
  for (unsigned dim = type.getRank(); dim-- > 0;) {
    if (spec.args[index].strides[dim] == runtime::kDynamic)
      spec.assumptions.push_back(
          {Expr::binary(
               Expr::Kind::Or, Expr::binary(Expr::Kind::Le, extent(dim), 1),
               Expr::binary(Expr::Kind::Or,
                            Expr::binary(Expr::Kind::Eq, inner, 0),
                            Expr::binary(Expr::Kind::Eq,
                                         Expr::stride(index, dim), inner))),
           "expected '" + name + "' to be dense: the stride of dimension " +
               std::to_string(dim) +
               " to be the product of the extents after it"});
    inner = inner * extent(dim);
  }
}

static LogicalResult addMemRef(KernelOp kernel, unsigned index, MemRefType type,
                               runtime::ArgSpec &arg,
                               runtime::KernelSpec &spec) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return kernel.emitOpError() << "expected argument '" << arg.name
                                << "' to have strides, got " << type;
  arg.kind = runtime::ArgKind::MemRef;
  arg.shape.assign(type.getShape().begin(), type.getShape().end());
  arg.strides.assign(strides.begin(), strides.end());
  arg.alignment = kernel.getArgumentAlignment(index);
  arg.access = accessOf(kernel.getKernelArgument(index));
  arg.mayAlias = kernel.mayAlias(index);
  spec.args.push_back(arg);

  using runtime::ParamSpec;
  spec.params.push_back(ParamSpec::pointer(index));
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      spec.params.push_back(
          ParamSpec::extent(index, dim, runtime::ElementType::I64));
  if (type.getLayout().isIdentity()) {
    assumeDense(type, index, spec);
    return success();
  }
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (ShapedType::isDynamic(strides[dim]))
      spec.params.push_back(
          ParamSpec::stride(index, dim, runtime::ElementType::I64));
  return success();
}

static LogicalResult addArgument(KernelOp kernel, unsigned index,
                                 runtime::KernelSpec &spec) {
  Type type = kernel.getKernelArgument(index).getType();
  auto memref = dyn_cast<MemRefType>(type);
  runtime::ArgSpec arg;
  arg.name = cast<StringAttr>(kernel.getArgNames()[index]).str();
  auto element = convertElementType(memref ? memref.getElementType() : type);
  if (!element)
    return kernel.emitOpError()
           << "expected argument '" << arg.name
           << "' to have a type that a launcher knows, got " << type;
  arg.type = *element;
  if (memref)
    return addMemRef(kernel, index, memref, arg, spec);
  arg.kind = runtime::ArgKind::Scalar;
  arg.access = runtime::Access::Read;
  spec.args.push_back(arg);
  spec.params.push_back(runtime::ParamSpec::scalar(index, *element));
  return success();
}

//===----------------------------------------------------------------------===//
// Grid and promises
//===----------------------------------------------------------------------===//

Expr mlir::tile::gridExprOf(KernelOp kernel, AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Expr(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    ArrayRef<int64_t> operands = kernel.getGridOperands();
    int64_t argument = operands[2 * symbol.getPosition()];
    int64_t dim = operands[2 * symbol.getPosition() + 1];
    if (dim < 0)
      return Expr::scalar(argument);
    auto type = cast<MemRefType>(kernel.getKernelArgument(argument).getType());
    return type.isDynamicDim(dim) ? Expr::dim(argument, dim)
                                  : Expr(type.getDimSize(dim));
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr lhs = gridExprOf(kernel, binary.getLHS());
  Expr rhs = gridExprOf(kernel, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::CeilDiv:
    return ceilDiv(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return floorDiv(lhs, rhs);
  default: // Mod; the kernel's map has no dimensions.
    return Expr::binary(Expr::Kind::Mod, lhs, rhs);
  }
}

/// An expression of `tile.launched_blocks`.
static Expr convertBlocks(KernelOp kernel, Attribute expr) {
  if (auto number = dyn_cast<IntegerAttr>(expr))
    return Expr(number.getInt());
  auto parts = cast<ArrayAttr>(expr);
  StringRef name = cast<StringAttr>(parts[0]).getValue();
  auto index = [&](unsigned i) { return cast<IntegerAttr>(parts[i]).getInt(); };
  if (name == "scalar")
    return Expr::scalar(index(1));
  if (name == "dim") {
    auto type = cast<MemRefType>(kernel.getKernelArgument(index(1)).getType());
    return type.isDynamicDim(index(2)) ? Expr::dim(index(1), index(2))
                                       : Expr(type.getDimSize(index(2)));
  }
  Expr::Kind kind;
  [[maybe_unused]] bool known = Expr::parseBinaryKind(name.str(), kind);
  assert(known && "verified");
  return Expr::binary(kind, convertBlocks(kernel, parts[1]),
                      convertBlocks(kernel, parts[2]));
}

namespace {
struct LaunchValue {
  Expr expr;
  std::string text;
  /// Of a stride: the extent of its dimension.
  std::optional<Expr> extent = std::nullopt;
};
} // namespace

/// The value as something the launcher knows: a scalar argument, or a dimension
/// or stride of a memref argument, through casts that keep its value.
static std::optional<LaunchValue> launchValueOf(KernelOp kernel, Value value) {
  while (auto cast = value.getDefiningOp()) {
    // An extension keeps the value of a signed integer, a cast to index too.
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(cast))
      break;
    // Narrowing drops bits: a promise about the rest is none about the whole.
    Type from = cast->getOperand(0).getType(), to = value.getType();
    unsigned fromBits = from.isIndex() ? 64 : from.getIntOrFloatBitWidth();
    unsigned toBits = to.isIndex() ? 64 : to.getIntOrFloatBitWidth();
    if (toBits < fromBits)
      return std::nullopt;
    value = cast->getOperand(0);
  }
  auto nameOf = [&](unsigned index) {
    return "'" + cast<StringAttr>(kernel.getArgNames()[index]).str() + "'";
  };
  auto isArgument = [&](BlockArgument argument) {
    return argument && argument.getOwner() == &kernel.getBodyRegion().front() &&
           argument.getArgNumber() < kernel.getNumKernelArguments();
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!isArgument(argument))
      return std::nullopt;
    unsigned index = argument.getArgNumber();
    return LaunchValue{Expr::scalar(index), nameOf(index)};
  }
  if (auto metadata = value.getDefiningOp<memref::ExtractStridedMetadataOp>()) {
    auto source = dyn_cast<BlockArgument>(metadata.getSource());
    auto position = llvm::find(metadata.getStrides(), value);
    if (!isArgument(source) || position == metadata.getStrides().end())
      return std::nullopt;
    unsigned index = source.getArgNumber();
    unsigned dim = position - metadata.getStrides().begin();
    return LaunchValue{Expr::stride(index, dim),
                       "stride " + std::to_string(dim) + " of " + nameOf(index),
                       Expr::dim(index, dim)};
  }
  auto dim = value.getDefiningOp<memref::DimOp>();
  if (!dim || !dim.getConstantIndex())
    return std::nullopt;
  auto source = dyn_cast<BlockArgument>(dim.getSource());
  int64_t position = *dim.getConstantIndex();
  if (!isArgument(source) || position < 0 ||
      position >= cast<MemRefType>(source.getType()).getRank())
    return std::nullopt;
  unsigned index = source.getArgNumber();
  return LaunchValue{Expr::dim(index, position), "extent " +
                                                     std::to_string(position) +
                                                     " of " + nameOf(index)};
}

std::optional<Expr> mlir::tile::launchExprOf(KernelOp kernel, Value value) {
  if (std::optional<LaunchValue> known = launchValueOf(kernel, value))
    return known->expr;
  return std::nullopt;
}

static void addAssumption(KernelOp kernel, AssumeOp assume,
                          runtime::KernelSpec &spec) {
  std::optional<LaunchValue> value = launchValueOf(kernel, assume.getValue());
  if (!value)
    return;
  auto add = [&](Expr expr, const std::string &what) {
    spec.assumptions.push_back(
        {std::move(expr), "expected " + value->text + " to be " + what});
  };
  auto text = [](int64_t number) { return std::to_string(number); };
  if (Value same = assume.getEquals())
    if (std::optional<LaunchValue> other = launchValueOf(kernel, same))
      add(Expr::binary(Expr::Kind::Eq, value->expr, other->expr),
          "equal to " + other->text);
  if (auto divisor = assume.getDivisibleBy()) {
    Expr rest = Expr::binary(Expr::Kind::Mod, value->expr, int64_t(*divisor));
    // Nothing is ever multiplied by the stride of one element, and libraries
    // write what they like there.
    if (value->extent)
      rest = rest * Expr::binary(Expr::Kind::Ge, *value->extent, 2);
    add(Expr::binary(Expr::Kind::Eq, rest, 0),
        "a multiple of " + text(*divisor));
  }
  if (auto min = assume.getMin())
    add(Expr::binary(Expr::Kind::Ge, value->expr, int64_t(*min)),
        "at least " + text(*min));
  if (auto max = assume.getMax())
    add(Expr::binary(Expr::Kind::Le, value->expr, int64_t(*max)),
        "at most " + text(*max));
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// A manifest of this kernel alone. Manifests must name code; what there is of
/// it is known only later, so a stand-in takes its place.
static runtime::Manifest wrap(const runtime::KernelSpec &kernel) {
  runtime::Manifest manifest;
  manifest.compiler = "mlir-tile";
  manifest.kernels.push_back(kernel);
  runtime::CodeSpec code;
  code.arch = "sm_80";
  code.ptxVersion = "7.0";
  manifest.kernels.back().code = {code};
  return manifest;
}

LogicalResult
mlir::tile::verifyKernelManifest(KernelOp kernel,
                                 const runtime::KernelSpec &spec) {
  runtime::Status status = runtime::verifyManifest(wrap(spec), 1);
  if (status.ok())
    return success();
  return kernel.emitOpError() << "cannot be launched: " << status.message();
}

FailureOr<runtime::KernelSpec>
mlir::tile::buildKernelManifest(KernelOp kernel) {
  runtime::KernelSpec spec;
  spec.name = kernel.getSymName().str();
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i)
    if (failed(addArgument(kernel, i, spec)))
      return failure();
  for (auto [i, extent] : llvm::enumerate(kernel.getGrid().getResults()))
    spec.grid[i] = gridExprOf(kernel, extent);
  spec.threads = kernel.getThreads();
  if (auto chosen = kernel->getAttrOfType<DictionaryAttr>(kChosenAttrName))
    for (NamedAttribute value : chosen)
      spec.chosen.push_back({value.getName().str(),
                             cast<IntegerAttr>(value.getValue()).getInt()});
  if (auto cost = kernel->getAttrOfType<StringAttr>(kCostAttrName)) {
    runtime::Result<runtime::CostSpec> read =
        runtime::parseCost(cost.getValue().str());
    if (!read)
      return kernel.emitOpError()
             << "expected `" << kCostAttrName
             << "` as --tile-choose-tunables writes it: " << read.message();
    spec.cost = *read;
  }
  spec.persistent = kernel.getPersistent().value_or(0);
  // Blocks of a persistent kernel divide all of the grid among them.
  if (auto blocks = kernel->getAttrOfType<ArrayAttr>(kLaunchedBlocksAttrName);
      blocks && !spec.persistent)
    for (auto [i, needed] : llvm::enumerate(blocks))
      spec.grid[i] = Expr::binary(Expr::Kind::Min, spec.grid[i],
                                  Expr::binary(Expr::Kind::Max, Expr(0),
                                               convertBlocks(kernel, needed)));
  if (auto cluster = kernel.getCluster())
    for (auto [i, extent] : llvm::enumerate(*cluster)) {
      spec.cluster[i] = extent;
      // Hardware launches whole clusters. A persistent kernel's grid is that of
      // its tiles, which clusters need not divide.
      if (extent > 1 && !spec.persistent)
        spec.grid[i] = ceilDiv(spec.grid[i], extent) * extent;
    }
  // A promise inside a loop or a condition holds only where it is reached.
  for (auto assume : kernel.getBodyRegion().front().getOps<AssumeOp>())
    addAssumption(kernel, assume, spec);
  if (failed(verifyKernelManifest(kernel, spec)))
    return failure();
  return spec;
}

std::string mlir::tile::writeKernelManifest(const runtime::KernelSpec &kernel) {
  return runtime::serializeManifest(wrap(kernel));
}

runtime::Result<runtime::KernelSpec>
mlir::tile::readKernelManifest(StringRef text) {
  runtime::Result<runtime::Manifest> manifest =
      runtime::parseManifest(text.str(), 1);
  if (!manifest)
    return manifest.error();
  if (manifest->kernels.size() != 1)
    return runtime::Error{"expected the manifest of one kernel"};
  runtime::KernelSpec kernel = std::move(manifest->kernels.front());
  kernel.code.clear();
  return kernel;
}
