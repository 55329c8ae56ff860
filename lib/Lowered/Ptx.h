//===- Ptx.h - a reader of inline PTX ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline assembly as a list of instructions over numbered slots. The reader
// knows statements, labels, predicates, declarations of registers and the forms
// of operands; what an instruction means is looked up by its mnemonic in the
// table of Instructions.h. NVVM intrinsics are also spelled as PTX text, so
// that each instruction has one meaning.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_PTX_H
#define TILE_LIB_LOWERED_PTX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir::tile::lowered {

class Machine;
struct Thread;
struct PtxInstruction;

/// What an instruction does to the thread that executes it. `slots`: one word
/// of 64 bits for each register.
using PtxMeaning = void (*)(Machine &, Thread &, const PtxInstruction &,
                            uint64_t *slots);

struct PtxOperand {
  enum Kind : uint8_t {
    Register,  ///< one slot
    Immediate, ///< `value`
    List,      ///< registers in braces
    Address,   ///< [register or immediate + value], or a list in brackets
    Sink,      ///< `_`
    Label,     ///< `value` is the index of an instruction
  };
  Kind kind = Immediate;
  bool isPredicate = false;
  int64_t value = 0;
  int slot = -1;
  std::vector<PtxOperand> list; ///< of List; of an Address all parts
};

struct PtxInstruction {
  std::string mnemonic; ///< with all its suffixes
  std::vector<std::string> parts;
  std::vector<PtxOperand> operands;
  int predicate = -1; ///< slot, or -1
  bool negated = false;
  PtxMeaning meaning = nullptr;
  bool isBranch = false; ///< linkers may fold meanings: not told by `meaning`
  /// What the meaning keeps beside the text, read once.
  std::shared_ptr<const void> parsed;
  uint32_t site = 0; ///< of the whole text in the kernel

  /// Whether the mnemonic has a suffix, as `trans`.
  bool has(llvm::StringRef part) const;
  uint64_t read(unsigned operand, const uint64_t *slots) const {
    return read(operands[operand], slots);
  }
  static uint64_t read(const PtxOperand &operand, const uint64_t *slots) {
    return operand.slot >= 0 ? slots[operand.slot] + uint64_t(operand.value)
                             : uint64_t(operand.value);
  }
  void write(unsigned operand, uint64_t *slots, uint64_t value) const {
    if (operands[operand].slot >= 0)
      slots[operands[operand].slot] = value;
  }
};

/// A whole text.
struct PtxCode {
  std::vector<PtxInstruction> instructions;
  unsigned numSlots = 0;
  unsigned numOperands = 0; ///< slots that the text shares with its caller
};

/// Reads `text`, whose operands $0 ... are the first slots; for each,
/// `predicates` says whether it is one. Every mnemonic must be known. Returns
/// an empty string, or what is wrong.
std::string readPtx(llvm::StringRef text, llvm::ArrayRef<bool> predicates,
                    PtxCode &code);

/// What a mnemonic means; null where it is not known. `why` may get a reason
/// that concerns one of its suffixes. Sets `parsed`.
PtxMeaning findMeaning(PtxInstruction &instruction, std::string &why);

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_PTX_H
