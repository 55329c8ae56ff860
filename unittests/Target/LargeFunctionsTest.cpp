//===- LargeFunctionsTest.cpp - what is left out of large functions -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "LargeFunctions.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir::tile;

namespace {
std::unique_ptr<Module> parse(LLVMContext &context, const std::string &text) {
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module;
}

size_t timesIn(StringRef text, StringRef what) { return text.count(what); }

/// `blocks` guarded blocks, one behind the other, each of which needs the same
/// address in a register: instruction selection computes it in each of them.
std::string bodyOfManyBlocks(unsigned blocks) {
  std::string text = "@g = addrspace(3) global i32 undef\n"
                     "define ptx_kernel void @k(i1 %c) {\n  br label %b0\n";
  for (unsigned i = 0; i < blocks; ++i)
    text += "b" + std::to_string(i) +
            ":\n  call void asm sideeffect \"// use $0\", \"r\"(i32 ptrtoint "
            "(ptr addrspace(3) @g to i32))\n  br i1 %c, label %b" +
            std::to_string(i + 1) + ", label %end\n";
  return text + "b" + std::to_string(blocks) +
         ":\n  br label %end\nend:\n  ret void\n}\n";
}

std::string manyBlocks(unsigned blocks) {
  return "target triple = \"nvptx64-nvidia-cuda\"\n" + bodyOfManyBlocks(blocks);
}

/// PTX of a module, its code generated with the gate or without it.
std::string ptxOf(const std::string &ir, bool gated) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMContext context;
  std::unique_ptr<Module> module = parse(context, ir);
  std::string error;
  const Target *target =
      TargetRegistry::lookupTarget(module->getTargetTriple(), error);
  EXPECT_TRUE(target) << error;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      module->getTargetTriple(), "sm_80", "", TargetOptions(), std::nullopt,
      std::nullopt, CodeGenOptLevel::Aggressive));
  module->setDataLayout(machine->createDataLayout());
  SmallString<0> text;
  raw_svector_ostream os(text);
  legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, os, nullptr,
                                            CodeGenFileType::AssemblyFile));
  std::optional<LargeCodeGate> gate;
  if (gated)
    gate.emplace(*module);
  passes.run(*module);
  return text.str().str();
}

/// A product and, last in its block, one of a number that is larger by 1, which
/// strength reduction makes an addition; between them `instructions` additions.
std::string largeBlock(unsigned instructions) {
  std::string text = "target triple = \"nvptx64-nvidia-cuda\"\n"
                     "define i32 @f(i32 %b, i32 %s, ptr %p) {\n"
                     "  %m = mul i32 %b, %s\n  store i32 %m, ptr %p\n"
                     "  %x0 = xor i32 %m, 1\n";
  for (unsigned i = 0; i < instructions; ++i)
    text += "  %x" + std::to_string(i + 1) + " = xor i32 %x" +
            std::to_string(i) + ", %s\n";
  return text +
         "  %b1 = add i32 %b, 1\n  %m1 = mul i32 %b1, %s\n  %r = xor "
         "i32 %m1, %x" +
         std::to_string(instructions) + "\n  ret i32 %r\n}\n";
}

/// Products that straight-line strength reduction leaves in a module.
size_t productsLeft(const std::string &ir, bool gated) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(context, ir);
  legacy::PassManager passes;
  passes.add(createStraightLineStrengthReducePass());
  std::optional<LargeCodeGate> gate;
  if (gated)
    gate.emplace(*module);
  passes.run(*module);
  std::string text;
  raw_string_ostream os(text);
  module->print(os, nullptr);
  return timesIn(text, "= mul i32");
}
} // namespace

TEST(LargeFunctions, ValuesOfFewBlocksAreNumbered) {
  EXPECT_EQ(timesIn(ptxOf(manyBlocks(100), false), "cvt.u32.u64"), 1u);
  EXPECT_EQ(timesIn(ptxOf(manyBlocks(100), true), "cvt.u32.u64"), 1u);
}

TEST(LargeFunctions, ValuesOfThousandsOfBlocksAreNot) {
  EXPECT_EQ(timesIn(ptxOf(manyBlocks(4200), false), "cvt.u32.u64"), 1u);
  EXPECT_EQ(timesIn(ptxOf(manyBlocks(4200), true), "cvt.u32.u64"), 4200u);
}

TEST(LargeFunctions, StrengthReductionIsLeftOutOfLargeBlocks) {
  EXPECT_EQ(productsLeft(largeBlock(5000), true), 1u);
  EXPECT_EQ(productsLeft(largeBlock(7000), false), 1u);
  EXPECT_EQ(productsLeft(largeBlock(7000), true), 2u);
}

TEST(LargeFunctions, StrengthReductionIsLeftOutOfManyBlocks) {
  std::string ir = largeBlock(10) + bodyOfManyBlocks(4200);
  EXPECT_EQ(productsLeft(ir, false), 1u);
  EXPECT_EQ(productsLeft(ir, true), 2u);
}

TEST(LargeFunctions, TheGateGoesWithItsObject) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(context, manyBlocks(4200));
  PassRegistry &known = *PassRegistry::getPassRegistry();
  initializeScalarOpts(known);
  initializeCodeGen(known);
  OptPassGate &before = context.getOptPassGate();
  {
    LargeCodeGate gate(*module);
    EXPECT_EQ(&context.getOptPassGate(), &gate);
    EXPECT_TRUE(gate.shouldRunPass("early-cse", ""));
    for (StringRef left : {"slsr", "gvn", "machine-cse"}) {
      EXPECT_FALSE(gate.shouldRunPass(left, ""));
      // A pass that got another name would run.
      EXPECT_TRUE(known.getPassInfo(left)) << left.str();
    }
  }
  EXPECT_EQ(&context.getOptPassGate(), &before);
  std::unique_ptr<Module> small = parse(context, manyBlocks(10));
  LargeCodeGate gate(*small);
  EXPECT_EQ(&context.getOptPassGate(), &before);
}

TEST(LargeFunctions, CoalescingIsBounded) {
  // LLVM has no other place for the bound than an option: an option that got
  // another name or type would go unnoticed.
  auto &options = cl::getRegisteredOptions();
  auto option = options.find("large-interval-size-threshold");
  ASSERT_NE(option, options.end());
  boundCoalescing();
  EXPECT_EQ(static_cast<cl::opt<unsigned> *>(option->second)->getValue(), 0u);
}
