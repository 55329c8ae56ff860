//===- Instructions.h - the table of mnemonics ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction is found by the longest entry that its mnemonic starts with,
// at a dot. Each family has a table in a file of its own. Intrinsics of NVVM
// appear by their names without `llvm.nvvm.`, results first, then arguments.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_INSTRUCTIONS_H
#define TILE_LIB_LOWERED_INSTRUCTIONS_H

#include "Machine.h"

namespace mlir::tile::lowered {

struct InstructionEntry {
  const char *mnemonic; ///< or the first parts of it
  PtxMeaning meaning;
  /// Reads suffixes into `parsed`; returns what is not known of them. May be
  /// null.
  std::string (*parse)(PtxInstruction &) = nullptr;
};

llvm::ArrayRef<InstructionEntry> basicInstructions();
llvm::ArrayRef<InstructionEntry> orderInstructions();
llvm::ArrayRef<InstructionEntry> copyInstructions();
llvm::ArrayRef<InstructionEntry> matrixInstructions();
llvm::ArrayRef<InstructionEntry> tensorMemoryInstructions();

/// The registers of a list or of a single operand.
llvm::SmallVector<uint64_t, 8> readAll(const PtxOperand &operand,
                                       const uint64_t *slots);

/// Executes a whole text; `slots` has room for all of its registers.
void execute(Machine &machine, const PtxCode &code, uint64_t *slots);

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_INSTRUCTIONS_H
