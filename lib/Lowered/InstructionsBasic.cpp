//===- InstructionsBasic.cpp - arithmetic, conversions, plain memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Instructions.h"
#include "TensorMap.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir::tile::lowered;
using namespace mlir::tile::runtime;
using llvm::StringRef;

namespace {
float toFloat(uint64_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }
uint64_t toBits(float value) { return llvm::bit_cast<uint32_t>(value); }

//===----------------------------------------------------------------------===//
// Integers and moves
//===----------------------------------------------------------------------===//

/// Bits of the registers by the last suffix: `.b64`, `.u32`, `.b16`.
uint64_t truncated(const PtxInstruction &instruction, uint64_t value) {
  StringRef type = instruction.parts.back();
  if (type.ends_with("16"))
    return uint16_t(value);
  return type.ends_with("64") ? value : uint32_t(value);
}

void move(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  i.write(0, slots, truncated(i, i.read(1, slots)));
}
void add(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  i.write(0, slots, truncated(i, i.read(1, slots) + i.read(2, slots)));
}
void complement(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  i.write(0, slots, truncated(i, ~i.read(1, slots)));
}
void setp(Machine &machine, Thread &, const PtxInstruction &i,
          uint64_t *slots) {
  uint64_t a = truncated(i, i.read(1, slots)),
           b = truncated(i, i.read(2, slots));
  if (i.has("ne"))
    i.write(0, slots, a != b);
  else if (i.has("eq"))
    i.write(0, slots, a == b);
  else
    machine.fail(i, "this comparison is not known");
}

/// PTX ISA, "prmt", default mode.
void permute(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  uint64_t bytes = uint32_t(i.read(1, slots)) | i.read(2, slots) << 32;
  uint64_t selector = i.read(3, slots), result = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    unsigned control = selector >> (4 * byte) & 0xf;
    uint64_t value = bytes >> (8 * (control & 7)) & 0xff;
    if (control & 8)
      value = value & 0x80 ? 0xff : 0;
    result |= value << (8 * byte);
  }
  i.write(0, slots, result);
}

/// PTX ISA, "lop3": bit by bit, the bit of the last operand that the three
/// others number.
void lookUpBits(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  uint64_t a = i.read(1, slots), b = i.read(2, slots), c = i.read(3, slots);
  uint64_t table = i.read(4, slots), result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    uint64_t number =
        (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
    result |= (table >> number & 1) << bit;
  }
  i.write(0, slots, result);
}

void extractField(Machine &, Thread &, const PtxInstruction &i,
                  uint64_t *slots) {
  unsigned position = i.read(2, slots) & 0xff, length = i.read(3, slots) & 0xff;
  bool isSigned = i.has("s32");
  auto value = uint32_t(i.read(1, slots));
  uint64_t field = position > 31 ? 0 : value >> position;
  if (length < 32)
    field &= (uint64_t(1) << length) - 1;
  unsigned last = std::min(31u, position + length - 1);
  if (isSigned && length && (value >> last & 1))
    for (unsigned bit = length; bit < 32; ++bit)
      field |= uint64_t(1) << bit;
  i.write(0, slots, uint32_t(field));
}

void mapAddress(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  uint64_t address = i.read(1, slots), rank = i.read(2, slots);
  machine.blockOfRank(unsigned(rank), i);
  if (address >> kRankShift)
    machine.fail(i, "expected an address of the block's own window, got " +
                        std::to_string(address));
  i.write(0, slots, (rank + 1) << kRankShift | address);
}

void specialRegister(Machine &machine, Thread &thread, const PtxInstruction &i,
                     uint64_t *slots) {
  const LaunchRequest &launch = machine.launchRequest();
  // read.ptx.sreg.NAME[.DIMENSION]
  StringRef name = i.parts[3];
  unsigned dim = i.parts.size() > 4 ? unsigned(i.parts[4][0] - 'x') : 0;
  const Block &block = *thread.block;
  uint64_t value = 0;
  if (name == "tid")
    value = dim == 0 ? thread.index : 0;
  else if (name == "ntid")
    value = dim == 0 ? launch.threads : 1;
  else if (name == "ctaid")
    value = block.index[dim];
  else if (name == "nctaid")
    value = launch.grid[dim];
  else if (name == "laneid")
    value = thread.lane;
  else if (name == "warpid")
    value = thread.warp->rank;
  else if (name == "cluster" && i.parts[4] == "ctarank")
    value = block.rank;
  else if (name == "cluster" && i.parts[4] == "nctarank")
    value = machine.blocks().size();
  else if (name == "envreg1")
    value = machine.gridWorkspace(i) >> 32;
  else if (name == "envreg2")
    value = uint32_t(machine.gridWorkspace(i));
  else
    machine.fail(i, "this special register is not known");
  i.write(0, slots, value);
}

void trap(Machine &machine, Thread &, const PtxInstruction &i, uint64_t *) {
  machine.fail(i, "trap: " + machine.output);
}
void nothing(Machine &, Thread &, const PtxInstruction &, uint64_t *) {}
/// A cache policy: no result depends on it.
void policy(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  i.write(0, slots, 1);
}

//===----------------------------------------------------------------------===//
// Conversions and approximations
//===----------------------------------------------------------------------===//

/// cvt.rna.tf32.f32: to 10 bits of mantissa, ties away from zero.
void roundToTf32(Machine &, Thread &, const PtxInstruction &i,
                 uint64_t *slots) {
  i.write(0, slots, roundedToTf32(uint32_t(i.read(1, slots))));
}

uint64_t toSmallFloat(MatrixType type, double value) {
  double largest = type == MatrixType::E4M3 ? 448 : 57344;
  if (!std::isnan(value))
    value = std::min(std::max(value, -largest), largest); // .satfinite
  return fromDouble(type, value);
}
MatrixType smallType(const PtxInstruction &i) {
  for (const std::string &part : i.parts)
    if (StringRef(part).contains("e4m3"))
      return MatrixType::E4M3;
  return MatrixType::E5M2;
}
/// ff.to.e4m3x2.rn(a, b): b in the low byte.
void floatsToSmall(Machine &, Thread &, const PtxInstruction &i,
                   uint64_t *slots) {
  MatrixType type = smallType(i);
  uint64_t high = toSmallFloat(type, toFloat(i.read(1, slots)));
  uint64_t low = toSmallFloat(type, toFloat(i.read(2, slots)));
  i.write(0, slots, high << 8 | low);
}
/// e4m3x2.to.f16x2.rn
void smallToHalves(Machine &, Thread &, const PtxInstruction &i,
                   uint64_t *slots) {
  MatrixType type = smallType(i);
  uint64_t pair = i.read(1, slots), result = 0;
  for (unsigned k = 0; k < 2; ++k)
    result |=
        fromDouble(MatrixType::F16, toDouble(type, pair >> (8 * k) & 0xff))
        << (16 * k);
  i.write(0, slots, result);
}

float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
template <float (*function)(float)>
void approximate(Machine &, Thread &, const PtxInstruction &i,
                 uint64_t *slots) {
  bool flush = i.has("ftz");
  float x = toFloat(i.read(1, slots));
  float y = function(flush ? flushed(x) : x);
  i.write(0, slots, toBits(flush ? flushed(y) : y));
}
float reciprocal(float x) { return 1 / x; }
float reciprocalRoot(float x) { return float(1 / std::sqrt(double(x))); }
float sine(float x) { return std::sin(x); }
float cosine(float x) { return std::cos(x); }
float tangent(float x) { return std::tanh(x); }
float root(float x) { return std::sqrt(x); }
float power(float x) { return std::exp2(x); }
float logarithm(float x) { return std::log2(x); }
/// cvt.sat.f32.f32; a NaN becomes 0.
float saturated(float x) { return x > 0 ? std::min(x, 1.0f) : 0; }
/// fma.rm.f32: rounded once, toward minus infinity.
void fmaDown(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  llvm::APFloat a(toFloat(i.read(1, slots))), b(toFloat(i.read(2, slots)));
  a.fusedMultiplyAdd(b, llvm::APFloat(toFloat(i.read(3, slots))),
                     llvm::APFloat::rmTowardNegative);
  i.write(0, slots, toBits(a.convertToFloat()));
}
void divide(Machine &, Thread &, const PtxInstruction &i, uint64_t *slots) {
  i.write(0, slots,
          toBits(toFloat(i.read(1, slots)) / toFloat(i.read(2, slots))));
}

//===----------------------------------------------------------------------===//
// ld, st and red
//===----------------------------------------------------------------------===//

struct MemoryForm {
  Space space = Space::Global;
  unsigned count = 1, bytes = 4;
};

std::string parseMemory(PtxInstruction &i) {
  auto form = std::make_shared<MemoryForm>();
  for (const std::string &part : llvm::ArrayRef(i.parts).drop_front()) {
    StringRef text = part;
    unsigned bits = 0;
    if (text == "global")
      form->space = Space::Global;
    else if (text == "shared::cluster")
      form->space = Space::Cluster;
    else if (text == "shared" || text == "shared::cta")
      form->space = Space::Shared;
    else if (text == "v2" || text == "v4" || text == "v8")
      form->count = unsigned(text[1] - '0');
    else if (text.size() > 1 && StringRef("busf").contains(text[0]) &&
             !text.drop_front().getAsInteger(10, bits))
      form->bytes = bits / 8;
    else if (!text.starts_with("L1::") && !text.starts_with("L2::") &&
             text != "nc" && text != "relaxed" && text != "gpu" &&
             text != "volatile" && text != "weak")
      return "suffix '" + part + "'";
  }
  i.parsed = form;
  return "";
}

void load(Machine &machine, Thread &, const PtxInstruction &i,
          uint64_t *slots) {
  const auto &form = *static_cast<const MemoryForm *>(i.parsed.get());
  uint32_t bytes = form.count * form.bytes;
  uint64_t address = i.read(1, slots);
  const char *from;
  char around[32];
  bool isRealigned = form.space == Space::Global && form.count == 4 &&
                     form.bytes == 4 && address % bytes == 0;
  if (isRealigned) {
    // Rows that start anywhere are read by aligned loads and shifted.
    machine.readAround(address, bytes, i.site, around);
    from = around;
  } else {
    Machine::UnwrittenIsPoison scope(machine);
    from = machine.access(form.space, address, bytes, AccessKind::Read, i.site,
                          bytes);
  }
  for (unsigned k = 0; k < form.count; ++k) {
    uint64_t value = 0;
    std::memcpy(&value, from + k * form.bytes, form.bytes);
    const PtxOperand &to = i.operands[0].kind == PtxOperand::List
                               ? i.operands[0].list[k]
                               : i.operands[0];
    if (to.slot >= 0)
      slots[to.slot] = value;
  }
}

void store(Machine &machine, Thread &, const PtxInstruction &i,
           uint64_t *slots) {
  const auto &form = *static_cast<const MemoryForm *>(i.parsed.get());
  uint32_t bytes = form.count * form.bytes;
  char *to = machine.access(form.space, i.read(0, slots), bytes,
                            AccessKind::Write, i.site, bytes);
  auto values = readAll(i.operands[1], slots);
  for (unsigned k = 0; k < form.count; ++k)
    std::memcpy(to + k * form.bytes, &values[k], form.bytes);
}

struct VectorSum {
  int type = cuda::kMapFloat32; ///< a cuda::TensorMapType
  unsigned words = 1;           ///< of 32 bits
};

/// red.relaxed.gpu.global.add[.noftz][.v2|.v4].{f32,f16x2,bf16x2}
std::string parseVectorSum(PtxInstruction &i) {
  auto form = std::make_shared<VectorSum>();
  for (const std::string &part : llvm::ArrayRef(i.parts).drop_front(5)) {
    if (part == "v2" || part == "v4")
      form->words = unsigned(part[1] - '0');
    else if (part == "f16x2")
      form->type = cuda::kMapFloat16;
    else if (part == "bf16x2")
      form->type = cuda::kMapBFloat16;
    else if (part != "f32" && part != "noftz")
      return "suffix '" + part + "'";
  }
  i.parsed = form;
  return "";
}

/// Elements one by one: the vector is not atomic as a whole (PTX ISA, "red").
void addVector(Machine &machine, Thread &, const PtxInstruction &i,
               uint64_t *slots) {
  const auto &form = *static_cast<const VectorSum *>(i.parsed.get());
  uint32_t bytes = form.words * 4;
  llvm::SmallVector<uint32_t, 4> words;
  for (uint64_t value : readAll(i.operands[1], slots))
    words.push_back(uint32_t(value));
  if (words.size() != form.words)
    machine.fail(i, "expected " + std::to_string(form.words) +
                        " registers, got " + std::to_string(words.size()));
  char *to = machine.access(Space::Global, i.read(0, slots), bytes,
                            AccessKind::Atomic, i.site, bytes);
  tmaReduce("add", form.type, to, words.data(), bytes);
}
} // namespace

llvm::ArrayRef<InstructionEntry> mlir::tile::lowered::basicInstructions() {
  static constexpr InstructionEntry table[] = {
      {"mov", move},
      {"add.u32", add},
      {"add.s32", add},
      {"add.u64", add},
      {"add.s64", add},
      {"not.b32", complement},
      {"not.b16", complement},
      {"setp", setp},
      {"prmt.b32", permute},
      {"lop3.b32", lookUpBits},
      {"bfe.s32", extractField},
      {"bfe.u32", extractField},
      {"mapa.shared::cluster.u32", mapAddress},
      {"read.ptx.sreg", specialRegister},
      {"red.relaxed.gpu.global.add", addVector, parseVectorSum},
      {"trap", trap},
      {"createpolicy", policy},
      {"cvt.rna.tf32.f32", roundToTf32},
      {"f2tf32.rna", roundToTf32},
      {"ff.to.e4m3x2.rn", floatsToSmall},
      {"ff.to.e5m2x2.rn", floatsToSmall},
      {"e4m3x2.to.f16x2.rn", smallToHalves},
      {"e5m2x2.to.f16x2.rn", smallToHalves},
      {"ex2.approx", approximate<power>},
      {"lg2.approx", approximate<logarithm>},
      {"rcp.approx", approximate<reciprocal>},
      {"rsqrt.approx", approximate<reciprocalRoot>},
      {"sqrt.approx", approximate<root>},
      {"sin.approx", approximate<sine>},
      {"cos.approx", approximate<cosine>},
      {"tanh.approx", approximate<tangent>},
      {"saturate", approximate<saturated>},
      {"fma.rm", fmaDown},
      {"div.full", divide},
      {"div.approx", divide},
      {"ld", load, parseMemory},
      {"st", store, parseMemory},
      {"prefetch", nothing},
      {"applypriority", nothing},
      {"nanosleep", nothing},
  };
  return table;
}
