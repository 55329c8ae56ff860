//===- Instructions.cpp - the table of mnemonics --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Instructions.h"

using namespace mlir::tile::lowered;

static void branch(Machine &, Thread &, const PtxInstruction &, uint64_t *) {}

PtxMeaning mlir::tile::lowered::findMeaning(PtxInstruction &instruction,
                                            std::string &why) {
  if (instruction.parts[0] == "bra")
    return branch;
  llvm::StringRef mnemonic = instruction.mnemonic;
  const InstructionEntry *best = nullptr;
  size_t length = 0;
  for (auto table :
       {basicInstructions(), orderInstructions(), copyInstructions(),
        matrixInstructions(), tensorMemoryInstructions()})
    for (const InstructionEntry &entry : table) {
      llvm::StringRef prefix = entry.mnemonic;
      bool matches =
          mnemonic.starts_with(prefix) &&
          (mnemonic.size() == prefix.size() || mnemonic[prefix.size()] == '.' ||
           mnemonic[prefix.size()] == ':');
      if (matches && prefix.size() >= length) {
        best = &entry;
        length = prefix.size();
      }
    }
  if (!best)
    return nullptr;
  if (best->parse)
    why = best->parse(instruction);
  return why.empty() ? best->meaning : nullptr;
}

llvm::SmallVector<uint64_t, 8>
mlir::tile::lowered::readAll(const PtxOperand &operand, const uint64_t *slots) {
  llvm::SmallVector<uint64_t, 8> values;
  if (operand.kind != PtxOperand::List) {
    values.push_back(PtxInstruction::read(operand, slots));
    return values;
  }
  for (const PtxOperand &part : operand.list)
    values.push_back(PtxInstruction::read(part, slots));
  return values;
}

void mlir::tile::lowered::execute(Machine &machine, const PtxCode &code,
                                  uint64_t *slots) {
  Thread &thread = machine.thread();
  size_t next = 0;
  while (next < code.instructions.size()) {
    const PtxInstruction &instruction = code.instructions[next++];
    if (instruction.predicate >= 0 &&
        bool(slots[instruction.predicate]) == instruction.negated)
      continue;
    if (instruction.isBranch) {
      size_t target = size_t(instruction.operands[0].value);
      if (target < next)
        machine.yield(); // a loop: others must get their turn
      next = target;
      continue;
    }
    instruction.meaning(machine, thread, instruction, slots);
  }
}
