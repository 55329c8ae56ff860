//===- Launcher.h - Loading artifacts and launching kernels -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an artifact to running kernels: chooses the code for the device, checks
// each argument against the manifest, computes grid and parameters, launches.
// No compiler is involved. The hot path (Kernel::launch) allocates nothing and
// takes no lock unless the kernel uses tensor maps; it may be called from any
// number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_RUNTIME_LAUNCHER_H
#define TILE_RUNTIME_LAUNCHER_H

#include "tile/Runtime/Artifact.h"
#include "tile/Runtime/CudaDriver.h"
#include "tile/Runtime/Manifest.h"
#include "tile/Runtime/Support.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace mlir::tile::runtime {

/// One argument of a launch. Shapes and strides are the caller's memory, alive
/// until the call returns.
struct Arg {
  ArgKind kind = ArgKind::Scalar;
  ElementType type = ElementType::I32;
  unsigned rank = 0;
  cuda::DevicePtr data = 0;         ///< address of the first element
  const int64_t *shape = nullptr;   ///< extents
  const int64_t *strides = nullptr; ///< in elements; null: row-major, dense
  uint64_t bits = 0;                ///< scalar: its bits, in the low bytes

  static Arg memref(cuda::DevicePtr data, ElementType type, unsigned rank,
                    const int64_t *shape, const int64_t *strides = nullptr) {
    Arg arg;
    arg.kind = ArgKind::MemRef;
    arg.type = type;
    arg.rank = rank;
    arg.data = data;
    arg.shape = shape;
    arg.strides = strides;
    return arg;
  }
  /// A scalar by its bits, for types that C++ has no type for.
  static Arg scalar(ElementType type, uint64_t bits) {
    Arg arg;
    arg.type = type;
    arg.bits = bits;
    return arg;
  }
  static Arg i1(bool value) { return scalar(ElementType::I1, value); }
  static Arg i32(int32_t value) {
    return scalar(ElementType::I32, uint32_t(value));
  }
  static Arg i64(int64_t value) {
    return scalar(ElementType::I64, uint64_t(value));
  }
  static Arg f32(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return scalar(ElementType::F32, bits);
  }
  static Arg f64(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return scalar(ElementType::F64, bits);
  }
};

/// Indices of the entries that a device can run, best first:
///  1. code of the device's own `a` architecture, cubin before PTX,
///  2. cubins of the device's family (`f`), the newest first,
///  3. cubins of the same major version and no newer minor, the newest first,
///  4. PTX of the family, then of no newer architecture, the newest first.
std::vector<size_t> selectCode(Span<const CodeSpec> code, int computeMajor,
                               int computeMinor);

/// The checks of a launch beyond those without which it could not be made.
struct LaunchChecks {
  /// Ask the driver whether each address is memory of this device.
  bool pointers = true;
  /// Refuse written arguments that overlap others.
  bool overlap = true;
};

/// What the device's code takes, as the driver reports it.
struct KernelResources {
  int registers = 0;    ///< per thread
  int localBytes = 0;   ///< per thread: stack and spills
  int staticShared = 0; ///< bytes per block, beside the manifest's
  int maxThreads = 0;   ///< of a block
  /// Clusters that run at a time, of a persistent kernel with clusters whose
  /// driver can be asked; 0 otherwise.
  int activeClusters = 0;
  /// Blocks that a multiprocessor runs at a time, of a cooperative kernel; 0
  /// otherwise.
  int activeBlocks = 0;
};

struct CheckedArgs;
struct LaunchBuffer;
class Kernel;
class ChoiceCache;
class LaunchMemo;

/// A launch whose arguments are checked and whose parameters are packed:
/// launching it again costs what the driver costs. Valid as long as the
/// arguments' memory and the artifact are.
class PreparedLaunch {
public:
  PreparedLaunch(PreparedLaunch &&);
  PreparedLaunch &operator=(PreparedLaunch &&);
  ~PreparedLaunch();

  Status launch(cuda::Stream stream = nullptr) const;

  /// The kernel, or the version of it, that is launched.
  const KernelSpec &kernel() const;
  /// Blocks in each dimension; an extent of 0 launches nothing.
  const unsigned *grid() const;
  /// The bytes of parameter `index`, as the device reads them.
  Span<const char> param(size_t index) const;

private:
  friend class Kernel;
  explicit PreparedLaunch(std::unique_ptr<LaunchBuffer> buffer);

  std::unique_ptr<LaunchBuffer> buffer;
};

class TensorMapCache;

/// One kernel of a loaded artifact.
class Kernel {
public:
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const KernelSpec &spec() const { return *description; }
  /// The code that was chosen for the device.
  const CodeSpec &code() const { return *chosen; }
  const KernelResources &resources() const { return used; }
  /// Clusters that the device runs at a time, with one block on a
  /// multiprocessor; 0 where there are none, or the driver does not say.
  int64_t clusterPlaces() const;
  cuda::Function function() const { return entry; }

  /// Checks the arguments, computes grid and parameters, launches on `stream`:
  /// the first of the kernel's versions whose assumptions hold, or the kernel;
  /// where they have costs, of these the one that is predicted to be the
  /// fastest.
  /// An empty grid launches nothing and succeeds.
  Status launch(Span<const Arg> args, cuda::Stream stream = nullptr,
                LaunchChecks checks = LaunchChecks()) const;

  /// The same; after a failure, tells whether the arguments were right, so that
  /// the failure was the driver's.
  Status launch(Span<const Arg> args, cuda::Stream stream, LaunchChecks checks,
                bool &fits) const;

  /// The same without the launch.
  Result<PreparedLaunch> prepare(Span<const Arg> args,
                                 LaunchChecks checks = LaunchChecks()) const;

private:
  friend class LoadedArtifact;
  friend class PreparedLaunch;
  Kernel() = default;

  Status configure(Device &device, const ContextScope &driver);
  Status checkParams(const ContextScope &driver) const;
  int countActiveClusters(const ContextScope &driver) const;
  Status bind(const ContextScope &driver, Span<const Arg> args,
              LaunchChecks checks, LaunchBuffer &buffer) const;
  /// Tries versions in the order of preference, and the kernel itself.
  Status packFirst(const ContextScope &driver, Span<const Arg> args,
                   const CheckedArgs &checked, Span<const ExprArg> values,
                   LaunchBuffer &buffer) const;
  /// The same by predicted time.
  Status packFastest(const ContextScope &driver, Span<const Arg> args,
                     const CheckedArgs &checked, Span<const ExprArg> values,
                     LaunchBuffer &buffer) const;
  /// Whether a version's alignments and assumptions hold.
  bool applies(Span<const Arg> args, Span<const ExprArg> described) const;
  Status pack(const ContextScope &driver, Span<const Arg> args,
              Span<const ExprArg> described, LaunchBuffer &buffer) const;
  Status launchNew(const ContextScope &driver, Span<const Arg> args,
                   cuda::Stream stream, LaunchChecks checks, bool &fits) const;
  static bool launchKept(const ContextScope &driver, LaunchMemo &kept,
                         Span<const Arg> args, cuda::Stream stream,
                         Status &status);
  void keep(LaunchMemo &memo, Span<const Arg> args, const CheckedArgs &checked,
            const LaunchBuffer &buffer) const;
  Status submit(const ContextScope &driver, const unsigned *grid, void **params,
                cuda::Stream stream) const;
  Status addWorkspaces(const unsigned *grid, cuda::Stream stream, void **params,
                       cuda::DevicePtr *addresses) const;
  Status enqueue(const ContextScope &driver, const unsigned *grid,
                 void **params, cuda::Stream stream) const;
  static Status submit(const ContextScope &driver, const LaunchBuffer &buffer,
                       cuda::Stream stream);

  Device *device = nullptr;
  const KernelSpec *description = nullptr;
  const CodeSpec *chosen = nullptr;
  cuda::Function entry = nullptr;
  KernelResources used;
  std::vector<unsigned> paramOffsets;
  bool clustered = false;
  bool hasWorkspaces = false;
  /// Of a version: it asks of arguments what the kernel itself asks.
  bool asksForTheSame = false;
  /// Of a kernel with a cost: its versions' times, and its own behind them.
  std::unique_ptr<LaunchPredictor> predictor;
  /// Of such a kernel: what was the fastest, for shapes that were launched.
  std::unique_ptr<ChoiceCache> choices;
  /// What its launch asks for beyond a grid; there is at most one.
  bool hasAttribute() const { return clustered || description->cooperative; }
  std::vector<std::unique_ptr<Kernel>> versions;
  std::unique_ptr<TensorMapCache> tensorMaps;
  /// Of the last launch, so that one like it is cheap; guards itself.
  std::unique_ptr<LaunchMemo> memo;
};

/// An artifact whose code is on a device.
class LoadedArtifact {
public:
  static Result<std::unique_ptr<LoadedArtifact>>
  load(std::shared_ptr<Device> device, Artifact artifact);
  static Result<std::unique_ptr<LoadedArtifact>>
  load(std::shared_ptr<Device> device, const std::string &path);
  static Result<std::unique_ptr<LoadedArtifact>>
  load(std::shared_ptr<Device> device, const char *bytes, size_t size);
  ~LoadedArtifact();
  LoadedArtifact(const LoadedArtifact &) = delete;
  LoadedArtifact &operator=(const LoadedArtifact &) = delete;

  const Manifest &manifest() const { return artifact.manifest; }
  Device &device() const { return *owner; }

  size_t numKernels() const { return kernels.size(); }
  const Kernel &kernel(size_t index) const { return *kernels[index]; }
  /// The kernel of that name, or null.
  const Kernel *find(const std::string &name) const;

private:
  LoadedArtifact() = default;

  Result<std::unique_ptr<Kernel>> loadKernel(const KernelSpec &spec);
  Status loadModule(const ContextScope &driver, unsigned blob);

  std::shared_ptr<Device> owner;
  Artifact artifact;
  std::vector<cuda::Module> modules; ///< by blob; null until needed
  std::vector<std::unique_ptr<Kernel>> kernels;
};

} // namespace mlir::tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_H
