//===- TargetInfo.cpp - table of architectures ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: CUDA C++ Programming Guide 13.0, "Compute Capabilities" (limits); PTX
// ISA 9.0, mma.sync (instructions and the PTX version that introduced them),
// wgmma.mma_async (shapes and types) and tcgen05.mma ("Kinds and shapes").
//
//===----------------------------------------------------------------------===//
#include "tile/Target/TargetInfo.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::tile;

static constexpr int64_t kKiB = 1024;
static constexpr int64_t kRegisters = 64 * kKiB;

/// Code for a suffix f runs on the whole family; a device takes the row with
/// its own suffix a, which is the later one.
static const TargetInfo kTargets[] = {
    // arch, cc, 'a'/f, ptx, shared of a block and an SM, registers of an SM
    // and a thread, threads and blocks of an SM
    {"sm_80", 80, false, 70, 163 * kKiB, 164 * kKiB, kRegisters, 255, 2048, 32},
    {"sm_86", 86, false, 71, 99 * kKiB, 100 * kKiB, kRegisters, 255, 1536, 16},
    {"sm_87", 87, false, 74, 163 * kKiB, 164 * kKiB, kRegisters, 255, 1536, 16},
    {"sm_89", 89, false, 78, 99 * kKiB, 100 * kKiB, kRegisters, 255, 1536, 24},
    {"sm_90", 90, false, 78, 227 * kKiB, 228 * kKiB, kRegisters, 255, 2048, 32},
    {"sm_90a", 90, true, 80, 227 * kKiB, 228 * kKiB, kRegisters, 255, 2048, 32},
    {"sm_100", 100, false, 86, 227 * kKiB, 228 * kKiB, kRegisters, 255, 2048,
     32},
    {"sm_100f", 100, true, 88, 227 * kKiB, 228 * kKiB, kRegisters, 255, 2048,
     32},
    {"sm_100a", 100, true, 86, 227 * kKiB, 228 * kKiB, kRegisters, 255, 2048,
     32},
    {"sm_103a", 103, true, 88, 227 * kKiB, 228 * kKiB, kRegisters, 255, 2048,
     32},
    {"sm_110a", 110, true, 90, 227 * kKiB, 228 * kKiB, kRegisters, 255, 1536,
     24},
    {"sm_120", 120, false, 87, 99 * kKiB, 100 * kKiB, kRegisters, 255, 1536,
     24},
    {"sm_120f", 120, true, 88, 99 * kKiB, 100 * kKiB, kRegisters, 255, 1536,
     24},
    {"sm_120a", 120, true, 87, 99 * kKiB, 100 * kKiB, kRegisters, 255, 1536,
     24},
};

static const MmaInstructionInfo kMmaSync[] = {
    {{16, 8, 16}, MmaType::F16, MmaType::F16, MmaType::F32, 80, 70},
    {{16, 8, 8}, MmaType::F16, MmaType::F16, MmaType::F32, 75, 65},
    {{16, 8, 16}, MmaType::F16, MmaType::F16, MmaType::F16, 80, 70},
    {{16, 8, 8}, MmaType::F16, MmaType::F16, MmaType::F16, 75, 65},
    {{16, 8, 16}, MmaType::BF16, MmaType::BF16, MmaType::F32, 80, 70},
    {{16, 8, 8}, MmaType::BF16, MmaType::BF16, MmaType::F32, 80, 70},
    {{16, 8, 8}, MmaType::TF32, MmaType::TF32, MmaType::F32, 80, 70},
    {{16, 8, 4}, MmaType::TF32, MmaType::TF32, MmaType::F32, 80, 70},
    // m8n8k4 is the f64 shape that every architecture from sm_80 on has; the
    // larger ones need fewer instructions and operand reads.
    {{16, 8, 16}, MmaType::F64, MmaType::F64, MmaType::F64, 90, 78},
    {{16, 8, 8}, MmaType::F64, MmaType::F64, MmaType::F64, 90, 78},
    {{16, 8, 4}, MmaType::F64, MmaType::F64, MmaType::F64, 90, 78},
    {{8, 8, 4}, MmaType::F64, MmaType::F64, MmaType::F64, 80, 70},
    {{16, 8, 32}, MmaType::I8, MmaType::I8, MmaType::I32, 80, 70},
    {{16, 8, 16}, MmaType::I8, MmaType::I8, MmaType::I32, 80, 70},
    {{16, 8, 32}, MmaType::I8, MmaType::U8, MmaType::I32, 80, 70},
    {{16, 8, 16}, MmaType::I8, MmaType::U8, MmaType::I32, 80, 70},
    {{16, 8, 32}, MmaType::U8, MmaType::I8, MmaType::I32, 80, 70},
    {{16, 8, 16}, MmaType::U8, MmaType::I8, MmaType::I32, 80, 70},
    {{16, 8, 32}, MmaType::U8, MmaType::U8, MmaType::I32, 80, 70},
    {{16, 8, 16}, MmaType::U8, MmaType::U8, MmaType::I32, 80, 70},
    // m16n8k32 of fp8 into f32 came with PTX 8.4, the others with 8.7.
    {{16, 8, 32}, MmaType::E4M3, MmaType::E4M3, MmaType::F32, 89, 84},
    {{16, 8, 16}, MmaType::E4M3, MmaType::E4M3, MmaType::F32, 89, 87},
    {{16, 8, 32}, MmaType::E4M3, MmaType::E5M2, MmaType::F32, 89, 84},
    {{16, 8, 16}, MmaType::E4M3, MmaType::E5M2, MmaType::F32, 89, 87},
    {{16, 8, 32}, MmaType::E5M2, MmaType::E4M3, MmaType::F32, 89, 84},
    {{16, 8, 16}, MmaType::E5M2, MmaType::E4M3, MmaType::F32, 89, 87},
    {{16, 8, 32}, MmaType::E5M2, MmaType::E5M2, MmaType::F32, 89, 84},
    {{16, 8, 16}, MmaType::E5M2, MmaType::E5M2, MmaType::F32, 89, 87},
    {{16, 8, 32}, MmaType::E4M3, MmaType::E4M3, MmaType::F16, 89, 87},
    {{16, 8, 16}, MmaType::E4M3, MmaType::E4M3, MmaType::F16, 89, 87},
    {{16, 8, 32}, MmaType::E4M3, MmaType::E5M2, MmaType::F16, 89, 87},
    {{16, 8, 16}, MmaType::E4M3, MmaType::E5M2, MmaType::F16, 89, 87},
    {{16, 8, 32}, MmaType::E5M2, MmaType::E4M3, MmaType::F16, 89, 87},
    {{16, 8, 16}, MmaType::E5M2, MmaType::E4M3, MmaType::F16, 89, 87},
    {{16, 8, 32}, MmaType::E5M2, MmaType::E5M2, MmaType::F16, 89, 87},
    {{16, 8, 16}, MmaType::E5M2, MmaType::E5M2, MmaType::F16, 89, 87},
};

static const WgmmaInstructionInfo kWgmma[] = {
    {MmaType::F16, MmaType::F16, MmaType::F32, 16},
    {MmaType::F16, MmaType::F16, MmaType::F16, 16},
    {MmaType::BF16, MmaType::BF16, MmaType::F32, 16},
    {MmaType::TF32, MmaType::TF32, MmaType::F32, 8},
    {MmaType::E4M3, MmaType::E4M3, MmaType::F32, 32},
    {MmaType::E4M3, MmaType::E4M3, MmaType::F16, 32},
    {MmaType::E4M3, MmaType::E5M2, MmaType::F32, 32},
    {MmaType::E4M3, MmaType::E5M2, MmaType::F16, 32},
    {MmaType::E5M2, MmaType::E4M3, MmaType::F32, 32},
    {MmaType::E5M2, MmaType::E4M3, MmaType::F16, 32},
    {MmaType::E5M2, MmaType::E5M2, MmaType::F32, 32},
    {MmaType::E5M2, MmaType::E5M2, MmaType::F16, 32},
    {MmaType::I8, MmaType::I8, MmaType::I32, 32},
    {MmaType::I8, MmaType::U8, MmaType::I32, 32},
    {MmaType::U8, MmaType::I8, MmaType::I32, 32},
    {MmaType::U8, MmaType::U8, MmaType::I32, 32},
};

/// wgmma.mma_async.sp has the types of wgmma.mma_async, and twice the k.
static WgmmaInstructionInfo sparse(WgmmaInstructionInfo info) {
  info.k *= 2;
  info.isSparse = true;
  return info;
}

/// mma.sp::ordered_metadata.
static const MmaInstructionInfo kMmaSp[] = {
    {{16, 8, 32}, MmaType::F16, MmaType::F16, MmaType::F32, 80, 85},
    {{16, 8, 32}, MmaType::F16, MmaType::F16, MmaType::F16, 80, 85},
    {{16, 8, 32}, MmaType::BF16, MmaType::BF16, MmaType::F32, 80, 85},
    {{16, 8, 16}, MmaType::TF32, MmaType::TF32, MmaType::F32, 80, 85},
    {{16, 8, 64}, MmaType::I8, MmaType::I8, MmaType::I32, 80, 85},
    {{16, 8, 64}, MmaType::I8, MmaType::U8, MmaType::I32, 80, 85},
    {{16, 8, 64}, MmaType::U8, MmaType::I8, MmaType::I32, 80, 85},
    {{16, 8, 64}, MmaType::U8, MmaType::U8, MmaType::I32, 80, 85},
};

static const Tcgen05InstructionInfo kTcgen05[] = {
    {"f16", MmaType::F16, MmaType::F16, MmaType::F32, 16},
    {"f16", MmaType::BF16, MmaType::BF16, MmaType::F32, 16},
    {"tf32", MmaType::TF32, MmaType::TF32, MmaType::F32, 8},
    {"f8f6f4", MmaType::E4M3, MmaType::E4M3, MmaType::F32, 32},
    {"f8f6f4", MmaType::E4M3, MmaType::E5M2, MmaType::F32, 32},
    {"f8f6f4", MmaType::E5M2, MmaType::E4M3, MmaType::F32, 32},
    {"f8f6f4", MmaType::E5M2, MmaType::E5M2, MmaType::F32, 32},
    {"i8", MmaType::I8, MmaType::I8, MmaType::I32, 32},
    {"i8", MmaType::I8, MmaType::U8, MmaType::I32, 32},
    {"i8", MmaType::U8, MmaType::I8, MmaType::I32, 32},
    {"i8", MmaType::U8, MmaType::U8, MmaType::I32, 32},
};

llvm::ArrayRef<TargetInfo> TargetInfo::all() { return kTargets; }

bool TargetInfo::runsOn(unsigned deviceCapability) const {
  if (capability == deviceCapability)
    return true;
  if (capability > deviceCapability || arch.ends_with("a"))
    return false;
  // A family is of one major version; 10.1 was what is 11.0 now.
  return !arch.ends_with("f") ||
         (capability / 10 == deviceCapability / 10 && deviceCapability != 101);
}

const TargetInfo *TargetInfo::newestFor(unsigned capability) {
  // Of the rows with one capability, the last has the most features.
  const TargetInfo *best = nullptr;
  for (const TargetInfo &target : kTargets)
    if (target.runsOn(capability))
      best = &target;
  return best;
}

/// The compute capability that a name like sm_121a asks for; 0 where it is
/// none.
static unsigned capabilityIn(llvm::StringRef arch) {
  unsigned capability = 0;
  if (!arch.consume_front("sm_") || arch.consumeInteger(10, capability) ||
      !(arch.empty() || arch == "a" || arch == "f"))
    return 0;
  return capability;
}

const TargetInfo *TargetInfo::get(llvm::StringRef arch, std::string *error) {
  for (const TargetInfo &target : kTargets)
    if (target.arch == arch)
      return &target;
  if (!error)
    return nullptr;
  *error = "expected an architecture among ";
  for (const TargetInfo &target : kTargets) {
    if (&target != kTargets)
      *error += ", ";
    *error += target.arch;
  }
  *error += "; got '" + arch.str() + "'";
  if (unsigned capability = capabilityIn(arch))
    if (const TargetInfo *nearest = newestFor(capability))
      *error += ", where code for " + nearest->arch.str() + " runs, too";
  return nullptr;
}

static llvm::SmallVector<const MmaInstructionInfo *>
withTypes(llvm::ArrayRef<MmaInstructionInfo> table, unsigned capability,
          MmaType a, MmaType b, MmaType accumulator) {
  llvm::SmallVector<const MmaInstructionInfo *> found;
  for (const MmaInstructionInfo &info : table)
    if (info.a == a && info.b == b && info.accumulator == accumulator &&
        info.minCapability <= capability)
      found.push_back(&info);
  return found;
}

llvm::SmallVector<const MmaInstructionInfo *>
TargetInfo::mmaInstructions(MmaType a, MmaType b, MmaType accumulator) const {
  return withTypes(kMmaSync, capability, a, b, accumulator);
}

llvm::SmallVector<const MmaInstructionInfo *>
TargetInfo::sparseMmaInstructions(MmaType a, MmaType b,
                                  MmaType accumulator) const {
  // Beside tcgen05 a warp multiplies at a fraction of its rate: the whole A by
  // tcgen05 is faster.
  if (hasTcgen05())
    return {};
  return withTypes(kMmaSp, capability, a, b, accumulator);
}

static const WgmmaInstructionInfo *
withTypes(llvm::ArrayRef<WgmmaInstructionInfo> table, MmaType a, MmaType b,
          MmaType accumulator) {
  for (const WgmmaInstructionInfo &info : table)
    if (info.a == a && info.b == b && info.accumulator == accumulator)
      return &info;
  return nullptr;
}

const WgmmaInstructionInfo *
TargetInfo::wgmmaInstruction(MmaType a, MmaType b, MmaType accumulator) const {
  return hasWgmma() ? withTypes(kWgmma, a, b, accumulator) : nullptr;
}

const WgmmaInstructionInfo *
TargetInfo::sparseWgmmaInstruction(MmaType a, MmaType b,
                                   MmaType accumulator) const {
  static const auto table = llvm::map_to_vector(kWgmma, sparse);
  return hasWgmma() ? withTypes(table, a, b, accumulator) : nullptr;
}

const Tcgen05InstructionInfo *
TargetInfo::tcgen05Instruction(MmaType a, MmaType b,
                               MmaType accumulator) const {
  if (hasTcgen05())
    for (const Tcgen05InstructionInfo &info : kTcgen05)
      if (info.a == a && info.b == b && info.accumulator == accumulator &&
          (accumulator != MmaType::I32 || hasTcgen05OfIntegers()))
        return &info;
  return nullptr;
}

/// The code of an operand's type in the instruction descriptor of its kind.
static uint32_t tcgen05Format(MmaType type) {
  switch (type) {
  case MmaType::BF16:
  case MmaType::E5M2:
  case MmaType::I8:
    return 1;
  case MmaType::TF32:
    return 2;
  default: // f16, e4m3, u8
    return 0;
  }
}

uint32_t Tcgen05InstructionInfo::descriptor(int64_t m, int64_t n, bool alongM,
                                            bool alongN) const {
  uint32_t d = accumulator == MmaType::I32 ? 2 : 1;
  return d << 4 | tcgen05Format(a) << 7 | tcgen05Format(b) << 10 |
         uint32_t(alongM) << 15 | uint32_t(alongN) << 16 |
         uint32_t(n >> 3) << 17 | uint32_t(m >> 4) << 24;
}

int64_t Tcgen05InstructionInfo::largestN(int64_t extent) const {
  for (int64_t n = 256; n >= 16; n -= 16)
    if (extent > 0 && extent % n == 0)
      return n;
  return 0;
}

bool WgmmaInstructionInfo::hasN(int64_t n) const {
  if (n < 8 || n > 256 || n % 8 != 0)
    return false;
  return !isInteger() || n == 8 || n == 24 || n % 16 == 0;
}

int64_t WgmmaInstructionInfo::largestN(int64_t extent) const {
  for (int64_t n = 256; n >= 8; n -= 8)
    if (extent > 0 && extent % n == 0 && hasN(n))
      return n;
  return 0;
}

llvm::StringRef mlir::tile::stringify(MmaType type) {
  switch (type) {
  case MmaType::F16:
    return "f16";
  case MmaType::BF16:
    return "bf16";
  case MmaType::TF32:
    return "tf32";
  case MmaType::F64:
    return "f64";
  case MmaType::I8:
    return "s8";
  case MmaType::U8:
    return "u8";
  case MmaType::E4M3:
    return "e4m3";
  case MmaType::E5M2:
    return "e5m2";
  case MmaType::F32:
    return "f32";
  case MmaType::I32:
    return "s32";
  }
  return "";
}

unsigned mlir::tile::bitWidth(MmaType type) {
  switch (type) {
  case MmaType::F16:
  case MmaType::BF16:
    return 16;
  case MmaType::F64:
    return 64;
  case MmaType::I8:
  case MmaType::U8:
  case MmaType::E4M3:
  case MmaType::E5M2:
    return 8;
  case MmaType::TF32:
  case MmaType::F32:
  case MmaType::I32:
    return 32;
  }
  return 0;
}
