//===- CaseRunner.h - the steps of one run ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the files (Case.cpp), chooses values of tunables (CaseTuning.cpp),
// compiles for the target and runs there (CaseTargets.cpp), and compares
// (Case.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_CASERUNNER_H
#define TILE_TOOLS_TILE_RUN_CASERUNNER_H

#include "Case.h"
#include "KernelFacts.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tile/Dialect/Tile/Transforms/TileChoice.h"
#include "tile/Pipelines/SourceDiagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::tile::run {

/// The kernel that the options name, or the only one of the module.
llvm::Expected<KernelOp> findKernel(ModuleOp module, StringRef name);

/// The steps of one run, and what they hand on.
class CaseRunner {
public:
  CaseRunner(const Case &which, const DialectRegistry &registry,
             CudaSession &cuda, Report &report, raw_ostream &prints,
             raw_ostream &errors)
      : which(which), cuda(cuda), report(report), prints(prints),
        errors(errors), owned(std::make_shared<MLIRContext>(
                            registry, MLIRContext::Threading::DISABLED)),
        context(*owned) {
    report.context = owned; // the arguments' types outlive this run
    context.printOpOnDiagnostic(false);
  }

  bool run();

private:
  bool fail(const llvm::Twine &message) {
    errors << "tile-run: error: " << message << "\n";
    return false;
  }
  bool fail(llvm::Error error) {
    return fail(llvm::toString(std::move(error)));
  }

  bool readFiles();
  /// Tile IR of a file, with diagnostics that show its lines.
  struct File {
    llvm::SourceMgr sources;
    std::unique_ptr<SourceDiagnostics> diagnostics;
    OwningOpRef<ModuleOp> module; ///< null where there is no file
  };
  bool parse(std::unique_ptr<llvm::MemoryBuffer> buffer, File &file);
  bool describeKernel();
  /// The architecture that is compiled and chosen for, and the device that is
  /// chosen for, by name, empty for the default.
  llvm::Expected<std::string> arch();
  std::string cpuArch() const;
  std::string device() const;
  /// Candidates of a kernel, for the arguments at hand.
  std::optional<std::vector<Candidate>> rank(KernelOp kernel);
  bool choose(ModuleOp module);
  bool tune(const Memory &memory);
  void measure(const Candidate &candidate, const Memory &memory,
               const Memory *references, TunedCandidate &tuned);
  std::optional<runtime::Artifact> compile(ModuleOp module);
  bool makeReferences(ModuleOp module, const Memory &memory,
                      Memory (&references)[2]);
  std::vector<Comparison> compareAll(const Memory &inputs,
                                     const Memory *references);
  RunOptions runOptions() const;
  bool runTarget(const Memory &memory);
  bool runCpu(const Memory &memory, const RunOptions &options);
  bool runLowered(const Memory &memory, const RunOptions &options);
  bool runCuda(const Memory &memory, const RunOptions &options);
  /// What is compiled: the kernel that runs, without the file's others.
  OwningOpRef<ModuleOp> cloneKernel();
  bool check(const Memory &memory);
  bool parseSaves();
  bool save();

  const Case &which;
  CudaSession &cuda;
  Report &report;
  raw_ostream &prints, &errors;
  std::shared_ptr<MLIRContext> owned;
  MLIRContext &context;
  File source;  ///< as written
  File program; ///< what runs, where it is neither `source` nor an artifact
  std::optional<runtime::Artifact> artifact;
  KernelFacts facts;
  RunResult result;
  /// Arguments to save, and where.
  std::vector<std::pair<unsigned, std::string>> saves;
};

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_CASERUNNER_H
