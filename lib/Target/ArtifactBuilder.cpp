//===- ArtifactBuilder.cpp - compiled code and its manifest ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Target/ArtifactBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Target/ManifestBuilder.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace mlir::tile;

const char *const mlir::tile::kCompilerVersion =
    "mlir-tile " TILE_VERSION " (LLVM " LLVM_VERSION_STRING ")";

static FailureOr<runtime::KernelSpec> readManifest(LLVM::LLVMFuncOp function) {
  auto text = function->getAttrOfType<StringAttr>(kManifestAttrName);
  if (!text)
    return function.emitError()
           << "expected the kernel's manifest in `" << kManifestAttrName
           << "`: only kernels lowered from tile.kernel have one";
  runtime::Result<runtime::KernelSpec> kernel =
      readKernelManifest(text.getValue());
  if (!kernel)
    return function.emitError()
           << "`" << kManifestAttrName << "`: " << kernel.message();
  if (kernel->name != function.getSymName())
    return function.emitError()
           << "expected the manifest of '" << function.getSymName()
           << "', got that of '" << kernel->name << "'";
  if (auto bytes = function->getAttrOfType<IntegerAttr>(kSharedBytesAttrName))
    kernel->sharedBytes = bytes.getInt();
  return std::move(*kernel);
}

/// Whether a version relies on more than its kernel does: a launcher that finds
/// it as fast as another one takes it first.
static bool promisesMore(const runtime::KernelSpec &version,
                         const runtime::KernelSpec &kernel) {
  if (version.assumptions.size() > kernel.assumptions.size())
    return true;
  for (auto [own, base] : llvm::zip_equal(version.args, kernel.args))
    if (own.alignment > base.alignment)
      return true;
  return false;
}

FailureOr<runtime::Artifact> mlir::tile::buildArtifact(ModuleOp module,
                                                       TargetCode code) {
  runtime::Artifact artifact;
  artifact.manifest.compiler = kCompilerVersion;

  runtime::CodeSpec spec;
  spec.arch = code.target->arch.str();
  spec.ptxVersion = std::to_string(code.ptxVersion / 10) + "." +
                    std::to_string(code.ptxVersion % 10);
  SmallVector<runtime::CodeSpec> specs;
  bool hasCubin = code.assembled.status == AssemblerResult::Status::Assembled;
  if (hasCubin) {
    spec.format = runtime::CodeFormat::Cubin;
    spec.blob = artifact.blobs.size();
    spec.assembler = code.assembled.assembler;
    spec.assemblerVersion = code.assembled.version;
    spec.options = code.assembled.options;
    specs.push_back(spec);
    artifact.blobs.push_back(std::move(code.assembled.cubin));
  }
  if (!hasCubin || !code.target->specific) {
    spec.format = runtime::CodeFormat::PTX;
    spec.blob = artifact.blobs.size();
    spec.assembler.clear();
    spec.assemblerVersion.clear();
    spec.options.clear();
    specs.push_back(spec);
    artifact.blobs.push_back(std::move(code.ptx));
  }

  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    FailureOr<runtime::KernelSpec> kernel = readManifest(function);
    if (failed(kernel))
      return failure();
    kernel->code.assign(specs.begin(), specs.end());
    auto base = function->getAttrOfType<StringAttr>(kVersionOfAttrName);
    if (!base) {
      artifact.manifest.kernels.push_back(std::move(*kernel));
      continue;
    }
    auto &kernels = artifact.manifest.kernels;
    auto it = llvm::find_if(kernels, [&](const runtime::KernelSpec &other) {
      return other.name == base.getValue();
    });
    if (it == kernels.end())
      return function.emitError() << "expected the kernel '" << base.getValue()
                                  << "', which it is a version of, before it";
    it->versions.push_back(std::move(*kernel));
  }
  for (runtime::KernelSpec &kernel : artifact.manifest.kernels)
    llvm::stable_sort(kernel.versions, [&](const auto &a, const auto &b) {
      return promisesMore(a, kernel) && !promisesMore(b, kernel);
    });
  if (artifact.manifest.kernels.empty())
    return module.emitError() << "expected at least one kernel";
  if (runtime::Status status =
          runtime::verifyManifest(artifact.manifest, artifact.blobs.size());
      !status.ok())
    return module.emitError() << "artifact: " << status.message();
  return artifact;
}
