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

#include "RegisterMap.h"
#include <optional>

namespace mlir::tile::nvvm {

/// Where a row of a tile lies in a global buffer.
struct RowPlace {
  Value offset; // i64, elements from the buffer's first
  Value inside; // i1, whether the buffer has such a row
};

class Endpoint {
public:
  /// Finds the place of a row of the tile, which registers hold that add
  /// `constant` to the row; where a layout overshoots, the row is the tile's
  /// last at most.
  using RowFunction = llvm::function_ref<FailureOr<RowPlace>(
      const ThreadCoordinate &row, int64_t constant)>;
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
  /// How long the L2 cache keeps what is loaded or stored here (i64); null
  /// where nothing is asked. For global buffers.
  Value policy;
  /// Nobody writes what is loaded here while the kernel runs.
  bool isConstant = false;

  /// Elements of registers [reg, reg + count) of the loop: contiguous in memory
  /// when count > 1. `pad` fills what lies outside a global buffer.
  FailureOr<SmallVector<Value>> load(int64_t reg, int64_t count, Value pad);
  LogicalResult store(int64_t reg, ArrayRef<Value> values);
  /// Calls `update` with the first of registers [reg, reg + count) and their
  /// number where all of them lie inside, else with each that does.
  LogicalResult update(int64_t reg, int64_t count,
                       llvm::function_ref<void(int64_t, int64_t)> update);
  /// The 32-bit register of `count` elements from `reg` on, for fragments;
  /// fails when they are not neighbours there.
  LogicalResult storeWord(int64_t reg, int64_t count, Value word);
  /// The word of 32 bits that `count` registers of a fragment are; null when
  /// they are none in a row.
  Value loadWord(int64_t reg, int64_t count);
  /// Packed elements (PackedMemory.h) as words that hold `count` of them, 2 or
  /// more, contiguous in memory and in fragments too.
  FailureOr<SmallVector<Value>> loadWords(int64_t reg, int64_t count,
                                          Value pad);
  LogicalResult storeWords(int64_t reg, int64_t count, ArrayRef<Value> words);
  /// Address of the element at register `reg` (global or shared); packed ones
  /// that start at a byte.
  Value address(int64_t reg);
  /// Has lanes for which `turns` (i1) holds store register r ^ `reg` at its
  /// place in shared memory in place of r; false, and nothing done, where that
  /// is not possible.
  bool exchange(Value turns, int64_t reg);
  /// Predicate that register `reg` lies inside the global buffer; null: always.
  Value inside(int64_t reg);
  /// Predicate (block-uniform) that the whole region lies inside the buffer;
  /// null when the space has no bounds to check.
  Value regionInside();
  /// Predicate (block-uniform) that the aligned piece of `bytes` which holds
  /// the region's last element inside the buffer reaches over the buffer's end.
  Value regionReachesOverEnd(int64_t bytes);
  /// From here on accesses are taken to be inside (under `regionInside`).
  void assumeInside(bool inside) { insideKnown = inside; }
  /// Vectors of `count` elements lie inside or outside as a whole.
  bool wholeVectors(int64_t count) const;
  /// Number of valid elements (i32, in [0, count]) of the vector at `reg`, for
  /// cp.async's source size; null when all are.
  Value validElements(int64_t reg, int64_t count);

private:
  /// Whether the region lies within dimension `d`.
  Value regionFits(unsigned d);
  /// The fragment's register of `reg`; -1 when it holds none.
  int64_t fragmentRegister(int64_t reg) const;
  bool overshoots(int64_t reg) const;
  /// The first of `count` registers that are whole bytes in a row, or -1.
  int64_t fragmentRun(int64_t reg, int64_t count) const;
  /// Words of a fragment's registers from `first` on: `stored` goes there, or
  /// they are loaded where it is empty.
  SmallVector<Value> fragmentWords(int64_t first, int64_t count,
                                   ArrayRef<Value> stored);
  /// A load or a store of a vector or a single element, with the cache's policy
  /// where there is one.
  Value loadFrom(Value pointer, Type type, unsigned bytes);
  void storeTo(Value pointer, Value value, unsigned bytes);
  PackedPlace place(int64_t reg);
  /// Elements from register `first` on, unconditionally.
  void storeElements(int64_t first, ArrayRef<Value> parts);
  /// `all` where registers [reg, reg + count) lie inside, else each that does.
  LogicalResult guardedStore(int64_t reg, int64_t count,
                             llvm::function_ref<void()> all,
                             llvm::function_ref<void(int64_t)> single);
  bool isWords(int64_t count) const {
    return isPacked(elementType) && count > 1 && (global || shared);
  }
  /// `values` where the predicate holds (null: always), else `otherwise`.
  SmallVector<Value>
  guardedValues(Value predicate, TypeRange types,
                llvm::function_ref<SmallVector<Value>()> values,
                llvm::function_ref<SmallVector<Value>()> otherwise);
  /// For an endpoint that is a list of rows: the place of the row of register
  /// `reg`, and the element in that row (i64).
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
