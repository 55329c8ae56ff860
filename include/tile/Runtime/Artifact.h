//===- Artifact.h - A compiled kernel as one file ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container: a header, a manifest and code blobs (PTX text or cubins, for
// any number of targets). The compiler writes it, the launcher reads it; both
// sides go through this class, so what is written can be read. docs/Artifact.md
// specifies the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_RUNTIME_ARTIFACT_H
#define TILE_RUNTIME_ARTIFACT_H

#include "tile/Runtime/Manifest.h"
#include "tile/Runtime/Support.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::tile::runtime {

/// Version of the container that this library writes; it reads this one and
/// every older one.
inline constexpr uint32_t kContainerVersion = 1;

struct Artifact {
  Manifest manifest;
  std::vector<std::string> blobs;

  /// The file's bytes, the same for the same artifact. Fails where the
  /// manifest is not valid or a blob is not of its declared format.
  Result<std::string> serialize() const;

  /// Reads an artifact from memory; nothing refers to `bytes` afterwards.
  static Result<Artifact> parse(const char *bytes, size_t size);
  static Result<Artifact> parse(const std::string &bytes) {
    return parse(bytes.data(), bytes.size());
  }

  /// Writes a temporary file beside `path`, then renames it: a reader sees the
  /// old file or the whole new one.
  Status writeFile(const std::string &path) const;
  static Result<Artifact> readFile(const std::string &path);
};

} // namespace mlir::tile::runtime

#endif // TILE_RUNTIME_ARTIFACT_H
