//===- SoftwareMemory.cpp - memory, streams, events, tensor maps ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver in software that need a context and are not about
// kernels. All work is done at once, so streams are empty and events past.
//
//===----------------------------------------------------------------------===//

#include "SoftwareDriverState.h"
#include "TensorMap.h"
#include <cstring>

using namespace mlir::tile::lowered;
using Impl = SoftwareDevice::Impl;
using Region = GlobalMemory::Region;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static cuda::Result memAlloc(cuda::DevicePtr *pointer, size_t bytes) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!pointer || bytes == 0)
      return cuda::kErrorInvalidValue;
    uint64_t address = device.memory.allocate(bytes);
    if (!address)
      return kErrorOutOfMemory;
    *pointer = address;
    return cuda::kSuccess;
  });
}

static cuda::Result memFree(cuda::DevicePtr pointer) {
  return inContext([&](Impl &device) -> cuda::Result {
    // Null is freed as in C.
    return !pointer || device.memory.free(pointer) ? cuda::kSuccess
                                                   : cuda::kErrorInvalidValue;
  });
}

static cuda::Result memGetInfo(size_t *free, size_t *total) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!free || !total)
      return cuda::kErrorInvalidValue;
    *total = device.memory.bytesInAll();
    *free = *total - device.memory.bytesInUse();
    return cuda::kSuccess;
  });
}

/// Calls `body` with the region that holds all of the bytes and where in it
/// they start; nothing is called for no bytes.
static cuda::Result
withBytes(cuda::DevicePtr at, size_t bytes,
          llvm::function_ref<cuda::Result(Region &, size_t)> body) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (bytes == 0)
      return cuda::kSuccess;
    Region *region = device.memory.find(at, bytes);
    return region ? body(*region, at - region->begin)
                  : cuda::kErrorInvalidValue;
  });
}

static cuda::Result memcpyHtoD(cuda::DevicePtr to, const void *from,
                               size_t bytes) {
  return withBytes(to, bytes, [&](Region &region, size_t offset) {
    if (!from)
      return cuda::kErrorInvalidValue;
    std::memcpy(region.host + offset, from, bytes);
    region.shadow.setWritten(offset, bytes);
    return cuda::kSuccess;
  });
}

static cuda::Result memcpyDtoH(void *to, cuda::DevicePtr from, size_t bytes) {
  return withBytes(from, bytes, [&](Region &region, size_t offset) {
    if (!to)
      return cuda::kErrorInvalidValue;
    std::memcpy(to, region.host + offset, bytes);
    return cuda::kSuccess;
  });
}

/// Bytes that nothing has written stay such where they are copied to.
static cuda::Result memcpyDtoD(cuda::DevicePtr to, cuda::DevicePtr from,
                               size_t bytes) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (bytes == 0)
      return cuda::kSuccess;
    Region *source = device.memory.find(from, bytes);
    Region *target = device.memory.find(to, bytes);
    if (!source || !target)
      return cuda::kErrorInvalidValue;
    size_t at = from - source->begin, offset = to - target->begin;
    std::memmove(target->host + offset, source->host + at, bytes);
    if (source->shadow.isWritten(at, bytes)) {
      target->shadow.setWritten(offset, bytes);
      return cuda::kSuccess;
    }
    for (size_t i = 0; i < bytes; ++i)
      if (source->shadow.isWritten(at + i, 1))
        target->shadow.setWritten(offset + i, 1);
    return cuda::kSuccess;
  });
}

static cuda::Result memsetD8(cuda::DevicePtr to, unsigned char value,
                             size_t count) {
  return withBytes(to, count, [&](Region &region, size_t offset) {
    std::memset(region.host + offset, value, count);
    region.shadow.setWritten(offset, count);
    return cuda::kSuccess;
  });
}

static cuda::Result pointerGetAttribute(void *data, int attribute,
                                        cuda::DevicePtr pointer) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!data || !device.memory.find(pointer))
      return cuda::kErrorInvalidValue;
    auto give = [&](auto value) {
      std::memcpy(data, &value, sizeof(value));
      return cuda::kSuccess;
    };
    switch (attribute) {
    case cuda::kPointerMemoryType:
      return give(unsigned(cuda::kMemoryDevice));
    case cuda::kPointerIsManaged:
      return give(0u);
    case cuda::kPointerDeviceOrdinal:
      return give(0);
    default:
      return cuda::kErrorInvalidValue;
    }
  });
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static cuda::Result ctxSynchronize() {
  return inContext([](Impl &) { return cuda::kSuccess; });
}

static cuda::Result onStream(cuda::Stream stream,
                             llvm::function_ref<cuda::Result(Impl &)> body) {
  return inContext([&](Impl &device) -> cuda::Result {
    return device.isStream(stream) ? body(device)
                                   : cuda::Result(kErrorInvalidHandle);
  });
}

static cuda::Result memsetD8Async(cuda::DevicePtr to, unsigned char value,
                                  size_t count, cuda::Stream stream) {
  cuda::Result result = onStream(stream, [](Impl &) { return cuda::kSuccess; });
  return result == cuda::kSuccess ? memsetD8(to, value, count) : result;
}

static cuda::Result streamCreate(cuda::Stream *stream, unsigned flags) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!stream || flags > cuda::kStreamNonBlocking)
      return cuda::kErrorInvalidValue;
    device.streams.insert(++device.nextHandle);
    *stream = toHandle<cuda::Stream>(device.nextHandle);
    return cuda::kSuccess;
  });
}

static cuda::Result streamDestroy(cuda::Stream stream) {
  return inContext([&](Impl &device) -> cuda::Result {
    return device.streams.erase(toNumber(stream)) ? cuda::Result(cuda::kSuccess)
                                                  : kErrorInvalidHandle;
  });
}

static cuda::Result streamSynchronize(cuda::Stream stream) {
  return onStream(stream, [](Impl &) { return cuda::kSuccess; });
}

static cuda::Result eventCreate(cuda::Event *event, unsigned) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!event)
      return cuda::kErrorInvalidValue;
    device.events[++device.nextHandle] = false;
    *event = toHandle<cuda::Event>(device.nextHandle);
    return cuda::kSuccess;
  });
}

static cuda::Result eventDestroy(cuda::Event event) {
  return inContext([&](Impl &device) -> cuda::Result {
    return device.events.erase(toNumber(event)) ? cuda::Result(cuda::kSuccess)
                                                : kErrorInvalidHandle;
  });
}

static cuda::Result eventRecord(cuda::Event event, cuda::Stream stream) {
  return onStream(stream, [&](Impl &device) -> cuda::Result {
    auto it = device.events.find(toNumber(event));
    if (it == device.events.end())
      return kErrorInvalidHandle;
    it->second = true;
    return cuda::kSuccess;
  });
}

static cuda::Result eventSynchronize(cuda::Event event) {
  return inContext([&](Impl &device) -> cuda::Result {
    return device.events.count(toNumber(event)) ? cuda::Result(cuda::kSuccess)
                                                : kErrorInvalidHandle;
  });
}

static cuda::Result eventElapsedTime(float *milliseconds, cuda::Event begin,
                                     cuda::Event end) {
  return inContext([&](Impl &device) -> cuda::Result {
    if (!milliseconds)
      return cuda::kErrorInvalidValue;
    for (cuda::Event event : {begin, end})
      if (auto it = device.events.find(toNumber(event));
          it == device.events.end() || !it->second)
        return kErrorInvalidHandle;
    *milliseconds = 0;
    return cuda::kSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static cuda::Result withTensorMaps(llvm::function_ref<cuda::Result()> body) {
  return inContext([&](Impl &device) -> cuda::Result {
    return device.options.hasTensorMaps() ? body()
                                          : cuda::Result(kErrorUnsupported);
  });
}

static cuda::Result
tensorMapEncodeTiled(cuda::TensorMap *map, int type, unsigned rank,
                     void *address, const uint64_t *dims,
                     const uint64_t *strides, const unsigned *box,
                     const unsigned *elementStrides, int interleave,
                     int swizzle, int l2, int fill) {
  return withTensorMaps([&] {
    return encodeTiled(map, type, rank, address, dims, strides, box,
                       elementStrides, interleave, swizzle, l2, fill);
  });
}

static cuda::Result
tensorMapEncodeIm2col(cuda::TensorMap *map, int type, unsigned rank,
                      void *address, const uint64_t *dims,
                      const uint64_t *strides, const int *lower,
                      const int *upper, unsigned channels, unsigned pixels,
                      const unsigned *elementStrides, int interleave,
                      int swizzle, int l2, int fill) {
  return withTensorMaps([&] {
    return encodeIm2col(map, type, rank, address, dims, strides, lower, upper,
                        channels, pixels, elementStrides, interleave, swizzle,
                        l2, fill);
  });
}

void mlir::tile::lowered::addMemoryFunctions(cuda::ContextFunctions &f) {
  f.ctxSynchronize = ::ctxSynchronize;
  f.memAlloc = ::memAlloc;
  f.memFree = ::memFree;
  f.memGetInfo = ::memGetInfo;
  f.memcpyHtoD = ::memcpyHtoD;
  f.memcpyDtoH = ::memcpyDtoH;
  f.memcpyDtoD = ::memcpyDtoD;
  f.memsetD8 = ::memsetD8;
  f.memsetD8Async = ::memsetD8Async;
  f.pointerGetAttribute = ::pointerGetAttribute;
  f.streamCreate = ::streamCreate;
  f.streamDestroy = ::streamDestroy;
  f.streamSynchronize = ::streamSynchronize;
  f.eventCreate = ::eventCreate;
  f.eventDestroy = ::eventDestroy;
  f.eventRecord = ::eventRecord;
  f.eventSynchronize = ::eventSynchronize;
  f.eventElapsedTime = ::eventElapsedTime;
  f.tensorMapEncodeTiled = ::tensorMapEncodeTiled;
  f.tensorMapEncodeIm2col = ::tensorMapEncodeIm2col;
}
