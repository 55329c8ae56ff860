//===- Lowering.h - context of the lowering of one kernel -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of this conversion: where each buffer lives once the
// kernel runs on threads, and the small builders every operation's lowering
// needs. Operations register a lowering by name (see Registry); the driver in
// TileToNVVM.cpp knows none of them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_LOWERING_H
#define TILE_LIB_CONVERSION_TILETONVVM_LOWERING_H

#include "Prepare/SharedArena.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Runtime/Manifest.h"
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <optional>

namespace mlir::tile::nvvm {

/// A memref argument: a pointer, and sizes and strides (index values or
/// constants) as far as they are not static.
struct GlobalBuffer {
  Value pointer;                       // !llvm.ptr<1>
  SmallVector<Value> sizes;            // i64
  SmallVector<Value> strides;          // i64, in elements
  SmallVector<int64_t> staticSizes;    // ShapedType::kDynamic when unknown
  SmallVector<int64_t> staticStrides;  // likewise
  SmallVector<int64_t> strideDivisors; // what is known to divide each stride
  SmallVector<int64_t> sizeDivisors;   // and each size
  int64_t alignment = 1;               // bytes promised for the pointer
};

/// A tile in shared memory. `base` is a byte pointer; offsets come from the
/// layout.
struct SharedBuffer {
  Value base; // !llvm.ptr<3>
  SharedLayout layout;
};

/// A fragment: one array of registers per thread.
struct FragmentBuffer {
  Value registers; // !llvm.ptr to an array of numRegisters elements
  FragmentLayout layout;
  /// It has more registers than a thread: loops go through it
  /// (RegisterLoops.h).
  bool isInLocalMemory = false;
};

/// An accumulator in tensor memory: element (r, c) of a tile with N columns is
/// in column `column + r / rows * N + c` of the kernel's allocation.
struct TensorBuffer {
  int64_t rows = 0;     // of the instructions that write it
  int64_t column = 0;   // the first
  WarpGrid warps{0, 0}; // who reads which part
  /// In a slot of a ring: its columns behind `column` (i32); null for none.
  Value slot;
  /// !llvm.ptr to an i32 of each thread, 0 while the tile counts as zeros; null
  /// where it never does.
  Value holds;
};

/// What a kernel has of tensor memory; `columns` is 0 without.
struct TensorMemory {
  int64_t columns = 0;
  /// Two blocks multiply as one; every tcgen05 of the kernel says so.
  bool isPair = false;
  Value base;     // i32, the address of lane 0 and the first column
  Value barriers; // !llvm.ptr<3>, one mbarrier for each agent
  /// By agent: !llvm.ptr to an i32 of each thread, the parity of the next wait.
  SmallVector<Value> parities;
  /// In pairs, by agent likewise: where both blocks' agents meet.
  Value meetings;
  SmallVector<Value> meetingParities;
};

/// Thread-private memory, row-major.
struct LocalBuffer {
  Value pointer; // !llvm.ptr
  SmallVector<int64_t> shape;
};

/// A coordinate of the current thread: a value that depends on the thread, plus
/// a constant known per register.
struct ThreadCoordinate {
  Value base;           // i32; null means zero
  int64_t constant = 0; // added to base
};

/// Where an element of half a byte lies (PackedMemory.h): its byte, and by how
/// many bits it is shifted there (i32; null: by none).
struct PackedPlace {
  Value pointer;
  Value shift;
};
/// Whether elements lie two to a byte.
inline bool isPacked(Type elementType) {
  return getStorageBits(elementType) < 8;
}

/// Who runs the code that is being emitted: the block, or a role of it. Lane,
/// warp and thread numbers, barriers and "one thread" are the agent's.
struct Agent {
  int64_t firstWarp = 0;
  int64_t warps = 1;
  /// 0 is the block's barrier; a role has a barrier of its own.
  int64_t barrier = 0;
  /// Barrier of its first group of four warps; the others' follow.
  int64_t groupBarrier = 1;
  /// One thread runs the code: nothing has to be elected.
  bool isSingleThread = false;
  /// All threads fill rings, with few registers each.
  bool isCopying = false;
};

/// Arguments that the kernel streams (KernelDecisions.h).
struct Streams {
  llvm::SmallDenseSet<Value> arguments;
  llvm::SmallDenseSet<Value> sharedReads; // what all blocks read
  Value areLarge; // i1: they have so many bytes that the cache is asked
  Value policy;   // i64: what is asked, or what loads get that ask nothing
  /// Arguments that are read once, and the policy (i64) of their loads.
  llvm::SmallDenseMap<Value, Value> readOnce;
};

/// The slot of a ring with mbarriers that a view stands for.
struct SlotBinding {
  Value full; // !llvm.ptr<3> of the mbarrier that its copies complete on
  int64_t peers = 1;
  /// Two blocks multiply as one: copies of both complete on the leader's
  /// mbarrier, and each holds half of the buffer along `pairDim`, or all of its
  /// own (-1).
  bool isPair = false;
  int64_t pairDim = -1;
};

class KernelLowering;
using LowerFunction = LogicalResult (*)(KernelLowering &, Operation *);

/// Operation name -> how it is lowered for this target.
struct Registry {
  llvm::StringMap<std::function<LogicalResult(KernelLowering &, Operation *)>>
      functions;
  template <typename OpT> void add(LowerFunction function) {
    functions[OpT::getOperationName()] = function;
  }
  /// The same with a function that takes the operation as what it is.
  template <typename OpT>
  void add(LogicalResult (*function)(KernelLowering &, OpT)) {
    functions[OpT::getOperationName()] = [function](KernelLowering &lowering,
                                                    Operation *op) {
      return function(lowering, cast<OpT>(op));
    };
  }
};
void registerMoveLowerings(Registry &registry);
void registerRowMoveLowerings(Registry &registry);
void registerGemmLowerings(Registry &registry);
void registerParallelLowerings(Registry &registry);
void registerReduceLowerings(Registry &registry);
void registerScanLowerings(Registry &registry);
void registerClusterLowerings(Registry &registry);
void registerRingLowerings(Registry &registry);
void registerRoleLowerings(Registry &registry);
void registerMbarrierLowerings(Registry &registry);
void registerClusterMeetingLowerings(Registry &registry);
void registerTokenLowerings(Registry &registry);
void registerIterationLowerings(Registry &registry);
void registerGridLowerings(Registry &registry);
void registerDebugLowerings(Registry &registry);
void registerMemoryLowerings(Registry &registry);
void registerViewLowerings(Registry &registry);

/// Waits, where an agent ends, until every slot that it filled is empty, so
/// that no arrival is under way to its block (rings in `sharedUses`).
void emitProducerTails(KernelLowering &lowering);

/// Lowers what is left of scf, affine, arith, math, vector and cf.
LogicalResult convertToLLVM(ModuleOp module);

/// Initializes the mbarriers on which the blocks of a cluster meet, where
/// operations of `kernel` combine their fragments.
LogicalResult createClusterBarriers(KernelLowering &lowering, KernelOp kernel);
/// In a role, once: waits until all blocks have done so, if nobody has yet.
void awaitCluster(KernelLowering &lowering);

class KernelLowering {
public:
  KernelLowering(KernelOp kernel, const TargetInfo &target, OpBuilder &builder)
      : kernel(kernel), target(target), builder(kernel.getLoc(), builder) {}

  KernelOp kernel;
  const TargetInfo &target;
  ImplicitLocOpBuilder builder;
  /// Entry block of the function: constants, thread ids and allocas go here.
  Block *entry = nullptr;
  SharedArena arena;
  /// Where the scratch memory of the operation begins that is lowered.
  int64_t scratchStart = 0;
  Value sharedBase; // !llvm.ptr<3> of the arena
  /// Pointer to a place in the arena, and to one in the operation's scratch.
  Value sharedAt(int64_t offset);
  Value scratch(int64_t offset) { return sharedAt(scratchStart + offset); }

  llvm::MapVector<Value, GlobalBuffer> globals;
  llvm::MapVector<Value, SharedBuffer> shareds;
  llvm::MapVector<Value, FragmentBuffer> fragments;
  llvm::MapVector<Value, LocalBuffer> locals;
  llvm::MapVector<Value, TensorBuffer> tensors; // by alloc or ring
  /// Of fragments in local memory, a thread's.
  int64_t localBytes = 0;
  /// Where gemms by tcgen05 put operand A from registers.
  llvm::MapVector<Operation *, TensorBuffer> tensorOperands;
  TensorMemory tensorMemory;

  Streams streams;

  /// Views of the slots that are being filled.
  llvm::DenseMap<Value, SlotBinding> slots;

  /// Rings that the agent fills and whose slots the tensor cores of several
  /// blocks empty: !llvm.ptr to an i32 of each thread, the uses so far.
  llvm::MapVector<Operation *, Value> sharedUses;

  /// Pointers of global buffers in which packed elements are stored one by one
  /// (PackedMemory.h).
  llvm::SetVector<Value> storedByHalves;

  /// Tiles that tensor copies round to tf32 (RoundedTiles.h).
  llvm::DenseSet<Value> roundedTiles;

  /// Scalar arguments by position.
  llvm::DenseMap<unsigned, Value> scalars;

  /// The function that the kernel becomes; parameters may be appended, to it
  /// and to the kernel's entry in the manifest alike.
  LLVM::LLVMFuncOp function;
  runtime::KernelSpec *manifest = nullptr;
  /// One more parameter of the function; its row in the manifest is the
  /// caller's.
  Value addParameter(Type type, ArrayRef<NamedAttribute> attributes);
  /// Parameters (!llvm.ptr) of the manifest's tensor maps.
  SmallVector<Value> tensorMaps;
  /// The parameter of a tensor map; equal ones share it.
  Value tensorMap(const runtime::TensorMapSpec &spec);

  /// Parity of the phase that the cluster's mbarriers are in (!llvm.ptr).
  Value clusterPhase;
  /// Waits with nothing behind them but the kernel's end, for whoever runs
  /// them.
  llvm::SmallPtrSet<Operation *, 2> lastWaits;
  /// Arrived at the cluster's barrier, and not waited yet.
  bool clusterBarrierPends = false;

  /// The block's warp number, shuffled from lane 0 in the entry block; null
  /// until somebody asks.
  Value blockWarp;
  /// What elected() wrote last in a block, for so many groups.
  llvm::SmallDenseMap<std::pair<Block *, int64_t>, Value> electedIn;

  Agent agent;
  /// What follows from the thread's number is computed where it is used, not
  /// kept in registers: lane and warp numbers are not known to be invariant.
  bool recomputesPlaces = false;
  /// Products by mma.sync leave a thread few registers (Places.h).
  bool hasFewRegisters = false;
  int64_t numThreads() { return agent.warps * 32; }
  /// i1, true in one thread of each of `groups` equal groups of the agent's
  /// warps; null where only one thread runs. It is always the same thread.
  Value elected(int64_t groups = 1);
  Value electHere(int64_t groups);
  /// i1, true in the warp of the elected thread, so that a branch on it is
  /// uniform; null where no other warp runs.
  Value inFirstWarp(int64_t groups = 1);
  /// Which of `groups` the thread belongs to, the same in all lanes.
  Value groupId(int64_t groups);

  //===--- small builders (i32 unless said otherwise) ---===//
  Value i32(int64_t value);
  Value i64(int64_t value);
  Value add(Value a, Value b);
  Value mul(Value a, Value b);
  Value mulConst(Value a, int64_t b);
  Value addConst(Value a, int64_t b);
  /// i32 (known not negative) or index -> i64; i64 or index -> i32.
  Value toI64(Value value);
  Value toI32(Value value);
  Value toIndex(Value value);
  Value laneId();
  Value warpId();
  Value threadId();
  Value threadForPlaces();
  /// The warp number, known to be the same in all lanes: branches on it stay
  /// uniform, and addresses live in uniform registers.
  Value uniformWarpId();
  /// The warp number among all of the block's, read here: nothing keeps it.
  Value readUniformWarpId();
  /// The value (base + constant) of a coordinate as i32.
  Value materialize(const ThreadCoordinate &coordinate);
  /// Among the agent's threads, or among those of each group of its warps.
  void barrier(int64_t groups = 1);
  /// All threads of all blocks of the cluster.
  void clusterBarrier();
  /// The bits (i32) of the number of tf32 that is nearest to an f32, given as
  /// such or as its bits. Products drop the low bits of an f32 themselves.
  Value roundToTf32(Value number);
  /// Inline PTX with the side-effect and memory clobbers stated.
  LLVM::InlineAsmOp inlineAsm(TypeRange results, StringRef text,
                              StringRef constraints, ValueRange operands,
                              bool sideEffects = true);

  //===--- layouts ---===//
  /// In loops over registers (RegisterLoops.h): the values of layouts' last
  /// modes of warps (i32), and the layout that the loop over a tile has left.
  SmallVector<Value> loopDigits;
  std::optional<FragmentLayout> innerLayout;
  /// The layout of the loop over a tile that is being emitted.
  FragmentLayout loopLayout(FragmentLayoutAttr stated) const {
    return innerLayout ? *innerLayout : stated.getLayout();
  }
  /// Digit of a mode of `axis` (lanes or warps) in the current thread. `lane`
  /// stands in for the thread's own lane number; `index` is the axis's number,
  /// made here when null.
  Value threadDigit(const FragmentLayout &layout, Axis axis, unsigned mode,
                    Value &index, Value lane = {});
  /// Digits of lane and warp times strides, summed per dimension (i32); null
  /// where zero. `scale` multiplies each dimension's stride.
  /// `lane` stands in for the thread's own lane number.
  SmallVector<Value> threadCoordinates(const FragmentLayout &layout,
                                       Value lane = {});
  /// Coordinates of register `reg`: `threadPart` plus constants.
  SmallVector<ThreadCoordinate> coordinates(ArrayRef<Value> threadPart,
                                            const FragmentLayout &layout,
                                            int64_t reg);
  /// Predicate (i1) that register `reg` lies inside the layout's shape; null
  /// when it always does.
  Value inBounds(const FragmentLayout &layout, ArrayRef<Value> threadPart,
                 int64_t reg);
  /// Predicate (i1) that this thread is the first of its replicas; null when
  /// there is no replication.
  Value firstReplica(const FragmentLayout &layout);

  //===--- addresses ---===//
  /// `base`, moved by `offset` (an integer; null: not) and by `constant` bytes.
  Value bytePointer(Value base, Value offset, int64_t constant);
  /// Addresses in a shared buffer of the elements that a layout gives to the
  /// current thread, one per register. `offsets` (i32, one per dimension of the
  /// buffer, or empty) move the region; dimension d of the layout is dimension
  /// dims[d] of the buffer. `lane` stands in for the thread's own lane number.
  class SharedAddresses {
  public:
    SharedAddresses(KernelLowering &lowering, const SharedBuffer &buffer,
                    const FragmentLayout &layout, ArrayRef<unsigned> dims,
                    ArrayRef<Value> offsets = {}, Value lane = {});
    /// Has lanes for which `turns` (i1) holds access register r ^ `reg` in
    /// place of r. False, and nothing done, where addresses are no unions of
    /// bits.
    bool exchange(Value turns, int64_t reg);
    /// Of the first element of whole bytes.
    Value operator()(int64_t reg);
    /// Of one packed element.
    PackedPlace place(int64_t reg);

  private:
    SmallVector<Value> valuesOf(int64_t reg);
    /// Coordinates in the buffer without the thread's part.
    SmallVector<int64_t> constantsOf(int64_t reg) const;
    KernelLowering &lowering;
    SharedBuffer buffer;
    FragmentLayout layout;
    SmallVector<unsigned> dims;
    SmallVector<Value> offsets;
    Value lane;
    bool separable;
    SmallVector<int64_t> constantOffsets; // separable case; empty: none
    /// Bits of coordinates that the thread part sets, in dimensions that lie in
    /// memory in several pieces.
    SmallVector<int64_t> dividedBits;
    /// Separable case: swizzled byte offset of the thread part, and which bits
    /// the thread part can set.
    Value swizzledThread;
    int64_t threadBits = 0;
    /// The thread part has a register's bits in some lanes: constants of
    /// registers flip these, they do not add.
    bool exchanges = false;
    llvm::SmallDenseMap<int64_t, Value> byLowBits;
    SmallVector<Value> threadPart;
  };
  /// Byte address in a shared buffer of arbitrary i32 coordinates.
  Value sharedElement(const SharedBuffer &buffer, ArrayRef<Value> coordinates);
  PackedPlace sharedPlace(const SharedBuffer &buffer,
                          ArrayRef<Value> coordinates);
  /// Pointer to an element of a global buffer: `uniform` (i64, one per
  /// dimension or empty) plus thread coordinates on the dimensions dims[d].
  Value globalAddress(const GlobalBuffer &buffer, Type elementType,
                      ArrayRef<Value> uniform,
                      ArrayRef<ThreadCoordinate> coordinates,
                      ArrayRef<unsigned> dims);
  /// The same of one packed element. (Above, packed elements start at a byte
  /// in every part of the sum.)
  PackedPlace globalPlace(const GlobalBuffer &buffer, ArrayRef<Value> uniform,
                          ArrayRef<ThreadCoordinate> coordinates,
                          ArrayRef<unsigned> dims);
  /// Predicate (i1) that uniform + coordinate lies in [0, size) in every
  /// dimension where `check[d]`; null when nothing is to be checked.
  Value globalInBounds(const GlobalBuffer &buffer, ArrayRef<Value> uniform,
                       ArrayRef<ThreadCoordinate> coordinates,
                       ArrayRef<unsigned> dims);
  /// Pointer to a register of a fragment.
  Value registerAddress(const FragmentBuffer &buffer, Type elementType,
                        int64_t reg);
  Value loadRegister(const FragmentBuffer &buffer, Type elementType,
                     int64_t reg);
  void storeRegister(const FragmentBuffer &buffer, Type elementType,
                     int64_t reg, Value value);
  /// Memory form of an element type (i1 -> i8, fp8 -> i8). Packed elements have
  /// a byte each where their form is the thread's own affair: in local memory
  /// and scratch. In fragments they are packed, too.
  Type storageType(Type elementType);
  Value fromStorage(Value stored, Type elementType);
  Value toStorage(Value value);

  /// Array of `count` elements in the entry block.
  Value allocaArray(Type elementType, int64_t count);

  /// Converts a number between element types as tile.copy does.
  Value convertElement(Value value, Type to, bool isUnsigned = false);
  /// The same for neighbours, in pairs where that is faster.
  SmallVector<Value> convertElements(ArrayRef<Value> values, Type to);

  FailureOr<FragmentBuffer> fragment(Value buffer, Operation *user);
  FailureOr<SharedBuffer> shared(Value buffer, Operation *user);
  FailureOr<GlobalBuffer> global(Value buffer, Operation *user);

  /// Lowers the operations of a block, and of the regions inside it, in order.
  LogicalResult lowerBlock(Block &block);
  const Registry *registry = nullptr;
  /// True while a body of `tile.parallel` is emitted.
  bool insideParallel = false;
  /// Lowered operations, erased once nothing uses them.
  SmallVector<Operation *> lowered;
};

/// For how many elements at a time conversions between these types are fast:
/// two of fp8, by cvt, and of packed elements, as many integers as 32 bits hold
/// of those that i4 is extended to (ExpandMath); 1 for others.
int64_t convertedTogether(Type from, Type to);

/// On a loop that LLVM is not to unroll.
LLVM::LoopAnnotationAttr notUnrolled(MLIRContext *context);

/// Emits `convert` on vectors of `count` values each (2 or more); those that
/// are left over are converted alone.
SmallVector<Value> together(KernelLowering &lowering, ArrayRef<Value> values,
                            int64_t count,
                            llvm::function_ref<Value(Value)> convert);

/// digit (index / divisor) % extent of a lane or warp number; the modulo is
/// left out for the slowest digit.
Value digit(KernelLowering &lowering, Value index, int64_t divisor,
            int64_t extent, bool slowest);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_LOWERING_H
