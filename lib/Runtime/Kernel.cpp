//===- Kernel.cpp - Checking and launching one kernel ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hot path: arguments to parameters and grid, and the launch. What can be
// settled once is settled in KernelSetup.cpp, when the artifact is loaded.
//
//===----------------------------------------------------------------------===//

#include "ArgCheck.h"
#include "ChoiceCache.h"
#include "LaunchMemo.h"
#include "TensorMaps.h"
#include "tile/Runtime/Launcher.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::tile::runtime;

static Status checkPointer(const Device &device, const ContextScope &driver,
                           const KernelSpec &kernel, size_t index,
                           cuda::DevicePtr pointer) {
  int ordinal = -1;
  if (driver->pointerGetAttribute(&ordinal, cuda::kPointerDeviceOrdinal,
                                  pointer) != cuda::kSuccess)
    return argError(kernel, index,
                    "expected memory of device " +
                        std::to_string(device.ordinal()) +
                        ", got memory that the driver does not know");
  if (ordinal == device.ordinal())
    return Status();
  // Managed and pinned memory is any device's.
  unsigned type = 0;
  int managed = 0;
  if (driver->pointerGetAttribute(&managed, cuda::kPointerIsManaged, pointer) ==
          cuda::kSuccess &&
      managed)
    return Status();
  if (driver->pointerGetAttribute(&type, cuda::kPointerMemoryType, pointer) ==
          cuda::kSuccess &&
      type == cuda::kMemoryHost)
    return Status();
  return argError(kernel, index,
                  "expected memory of device " +
                      std::to_string(device.ordinal()) + ", got memory of " +
                      "device " + std::to_string(ordinal));
}

/// The blocks of a persistent kernel: one row of clusters that divide `tiles`
/// among themselves, no more than the device runs at a time. A cluster lives in
/// one of the groups into which multiprocessors are fused, and these are of
/// several sizes: 132 multiprocessors may hold less than 33 clusters of four.
/// The 33rd would start when all others are done.
static Status computePersistentGrid(const Device &device,
                                    const KernelSpec &kernel,
                                    int activeClusters,
                                    const int64_t (&tiles)[3],
                                    LaunchBuffer &buffer) {
  constexpr int64_t kMaxTiles = std::numeric_limits<int32_t>::max();
  int64_t clusters = 1, size = 1;
  for (unsigned i = 0; i < 3; ++i) {
    int64_t along = tiles[i] / kernel.cluster[i];
    along += tiles[i] % kernel.cluster[i] != 0;
    if (along > kMaxTiles / clusters)
      return kernelError(kernel, "expected a grid of at most " +
                                     std::to_string(kMaxTiles) + " clusters");
    clusters *= along;
    size *= kernel.cluster[i];
  }
  int64_t fit = device.multiprocessors() * kernel.persistent / size;
  if (activeClusters)
    fit = std::min<int64_t>(fit, activeClusters);
  clusters = std::min(clusters, std::max<int64_t>(fit, 1));
  buffer.grid[0] = unsigned(clusters * size);
  buffer.grid[1] = buffer.grid[2] = 1;
  return Status();
}

/// Evaluates the grid; every message names the extent.
static Status computeGrid(const Device &device, const KernelSpec &kernel,
                          int activeClusters, Span<const ExprArg> args,
                          LaunchBuffer &buffer) {
  int64_t extents[3];
  buffer.empty = false;
  auto fail = [&](unsigned i, const std::string &what) {
    return kernelError(kernel, "grid extent " + std::to_string(i) + ", " +
                                   kernel.grid[i].str() + ": " + what);
  };
  for (unsigned i = 0; i < 3; ++i) {
    Expr::Value extent = kernel.grid[i].evaluate(args);
    if (!extent.ok())
      return fail(i, extent.error);
    if (extent.value < 0)
      return fail(i, "expected 0 or more, got " + std::to_string(extent.value));
    extents[i] = extent.value;
    buffer.empty |= extent.value == 0;
  }
  if (kernel.persistent && !buffer.empty)
    return computePersistentGrid(device, kernel, activeClusters, extents,
                                 buffer);
  for (unsigned i = 0; i < 3; ++i) {
    buffer.grid[i] = unsigned(extents[i]);
    if (buffer.empty)
      continue;
    if (extents[i] > device.maxGrid(i))
      return fail(i, "expected at most " + std::to_string(device.maxGrid(i)) +
                         ", got " + std::to_string(extents[i]));
    if (extents[i] % kernel.cluster[i])
      return fail(i, "expected a multiple of the cluster's " +
                         std::to_string(kernel.cluster[i]) + ", got " +
                         std::to_string(extents[i]));
  }
  return Status();
}

/// Blocks that wait for each other all have to be on the device at a time.
static Status checkCooperative(const Device &device, const KernelSpec &kernel,
                               int blocksOfMultiprocessor,
                               const LaunchBuffer &buffer) {
  auto fit = int64_t(device.multiprocessors()) * blocksOfMultiprocessor;
  int64_t blocks = 1; // each extent fits 31 bits
  for (unsigned extent : buffer.grid) {
    blocks *= extent;
    if (blocks > fit)
      break;
  }
  if (blocks <= fit)
    return Status();
  return kernelError(
      kernel, "its blocks wait for each other, so the device must hold all of "
              "them at a time: expected a grid of at most " +
                  std::to_string(fit) + " blocks (" +
                  std::to_string(blocksOfMultiprocessor) + " on each of its " +
                  std::to_string(device.multiprocessors()) +
                  " multiprocessors), got " + std::to_string(buffer.grid[0]) +
                  " x " + std::to_string(buffer.grid[1]) + " x " +
                  std::to_string(buffer.grid[2]));
}

/// Stores an extent or stride; false where it does not fit an i32.
static bool storeIndex(ElementType type, int64_t value, char *slot) {
  if (type == ElementType::I64) {
    std::memcpy(slot, &value, sizeof(value));
    return true;
  }
  int32_t narrow = int32_t(value);
  std::memcpy(slot, &narrow, sizeof(narrow));
  return narrow == value;
}

Kernel::~Kernel() = default;

//===----------------------------------------------------------------------===//
// At launch
//===----------------------------------------------------------------------===//

static Status checkPointers(const Device &device, const ContextScope &driver,
                            const KernelSpec &kernel, Span<const Arg> args,
                            const CheckedArgs &checked) {
  for (size_t i = 0; i < args.size(); ++i)
    if (!checked.ranges[i].empty())
      if (Status status = checkPointer(device, driver, kernel, i, args[i].data);
          !status.ok())
        return status;
  return Status();
}

Status Kernel::bind(const ContextScope &driver, Span<const Arg> args,
                    LaunchChecks checks, LaunchBuffer &buffer) const {
  const KernelSpec &spec = *description;
  CheckedArgs checked;
  if (Status status = checkArgs(spec, args, checked); !status.ok())
    return status;
  if (checks.pointers)
    if (Status status = checkPointers(*device, driver, spec, args, checked);
        !status.ok())
      return status;
  if (checks.overlap)
    if (Status status =
            checkOverlap(spec, args, checked.described, checked.ranges);
        !status.ok())
      return status;

  Span<const ExprArg> values(checked.described, args.size());
  return spec.cost.empty() ? packFirst(driver, args, checked, values, buffer)
                           : packFastest(driver, args, checked, values, buffer);
}

/// A version that cannot be packed (an extent that its tensor maps cannot hold,
/// say) is none for these arguments.
Status Kernel::packFirst(const ContextScope &driver, Span<const Arg> args,
                         const CheckedArgs &checked, Span<const ExprArg> values,
                         LaunchBuffer &buffer) const {
  bool isFirst = true;
  for (const std::unique_ptr<Kernel> &version : versions) {
    if (!version->applies(args, values))
      continue;
    if (version->pack(driver, args, values, buffer).ok()) {
      if (isFirst)
        version->keep(*memo, args, checked, buffer);
      return Status();
    }
    isFirst = false;
  }
  if (Status status = checkAssumptions(*description, values); !status.ok())
    return status;
  Status status = pack(driver, args, values, buffer);
  if (status.ok() && isFirst)
    keep(*memo, args, checked, buffer);
  return status;
}

Status Kernel::packFastest(const ContextScope &driver, Span<const Arg> args,
                           const CheckedArgs &checked,
                           Span<const ExprArg> values,
                           LaunchBuffer &buffer) const {
  size_t count = versions.size() + 1;
  // The kernel itself comes last: versions ask for more.
  auto kernelAt = [&](size_t i) {
    return i < versions.size() ? versions[i].get() : this;
  };
  ChoiceCache::Key key = ChoiceCache::keyOf(args, values);
  if (std::optional<size_t> known = choices->find(key)) {
    const Kernel &kernel = *kernelAt(*known);
    if (kernel.pack(driver, args, values, buffer).ok()) {
      kernel.keep(*memo, args, checked, buffer);
      return Status();
    }
  }
  Status own = checkAssumptions(*description, values);
  double times[kMaxVersions + 1];
  for (size_t i = 0; i < count; ++i) {
    const Kernel &kernel = *kernelAt(i);
    bool applies = &kernel == this || kernel.asksForTheSame
                       ? own.ok()
                       : kernel.applies(args, values);
    times[i] = applies ? 0 : NAN;
  }
  predictor->predict(values, times);
  Status status = own;
  for (bool isFirst = true;; isFirst = false) {
    // The first of equals; none is left where all are NAN.
    const double *best = nullptr;
    for (const double *time = times; time != times + count; ++time)
      if (!std::isnan(*time) && (!best || *time < *best))
        best = time;
    if (!best)
      return status;
    size_t index = best - times;
    const Kernel &kernel = *kernelAt(index);
    Status packed = kernel.pack(driver, args, values, buffer);
    if (packed.ok()) {
      if (isFirst) {
        kernel.keep(*memo, args, checked, buffer);
        choices->keep(std::move(key), index);
      }
      return packed;
    }
    // What the kernel itself says is the error of the launch.
    if (&kernel == this || status.ok())
      status = std::move(packed);
    times[index] = NAN;
  }
}

void Kernel::keep(LaunchMemo &memo, Span<const Arg> args,
                  const CheckedArgs &checked,
                  const LaunchBuffer &buffer) const {
  if (buffer.empty)
    return;
  if (LaunchMemo::User user(memo); user.get())
    user.get()->keep(args, checked, *description, buffer, paramOffsets);
}

/// Launches what is kept, if it holds for these arguments; false: nothing was
/// launched.
bool Kernel::launchKept(const ContextScope &driver, LaunchMemo &kept,
                        Span<const Arg> args, cuda::Stream stream,
                        Status &status) {
  if (!kept.matches(args))
    return false;
  const Kernel &version = *kept.version();
  const KernelSpec &spec = *version.description;
  for (LaunchMemo::Map &map : kept.tensorMaps()) {
    cuda::DevicePtr address = args[map.arg].data;
    if (address == map.address)
      continue;
    map.address = 0; // until it is known to be encoded
    if (!version.tensorMaps
             ->get(spec, map.index, *version.device, driver, address,
                   kept.described(), map.slot)
             .ok())
      return false;
    map.address = address;
  }
  status = version.submit(driver, kept.grid(), kept.parameters(), stream);
  return true;
}

bool Kernel::applies(Span<const Arg> args,
                     Span<const ExprArg> described) const {
  const KernelSpec &spec = *description;
  for (size_t i = 0; i < spec.args.size(); ++i)
    if (spec.args[i].kind == ArgKind::MemRef &&
        args[i].data % cuda::DevicePtr(spec.args[i].alignment))
      return false;
  for (const Assumption &assumption : spec.assumptions) {
    Expr::Value value = assumption.expr.evaluate(described);
    if (!value.ok() || value.value == 0)
      return false;
  }
  return true;
}

Status Kernel::pack(const ContextScope &driver, Span<const Arg> args,
                    Span<const ExprArg> described, LaunchBuffer &buffer) const {
  const KernelSpec &spec = *description;
  buffer.kernel = this;
  if (Status status =
          computeGrid(*device, spec, used.activeClusters, described, buffer);
      !status.ok() || buffer.empty)
    return status;
  if (spec.cooperative)
    if (Status status =
            checkCooperative(*device, spec, used.activeBlocks, buffer);
        !status.ok())
      return status;

  for (size_t i = 0; i < spec.params.size(); ++i) {
    const ParamSpec &param = spec.params[i];
    char *slot = buffer.bytes + paramOffsets[i];
    buffer.params[i] = slot;
    switch (param.kind) {
    case ParamKind::Pointer:
      std::memcpy(slot, &args[param.arg].data, sizeof(cuda::DevicePtr));
      break;
    case ParamKind::Scalar:
      // The low bytes: devices and the hosts that have them are little-endian.
      std::memcpy(slot, &args[param.arg].bits, param.size());
      break;
    case ParamKind::Dim:
    case ParamKind::Stride: {
      const ExprArg &arg = described[param.arg];
      int64_t value = param.kind == ParamKind::Dim ? arg.shape[param.dim]
                                                   : arg.strides[param.dim];
      if (!storeIndex(param.type, value, slot))
        return argError(
            spec, param.arg,
            std::string("expected the ") +
                (param.kind == ParamKind::Dim ? "extent" : "stride") +
                " of dimension " + std::to_string(param.dim) +
                " to fit 32 bits, got " + std::to_string(value));
      break;
    }
    case ParamKind::TensorMap:
      if (Status status = tensorMaps->get(
              spec, param.arg, *device, driver,
              args[spec.tensorMaps[param.arg].arg].data, described, slot);
          !status.ok())
        return status;
      break;
    case ParamKind::Workspace: // known with the stream
      std::memset(slot, 0, param.size());
      break;
    }
  }
  return Status();
}

/// Memory of the launch, which depends on its stream: `params`, with the
/// addresses of workspaces in `addresses` in place of those packed.
Status Kernel::addWorkspaces(const unsigned *grid, cuda::Stream stream,
                             void **params, cuda::DevicePtr *addresses) const {
  constexpr size_t kAlign = 256;
  size_t bytes[2] = {0, 0}; // of what is not zeroed, and what is
  auto blocks = size_t(grid[0]) * grid[1] * grid[2];
  for (size_t i = 0; i < description->params.size(); ++i) {
    const ParamSpec &param = description->params[i];
    if (param.kind != ParamKind::Workspace)
      continue;
    addresses[i] = bytes[param.zeroed];
    bytes[param.zeroed] +=
        (blocks * size_t(param.bytesPerBlock) + kAlign - 1) / kAlign * kAlign;
    params[i] = &addresses[i];
  }
  for (bool zeroed : {false, true}) {
    if (!bytes[zeroed])
      continue;
    Result<cuda::DevicePtr> memory =
        device->workspace(stream, bytes[zeroed], zeroed);
    if (!memory)
      return kernelError(*description, memory.message());
    for (size_t i = 0; i < description->params.size(); ++i) {
      const ParamSpec &param = description->params[i];
      if (param.kind == ParamKind::Workspace && param.zeroed == zeroed)
        addresses[i] += *memory;
    }
  }
  return Status();
}

Status Kernel::submit(const ContextScope &driver, const unsigned *grid,
                      void **params, cuda::Stream stream) const {
  if (!hasWorkspaces)
    return enqueue(driver, grid, params, stream);
  void *own[kMaxParams];
  cuda::DevicePtr addresses[kMaxParams];
  std::copy_n(params, description->params.size(), own);
  if (Status status = addWorkspaces(grid, stream, own, addresses); !status.ok())
    return status;
  return enqueue(driver, grid, own, stream);
}

Status Kernel::enqueue(const ContextScope &driver, const unsigned *grid,
                       void **params, cuda::Stream stream) const {
  const KernelSpec &spec = *description;
  cuda::Result result;
  if (!hasAttribute()) {
    result = driver->launchKernel(
        entry, grid[0], grid[1], grid[2], unsigned(spec.threads), 1, 1,
        unsigned(spec.sharedBytes), stream, params, nullptr);
  } else {
    cuda::LaunchAttribute attribute = launchAttribute(spec);
    cuda::LaunchConfig config = {grid[0],
                                 grid[1],
                                 grid[2],
                                 unsigned(spec.threads),
                                 1,
                                 1,
                                 unsigned(spec.sharedBytes),
                                 stream,
                                 &attribute,
                                 1};
    result = driver->launchKernelEx(&config, entry, params, nullptr);
  }
  if (result == cuda::kSuccess)
    return Status();
  return kernelError(spec, driver.check(result, "the launch").message());
}

Status Kernel::submit(const ContextScope &driver, const LaunchBuffer &buffer,
                      cuda::Stream stream) {
  if (buffer.empty)
    return Status();
  return buffer.kernel->submit(driver, buffer.grid,
                               const_cast<void **>(buffer.params), stream);
}

Status Kernel::launch(Span<const Arg> args, cuda::Stream stream,
                      LaunchChecks checks) const {
  bool fits;
  return launch(args, stream, checks, fits);
}

Status Kernel::launch(Span<const Arg> args, cuda::Stream stream,
                      LaunchChecks checks, bool &fits) const {
  ContextScope driver(*device);
  // Asking the driver about addresses is for callers who are in no hurry.
  if (!checks.pointers) {
    Status status;
    if (LaunchMemo::User kept(*memo);
        kept.get() && launchKept(driver, *kept.get(), args, stream, status)) {
      fits = true;
      return status;
    }
  }
  return launchNew(driver, args, stream, checks, fits);
}

/// Apart, so that only those who need it have its buffer on their stack.
[[gnu::noinline]] Status
Kernel::launchNew(const ContextScope &driver, Span<const Arg> args,
                  cuda::Stream stream, LaunchChecks checks, bool &fits) const {
  LaunchBuffer buffer;
  Status status = bind(driver, args, checks, buffer);
  fits = status.ok();
  return fits ? submit(driver, buffer, stream) : status;
}

Result<PreparedLaunch> Kernel::prepare(Span<const Arg> args,
                                       LaunchChecks checks) const {
  std::unique_ptr<LaunchBuffer> buffer(new LaunchBuffer);
  ContextScope driver(*device);
  if (Status status = bind(driver, args, checks, *buffer); !status.ok())
    return status.takeError();
  return PreparedLaunch(std::move(buffer));
}

//===----------------------------------------------------------------------===//
// PreparedLaunch
//===----------------------------------------------------------------------===//

PreparedLaunch::PreparedLaunch(std::unique_ptr<LaunchBuffer> buffer)
    : buffer(std::move(buffer)) {}
PreparedLaunch::PreparedLaunch(PreparedLaunch &&) = default;
PreparedLaunch &PreparedLaunch::operator=(PreparedLaunch &&) = default;
PreparedLaunch::~PreparedLaunch() = default;

Status PreparedLaunch::launch(cuda::Stream stream) const {
  if (buffer->empty)
    return Status();
  ContextScope driver(*buffer->kernel->device);
  return Kernel::submit(driver, *buffer, stream);
}

const KernelSpec &PreparedLaunch::kernel() const {
  return buffer->kernel->spec();
}

const unsigned *PreparedLaunch::grid() const { return buffer->grid; }

Span<const char> PreparedLaunch::param(size_t index) const {
  if (buffer->empty)
    return Span<const char>();
  const Kernel &launched = *buffer->kernel;
  if (index >= launched.description->params.size())
    return Span<const char>();
  return Span<const char>(buffer->bytes + launched.paramOffsets[index],
                          launched.description->params[index].size());
}
