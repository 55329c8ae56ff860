//===- TargetInfo.h - what an architecture can do ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits and instruction tables per architecture. Everything a pass needs to
// know about a GPU comes from here; no pass compares architecture numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_TARGETINFO_H
#define TILE_TARGET_TARGETINFO_H

#include "tile/Layout/MmaLayouts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::tile {

/// Element types of tensor-core operands and accumulators.
enum class MmaType { F16, BF16, TF32, F64, I8, U8, E4M3, E5M2, F32, I32 };

/// One tensor-core instruction: mma.sync.aligned.<shape>.<d>.<a>.<b>.<c>.
struct MmaInstructionInfo {
  MmaShape shape;
  MmaType a, b, accumulator;
  /// Lowest compute capability (major*10+minor) that has it, and lowest PTX
  /// version (major*10+minor) that spells it.
  unsigned minCapability;
  unsigned minPtx;
};

/// wgmma.mma_async.sync.aligned.m64nNkK.<accumulator>.<a>.<b>: element types
/// and their K. A comes from shared memory or registers, B from shared memory.
struct WgmmaInstructionInfo {
  MmaType a, b, accumulator;
  int64_t k;
  /// wgmma.mma_async.sp: twice the k, of which A holds half.
  bool isSparse = false;
  /// Columns of A.
  int64_t kOfA() const { return isSparse ? k / 2 : k; }
  /// Operands of 16 bits may lie along m or n too; others along k only.
  bool transposes() const { return kOfA() == 16; }
  bool isInteger() const { return accumulator == MmaType::I32; }
  /// The N that the instruction has: multiples of 8 up to 256, for integers 8,
  /// 24 and multiples of 16.
  bool hasN(int64_t n) const;
  /// The largest such N that divides `extent`; 0 when there is none.
  int64_t largestN(int64_t extent) const;
};
/// Rows of one wgmma, and the warps that execute it together.
inline constexpr int64_t kWgmmaM = 64, kWarpsPerGroup = 4;

/// tcgen05.mma.cta_group::n.kind::<kind>: element types and their K. Operands
/// come from shared memory, A from tensor memory too, where the accumulator is.
struct Tcgen05InstructionInfo {
  llvm::StringLiteral kind;
  MmaType a, b, accumulator;
  int64_t k;
  /// tf32 along m or n needs swizzles of 32-byte pieces, which no layout here
  /// has.
  bool transposes() const { return a != MmaType::TF32; }
  /// The instruction descriptor of a shape; `alongM` and `alongN` say that the
  /// operand is contiguous along m or n, not k.
  uint32_t descriptor(int64_t m, int64_t n, bool alongM, bool alongN) const;
  /// The N that every M has: multiples of 16 up to 256.
  bool hasN(int64_t n) const { return n >= 16 && n <= 256 && n % 16 == 0; }
  /// The largest such N that divides `extent`; 0 when there is none.
  int64_t largestN(int64_t extent) const;
};
/// Tensor memory of one multiprocessor: lanes of columns of 32 bits, allocated
/// in columns, a power of two of at least 32.
inline constexpr int64_t kTensorMemoryLanes = 128, kTensorMemoryColumns = 512,
                         kLeastTensorMemoryColumns = 32;

/// Limits of one architecture. Sizes in bytes unless said otherwise.
struct TargetInfo {
  llvm::StringRef arch;   // as -mcpu: "sm_90a"
  unsigned capability;    // 90
  bool specific;          // suffix 'a' or 'f': features of an architecture
  unsigned ptxVersion;    // lowest PTX ISA LLVM accepts for it, 80 for 8.0
  int64_t sharedPerBlock; // opt-in dynamic shared memory of one block
  int64_t sharedPerSm;    // shared memory of one multiprocessor
  int64_t registersPerSm; // 32-bit registers
  int64_t maxRegistersPerThread;
  int64_t threadsPerSm; // at a time on one multiprocessor
  int64_t blocksPerSm;

  bool hasCpAsync() const { return capability >= 80; }
  /// Barriers in shared memory; and waiting on them while suspended, and
  /// initializing them by a fence of their own.
  bool hasMbarriers() const { return capability >= 80; }
  bool hasMbarrierTryWait() const { return capability >= 90; }
  bool hasLdmatrix() const { return capability >= 75; }
  bool hasStmatrix() const { return capability >= 90; }
  bool hasFp8Conversion() const { return capability >= 89; }
  /// mma.sync of fp8 is one instruction. Where there are wgmma or tcgen05
  /// instead, ptxas multiplies f16 that it makes of the operands.
  bool multipliesFp8ByWarp() const {
    return capability == 89 || capability >= 120;
  }
  bool hasTma() const { return capability >= 90; }
  /// By elect.sync, which sm_90 and later have, one thread of a warp is
  /// elected. With tcgen05 ptxas spilled for it.
  bool electsThreads() const { return hasWgmma(); }
  /// red.global.add on vectors of 32 bits.
  bool hasVectorAtomics() const { return capability >= 90; }
  /// Tensor copies of four rows by index (PTX ISA, "cp.async.bulk.tensor":
  /// .tile::gather4 and .tile::scatter4).
  bool hasTmaGather4() const { return hasTcgen05(); }
  /// Blocks that start together and reach each other's shared memory.
  bool hasClusters() const { return capability >= 90; }
  bool hasWgmma() const { return capability == 90 && specific; }
  /// The families of sm_100 (with sm_103) and of sm_110.
  bool hasTcgen05() const {
    return specific &&
           (capability == 100 || capability == 103 || capability == 110);
  }
  /// tcgen05.mma.kind::i8: no feature of a family, and sm_103a lacks it.
  bool hasTcgen05OfIntegers() const {
    return hasTcgen05() && capability != 103 && arch.ends_with("a");
  }
  /// Matrix instructions that fetch tiles from shared memory on their own: TMA
  /// feeds them without a thread in between.
  bool hasAsynchronousMma() const { return hasWgmma() || hasTcgen05(); }
  /// setmaxnreg: registers move between the warpgroups of a block.
  /// (ptxas ignores it on sm_120a: C7506.)
  bool hasSetMaxRegisters() const {
    return (specific && capability == 90) || hasTcgen05();
  }
  /// Copies of whole runs of bytes by one thread.
  bool hasBulkCopy() const { return capability >= 90; }

  /// mma.sync instructions for operand types, the preferred (largest k) first.
  llvm::SmallVector<const MmaInstructionInfo *>
  mmaInstructions(MmaType a, MmaType b, MmaType accumulator) const;

  /// The wgmma for operand types; null where there is none.
  const WgmmaInstructionInfo *wgmmaInstruction(MmaType a, MmaType b,
                                               MmaType accumulator) const;

  /// Those with a sparse A: wgmma.mma_async.sp, and mma.sp, the preferred
  /// (largest k) first.
  const WgmmaInstructionInfo *sparseWgmmaInstruction(MmaType a, MmaType b,
                                                     MmaType accumulator) const;
  llvm::SmallVector<const MmaInstructionInfo *>
  sparseMmaInstructions(MmaType a, MmaType b, MmaType accumulator) const;

  /// The tcgen05.mma for operand types; null where there is none.
  const Tcgen05InstructionInfo *tcgen05Instruction(MmaType a, MmaType b,
                                                   MmaType accumulator) const;

  /// The table entry for an LLVM -mcpu name; null, with the list of known names
  /// and the nearest of them in `error`, when there is none.
  static const TargetInfo *get(llvm::StringRef arch,
                               std::string *error = nullptr);
  /// The newest architecture whose code a device of a compute capability runs,
  /// with what only this one has; null where the device is older than all.
  static const TargetInfo *newestFor(unsigned capability);
  static llvm::ArrayRef<TargetInfo> all();

  /// Whether a device of a compute capability runs code for this architecture,
  /// perhaps compiled from PTX by the driver.
  bool runsOn(unsigned deviceCapability) const;
};

llvm::StringRef stringify(MmaType type);
unsigned bitWidth(MmaType type);

} // namespace mlir::tile
#endif // TILE_TARGET_TARGETINFO_H
