//===- TestArtifacts.h - Artifacts that the runtime's tests use -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with one of everything that a manifest can hold.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_UNITTESTS_RUNTIME_TESTARTIFACTS_H
#define TILE_UNITTESTS_RUNTIME_TESTARTIFACTS_H

#include "tile/Runtime/Artifact.h"

namespace mlir::tile::runtime::test {

inline const char *kPtx = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Changes the field of `size` bytes at `at`, which is little-endian.
inline void setField(std::string &bytes, size_t at, uint64_t value,
                     unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    bytes[at + i] = char(value >> 8 * i & 0xff);
}

/// The headers of an ELF file for CUDA: two sections, the second of 16 bytes at
/// 64, and a segment of the same bytes.
inline std::string makeCubin() {
  std::string bytes(64 + 16 + 2 * 64 + 56, '\0');
  bytes.replace(0, 7,
                "\x7f"
                "ELF\2\1\1");
  setField(bytes, 18, 190, 2);    // machine
  setField(bytes, 32, 208, 8);    // segments
  setField(bytes, 40, 80, 8);     // sections
  setField(bytes, 52, 64, 2);     // size of this header
  setField(bytes, 54, 56, 2);     // of a segment's
  setField(bytes, 56, 1, 2);      // segments
  setField(bytes, 58, 64, 2);     // size of a section's header
  setField(bytes, 60, 2, 2);      // sections
  setField(bytes, 62, 1, 2);      // the one of the names
  setField(bytes, 144 + 4, 3, 4); // the second section's type: names
  setField(bytes, 144 + 24, 64, 8);
  setField(bytes, 144 + 32, 16, 8);
  setField(bytes, 208, 1, 4); // the segment's type
  setField(bytes, 208 + 8, 64, 8);
  setField(bytes, 208 + 32, 16, 8);
  return bytes;
}
inline const std::string kCubin = makeCubin();

inline ArgSpec memref(const char *name, ElementType type,
                      std::vector<int64_t> shape, std::vector<int64_t> strides,
                      Access access, int64_t alignment = 1) {
  ArgSpec arg;
  arg.name = name;
  arg.type = type;
  arg.shape = std::move(shape);
  arg.strides = std::move(strides);
  arg.access = access;
  arg.alignment = alignment;
  return arg;
}

inline ArgSpec scalar(const char *name, ElementType type) {
  ArgSpec arg;
  arg.name = name;
  arg.kind = ArgKind::Scalar;
  arg.type = type;
  arg.access = Access::Read;
  return arg;
}

inline CodeSpec code(const char *arch, CodeFormat format, unsigned blob) {
  CodeSpec code;
  code.arch = arch;
  code.format = format;
  code.blob = blob;
  code.ptxVersion = "8.0";
  if (format == CodeFormat::Cubin) {
    code.assembler = "ptxas";
    code.assemblerVersion = "13.0.88";
    code.options = "-O3";
  }
  return code;
}

/// C[M, N] = A[M, 64] * alpha, with n repetitions.
inline KernelSpec scaleKernel() {
  KernelSpec kernel;
  kernel.name = "scale";
  kernel.args = {
      memref("A", ElementType::F16, {kDynamic, 64}, {kDynamic, 1}, Access::Read,
             16),
      memref("C", ElementType::F32, {kDynamic, kDynamic}, {kDynamic, 1},
             Access::Write, 4),
      scalar("alpha", ElementType::F32),
      scalar("n", ElementType::I32),
  };
  kernel.params = {
      ParamSpec::pointer(0),
      ParamSpec::extent(0, 0, ElementType::I32),
      ParamSpec::stride(0, 0, ElementType::I64),
      ParamSpec::pointer(1),
      ParamSpec::extent(1, 1, ElementType::I64),
      ParamSpec::scalar(2, ElementType::F32),
      ParamSpec::scalar(3, ElementType::I32),
  };
  kernel.grid = {ceilDiv(Expr::dim(1, 1), 128), ceilDiv(Expr::dim(1, 0), 64),
                 Expr::scalar(3)};
  kernel.threads = 128;
  kernel.sharedBytes = 1024;
  kernel.assumptions = {
      {Expr::binary(Expr::Kind::Eq,
                    Expr::binary(Expr::Kind::Mod, Expr::stride(0, 0), 8), 0),
       "expected rows of A to be 16-byte aligned"}};
  return kernel;
}

inline Artifact scaleArtifact() {
  Artifact artifact;
  artifact.manifest.compiler = "mlir-tile test";
  KernelSpec kernel = scaleKernel();
  kernel.code = {code("sm_80", CodeFormat::PTX, 0),
                 code("sm_80", CodeFormat::Cubin, 1)};
  artifact.manifest.kernels = {kernel};
  artifact.blobs = {kPtx, kCubin};
  return artifact;
}

/// What predicts a kernel with a tile of `rows` rows of A to a block, which all
/// blocks read whole, and `cycles` of tensor cores in each of 16 iterations.
inline CostSpec tiledCost(int64_t rows, double cycles) {
  CostSpec cost;
  cost.device.name = "a device";
  cost.device.multiprocessors = 4;
  cost.device.maxGHz = 2;
  cost.device.sustainedGHz = 2;
  cost.device.dramBytesPerSecond = 1e12;
  cost.device.l2Capacity = 1e6;
  cost.device.sharedBytes = 128;
  cost.device.l2Bytes = 64;
  cost.device.loadLatency = 1000;
  cost.tiles[0] = ceilDiv(Expr::dim(0, 0), rows);
  CostLoop block, loop;
  loop.stages = 4;
  loop.trips = 16;
  loop.work.tensorCycles = cycles;
  loop.work.loaded = double(rows) * 128;
  cost.loops = {block, loop};
  CostStream stream;
  stream.loop = 1;
  stream.bytes = stream.loaded = double(rows) * 128;
  stream.elements = Expr::dim(0, 0) * Expr::dim(0, 1);
  stream.pitch = Expr::dim(0, 1);
  stream.elementBytes = 2;
  stream.varies[0] = true;
  cost.streams = {stream};
  return cost;
}

/// The above with a tensor map of A in the place of its pointer, in clusters.
inline Artifact tensorMapArtifact() {
  Artifact artifact = scaleArtifact();
  KernelSpec &kernel = artifact.manifest.kernels[0];
  kernel.name = "tma";
  TensorMapSpec map;
  map.arg = 0;
  map.type = ElementType::F16;
  map.dims = {Expr::dim(0, 1), Expr::dim(0, 0)};
  map.strides = {Expr::stride(0, 0) * 2};
  map.box = {64, 32};
  map.elementStrides = {1, 1};
  map.swizzle = TensorMapSwizzle::B128;
  map.l2 = TensorMapL2::B128;
  kernel.tensorMaps = {map};
  kernel.params[0] = ParamSpec::tensorMap(0);
  kernel.cluster = {2, 1, 1};
  kernel.code[0].arch = "sm_90a";
  kernel.code[1].arch = "sm_90a";
  return artifact;
}

} // namespace mlir::tile::runtime::test

#endif // TILE_UNITTESTS_RUNTIME_TESTARTIFACTS_H
