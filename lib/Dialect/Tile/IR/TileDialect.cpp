//===- TileDialect.cpp - registration of the tile dialect -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers operations, attributes and types, and answers where a buffer lives
// and which layout it was given. Semantics of operations are in the files of
// their family.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "KnownAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/LaunchedBlocks.h"
#include "tile/Dialect/Tile/IR/Placement.h"
#include "tile/Dialect/Tile/IR/ScheduleFacts.h"
#include "tile/Dialect/Tile/IR/StreamLeast.h"
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"
#include "tile/Layout/Reshape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#include "tile/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tile/Dialect/Tile/IR/TileInterfaces.cpp.inc"

/// The consumers of a ring: one name, or several in parentheses.
static ParseResult
parseRingConsumers(AsmParser &parser,
                   SmallVectorImpl<RingConsumer> &consumers) {
  auto parseOne = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<RingConsumer> side = symbolizeRingConsumer(name);
    if (!side)
      return parser.emitError(loc)
             << "expected a kind of consumer, got '" << name << "'";
    consumers.push_back(*side);
    return success();
  };
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseCommaSeparatedList(parseOne) || parser.parseRParen())
      return failure();
    return success();
  }
  return parseOne();
}

static void printRingConsumers(AsmPrinter &printer,
                               ArrayRef<RingConsumer> consumers) {
  if (consumers.size() == 1) {
    printer << stringifyRingConsumer(consumers.front());
    return;
  }
  printer << '(';
  llvm::interleaveComma(consumers, printer, [&](RingConsumer side) {
    printer << stringifyRingConsumer(side);
  });
  printer << ')';
}

#define GET_TYPEDEF_CLASSES
#include "tile/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tile/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tile/Dialect/Tile/IR/TileBarrierOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tile/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  registerAttributes();
}

/// Positions of buffers among a kernel's arguments, each once, in order.
static bool isBufferPosition(KernelOp kernel, int64_t position) {
  ArrayAttr types = kernel.getArgTypes();
  return position >= 0 && position < int64_t(types.size()) &&
         isa<MemRefType>(cast<TypeAttr>(types[position]).getValue());
}

static LogicalResult verifyStreams(Operation *op, NamedAttribute attribute) {
  auto kernel = dyn_cast<KernelOp>(op);
  auto streams = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  bool areBuffers = kernel && streams && !streams.empty() &&
                    llvm::all_of(streams.asArrayRef(), [&](int64_t position) {
                      return isBufferPosition(kernel, position);
                    });
  if (areBuffers && llvm::is_sorted(streams.asArrayRef(), std::less_equal<>()))
    return success();
  return op->emitOpError() << "expected '" << attribute.getName().getValue()
                           << "' to be an array of i64 on a kernel, ascending "
                              "positions of its buffers, got "
                           << attribute.getValue();
}

static LogicalResult verifyReadOnce(Operation *op, NamedAttribute attribute) {
  auto kernel = dyn_cast<KernelOp>(op);
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  auto isArgument = [&](Attribute entry) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(entry);
    return numbers && !numbers.empty() &&
           isBufferPosition(kernel, numbers[0]) &&
           llvm::all_of(numbers.asArrayRef().drop_front(), [&](int64_t d) {
             return d >= 0 && d < int64_t(kernel.getGridRank());
           });
  };
  if (kernel && list && !list.empty() && llvm::all_of(list, isArgument))
    return success();
  return op->emitOpError()
         << "expected '" << attribute.getName().getValue()
         << "' to be a list of `array<i64: ...>` on a kernel, each the "
            "position of a buffer and dimensions of the grid, got "
         << attribute.getValue();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kTargetAttrName) {
    if (!isa<ModuleOp>(op) || !isa<TargetAttr>(attribute.getValue()))
      return op->emitOpError()
             << "expected '" << name
             << "' to be a #tile.target attribute on a module, got "
             << attribute.getValue();
    return success();
  }
  if (name == kLaunchedBlocksAttrName)
    return verifyLaunchedBlocks(op, attribute);
  if (name == kChosenAttrName) {
    auto chosen = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (!isa<KernelOp>(op) || !chosen ||
        !llvm::all_of(chosen, [](NamedAttribute value) {
          return isa<IntegerAttr>(value.getValue());
        }))
      return op->emitOpError()
             << "expected '" << name
             << "' to be a dictionary of integers on a kernel, got "
             << attribute.getValue();
    return success();
  }
  if (name == kStreamLeastAttrName) {
    auto least = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<KernelOp>(op) || !least || !least.getType().isInteger(64) ||
        least.getInt() < 0 || least.getInt() > (int64_t(1) << 20))
      return op->emitOpError() << "expected '" << name
                               << "' to be an i64 from 0 to 1048576, on a "
                                  "kernel, got "
                               << attribute.getValue();
    return success();
  }
  if (name == kVersionsAttrName) {
    auto count = dyn_cast<IntegerAttr>(attribute.getValue());
    bool isCount = count && count.getType().isInteger(64) &&
                   count.getInt() >= 1 && count.getInt() <= kMaxTunedVersions;
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    bool isList = list && !list.empty() && list.size() <= kMaxTunedVersions &&
                  llvm::all_of(list, llvm::IsaPred<DenseI64ArrayAttr>);
    if (!isa<KernelOp>(op) || (!isCount && !isList))
      return op->emitOpError()
             << "expected '" << name << "' to be an i64 from 1 to "
             << kMaxTunedVersions
             << ", or a list of at most as many combinations of tunables "
                "(`array<i64: ...>`, a value for each), on a kernel, got "
             << attribute.getValue();
    return success();
  }
  if (name == kCostAttrName) {
    if (!isa<KernelOp>(op) || !isa<StringAttr>(attribute.getValue()))
      return op->emitOpError()
             << "expected '" << name << "' to be text on a kernel, got "
             << attribute.getValue();
    return success();
  }
  if (name == kRolesAttrName || name == kWithoutRolesAttrName ||
      name == kSecondSlotsAttrName || name == kKeepsRegistersAttrName) {
    if (!isa<KernelOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError()
             << "expected '" << name << "' to be a unit on a kernel, got "
             << attribute.getValue();
    if (name == kWithoutRolesAttrName && hasRoles(op))
      return op->emitOpError()
             << "expected no '" << name << "' beside "
             << (op->hasAttr(kRolesAttrName) ? "'tile.roles'"
                                             : "`specialize = true`")
             << ": a kernel has roles, or none";
    return success();
  }
  if (name == kAlignmentAttrName) {
    auto bytes = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<FromAddressOp>(op) || !bytes || !bytes.getType().isInteger(64) ||
        !llvm::isPowerOf2_64(bytes.getValue().getZExtValue()) ||
        bytes.getInt() > kMaxAlignment)
      return op->emitOpError()
             << "expected '" << name << "' to be an i64, a power of two of at "
             << "most " << kMaxAlignment
             << " bytes, on a 'tile.from_address', got "
             << attribute.getValue();
    return success();
  }
  if (name == kResidentAttrName) {
    auto blocks = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<KernelOp>(op) || !blocks || !blocks.getType().isInteger(64) ||
        blocks.getInt() < 1 || blocks.getInt() > kMaxResidentBlocks)
      return op->emitOpError()
             << "expected '" << name << "' to be an i64 from 1 to "
             << kMaxResidentBlocks << " on a kernel, got "
             << attribute.getValue();
    return success();
  }
  if (name == kStreamsAttrName || name == kSharedReadsAttrName ||
      name == kResultsAttrName)
    return verifyStreams(op, attribute);
  if (name == kReadOnceAttrName)
    return verifyReadOnce(op, attribute);
  if (name == kStreamLimitsAttrName) {
    auto bytes = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (!isa<KernelOp>(op) || !bytes || bytes.size() != 4 ||
        !llvm::all_of(bytes.asArrayRef(),
                      [](int64_t count) { return count > 0; }))
      return op->emitOpError()
             << "expected '" << name
             << "' to be an array of four positive i64 on a kernel, got "
             << attribute.getValue();
    return success();
  }
  if (std::optional<LogicalResult> fact = verifyScheduleFact(op, attribute))
    return *fact;
  if (std::optional<LogicalResult> place =
          verifyPlacementAttribute(op, attribute))
    return *place;
  SmallVector<StringRef> known = {
      kTargetAttrName,       kChosenAttrName,      kRolesAttrName,
      kWithoutRolesAttrName, kResidentAttrName,    kKeepsRegistersAttrName,
      kAlignmentAttrName,    kSecondSlotsAttrName, kLaunchedBlocksAttrName,
      kVersionsAttrName,     kCostAttrName,        kStreamsAttrName,
      kStreamLimitsAttrName, kSharedReadsAttrName, kReadOnceAttrName,
      kResultsAttrName,      kStreamLeastAttrName};
  llvm::append_range(known, scheduleFactNames());
  llvm::append_range(known, getPlacementAttributeNames());
  return op->emitOpError() << "unknown attribute '" << name
                           << "' of the tile dialect"
                           << didYouMean(name, known);
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

MemorySpace tile::getMemorySpace(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  if (!memref)
    return MemorySpace::Unknown;
  Attribute space = memref.getMemorySpace();
  if (!space)
    return MemorySpace::Global;
  if (isa<FragmentSpaceAttr>(space))
    return MemorySpace::Fragment;
  if (isa<LocalSpaceAttr>(space))
    return MemorySpace::Local;
  if (isa<TensorMemorySpaceAttr>(space))
    return MemorySpace::TensorMemory;
  if (auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(space)) {
    if (gpuSpace.getValue() == gpu::AddressSpace::Workgroup)
      return MemorySpace::Shared;
    if (gpuSpace.getValue() == gpu::AddressSpace::Global)
      return MemorySpace::Global;
  }
  return MemorySpace::Unknown;
}

StringRef tile::stringifyMemorySpace(MemorySpace space) {
  switch (space) {
  case MemorySpace::Global:
    return "global";
  case MemorySpace::Shared:
    return "shared";
  case MemorySpace::Fragment:
    return "fragment";
  case MemorySpace::Local:
    return "local";
  case MemorySpace::TensorMemory:
    return "tensor memory";
  case MemorySpace::Unknown:
    return "unknown";
  }
  return "unknown";
}

/// The layout of a view of a buffer with layout `source`; null where there is
/// none.
static Attribute viewedLayout(Attribute source, MemRefType type) {
  if (auto fragment = dyn_cast_or_null<FragmentLayoutAttr>(source)) {
    auto layout = reshaped(fragment.getLayout(), type.getShape());
    return layout ? FragmentLayoutAttr::get(type.getContext(), *layout)
                  : FragmentLayoutAttr();
  }
  auto shared = dyn_cast_or_null<SharedLayoutAttr>(source);
  if (!shared)
    return {};
  auto layout = viewed(shared.getLayout(), type.getShape(),
                       getStorageBits(type.getElementType()));
  return layout ? SharedLayoutAttr::get(type.getContext(), *layout)
                : SharedLayoutAttr();
}

/// The layout stated where `buffer` was made.
static Attribute getStatedLayout(Value buffer) {
  auto result = dyn_cast<OpResult>(buffer);
  if (!result)
    return {};
  if (auto alloc = dyn_cast<AllocOp>(result.getOwner()))
    return alloc.getLayoutAttr();
  if (Value viewed = getTileViewSource(result.getOwner()))
    return viewedLayout(getStatedLayout(viewed),
                        cast<MemRefType>(buffer.getType()));
  RingCreateOp create = creationOfSlot(buffer);
  if (!create || !create.getLayoutsAttr())
    return {};
  return create.getLayoutsAttr()[result.getResultNumber()];
}

FragmentLayoutAttr tile::getFragmentLayout(Value buffer) {
  return dyn_cast_or_null<FragmentLayoutAttr>(getStatedLayout(buffer));
}

SharedLayoutAttr tile::getSharedLayout(Value buffer) {
  return dyn_cast_or_null<SharedLayoutAttr>(getStatedLayout(buffer));
}

/// One index in each of the first dimensions, all of the others.
static bool isSlice(memref::SubViewOp part) {
  if (!isShared(part.getResult()) || !part.getType().hasStaticShape() ||
      !part.getSourceType().hasStaticShape())
    return false;
  llvm::SmallBitVector dropped = part.getDroppedDims();
  ArrayRef<int64_t> shape = part.getSourceType().getShape();
  bool isLeading = true;
  for (auto [d, offset, size, stride] :
       llvm::enumerate(part.getMixedOffsets(), part.getMixedSizes(),
                       part.getMixedStrides())) {
    isLeading &= dropped.test(d);
    if (!isLeading && (dropped.test(d) || !isZeroInteger(offset) ||
                       getConstantIntValue(size) != shape[d] ||
                       getConstantIntValue(stride) != 1))
      return false;
  }
  return dropped.test(0) && !isLeading;
}

/// Panels of matrix descriptors and tensor copies are as wide as the widest
/// swizzle.
static constexpr int64_t kPanelBits = 128 * 8;

bool tile::isColumns(memref::SubViewOp part) {
  if (!isShared(part.getResult()) || !part.getType().hasStaticShape() ||
      !part.getSourceType().hasStaticShape() || part.getDroppedDims().any())
    return false;
  ArrayRef<int64_t> shape = part.getSourceType().getShape();
  int64_t last = int64_t(shape.size()) - 1;
  int64_t bits = getStorageBits(part.getType().getElementType());
  for (auto [d, offset, size, stride] :
       llvm::enumerate(part.getMixedOffsets(), part.getStaticSizes(),
                       part.getMixedStrides())) {
    std::optional<int64_t> first = getConstantIntValue(offset);
    if (!isOneInteger(stride) || !first)
      return false;
    if (int64_t(d) < last && (*first != 0 || size != shape[d]))
      return false;
    if (int64_t(d) == last &&
        (*first * bits % kPanelBits || size * bits % kPanelBits ||
         shape[d] * bits % kPanelBits || size == shape[d]))
      return false;
  }
  return last > 0;
}

Value tile::getTileViewSource(Operation *op) {
  if (auto view = dyn_cast_or_null<ViewOp>(op))
    return view.getSource();
  auto part = dyn_cast_or_null<memref::SubViewOp>(op);
  return part && (isSlice(part) || isColumns(part)) ? part.getSource()
                                                    : Value();
}

bool tile::isStorageType(Type type) {
  if (type.isIndex())
    return true;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type,
             Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType,
             Float4E2M1FNType>(type);
}

bool tile::isTileShape(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents) {
    if (extent < 1 || extent > kMaxTileElements / product)
      return false;
    product *= extent;
  }
  return true;
}

unsigned tile::getStorageBits(Type type) {
  if (type.isIndex())
    return 64;
  return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth();
}

LogicalResult MbarrierType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t count) {
  if (count < 1 || count > 1024)
    return emitError() << "[mbarrier-1] expected 1 to 1024 barriers, got "
                       << count;
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, ArrayRef<Type> buffers,
                               RingProducer producer,
                               ArrayRef<RingConsumer> consumers) {
  if (consumers.empty())
    return emitError() << "[ring-8] expected at least one kind of consumer";
  for (auto [i, side] : llvm::enumerate(consumers))
    if (llvm::is_contained(consumers.take_front(i), side))
      return emitError() << "[ring-8] expected each kind of consumer once, got "
                         << stringifyRingConsumer(side) << " twice";
  if (stages < 1 || stages > 64)
    return emitError() << "[ring-4] expected 1 to 64 stages, got " << stages;
  if (buffers.empty())
    return emitError() << "[ring-2] expected at least one buffer";
  bool inTensorMemory = producer == RingProducer::Mma;
  if (inTensorMemory &&
      (buffers.size() != 1 || consumers != ArrayRef(RingConsumer::Threads)))
    return emitError()
           << "[ring-2] expected a ring from mma to have one buffer "
              "and the consumer threads, got "
           << buffers.size() << " buffers and "
           << stringifyRingConsumer(consumers.front());
  MemorySpace space =
      inTensorMemory ? MemorySpace::TensorMemory : MemorySpace::Shared;
  for (Type buffer : buffers) {
    auto memref = dyn_cast<MemRefType>(buffer);
    if (!memref || !memref.hasStaticShape() ||
        !memref.getLayout().isIdentity() || !isTileShape(memref.getShape()) ||
        !isStorageType(memref.getElementType()) ||
        tile::getMemorySpace(memref) != space)
      return emitError() << "[ring-2] expected "
                         << (inTensorMemory ? "tensor" : "shared")
                         << "-memory memrefs of numbers, of static shape and "
                            "positive extents, got "
                         << buffer;
  }
  return success();
}
