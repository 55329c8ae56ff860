//===- RunCuda.h - running a kernel on a GPU --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime library's launcher under the interface that every target of
// tile-run has. The driver is opened when the first kernel needs it; its
// context serves all kernels of the process.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TOOLS_TILE_RUN_RUNCUDA_H
#define TILE_TOOLS_TILE_RUN_RUNCUDA_H

#include "Run.h"
#include "tile/Runtime/Launcher.h"

namespace mlir::tile::run {

/// The GPU of this process.
class CudaSession {
public:
  /// Opens the driver and its first device, unless that is done.
  llvm::Error open();
  /// Opens the first device of a driver that is given.
  llvm::Error open(std::shared_ptr<runtime::Driver> driver);
  std::shared_ptr<runtime::Device> device() const { return opened; }

  /// LLVM's name of the newest architecture, with the suffix a where there is
  /// one for exactly this device, that the compiler knows and the device runs.
  llvm::Expected<std::string> arch() const;
  /// The name of the device's figures (DeviceInfo.h); empty where it has none.
  std::string deviceName() const;

  /// Asks the driver whether the context survived what has run. A kernel that
  /// faulted takes the context of its process with it.
  bool isLost() const;

private:
  std::shared_ptr<runtime::Device> opened;
};

/// Whether a file's bytes are an artifact.
bool isArtifact(StringRef bytes);

/// The kernel that `name` names, or the only one.
llvm::Expected<const runtime::KernelSpec *>
findKernel(const runtime::Manifest &manifest, StringRef name);

/// Its arguments, for `--args`.
llvm::Expected<Signature> signatureOf(const runtime::KernelSpec &kernel,
                                      MLIRContext *context);

/// An error where tile IR and an artifact do not say the same of a kernel.
llvm::Error checkSameSignature(const Signature &source,
                               const Signature &artifact);

/// Launches one kernel of an artifact on a copy of `memory`. Beside running it,
/// this looks at every byte the kernel has no business with: around each
/// buffer, between its rows, and in buffers that are only read.
llvm::Expected<RunResult>
runOnCuda(CudaSession &session, runtime::Artifact artifact, StringRef kernel,
          ArrayRef<Argument> arguments, const Memory &memory,
          const RunOptions &options);

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_RUNCUDA_H
