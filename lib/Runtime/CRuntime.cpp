//===- CRuntime.cpp - C interface of the launcher -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps CudaDriver.h and Launcher.h; decides nothing of its own.
//
//===----------------------------------------------------------------------===//

#include "tile-c/Runtime.h"
#include "tile/Runtime/Launcher.h"

#include <cstring>
#include <new>

using namespace mlir::tile::runtime;

struct TileError {
  std::string message;
};

struct TileDevice {
  std::shared_ptr<Device> device;
};

struct TileLoadedArtifact {
  std::unique_ptr<LoadedArtifact> artifact;
  std::string manifest;
};

static_assert(TILE_TYPE_I1 == int(ElementType::I1) &&
                  TILE_TYPE_I32 == int(ElementType::I32) &&
                  TILE_TYPE_F16 == int(ElementType::F16) &&
                  TILE_TYPE_F64 == int(ElementType::F64),
              "the C enumeration numbers types as the C++ one does");

static TileError *makeError(const std::string &message) {
  return new TileError{message};
}

static TileError *toError(const Status &status) {
  return status.ok() ? nullptr : makeError(status.message());
}

static const Kernel *unwrap(const TileKernel *kernel) {
  return reinterpret_cast<const Kernel *>(kernel);
}

static const TileKernel *wrap(const Kernel *kernel) {
  return reinterpret_cast<const TileKernel *>(kernel);
}

static TileError *take(Result<std::unique_ptr<LoadedArtifact>> loaded,
                       TileLoadedArtifact **artifact) {
  if (!loaded)
    return makeError(loaded.message());
  std::string manifest = serializeManifest((*loaded)->manifest());
  *artifact = new TileLoadedArtifact{std::move(*loaded), std::move(manifest)};
  return nullptr;
}

static bool isType(int32_t type) {
  return type >= 0 && type < int32_t(kNumElementTypes);
}

const char *tileErrorMessage(const TileError *error) {
  return error->message.c_str();
}

void tileErrorDestroy(TileError *error) { delete error; }

const char *tileElementTypeName(int32_t type) {
  return isType(type) ? spelling(ElementType(type)) : nullptr;
}

int32_t tileElementTypeFromName(const char *name) {
  ElementType type;
  return name && parseElementType(name, type) ? int32_t(type) : -1;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TileError *tileDeviceOpen(const char *driver, int32_t ordinal,
                          TileDevice **device) {
  *device = nullptr;
  Result<std::shared_ptr<Driver>> opened =
      driver ? Driver::open(driver) : Driver::open();
  if (!opened)
    return makeError(opened.message());
  Result<std::shared_ptr<Device>> found = Device::open(*opened, ordinal);
  if (!found)
    return makeError(found.message());
  *device = new TileDevice{std::move(*found)};
  return nullptr;
}

void tileDeviceClose(TileDevice *device) { delete device; }

const char *tileDeviceName(const TileDevice *device) {
  return device->device->name().c_str();
}

void tileDeviceComputeCapability(const TileDevice *device, int32_t *major,
                                 int32_t *minor) {
  *major = device->device->computeMajor();
  *minor = device->device->computeMinor();
}

TileError *tileDeviceAllocate(TileDevice *device, size_t bytes,
                              uint64_t *pointer) {
  *pointer = 0;
  Result<cuda::DevicePtr> memory = device->device->allocate(bytes);
  if (!memory)
    return makeError(memory.message());
  *pointer = *memory;
  return nullptr;
}

TileError *tileDeviceFree(TileDevice *device, uint64_t pointer) {
  return toError(device->device->free(pointer));
}

TileError *tileDeviceCopyToDevice(TileDevice *device, uint64_t to,
                                  const void *from, size_t bytes) {
  return toError(device->device->copyToDevice(to, from, bytes));
}

TileError *tileDeviceCopyToHost(TileDevice *device, void *to, uint64_t from,
                                size_t bytes) {
  return toError(device->device->copyToHost(to, from, bytes));
}

TileError *tileDeviceSynchronize(TileDevice *device) {
  return toError(device->device->synchronize());
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

TileError *tileArtifactLoadFile(TileDevice *device, const char *path,
                                TileLoadedArtifact **artifact) {
  *artifact = nullptr;
  return take(LoadedArtifact::load(device->device, std::string(path)),
              artifact);
}

TileError *tileArtifactLoadBytes(TileDevice *device, const void *bytes,
                                 size_t size, TileLoadedArtifact **artifact) {
  *artifact = nullptr;
  return take(LoadedArtifact::load(device->device,
                                   static_cast<const char *>(bytes), size),
              artifact);
}

void tileArtifactUnload(TileLoadedArtifact *artifact) { delete artifact; }

const char *tileArtifactManifest(const TileLoadedArtifact *artifact) {
  return artifact->manifest.c_str();
}

size_t tileArtifactNumKernels(const TileLoadedArtifact *artifact) {
  return artifact->artifact->numKernels();
}

const TileKernel *tileArtifactKernel(const TileLoadedArtifact *artifact,
                                     size_t index) {
  if (index >= artifact->artifact->numKernels())
    return nullptr;
  return wrap(&artifact->artifact->kernel(index));
}

const TileKernel *tileArtifactFindKernel(const TileLoadedArtifact *artifact,
                                         const char *name) {
  return wrap(artifact->artifact->find(name));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

const char *tileKernelName(const TileKernel *kernel) {
  return unwrap(kernel)->spec().name.c_str();
}

const char *tileKernelArch(const TileKernel *kernel) {
  return unwrap(kernel)->code().arch.c_str();
}

size_t tileKernelNumArgs(const TileKernel *kernel) {
  return unwrap(kernel)->spec().args.size();
}

const char *tileKernelArgName(const TileKernel *kernel, size_t index) {
  const KernelSpec &spec = unwrap(kernel)->spec();
  return index < spec.args.size() ? spec.args[index].name.c_str() : nullptr;
}

void *tileKernelFunction(const TileKernel *kernel) {
  return unwrap(kernel)->function();
}

TileArg tileArgMemRef(uint64_t data, int32_t type, int32_t rank,
                      const int64_t *shape, const int64_t *strides) {
  TileArg arg = {};
  arg.kind = TILE_ARG_MEMREF;
  arg.type = type;
  arg.rank = rank;
  arg.data = data;
  arg.shape = shape;
  arg.strides = strides;
  return arg;
}

TileArg tileArgScalar(int32_t type, uint64_t bits) {
  TileArg arg = {};
  arg.kind = TILE_ARG_SCALAR;
  arg.type = type;
  arg.bits = bits;
  return arg;
}

TileArg tileArgI32(int32_t value) {
  return tileArgScalar(TILE_TYPE_I32, uint32_t(value));
}

TileArg tileArgI64(int64_t value) {
  return tileArgScalar(TILE_TYPE_I64, uint64_t(value));
}

TileArg tileArgF32(float value) {
  return tileArgScalar(TILE_TYPE_F32, Arg::f32(value).bits);
}

TileArg tileArgF64(double value) {
  return tileArgScalar(TILE_TYPE_F64, Arg::f64(value).bits);
}

TileError *tileKernelLaunch(const TileKernel *kernel, const TileArg *args,
                            size_t numArgs, void *stream, uint32_t flags) {
  // More arguments than any kernel has are counted, not read.
  size_t count = numArgs <= kMaxArgs ? numArgs : 0;
  alignas(Arg) char storage[kMaxArgs * sizeof(Arg)];
  Arg *converted = reinterpret_cast<Arg *>(storage);
  for (size_t i = 0; i < count; ++i) {
    const TileArg &from = args[i];
    bool isMemRef = from.kind == TILE_ARG_MEMREF;
    if ((!isMemRef && from.kind != TILE_ARG_SCALAR) || !isType(from.type) ||
        from.rank < 0)
      return makeError("argument " + std::to_string(i) +
                       ": expected a kind, an element type and a rank");
    Arg *arg = ::new (converted + i) Arg;
    arg->kind = isMemRef ? ArgKind::MemRef : ArgKind::Scalar;
    arg->type = ElementType(from.type);
    arg->rank = unsigned(from.rank);
    arg->data = from.data;
    arg->shape = from.shape;
    arg->strides = from.strides;
    arg->bits = from.bits;
  }
  LaunchChecks checks;
  checks.pointers = !(flags & TILE_LAUNCH_TRUST_POINTERS);
  checks.overlap = !(flags & TILE_LAUNCH_TRUST_OVERLAP);
  return toError(unwrap(kernel)->launch(Span<const Arg>(converted, numArgs),
                                        static_cast<cuda::Stream>(stream),
                                        checks));
}
