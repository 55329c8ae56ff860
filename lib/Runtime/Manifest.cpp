//===- Manifest.cpp - Verification of manifests ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules a manifest obeys whatever it was made from; both the writer and
// the reader apply them, so that the launcher relies on them unchecked. The
// numbers [M1] ... are those of docs/Artifact.md.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Manifest.h"

#include <algorithm>
#include <set>
#include <utility>

using namespace mlir::tile::runtime;

/// The limits of CUDA that hold for every device; the launcher checks those of
/// the device at hand.
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxClusterBlocks = 16;
constexpr int64_t kMaxSharedBytes = int64_t(1) << 20;
/// Of a block.
constexpr int64_t kMaxWorkspaceBytes = int64_t(1) << 30;
constexpr int64_t kMaxAlignment = 4096;
constexpr int64_t kMaxPersistent = 32;

static bool isIdentifier(const std::string &name) {
  if (name.empty() || name.size() > 1024)
    return false;
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$';
  };
  if (!isLetter(name[0]))
    return false;
  for (char c : name)
    if (!isLetter(c) && !(c >= '0' && c <= '9'))
      return false;
  return true;
}

static bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

namespace {
/// Checks one kernel; the first violated rule is kept.
class KernelVerifier {
public:
  KernelVerifier(const KernelSpec &kernel, size_t numBlobs)
      : kernel(kernel), numBlobs(numBlobs) {}

  Status run() {
    checkArgs();
    checkTensorMaps();
    checkParams();
    checkLaunch();
    checkCode();
    checkCost();
    checkVersions();
    return failed ? Status(Error{"kernel '" + kernel.name + "': " + text})
                  : Status();
  }

private:
  void report(const std::string &message) {
    if (!failed)
      text = message;
    failed = true;
  }
  void require(bool condition, const std::string &where, const char *what) {
    if (!condition)
      report(where + ": " + what);
  }

  const ArgSpec *memref(unsigned arg) const {
    if (arg >= kernel.args.size() || kernel.args[arg].kind != ArgKind::MemRef)
      return nullptr;
    return &kernel.args[arg];
  }

  void checkArgs();
  void checkArg(const ArgSpec &arg, const std::string &where);
  void checkTensorMaps();
  void checkTensorMap(const TensorMapSpec &map, const std::string &where);
  void checkIm2col(const Im2colSpec &im2col, size_t rank,
                   const std::string &where);
  void checkParams();
  void checkLaunch();
  void checkCode();
  void checkCost();
  void checkVersions();
  void checkExpr(const Expr &expr, const std::string &where);

  const KernelSpec &kernel;
  size_t numBlobs;
  bool failed = false;
  std::string text;
};
} // namespace

void KernelVerifier::checkArgs() {
  if (kernel.args.size() > kMaxArgs) // [M4]
    return report("expected at most " + std::to_string(kMaxArgs) +
                  " arguments, got " + std::to_string(kernel.args.size()));
  std::set<std::string> names;
  size_t dims = 0;
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const ArgSpec &arg = kernel.args[i];
    std::string where = "argument " + std::to_string(i);
    require(!arg.name.empty() && names.insert(arg.name).second, where,
            "expected a name of its own"); // [M4]
    checkArg(arg, where);
    dims += arg.shape.size();
  }
  if (dims > kMaxDims) // [M4]
    report("expected at most " + std::to_string(kMaxDims) +
           " dimensions in all arguments, got " + std::to_string(dims));
}

void KernelVerifier::checkArg(const ArgSpec &arg, const std::string &where) {
  if (arg.kind == ArgKind::Scalar) { // [M6]
    require(arg.shape.empty() && arg.strides.empty() && arg.alignment == 1 &&
                !arg.mayAlias && arg.access == Access::Read,
            where, "expected a scalar to have no field of a memref");
    require(storageBits(arg.type) >= 8 && arg.type != ElementType::TF32, where,
            "expected the type of a scalar to be one that a parameter has");
    return;
  }
  // [M5]
  require(arg.shape.size() == arg.strides.size(), where,
          "expected as many strides as extents");
  require(arg.shape.size() <= kMaxRank, where, "expected a rank of at most 16");
  for (int64_t extent : arg.shape)
    require(extent >= 0 || extent == kDynamic, where,
            "expected extents to be 0 or more, or unknown");
  require(isPowerOfTwo(arg.alignment) && arg.alignment <= kMaxAlignment, where,
          "expected the alignment to be a power of two of at most 4096");
}

void KernelVerifier::checkTensorMaps() {
  if (kernel.tensorMaps.size() > kMaxTensorMaps) // [M9]
    return report("expected at most " + std::to_string(kMaxTensorMaps) +
                  " tensor maps, got " +
                  std::to_string(kernel.tensorMaps.size()));
  for (size_t i = 0; i < kernel.tensorMaps.size(); ++i)
    checkTensorMap(kernel.tensorMaps[i], "tensor map " + std::to_string(i));
}

void KernelVerifier::checkIm2col(const Im2colSpec &im2col, size_t rank,
                                 const std::string &where) {
  require(rank >= 3 && im2col.lower.size() == rank - 2 &&
              im2col.upper.size() == rank - 2,
          where,
          "expected a rank of 3 to 5 and corners of two dimensions less");
  require(im2col.channels >= 1 && im2col.channels <= 256 &&
              im2col.pixels >= 1 && im2col.pixels <= 1024,
          where, "expected 1 to 256 channels and 1 to 1024 pixels");
  if (failed)
    return;
  int64_t half = int64_t(1) << (rank == 3 ? 15 : rank == 4 ? 7 : 4);
  for (const std::vector<int64_t> *corner : {&im2col.lower, &im2col.upper})
    for (int64_t at : *corner)
      if (at < -half || at >= half)
        return report(where + ": expected corners from " +
                      std::to_string(-half) + " to " +
                      std::to_string(half - 1));
}

void KernelVerifier::checkTensorMap(const TensorMapSpec &map,
                                    const std::string &where) {
  // [M9]; limits from the descriptions of cuTensorMapEncodeTiled and
  // cuTensorMapEncodeIm2col in the CUDA driver API.
  const ArgSpec *arg = memref(map.arg);
  if (!arg)
    return report(where + ": expected the argument to be a memref");
  // Elements of half a byte are moved in pairs.
  bool isPacked = storageBits(arg->type) < 8 && map.type == ElementType::UI8;
  require(isPacked || accepts(arg->type, map.type) ||
              accepts(map.type, arg->type),
          where, "expected the element type of the argument");
  size_t rank = map.dims.size();
  require(rank >= 1 && rank <= 5, where, "expected a rank of 1 to 5");
  bool isIm2col = map.im2col.any();
  require(map.box.size() == (isIm2col ? 0 : rank) &&
              map.elementStrides.size() == rank &&
              map.strides.size() + 1 == rank,
          where,
          "expected one box extent (none with `im2col`) and element stride per "
          "dimension and one stride less");
  if (failed)
    return;
  if (isIm2col)
    checkIm2col(map.im2col, rank, where);
  if (failed)
    return;
  require(map.interleave == TensorMapInterleave::None || rank >= 3, where,
          "expected a rank of 3 or more where elements are interleaved");
  unsigned bits = storageBits(map.type);
  require(bits >= 8, where, "expected an element type of 8 bits or more");
  for (int64_t extent : map.box)
    require(extent >= 1 && extent <= 256, where,
            "expected box extents of 1 to 256");
  for (int64_t stride : map.elementStrides)
    require(stride >= 1 && stride <= 8, where,
            "expected element strides of 1 to 8");
  if (failed)
    return;
  int64_t inner = (isIm2col ? map.im2col.channels : map.box[0]) * bits / 8;
  if (map.interleave == TensorMapInterleave::None) {
    require(inner % 16 == 0, where,
            "expected the innermost box extent to be a multiple of 16 bytes");
    int64_t span = map.swizzle == TensorMapSwizzle::B32    ? 32
                   : map.swizzle == TensorMapSwizzle::B64  ? 64
                   : map.swizzle == TensorMapSwizzle::B128 ? 128
                                                           : 256 * 8;
    require(inner <= span, where,
            "expected the innermost box extent to fit the swizzle span");
  } else if (map.interleave == TensorMapInterleave::B32) {
    require(map.swizzle == TensorMapSwizzle::B32, where,
            "expected a swizzle of 32 bytes for an interleave of 32 bytes");
  }
  for (const Expr &expr : map.dims)
    checkExpr(expr, where);
  for (const Expr &expr : map.strides)
    checkExpr(expr, where);
}

void KernelVerifier::checkParams() {
  if (kernel.params.size() > kMaxParams) // [M7]
    return report("expected at most " + std::to_string(kMaxParams) +
                  " parameters, got " + std::to_string(kernel.params.size()));
  unsigned bytes = 0;
  for (size_t i = 0; i < kernel.params.size() && !failed; ++i) {
    const ParamSpec &param = kernel.params[i];
    std::string where = "parameter " + std::to_string(i);
    switch (param.kind) { // [M8]
    case ParamKind::Pointer:
      require(memref(param.arg), where, "expected the argument to be a memref");
      break;
    case ParamKind::Dim:
    case ParamKind::Stride:
      require(memref(param.arg) &&
                  param.dim < kernel.args[param.arg].shape.size(),
              where, "expected a dimension of a memref argument");
      require(param.type == ElementType::I32 || param.type == ElementType::I64,
              where, "expected the type i32 or i64");
      break;
    case ParamKind::Scalar:
      require(param.arg < kernel.args.size() &&
                  kernel.args[param.arg].kind == ArgKind::Scalar,
              where, "expected the argument to be a scalar");
      require(failed || param.type == kernel.args[param.arg].type, where,
              "expected the type of the argument");
      break;
    case ParamKind::TensorMap:
      require(param.arg < kernel.tensorMaps.size(), where,
              "expected the index of a tensor map");
      break;
    case ParamKind::Workspace:
      require(param.bytesPerBlock >= 1 &&
                  param.bytesPerBlock <= kMaxWorkspaceBytes,
              where, "expected 1 to 1073741824 bytes of workspace a block");
      break;
    }
    if (failed)
      return;
    bytes = (bytes + param.align() - 1) / param.align() * param.align();
    bytes += param.size();
  }
  if (bytes > kMaxParamBytes) // [M7]
    report("expected at most " + std::to_string(kMaxParamBytes) +
           " bytes of parameters, got " + std::to_string(bytes));
}

void KernelVerifier::checkLaunch() {
  // [M10]
  for (unsigned i = 0; i < 3; ++i)
    checkExpr(kernel.grid[i], "grid extent " + std::to_string(i));
  require(kernel.threads >= 1 && kernel.threads <= kMaxThreads, "threads",
          "expected 1 to 1024");
  int64_t blocks = 1;
  for (int64_t extent : kernel.cluster) {
    require(extent >= 1 && extent <= kMaxClusterBlocks, "cluster",
            "expected extents of 1 to 16");
    if (!failed)
      blocks *= extent;
  }
  require(blocks <= kMaxClusterBlocks, "cluster", "expected at most 16 blocks");
  require(kernel.persistent >= 0 && kernel.persistent <= kMaxPersistent,
          "persistent", "expected 0 to 32 blocks of a multiprocessor");
  require(!kernel.cooperative || (blocks == 1 && kernel.persistent == 0),
          "cooperative", "expected neither clusters nor a persistent kernel");
  require(kernel.sharedBytes >= 0 && kernel.sharedBytes <= kMaxSharedBytes,
          "shared bytes", "expected 0 to 1048576");
  for (size_t i = 0; i < kernel.assumptions.size(); ++i) { // [M11]
    std::string where = "assumption " + std::to_string(i);
    checkExpr(kernel.assumptions[i].expr, where);
    require(!kernel.assumptions[i].message.empty(), where,
            "expected a message");
  }
}

void KernelVerifier::checkCode() {
  if (kernel.code.empty()) // [M12]
    return report("expected code for at least one target");
  std::set<std::pair<std::string, CodeFormat>> seen;
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    const CodeSpec &code = kernel.code[i];
    std::string where = "code " + std::to_string(i);
    ArchName arch;
    require(parseArch(code.arch, arch), where,
            "expected an architecture such as sm_90a");
    require(code.blob < numBlobs, where, "expected the index of a blob");
    require(seen.insert({code.arch, code.format}).second, where,
            "expected one entry per architecture and format");
  }
}

/// What a caller passes to the kernel fits its versions, but for alignment.
static bool isSameArg(const ArgSpec &a, const ArgSpec &b) {
  return a.name == b.name && a.kind == b.kind && a.type == b.type &&
         a.shape == b.shape && a.strides == b.strides && a.access == b.access &&
         a.mayAlias == b.mayAlias;
}

/// A kernel that is predicted is one of several, or the only one; the others
/// are, too, or nobody could say which is the fastest.
void KernelVerifier::checkCost() {
  // [M16]
  const CostSpec &cost = kernel.cost;
  if (!cost.empty()) {
    for (const Expr &expr : cost.tiles)
      checkExpr(expr, "cost");
    for (const CostLoop &loop : cost.loops)
      checkExpr(loop.trips, "cost");
    for (const CostStream &stream : cost.streams) {
      checkExpr(stream.elements, "cost");
      checkExpr(stream.pitch, "cost");
    }
  }
  for (const KernelSpec &version : kernel.versions)
    require(version.cost.empty() == cost.empty(), "versions",
            "expected a cost of all of them and of the kernel, or of none");
}

void KernelVerifier::checkVersions() {
  // [M15]
  require(kernel.versions.size() <= kMaxVersions, "versions",
          "expected at most 384");
  for (size_t i = 0; i < kernel.versions.size() && !failed; ++i) {
    const KernelSpec &version = kernel.versions[i];
    std::string where = "version " + std::to_string(i);
    require(version.versions.empty(), where, "expected no versions of its own");
    require(version.args.size() == kernel.args.size() &&
                std::equal(version.args.begin(), version.args.end(),
                           kernel.args.begin(), isSameArg),
            where, "expected the kernel's arguments");
    if (failed)
      return;
    if (Status status = KernelVerifier(version, numBlobs).run(); !status.ok())
      report(where + ": " + status.message());
  }
}

void KernelVerifier::checkExpr(const Expr &expr, const std::string &where) {
  // [M13]
  if (failed)
    return;
  if (expr.depth() > Expr::kMaxDepth)
    return report(where + ": expected an expression at most 64 deep");
  switch (expr.kind()) {
  case Expr::Kind::Constant:
    return;
  case Expr::Kind::Dim:
  case Expr::Kind::Stride:
    return require(memref(expr.arg()) &&
                       expr.dim() < kernel.args[expr.arg()].shape.size(),
                   where, "expected a dimension of a memref argument");
  case Expr::Kind::Scalar:
    return require(expr.arg() < kernel.args.size() &&
                       kernel.args[expr.arg()].kind == ArgKind::Scalar &&
                       isInteger(kernel.args[expr.arg()].type),
                   where, "expected an integer scalar argument");
  default:
    checkExpr(expr.lhs(), where);
    checkExpr(expr.rhs(), where);
  }
}

unsigned ParamSpec::size() const {
  switch (kind) {
  case ParamKind::Pointer:
  case ParamKind::Workspace:
    return 8;
  case ParamKind::TensorMap:
    return kTensorMapBytes;
  default:
    return storageBits(type) / 8;
  }
}

unsigned ParamSpec::align() const {
  return kind == ParamKind::TensorMap ? kTensorMapAlign : size();
}

const KernelSpec *Manifest::find(const std::string &name) const {
  for (const KernelSpec &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

Status mlir::tile::runtime::verifyManifest(const Manifest &manifest,
                                           size_t numBlobs) {
  if (manifest.kernels.empty()) // [M2]
    return Error{"expected at least one kernel"};
  std::set<std::string> names;
  std::vector<int> formats(numBlobs, -1);
  auto checkFormats = [&](const KernelSpec &kernel) -> Status { // [M14]
    for (const CodeSpec &code : kernel.code) {
      int &format = formats[code.blob];
      if (format >= 0 && format != int(code.format))
        return Error{"blob " + std::to_string(code.blob) +
                     ": expected one format, got cubin and ptx"};
      format = int(code.format);
    }
    return Status();
  };
  for (size_t i = 0; i < manifest.kernels.size(); ++i) {
    const KernelSpec &kernel = manifest.kernels[i];
    auto isUnique = [&](const KernelSpec &named) {
      return isIdentifier(named.name) && names.insert(named.name).second;
    };
    if (!isUnique(kernel) || !std::all_of(kernel.versions.begin(), // [M3]
                                          kernel.versions.end(), isUnique))
      return Error{"kernel " + std::to_string(i) +
                   ": expected a name of its own that is an identifier"};
    if (Status status = KernelVerifier(kernel, numBlobs).run(); !status.ok())
      return status;
    if (Status status = checkFormats(kernel); !status.ok())
      return status;
    for (const KernelSpec &version : kernel.versions)
      if (Status status = checkFormats(version); !status.ok())
        return status;
  }
  for (size_t i = 0; i < numBlobs; ++i) // [M14]
    if (formats[i] < 0)
      return Error{"blob " + std::to_string(i) +
                   ": expected a code entry that uses it"};
  return Status();
}
