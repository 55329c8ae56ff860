//===- Layout.cpp - questions to layouts, in the C interface --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile-c/Layout.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Layout/CuteNotation.h"
#include "tile/Layout/Draw.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tile;

static ArrayRef<int64_t> unwrap(TileIntegers integers) {
  return {integers.data, static_cast<size_t>(integers.size)};
}
static FragmentLayout fragmentOf(MlirAttribute layout) {
  return cast<FragmentLayoutAttr>(unwrap(layout)).getLayout();
}
static SharedLayout sharedOf(MlirAttribute layout) {
  return cast<SharedLayoutAttr>(unwrap(layout)).getLayout();
}
static ArrayRef<int64_t> coordinatesOf(const int64_t *data, unsigned rank) {
  return {data, rank};
}

/// The attribute of a layout that came out of an operation; null after an error
/// where the operation refused or the layout is none.
template <typename Attr, typename Layout>
static MlirAttribute wrapVerified(MlirLocation location,
                                  const OrRefusal<Layout> &layout) {
  auto emit = [&] { return emitError(unwrap(location)); };
  if (!layout) {
    emit() << layout.reason();
    return {nullptr};
  }
  MLIRContext *context = unwrap(location)->getContext();
  context->loadDialect<TileDialect>();
  if (OrRefusal<bool> valid = layout->verify(); !valid) {
    emit() << valid.reason();
    return {nullptr};
  }
  return wrap(Attr::get(context, *layout));
}

//===----------------------------------------------------------------------===//
// Text and pictures
//===----------------------------------------------------------------------===//

template <typename Layout>
static void print(const Layout &layout, int32_t form, llvm::raw_ostream &os) {
  switch (form) {
  case TILE_LAYOUT_WORDS:
    return layout.describe(os);
  case TILE_LAYOUT_CUTE:
    return printCute(layout, os);
  case TILE_LAYOUT_SVG:
    return drawSvg(layout, os);
  default:
    llvm_unreachable("expected a TileLayoutForm");
  }
}

void tileLayoutPrint(MlirAttribute layout, int32_t form,
                     MlirStringCallback callback, void *userData) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<FragmentLayoutAttr>(unwrap(layout)))
    print(fragmentOf(layout), form, os);
  else
    print(sharedOf(layout), form, os);
  callback(wrap(StringRef(text)), userData);
}

void tileLayoutGetPeriod(MlirAttribute layout, int64_t *extents) {
  llvm::copy(isa<FragmentLayoutAttr>(unwrap(layout))
                 ? drawnPeriod(fragmentOf(layout))
                 : drawnPeriod(sharedOf(layout)),
             extents);
}

MlirAttribute tileFragmentLayoutParseCute(MlirLocation location,
                                          MlirStringRef text,
                                          TileIntegers shape) {
  return wrapVerified<FragmentLayoutAttr>(
      location, parseCuteFragment(unwrap(text), unwrap(shape)));
}

MlirAttribute tileSharedLayoutParseCute(MlirLocation location,
                                        MlirStringRef text,
                                        int64_t elementBits) {
  return wrapVerified<SharedLayoutAttr>(
      location,
      parseCuteShared(unwrap(text), static_cast<unsigned>(elementBits)));
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// The dimensions in an order; a refusal where they are not all of them, once.
static OrRefusal<SmallVector<unsigned>> orderOf(ArrayRef<int64_t> order,
                                                size_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : order)
    if (dim >= 0 && dim < static_cast<int64_t>(rank))
      seen.set(static_cast<unsigned>(dim));
  if (order.size() != rank || !seen.all())
    return Refusal{"expected an order of " + std::to_string(rank) +
                   " dimensions, each once"};
  return SmallVector<unsigned>(order.begin(), order.end());
}

static OrRefusal<FragmentLayout> blocked(ArrayRef<int64_t> shape,
                                         int64_t threads, int64_t vector,
                                         ArrayRef<int64_t> order) {
  OrRefusal<SmallVector<unsigned>> dims = orderOf(order, shape.size());
  if (!dims)
    return Refusal{dims.reason()};
  if (shape.empty() ||
      llvm::any_of(shape, [](int64_t extent) { return extent < 1; }))
    return Refusal{"expected one positive extent or more"};
  if (threads < kWarpSize || threads > kMaxThreads || threads % kWarpSize)
    return Refusal{"expected a multiple of 32 threads, at most 1024, got " +
                   std::to_string(threads)};
  if (vector < 1 || vector > kMaxRegisters)
    return Refusal{"expected a positive vector, got " + std::to_string(vector)};
  return FragmentLayout::blocked(shape, threads, vector, *dims);
}

MlirAttribute tileFragmentLayoutGetBlocked(MlirLocation location,
                                           TileIntegers shape, int64_t threads,
                                           int64_t vector, TileIntegers order) {
  return wrapVerified<FragmentLayoutAttr>(
      location, blocked(unwrap(shape), threads, vector, unwrap(order)));
}

int64_t tileFragmentLayoutGetSize(MlirAttribute layout, int32_t axis) {
  if (axis < TILE_AXIS_REGISTER || axis > TILE_AXIS_BLOCK)
    return 0;
  return fragmentOf(layout).size(static_cast<Axis>(axis));
}
int64_t tileFragmentLayoutGetReplication(MlirAttribute layout) {
  return fragmentOf(layout).replication();
}
bool tileFragmentLayoutIsBijective(MlirAttribute layout) {
  return fragmentOf(layout).isBijective();
}
bool tileFragmentLayoutOvershoots(MlirAttribute layout) {
  return fragmentOf(layout).overshoots();
}
bool tileFragmentLayoutIsEquivalent(MlirAttribute layout, MlirAttribute other) {
  FragmentLayout left = fragmentOf(layout), right = fragmentOf(other);
  return left.shape() == right.shape() && left.equivalent(right);
}

bool tileFragmentLayoutGetCoordinates(MlirAttribute layout,
                                      const int64_t index[4],
                                      int64_t *coordinates) {
  FragmentLayout fragment = fragmentOf(layout);
  SmallVector<int64_t> at =
      fragment.coordinates({index[TILE_AXIS_REGISTER], index[TILE_AXIS_LANE],
                            index[TILE_AXIS_WARP], index[TILE_AXIS_BLOCK]});
  llvm::copy(at, coordinates);
  return fragment.inBounds(at);
}

void tileFragmentLayoutGetOwners(
    MlirAttribute layout, const int64_t *coordinates,
    void (*callback)(const int64_t index[4], void *userData), void *userData) {
  FragmentLayout fragment = fragmentOf(layout);
  for (const HardwareIndex &owner :
       fragment.owners(coordinatesOf(coordinates, fragment.rank()))) {
    const int64_t index[4] = {owner.reg, owner.lane, owner.warp, owner.block};
    callback(index, userData);
  }
}

bool tileFragmentLayoutConversion(MlirAttribute from, MlirAttribute to,
                                  MlirStringCallback callback, void *userData) {
  FragmentLayout source = fragmentOf(from), target = fragmentOf(to);
  auto say = [&](StringRef text) { callback(wrap(text), userData); };
  bool comparable = source.shape() == target.shape();
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block})
    comparable &= source.size(axis) == target.size(axis);
  if (!comparable) {
    say("expected two layouts of one shape and as many lanes, warps and "
        "blocks");
    return false;
  }
  OrRefusal<ConversionClass> found = classifyConversion(source, target);
  if (!found) {
    say(found.reason());
    return false;
  }
  say(stringify(found->kind));
  say(found->reason);
  return true;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Refuses what the makers of layouts do not expect.
static OrRefusal<bool> checkShared(ArrayRef<int64_t> shape,
                                   int64_t elementBits) {
  if (shape.empty() || llvm::any_of(shape, [](int64_t extent) {
        return extent < 1 || extent > kMaxSharedExtent;
      }))
    return Refusal{"expected one positive extent or more, at most 2^24"};
  if (elementBits < 1 || elementBits > 64 || !llvm::isPowerOf2_64(elementBits))
    return Refusal{"expected element bits that are a power of two up to 64, "
                   "got " +
                   std::to_string(elementBits)};
  return true;
}

MlirAttribute tileSharedLayoutGetRowMajor(MlirLocation location,
                                          TileIntegers shape,
                                          int64_t elementBits,
                                          int64_t padElements) {
  OrRefusal<SharedLayout> layout = Refusal{};
  OrRefusal<bool> valid = checkShared(unwrap(shape), elementBits);
  if (!valid)
    layout = Refusal{valid.reason()};
  else if (padElements < 0 || padElements > kMaxSharedExtent)
    layout = Refusal{"expected a padding that is not negative, got " +
                     std::to_string(padElements)};
  else
    layout = SharedLayout::rowMajor(
        unwrap(shape), static_cast<unsigned>(elementBits), padElements);
  return wrapVerified<SharedLayoutAttr>(location, layout);
}

MlirAttribute tileSharedLayoutGetSwizzled(MlirLocation location,
                                          TileIntegers shape,
                                          int64_t elementBits, bool panels) {
  OrRefusal<SharedLayout> layout = Refusal{};
  if (OrRefusal<bool> valid = checkShared(unwrap(shape), elementBits); !valid)
    layout = Refusal{valid.reason()};
  else
    layout = SharedLayout::swizzled(unwrap(shape),
                                    static_cast<unsigned>(elementBits), panels);
  return wrapVerified<SharedLayoutAttr>(location, layout);
}

int64_t tileSharedLayoutGetByteOffset(MlirAttribute layout,
                                      const int64_t *coordinates) {
  SharedLayout shared = sharedOf(layout);
  return shared.byteOffset(coordinatesOf(coordinates, shared.rank()));
}
int64_t tileSharedLayoutGetSizeInBytes(MlirAttribute layout) {
  return sharedOf(layout).sizeInBytes();
}
int64_t tileSharedLayoutGetAlignment(MlirAttribute layout) {
  return sharedOf(layout).alignment();
}
static bool isDimension(int64_t dim, llvm::ArrayRef<int64_t> shape) {
  return dim >= 0 && dim < static_cast<int64_t>(shape.size());
}

int64_t tileSharedLayoutGetAlignedElements(MlirAttribute layout, int64_t dim) {
  SharedLayout shared = sharedOf(layout);
  if (!isDimension(dim, shared.shape()))
    return 0;
  return shared.alignedElements(static_cast<unsigned>(dim));
}

int64_t tileLayoutBankConflicts(MlirAttribute fragment, MlirAttribute shared,
                                int64_t dim, int64_t vector) {
  FragmentLayout threads = fragmentOf(fragment);
  if (!isDimension(dim, threads.shape()) || vector < 1 ||
      vector > threads.shape()[static_cast<size_t>(dim)])
    return 0;
  return bankConflictDegree(threads, sharedOf(shared),
                            static_cast<unsigned>(dim), vector);
}
int64_t tileLayoutWidestVector(MlirAttribute fragment, MlirAttribute shared,
                               int64_t dim) {
  FragmentLayout threads = fragmentOf(fragment);
  if (!isDimension(dim, threads.shape()))
    return 0;
  return widestVector(threads, sharedOf(shared), static_cast<unsigned>(dim));
}
int64_t tileSharedLayoutMatrixConflicts(MlirAttribute layout, int64_t rowDim,
                                        int64_t columnDim) {
  SharedLayout shared = sharedOf(layout);
  if (!isDimension(rowDim, shared.shape()) ||
      !isDimension(columnDim, shared.shape()) || rowDim == columnDim)
    return 0;
  return ldmatrixConflictDegree(shared, static_cast<unsigned>(rowDim),
                                static_cast<unsigned>(columnDim));
}
