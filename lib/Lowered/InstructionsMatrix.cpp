//===- InstructionsMatrix.cpp - ldmatrix, mma.sync, wgmma -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Instructions.h"
#include "RegisterTags.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::tile::lowered;
using llvm::StringRef;

namespace {
//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// Matrices of an instruction: `x4`.
unsigned countOf(const PtxInstruction &i) {
  return i.has("x4") ? 4 : i.has("x2") ? 2 : 1;
}

/// ldmatrix.sync.aligned.m8n8.xN[.trans].b16.p3: registers, then an address.
void loadMatrix(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  unsigned count = countOf(i);
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *> lanes) {
    std::vector<std::array<uint8_t, 16>> rows(8 * count);
    for (unsigned row = 0; row < 8 * count; ++row) {
      if (!lanes[row])
        machine.fail(i, "expected a whole warp");
      uint64_t address = i.read(count, lanes[row]);
      if (address % 16)
        machine.fail(i, "expected addresses of rows that are multiples of 16, "
                        "got " +
                            std::to_string(address));
      // Each lane of the matrix reads a part of each row: ordered after what
      // the lane that gives the address knows.
      std::memcpy(rows[row].data(),
                  machine.accessShared(
                      *thread.block, uint32_t(address), 16, AccessKind::Read,
                      i.site, thread.warp->lanes[row]->agent, Proxy::Generic),
                  16);
    }
    uint32_t out[32][4];
    ldmatrix(count, i.has("trans"), rows, out);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned r = 0; lanes[lane] && r < count; ++r)
        i.write(r, lanes[lane], out[lane][r]);
  });
}

/// stmatrix...(address, registers)
void storeMatrix(Machine &machine, Thread &thread, const PtxInstruction &i,
                 uint64_t *slots) {
  unsigned count = countOf(i);
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *> lanes) {
    uint32_t in[32][4] = {};
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned r = 0; r < count; ++r) {
        if (!lanes[lane])
          machine.fail(i, "expected a whole warp");
        in[lane][r] = uint32_t(i.read(1 + r, lanes[lane]));
      }
    std::vector<std::array<uint8_t, 16>> rows(8 * count);
    stmatrix(count, i.has("trans"), in, rows);
    for (unsigned row = 0; row < 8 * count; ++row) {
      uint64_t address = i.read(0, lanes[row]);
      if (address % 16)
        machine.fail(i, "expected addresses of rows that are multiples of 16, "
                        "got " +
                            std::to_string(address));
      std::memcpy(machine.accessShared(
                      *thread.block, uint32_t(address), 16, AccessKind::Write,
                      i.site, thread.warp->lanes[row]->agent, Proxy::Generic),
                  rows[row].data(), 16);
    }
  });
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

/// The PTX spelling of an intrinsic's name: mma.m16n8k16.row.col.f32.f32 has
/// the types that PTX takes for granted left out.
std::string spelledOut(const PtxInstruction &i) {
  // mma . shape . row . col [. satfinite] . types
  llvm::SmallVector<StringRef, 4> types;
  bool saturates = false;
  for (const std::string &part : llvm::ArrayRef(i.parts).drop_front(4))
    if (part == "satfinite")
      saturates = true;
    else
      types.push_back(part);
  std::string shape = i.parts[1], all;
  StringRef first = types.front();
  if (first == "f16" || first == "f32") // d and c, of f16 operands
    all = (first + ".f16.f16." + types.back()).str();
  else if (first == "bf16" || first == "tf32")
    all = ("f32." + first + "." + first + ".f32").str();
  else if (first == "f64")
    all = "f64.f64.f64.f64";
  else // integers: a[, b]
    all = ("s32." + first + "." + types.back() + ".s32").str();
  return "mma.sync.aligned." + shape + ".row.col" +
         (saturates ? ".satfinite." : ".") + all;
}

std::string parseMma(PtxInstruction &i) {
  bool isText = i.parts[1] == "sync" || i.parts[2] == "sync";
  std::optional<MmaSync> mma =
      parseMmaSync(isText ? i.mnemonic : spelledOut(i));
  if (!mma)
    return "its shape or types";
  i.parsed = std::make_shared<MmaSync>(*mma);
  return "";
}

void multiply(Machine &machine, Thread &, const PtxInstruction &i,
              uint64_t *slots) {
  const auto &mma = *static_cast<const MmaSync *>(i.parsed.get());
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *> lanes) {
    // All registers in the order d, a, b, c, also those that the text does not
    // list.
    llvm::SmallVector<const PtxOperand *, 32> flat;
    for (const PtxOperand &operand : i.operands) {
      if (operand.kind != PtxOperand::List) {
        flat.push_back(&operand);
        continue;
      }
      for (const PtxOperand &part : operand.list)
        flat.push_back(&part);
    }
    // A sparse A has a word of metadata and the selector behind them.
    unsigned inputs =
        mma.aRegisters + mma.bRegisters + mma.cRegisters + (mma.sparse ? 1 : 0);
    unsigned selector = 0;
    if (mma.sparse && !flat.empty()) {
      selector = unsigned(PtxInstruction::read(*flat.back(), slots));
      flat.pop_back();
    }
    if (flat.size() != mma.dRegisters + inputs)
      machine.fail(i, "expected " + std::to_string(mma.dRegisters + inputs) +
                          " registers, got " + std::to_string(flat.size()));
    uint64_t in[32][32], out[32][16];
    const uint64_t *ins[32];
    uint64_t *outs[32];
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!lanes[lane])
        machine.fail(i, "expected a whole warp");
      for (unsigned r = 0; r < inputs; ++r)
        in[lane][r] =
            PtxInstruction::read(*flat[mma.dRegisters + r], lanes[lane]);
      ins[lane] = in[lane];
      outs[lane] = out[lane];
    }
    std::string wrong = mmaSync(mma, ins, selector, outs);
    if (!wrong.empty())
      machine.fail(i, wrong);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned r = 0; r < mma.dRegisters; ++r)
        if (flat[r]->slot >= 0)
          lanes[lane][flat[r]->slot] = out[lane][r];
  });
}
} // namespace

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// Tags are NaNs, so that what is computed with one shows.
static constexpr uint32_t kTagBits = 0x7fd00000, kTagMask = 0xfff00000;

bool mlir::tile::lowered::isTag(const Thread &thread, uint64_t value) {
  return (value & ~uint64_t(0xffffffff)) == 0 &&
         (uint32_t(value) & kTagMask) == kTagBits && !thread.tags.empty() &&
         thread.tags.count(uint32_t(value));
}

void mlir::tile::lowered::resolveTags(Thread &thread, uint64_t *slots,
                                      unsigned count) {
  if (thread.tags.empty())
    return;
  for (unsigned slot = 0; slot < count; ++slot) {
    if (!isTag(thread, slots[slot]))
      continue;
    auto it = thread.tags.find(uint32_t(slots[slot]));
    if (it->second.operations == 0) {
      slots[slot] = it->second.value;
      thread.tags.erase(it);
    }
  }
}

static uint32_t newTag(Thread &thread, uint32_t value) {
  uint32_t tag;
  do
    tag = kTagBits | (thread.nextTag++ & ~kTagMask);
  while (thread.tags.count(tag));
  thread.tags[tag].value = value;
  return tag;
}

namespace {
/// What one instruction needs when it is done.
struct WgmmaWork : Operation {
  /// For each thread, the tags that stand for its accumulators.
  std::vector<std::vector<uint32_t>> tags;
};

std::string parseWgmmaText(PtxInstruction &i) {
  std::optional<Wgmma> wgmma = parseWgmma(i.mnemonic);
  if (!wgmma)
    return "its shape or types";
  i.parsed = std::make_shared<Wgmma>(*wgmma);
  return "";
}

void wgmmaFence(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  machine.meet(i, slots, ~0u, [&](llvm::ArrayRef<uint64_t *>) {
    for (Thread *lane : thread.warp->lanes)
      lane->wgmmaFenced = true;
  });
}

/// Elements of an operand, read through its descriptor by the operation.
std::vector<uint64_t> readElements(Machine &machine, const PtxInstruction &i,
                                   Block &block, Agent agent, unsigned bits,
                                   const std::vector<uint32_t> &addresses) {
  std::vector<uint64_t> elements(addresses.size());
  unsigned bytes = bits / 8;
  for (size_t begin = 0; begin < addresses.size();) {
    size_t end = begin + 1;
    while (end < addresses.size() &&
           addresses[end] == addresses[end - 1] + bytes)
      ++end;
    auto size = uint32_t((end - begin) * bytes);
    const char *from =
        machine.accessShared(block, addresses[begin], size, AccessKind::Read,
                             i.site, agent, Proxy::Async);
    for (size_t e = begin; e < end; ++e)
      std::memcpy(&elements[e], from + (e - begin) * bytes, bytes);
    begin = end;
  }
  return elements;
}

/// Whether an optional immediate of an instruction is set.
bool flag(const PtxInstruction &i, const uint64_t *slots, size_t operand) {
  return operand < i.operands.size() && i.read(unsigned(operand), slots);
}

/// wgmma.mma_async[.sp]...({d}, a, b[, sp-meta, sp-sel], scale-d[, imm-scale-a,
/// imm-scale-b[, imm-trans-a, imm-trans-b]]): PTX ISA, "wgmma.mma_async",
/// "wgmma.mma_async.sp".
void wgmmaIssue(Machine &machine, Thread &thread, const PtxInstruction &i,
                uint64_t *slots) {
  const auto &form = *static_cast<const Wgmma *>(i.parsed.get());
  machine.meetWarpgroup(
      i, slots, [&](Warpgroup &group, llvm::ArrayRef<uint64_t *> all) {
        ++group.products;
        WgmmaOperand a, b;
        a.inRegisters = i.operands[1].kind == PtxOperand::List;
        bool isInteger = form.d == MatrixType::S32;
        const unsigned scale = form.sparse ? 5 : 3; // the operand scale-d
        if (!isInteger) {
          a.negated = int64_t(i.read(scale + 1, all[0])) == -1;
          b.negated = int64_t(i.read(scale + 2, all[0])) == -1;
          b.transposed = flag(i, all[0], scale + (a.inRegisters ? 3 : 4));
          a.transposed = !a.inRegisters && flag(i, all[0], scale + 3);
        }
        b.descriptor = i.read(2, all[0]);
        bool keep = i.read(scale, all[0]) & 1;
        // Metadata is read now: the manual lets it be overwritten at once.
        std::vector<uint32_t> metadata(form.sparse ? 128 : 0);
        for (unsigned t = 0; t < metadata.size(); ++t)
          metadata[t] = uint32_t(i.read(3, all[t]));
        auto selector = unsigned(form.sparse ? i.read(4, all[0]) : 0);
        std::vector<uint32_t> aAddresses, bAddresses;
        auto locate = [&](const WgmmaOperand &operand, bool isA,
                          std::vector<uint32_t> &addresses) {
          std::string wrong = wgmmaAddresses(form, isA, operand, addresses);
          if (!wrong.empty())
            machine.fail(i, wrong);
        };
        std::vector<uint64_t> aElements;
        if (a.inRegisters) {
          std::vector<llvm::SmallVector<uint32_t, 4>> words(128);
          std::vector<const uint32_t *> registers;
          for (unsigned t = 0; t < 128; ++t) {
            for (const PtxOperand &part : i.operands[1].list)
              words[t].push_back(uint32_t(PtxInstruction::read(part, all[t])));
            registers.push_back(words[t].data());
          }
          wgmmaRegistersToA(form, registers, aElements);
        } else {
          a.descriptor = i.read(1, all[0]);
          locate(a, true, aAddresses);
        }
        locate(b, false, bAddresses);
        for (unsigned t = 1; t < 128; ++t)
          if (i.read(2, all[t]) != b.descriptor ||
              (!a.inRegisters && i.read(1, all[t]) != a.descriptor) ||
              bool(i.read(scale, all[t]) & 1) != keep)
            machine.fail(i, "expected the same descriptors and flags in all "
                            "threads of the warpgroup");

        auto work = std::make_shared<WgmmaWork>();
        work->tags.resize(128);
        llvm::ArrayRef<PtxOperand> registers = i.operands[0].list;
        for (unsigned t = 0; t < 128; ++t) {
          Thread &owner = *group.threads[t];
          for (const PtxOperand &place : registers) {
            uint64_t &slot = all[t][place.slot];
            if (!isTag(owner, slot)) {
              if (!owner.wgmmaFenced)
                machine.fail(i, "accumulators that were written by other "
                                "instructions need wgmma.fence first");
              slot = newTag(owner, uint32_t(slot));
            }
            ++owner.tags[uint32_t(slot)].operations;
            work->tags[t].push_back(uint32_t(slot));
          }
        }
        // Each warp reads for itself: whichever knows least decides.
        Thread &issuer = *group.threads[machine.random()() % 128];
        Agent agent = machine.detector().beginAsync(issuer.agent);
        work->agent = agent;
        work->issuer = &issuer;
        Block &block = *thread.block;
        WgmmaWork *raw = work.get();
        work->land = [=, &machine, &i, &form, &group, &block,
                      aElements = std::move(aElements),
                      metadata = std::move(metadata),
                      aAddresses = std::move(aAddresses),
                      bAddresses = std::move(bAddresses)]() mutable {
          if (!a.inRegisters)
            aElements = readElements(machine, i, block, agent, bitsOf(form.a),
                                     aAddresses);
          if (form.sparse) {
            std::vector<uint64_t> whole;
            std::string wrong = expandSparse(form.a, 64, form.k, selector,
                                             metadata, aElements, whole);
            if (!wrong.empty())
              machine.fail(i, wrong);
            aElements = std::move(whole);
          }
          std::vector<uint64_t> bElements = readElements(
              machine, i, block, agent, bitsOf(form.b), bAddresses);
          size_t count = raw->tags[0].size();
          std::vector<uint32_t> values(128 * count);
          std::vector<uint32_t *> accumulators(128);
          for (unsigned t = 0; t < 128; ++t) {
            accumulators[t] = values.data() + t * count;
            for (size_t r = 0; r < count; ++r)
              accumulators[t][r] =
                  group.threads[t]->tags[raw->tags[t][r]].value;
          }
          wgmma(form, aElements, bElements, a.negated, b.negated, keep,
                accumulators);
          for (unsigned t = 0; t < 128; ++t)
            for (size_t r = 0; r < count; ++r)
              group.threads[t]->tags[raw->tags[t][r]].value =
                  accumulators[t][r];
        };
        machine.startInOrder(work, group.queue);
        group.groups.open.push_back(work);
      });
}

void wgmmaCommit(Machine &machine, Thread &, const PtxInstruction &i,
                 uint64_t *slots) {
  machine.meetWarpgroup(
      i, slots, [&](Warpgroup &group, llvm::ArrayRef<uint64_t *>) {
        group.groups.committed.push_back(std::move(group.groups.open));
        group.groups.open.clear();
        for (Thread *thread : group.threads)
          thread->wgmmaFenced = false;
      });
}

void wgmmaWait(Machine &machine, Thread &, const PtxInstruction &i,
               uint64_t *slots) {
  machine.meetWarpgroup(
      i, slots, [&](Warpgroup &group, llvm::ArrayRef<uint64_t *>) {
        uint64_t pending = i.read(0, slots);
        auto &committed = group.groups.committed;
        while (committed.size() > pending) {
          for (const OperationRef &operation : committed.front()) {
            machine.landInOrder(*operation, group.queue);
            auto &work = static_cast<WgmmaWork &>(*operation);
            for (unsigned t = 0; t < 128; ++t) {
              Thread &owner = *group.threads[t];
              machine.detector().acquire(owner.agent, work.done);
              for (uint32_t tag : work.tags[t])
                --owner.tags[tag].operations;
            }
          }
          committed.pop_front();
        }
      });
}
} // namespace

llvm::ArrayRef<InstructionEntry> mlir::tile::lowered::matrixInstructions() {
  static constexpr InstructionEntry table[] = {
      {"ldmatrix.sync.aligned.m8n8", loadMatrix},
      {"stmatrix.sync.aligned.m8n8", storeMatrix},
      {"mma", multiply, parseMma},
      {"wgmma.fence.sync.aligned", wgmmaFence},
      {"wgmma.mma_async", wgmmaIssue, parseWgmmaText},
      {"wgmma.commit_group.sync.aligned", wgmmaCommit},
      {"wgmma.wait_group.sync.aligned", wgmmaWait},
  };
  return table;
}
