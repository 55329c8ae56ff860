//===- Workspaces.cpp - memory of launches --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch may be part of a stream's capture, during which the driver refuses
// allocations, unless the thread says that it knows that they are not captured
// (cuThreadExchangeStreamCaptureMode). Zeros are written on a stream of their
// own, which is no part of the capture.
//
//===----------------------------------------------------------------------===//

#include "Workspaces.h"

#include <algorithm>

using namespace mlir::tile::runtime;

namespace {
/// Within it, the thread's capture of a stream allows allocations.
class OutsideOfCapture {
public:
  explicit OutsideOfCapture(const ContextScope &driver) : driver(driver) {
    exchange();
  }
  ~OutsideOfCapture() { exchange(); }
  OutsideOfCapture(const OutsideOfCapture &) = delete;
  OutsideOfCapture &operator=(const OutsideOfCapture &) = delete;

private:
  void exchange() {
    if (driver->threadExchangeStreamCaptureMode)
      driver->threadExchangeStreamCaptureMode(&mode);
  }
  const ContextScope &driver;
  int mode = cuda::kCaptureRelaxed;
};
} // namespace

/// Zeros, before this returns.
static Status clear(Device &device, cuda::DevicePtr pointer, size_t bytes) {
  Result<cuda::Stream> stream = device.createStream();
  if (!stream)
    return stream.error();
  Status status = device.fillBytes(pointer, 0, bytes, *stream);
  if (status.ok())
    status = device.synchronize(*stream);
  Status destroyed = device.destroyStream(*stream);
  return status.ok() ? std::move(destroyed) : std::move(status);
}

Result<cuda::DevicePtr> Workspaces::get(Device &device, cuda::Stream stream,
                                        size_t bytes, bool zeroed) {
  std::thread::id thread;
  if (stream == cuda::perThreadStream())
    thread = std::this_thread::get_id();
  std::lock_guard<std::mutex> lock(mutex);
  Memory &memory = current[Key(stream, thread, zeroed)];
  if (memory.bytes >= bytes)
    return memory.pointer;
  // Twice as much as before, so that what is outgrown is no more than what is
  // used.
  bytes = std::max(bytes, 2 * memory.bytes);
  ContextScope driver(device);
  OutsideOfCapture outside(driver);
  Result<cuda::DevicePtr> pointer = device.allocate(bytes);
  if (!pointer)
    return pointer;
  if (zeroed)
    if (Status status = clear(device, *pointer, bytes); !status.ok()) {
      (void)device.free(*pointer);
      return status.takeError();
    }
  all.push_back(*pointer);
  memory = {*pointer, bytes};
  return *pointer;
}

void Workspaces::free(Device &device) {
  for (cuda::DevicePtr pointer : all)
    (void)device.free(pointer);
  all.clear();
  current.clear();
}
