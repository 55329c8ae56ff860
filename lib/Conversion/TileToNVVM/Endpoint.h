//===- Endpoint.h - one side of a data movement -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region of a buffer in any memory space, seen from one thread under a loop
// layout: which register, address or bytes belong to register r of the loop.
// Copies, fills and atomics are loops over such endpoints.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_ENDPOINT_H
#define TILE_LIB_CONVERSION_TILETONVVM_ENDPOINT_H

#include "Lowering.h"
#include <optional>

namespace mlir::tile::nvvm {

/// Register number of a fragment by the coordinates its register axis adds.
class RegisterMap {
public:
  explicit RegisterMap(const FragmentLayout &layout);
  /// -1 when no register has these constants.
  int64_t operator()(ArrayRef<int64_t> coordinates) const;

private:
  int64_t key(ArrayRef<int64_t> coordinates) const;
  SmallVector<int64_t> bases;
  llvm::DenseMap<int64_t, int64_t> registers;
};

/// True when both layouts give the same lane and warp contributions to every
/// dimension: registers then correspond by their constants alone. `dims[d]` is
/// the dimension of `fragment` that dimension d of `loop` runs along.
bool sameThreads(const FragmentLayout &loop, const FragmentLayout &fragment,
                 ArrayRef<unsigned> dims);

/// A fragment of indices, by row of a loop over a matrix.
class RegisterIndices {
public:
  /// Of the fragment `indices` from `first` (constant) on.
  static FailureOr<RegisterIndices> create(KernelLowering &lowering,
                                           Operation *op, Value indices,
                                           Value first,
                                           const FragmentLayout &loop);
  /// The index of the row to which a register adds `constant`.
  FailureOr<Value> load(int64_t constant);

private:
  RegisterIndices(KernelLowering &lowering, Operation *op,
                  const FragmentBuffer &fragment, Type elementType,
                  int64_t first)
      : lowering(&lowering), op(op), fragment(fragment),
        elementType(elementType), first(first), map(fragment.layout) {}

  KernelLowering *lowering;
  Operation *op;
  FragmentBuffer fragment;
  Type elementType;
  int64_t first;
  RegisterMap map;
};

/// Where a row of a tile lies in a global buffer.
struct RowPlace {
  Value offset; // i64, elements from the buffer's first
  Value inside; // i1, whether the buffer has such a row
};

class Endpoint {
public:
  /// Finds the place of a row of the tile.
  using RowFunction =
      llvm::function_ref<FailureOr<RowPlace>(const ThreadCoordinate &row)>;
  /// Rows of a global buffer that lie at places of their own, under a loop over
  /// (row, element). They start at `column` of the last dimension, and `moved`
  /// elements (i64, or null) further.
  static FailureOr<Endpoint> createRows(KernelLowering &lowering, Operation *op,
                                        Value buffer, Value column, Value moved,
                                        const FragmentLayout &loop,
                                        RowFunction placeOf);

  /// The region of `buffer` with `extents`, moved by `offsets`, under `loop`
  /// whose dimensions are the extents other than one.
  static FailureOr<Endpoint> create(KernelLowering &lowering, Operation *op,
                                    Value buffer, ValueRange offsets,
                                    ArrayRef<int64_t> extents,
                                    const FragmentLayout &loop);

  Type elementType;
  MemorySpace space;

  /// Elements of registers [reg, reg + count) of the loop: contiguous in memory
  /// when count > 1. `pad` fills what lies outside a global buffer.
  FailureOr<SmallVector<Value>> load(int64_t reg, int64_t count, Value pad);
  LogicalResult store(int64_t reg, ArrayRef<Value> values);
  /// The 32-bit register of `count` elements from `reg` on, for fragments;
  /// fails when they are not neighbours there.
  LogicalResult storeWord(int64_t reg, int64_t count, Value word);
  /// Address of the element at register `reg` (global or shared).
  Value address(int64_t reg);
  /// Predicate that register `reg` lies inside the global buffer; null: always.
  Value inside(int64_t reg);
  /// Predicate (block-uniform) that the whole region lies inside the buffer;
  /// null when the space has no bounds to check.
  Value regionInside();
  /// From here on accesses are taken to be inside (under `regionInside`).
  void assumeInside(bool inside) { insideKnown = inside; }
  /// Vectors of `count` elements lie inside or outside as a whole.
  bool wholeVectors(int64_t count) const;
  /// Number of valid elements (i32, in [0, count]) of the vector at `reg`, for
  /// cp.async's source size; null when all are.
  Value validElements(int64_t reg, int64_t count);

private:
  /// Of an endpoint of rows: the place of register `reg`'s row, and its element
  /// in it (i64).
  const RowPlace &rowOf(int64_t reg);
  Value columnOf(int64_t reg);

  Endpoint(KernelLowering &lowering, Operation *op, const FragmentLayout &loop)
      : lowering(&lowering), op(op), loop(loop) {}

  KernelLowering *lowering;
  Operation *op;
  FragmentLayout loop;
  SmallVector<unsigned> dims; // loop dimension -> buffer dimension
  SmallVector<Value> threadPart;

  bool insideKnown = false;
  SmallVector<int64_t> regionExtents;
  int64_t innermostOffsetDivisor = 1;
  std::optional<GlobalBuffer> global;
  SmallVector<Value> uniform; // i64 offsets
  /// Places of rows by what registers add to the row; empty for a region, which
  /// has `uniform` offsets.
  llvm::SmallDenseMap<int64_t, RowPlace> rows;
  Value rowColumn, rowMoved; // i64
  std::optional<SharedBuffer> shared;
  std::shared_ptr<KernelLowering::SharedAddresses> sharedAddresses;
  std::optional<FragmentBuffer> fragment;
  std::shared_ptr<RegisterMap> registerMap;
  SmallVector<int64_t> fragmentOffsets;
  Value localPointer;
  SmallVector<int64_t> localShape;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_ENDPOINT_H
