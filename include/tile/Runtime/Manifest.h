//===- Manifest.h - What an artifact says about its kernels -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest: everything a launcher has to know about the kernels of an
// artifact. The compiler fills these structs, serializeManifest writes them as
// JSON, parseManifest reads and verifies them. docs/Artifact.md specifies the
// JSON; field names there and here agree.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_RUNTIME_MANIFEST_H
#define TILE_RUNTIME_MANIFEST_H

#include "tile/Runtime/Expr.h"
#include "tile/Runtime/Prediction.h"
#include "tile/Runtime/Support.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mlir::tile::runtime {

/// Version of the manifest that this library writes; it reads this one and
/// every older one.
inline constexpr int64_t kManifestVersion = 5;

/// An extent or stride known only at launch. Equal to
/// mlir::ShapedType::kDynamic, so that the compiler copies shapes unchanged.
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

/// Limits on what a manifest may hold; the launcher's fixed buffers rely on
/// them.
inline constexpr unsigned kMaxRank = 16;
inline constexpr unsigned kMaxArgs = 128;
inline constexpr unsigned kMaxDims = 512; ///< of all arguments together
inline constexpr unsigned kMaxParams = 512;
inline constexpr unsigned kMaxParamBytes = 4096;
inline constexpr unsigned kMaxTensorMaps = 30;
inline constexpr unsigned kTensorMapBytes = 128;
inline constexpr unsigned kTensorMapAlign = 64;

/// Element types by their MLIR names. `i*` are signless: bits without a sign,
/// so an argument of the same width, signed or not, fits them.
enum class ElementType : uint8_t {
  I1, ///< one byte an element in memory and as a parameter
  I4, ///< two elements a byte
  I8,
  UI8,
  I16,
  UI16,
  I32,
  UI32,
  I64,
  UI64,
  F4E2M1FN, ///< two elements a byte
  F8E4M3FN,
  F8E5M2,
  F8E8M0FNU,
  F16,
  BF16,
  F32,
  TF32, ///< f32 in memory
  F64,
};
inline constexpr unsigned kNumElementTypes = unsigned(ElementType::F64) + 1;

const char *spelling(ElementType type);
bool parseElementType(const std::string &text, ElementType &type);
/// Bits an element takes in memory: 8 for i1, 4 for packed types.
unsigned storageBits(ElementType type);
bool isInteger(ElementType type);
/// Whether an argument of type `actual` may be passed where the manifest says
/// `expected`: the same type, an unsigned integer for a signless one of its
/// width, f32 for tf32.
bool accepts(ElementType expected, ElementType actual);

enum class ArgKind : uint8_t { MemRef, Scalar };
enum class Access : uint8_t { Read, Write, ReadWrite };

/// One argument of a kernel, as its caller sees it.
struct ArgSpec {
  std::string name;
  ArgKind kind = ArgKind::MemRef;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;   ///< memref: extents or kDynamic
  std::vector<int64_t> strides; ///< memref: in elements, or kDynamic
  int64_t alignment = 1; ///< memref: bytes, of the first element's address
  Access access = Access::ReadWrite; ///< memref
  bool mayAlias = false; ///< memref: may overlap others that may, too

  bool isWritten() const { return access != Access::Read; }
};

enum class ParamKind : uint8_t {
  Pointer,
  Dim,
  Stride,
  Scalar,
  TensorMap,
  Workspace
};

/// One parameter of the device code, in order, and where its value comes from.
struct ParamSpec {
  ParamKind kind = ParamKind::Pointer;
  unsigned arg = 0; ///< argument; for TensorMap the index in `tensorMaps`
  unsigned dim = 0; ///< Dim, Stride
  ElementType type = ElementType::I64; ///< Dim, Stride: i32 or i64; Scalar
  /// Workspace: bytes for each block that is launched, and whether the launcher
  /// hands it over as zeros, as which the kernel leaves it.
  int64_t bytesPerBlock = 0;
  bool zeroed = false;

  static ParamSpec pointer(unsigned arg) {
    return {ParamKind::Pointer, arg, 0, ElementType::I64};
  }
  static ParamSpec extent(unsigned arg, unsigned dim, ElementType type) {
    return {ParamKind::Dim, arg, dim, type};
  }
  static ParamSpec stride(unsigned arg, unsigned dim, ElementType type) {
    return {ParamKind::Stride, arg, dim, type};
  }
  static ParamSpec scalar(unsigned arg, ElementType type) {
    return {ParamKind::Scalar, arg, 0, type};
  }
  static ParamSpec tensorMap(unsigned map) {
    return {ParamKind::TensorMap, map, 0, ElementType::I64};
  }
  static ParamSpec workspace(int64_t bytesPerBlock, bool zeroed) {
    return {ParamKind::Workspace, 0,     0, ElementType::I64,
            bytesPerBlock,        zeroed};
  }

  unsigned size() const;  ///< bytes
  unsigned align() const; ///< bytes
};

/// An expression that must not be zero for the kernel to be right.
struct Assumption {
  Expr expr;
  std::string message; ///< "expected the extent of dimension 1 to be ..."
};

enum class CodeFormat : uint8_t { Cubin, PTX };

/// One compiled form of a kernel.
struct CodeSpec {
  std::string arch; ///< LLVM's -mcpu name: sm_80, sm_90a, sm_100f
  CodeFormat format = CodeFormat::PTX;
  unsigned blob = 0;      ///< index of the blob; kernels may share one
  std::string ptxVersion; ///< "8.0": `.version` of the PTX (it came from)
  std::string assembler;  ///< "ptxas", "nvJitLink"; empty for PTX
  std::string assemblerVersion;
  std::string options; ///< given to the assembler
};

enum class TensorMapInterleave : uint8_t { None, B16, B32 };
enum class TensorMapSwizzle : uint8_t { None, B32, B64, B128 };
enum class TensorMapL2 : uint8_t { None, B64, B128, B256 };
enum class TensorMapFill : uint8_t { Zeros, NaN };

/// What a map of convolutions (cuTensorMapEncodeIm2col) has in place of a box.
struct Im2colSpec {
  /// Corners of the box of pixels, relative to the tensor's own; of the spatial
  /// dimensions, innermost first. Empty in maps of boxes.
  std::vector<int64_t> lower, upper;
  int64_t channels = 0; ///< elements of a pixel
  int64_t pixels = 0;   ///< of a column

  bool any() const { return !lower.empty(); }
  bool operator==(const Im2colSpec &other) const {
    return lower == other.lower && upper == other.upper &&
           channels == other.channels && pixels == other.pixels;
  }
};

/// The operands of cuTensorMapEncodeTiled, or of cuTensorMapEncodeIm2col, the
/// innermost dimension first.
struct TensorMapSpec {
  unsigned arg = 0; ///< the memref described; its address is the map's
  ElementType type = ElementType::F16;
  std::vector<Expr> dims;    ///< extents in elements
  std::vector<Expr> strides; ///< bytes, of all dimensions but the first
  std::vector<int64_t> box;  ///< elements; empty with `im2col`
  std::vector<int64_t> elementStrides; ///< elements, 1 each as a rule
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapL2 l2 = TensorMapL2::None;
  TensorMapFill fill = TensorMapFill::Zeros;
  Im2colSpec im2col;
};

/// A value that the compiler chose, or was told, for what a program left open.
struct ChosenValue {
  std::string name;
  int64_t value = 0;
};

struct KernelSpec {
  std::string name; ///< entry point of the device code
  std::vector<ArgSpec> args;
  std::vector<ParamSpec> params;
  std::array<Expr, 3> grid = {Expr(1), Expr(1), Expr(1)};
  int64_t threads = 1;
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Blocks that a multiprocessor is given at most; they divide the grid among
  /// themselves. 0: one block for each point of the grid.
  int64_t persistent = 0;
  /// Blocks wait for each other: the launch is cooperative, and refused where
  /// the device does not hold the whole grid at a time.
  bool cooperative = false;
  int64_t sharedBytes = 0;         ///< dynamic shared memory
  std::vector<ChosenValue> chosen; ///< for the reader; nothing depends on it
  std::vector<Assumption> assumptions;
  std::vector<TensorMapSpec> tensorMaps;
  std::vector<CodeSpec> code;
  /// What predicts how long a launch takes; empty where nothing does.
  CostSpec cost;
  /// The same kernel compiled in other ways: on stronger assumptions (which are
  /// its own entries' assumptions and alignments), or for other sizes. A launch
  /// takes the first whose assumptions hold, and this one where none does; of
  /// those with a `cost` the one that is predicted to be the fastest.
  std::vector<KernelSpec> versions;
};

struct Manifest {
  std::string compiler; ///< "mlir-tile 0.1.0 (LLVM 22.1.8)"
  std::vector<KernelSpec> kernels;

  const KernelSpec *find(const std::string &name) const;
};

/// Checks every field and every reference between fields. `numBlobs` is the
/// number of blobs that code entries may name.
Status verifyManifest(const Manifest &manifest, size_t numBlobs);

/// The manifest as JSON text, the same for the same manifest.
std::string serializeManifest(const Manifest &manifest);

/// Reads and verifies a manifest.
Result<Manifest> parseManifest(const std::string &text, size_t numBlobs);

/// A compute architecture by its LLVM name.
struct ArchName {
  int major = 0;
  int minor = 0;
  char suffix = 0; ///< 0, 'a' (this device only) or 'f' (this family)
};
bool parseArch(const std::string &text, ArchName &arch);

} // namespace mlir::tile::runtime

#endif // TILE_RUNTIME_MANIFEST_H
