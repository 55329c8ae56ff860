//===- ArtifactBuilder.h - compiled code and its manifest -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts PTX, machine code and the kernels' manifest entries into the artifact
// that a launcher loads.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_ARTIFACTBUILDER_H
#define TILE_TARGET_ARTIFACTBUILDER_H

#include "mlir/IR/BuiltinOps.h"
#include "tile/Runtime/Artifact.h"
#include "tile/Target/Cubin.h"

namespace mlir::tile {

/// Names this compiler in manifests and cache keys.
extern const char *const kCompilerVersion;

/// What goes into an artifact for one target.
struct TargetCode {
  const TargetInfo *target = nullptr; ///< must not be null
  unsigned ptxVersion = 0;            ///< major*10+minor
  std::string ptx;
  /// The assembled form; used where its status is Assembled.
  AssemblerResult assembled;
};

/// `module` is the NVVM-dialect module that was compiled: its kernels carry
/// their manifest entries. The PTX goes in where there is no machine code, and
/// beside it where newer devices can run it (architectures without a suffix).
/// An error at a kernel whose manifest is missing or not valid.
FailureOr<runtime::Artifact> buildArtifact(ModuleOp module, TargetCode code);

} // namespace mlir::tile
#endif // TILE_TARGET_ARTIFACTBUILDER_H
