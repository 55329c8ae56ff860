//===- Ptx.cpp - a reader of inline PTX -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Ptx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir::tile::lowered;
using llvm::StringRef;

bool PtxInstruction::has(StringRef part) const {
  return llvm::is_contained(parts, part);
}

namespace {
class Reader {
public:
  Reader(StringRef text, llvm::ArrayRef<bool> predicates, PtxCode &code)
      : rest(text), code(code),
        predicates(predicates.begin(), predicates.end()) {
    code.numOperands = code.numSlots = unsigned(predicates.size());
  }

  std::string run() {
    while (skip(), !rest.empty() && error.empty())
      statement();
    if (!error.empty())
      return error;
    for (auto [place, name] : jumps) {
      auto it = labels.find(name);
      if (it == labels.end())
        return "no label '" + name + "'";
      code.instructions[place].operands.back().value = int64_t(it->second);
    }
    return "";
  }

private:
  void fail(const llvm::Twine &what) {
    if (error.empty())
      error = (what + " at '" + rest.take_front(40) + "'").str();
    rest = "";
  }
  void skip() { rest = rest.ltrim(" \t\r\n"); }
  bool eat(char c) {
    skip();
    return rest.consume_front(StringRef(&c, 1));
  }
  static bool isWord(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':' || c == '%';
  }
  /// A mnemonic or name. A colon belongs to it only where it is doubled, as in
  /// `shared::cta`.
  StringRef word() {
    skip();
    size_t length = 0;
    while (length < rest.size() && isWord(rest[length])) {
      if (rest[length] == ':') {
        if (!rest.substr(length).starts_with("::"))
          break;
        ++length;
      }
      ++length;
    }
    StringRef found = rest.take_front(length);
    rest = rest.drop_front(length);
    return found;
  }

  void declaration() {
    bool isPredicate = word() == ".pred";
    do {
      StringRef name = word();
      if (name.empty())
        return fail("expected a register's name");
      registers[name] = code.numSlots++;
      predicates.push_back(isPredicate);
    } while (eat(','));
    if (!eat(';'))
      fail("expected ';'");
  }

  void statement() {
    if (eat('{') || eat('}') || eat(';'))
      return;
    PtxInstruction instruction;
    if (eat('@')) {
      instruction.negated = eat('!');
      PtxOperand predicate = scalar();
      if (predicate.kind != PtxOperand::Register)
        return fail("expected a predicate");
      instruction.predicate = predicate.slot;
    }
    StringRef mnemonic = word();
    if (mnemonic == ".reg")
      return declaration();
    if (mnemonic.empty())
      return fail("expected an instruction");
    if (eat(':')) {
      labels[mnemonic] = code.instructions.size();
      return;
    }
    instruction.mnemonic = mnemonic.str();
    llvm::SmallVector<StringRef> parts;
    mnemonic.split(parts, '.');
    for (StringRef part : parts)
      instruction.parts.push_back(part.str());
    while (!eat(';')) {
      skip();
      if (rest.empty())
        break; // the last statement may lack its semicolon
      instruction.operands.push_back(operand());
      eat(',');
      if (!error.empty())
        return;
    }
    if (instruction.parts[0] == "bra") {
      instruction.isBranch = true;
      instruction.operands.assign(1, PtxOperand());
      instruction.operands[0].kind = PtxOperand::Label;
      jumps.push_back({code.instructions.size(), lastName});
    }
    std::string why;
    instruction.meaning = findMeaning(instruction, why);
    if (!instruction.meaning)
      return fail("instruction '" + mnemonic + "' is not known" +
                  (why.empty() ? "" : ": " + why));
    code.instructions.push_back(std::move(instruction));
  }

  /// $3, a declared register, a number, `_`.
  PtxOperand scalar() {
    PtxOperand result;
    skip();
    if (rest.consume_front("$")) {
      unsigned number = 0;
      if (rest.consumeInteger(10, number) || number >= code.numOperands) {
        fail("expected the number of an operand");
        return result;
      }
      result.kind = PtxOperand::Register;
      result.slot = int(number);
      result.isPredicate = predicates[number];
      return result;
    }
    bool negative = rest.consume_front("-");
    if (!rest.empty() && llvm::isDigit(rest.front())) {
      uint64_t number = 0;
      if (rest.consumeInteger(0, number))
        fail("expected a number");
      result.value = negative ? -int64_t(number) : int64_t(number);
      return result;
    }
    StringRef name = word();
    lastName = name.str();
    if (name == "_") {
      result.kind = PtxOperand::Sink;
    } else if (auto it = registers.find(name); it != registers.end()) {
      result.kind = PtxOperand::Register;
      result.slot = int(it->second);
      result.isPredicate = predicates[it->second];
    } else if (name.empty()) {
      fail("expected an operand");
    } else {
      result.kind = PtxOperand::Label; // checked by `bra`
    }
    return result;
  }

  PtxOperand list(char end) {
    PtxOperand result;
    result.kind = PtxOperand::List;
    while (error.empty() && !eat(end)) {
      result.list.push_back(operand());
      eat(',');
    }
    return result;
  }

  PtxOperand operand() {
    if (eat('{'))
      return list('}');
    if (!eat('['))
      return scalar();
    PtxOperand result;
    result.kind = PtxOperand::Address;
    do
      result.list.push_back(operand());
    while (eat(',') && error.empty());
    if (eat('+'))
      result.value = scalar().value;
    if (!eat(']'))
      fail("expected ']'");
    result.slot = result.list.front().slot;
    result.value += result.list.front().value;
    return result;
  }

  StringRef rest;
  PtxCode &code;
  std::vector<bool> predicates; ///< of each slot
  std::string error, lastName;
  llvm::StringMap<unsigned> registers;
  llvm::StringMap<size_t> labels;
  std::vector<std::pair<size_t, std::string>> jumps;
};
} // namespace

std::string mlir::tile::lowered::readPtx(StringRef text,
                                         llvm::ArrayRef<bool> predicates,
                                         PtxCode &code) {
  return Reader(text, predicates, code).run();
}
