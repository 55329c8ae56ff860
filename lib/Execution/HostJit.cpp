//===- HostJit.cpp - LLVM ORC for this host -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "HostJit.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace mlir::tile;

static llvm::Expected<llvm::orc::JITTargetMachineBuilder>
detectHost(llvm::CodeGenOptLevel level) {
  static std::once_flag done;
  std::call_once(done, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder;
  builder->setCodeGenOptLevel(level);
  // The first two round to bf16 with subnormal results flushed to zero (Intel
  // SDM, "VCVTNEPS2BF16"), and LLVM uses them to move bf16 values, too. With
  // AVX-512, LLVM 22 gives one lane of a maximum of bf16 under a condition
  // another value (test/Integration/CPU/bf16-maximum.mlir), which it does not
  // with AVX2.
  if (builder->getTargetTriple().isX86())
    builder->addFeatures({"-avx512bf16", "-avxneconvert", "-avx512f"});
  return builder;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::tile::createHostMachine(llvm::Module &module,
                              llvm::CodeGenOptLevel level) {
  auto builder = detectHost(level);
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  module.setDataLayout((*machine)->createDataLayout());
  module.setTargetTriple((*machine)->getTargetTriple());
  return machine;
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
mlir::tile::createHostJit(llvm::CodeGenOptLevel level,
                          const HostFunctions &functions) {
  auto builder = detectHost(level);
  if (!builder)
    return builder.takeError();
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*builder))
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return jit.takeError();
  llvm::orc::SymbolMap symbols;
  for (auto [name, function] : functions)
    symbols[(*jit)->mangleAndIntern(name)] = llvm::orc::ExecutorSymbolDef(
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable);
  if (auto error = (*jit)->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  return jit;
}
