//===- SoftwareDriverState.h - state behind the functions -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of the driver in software share. A handle is a number that
// is used once, so that the use of a destroyed handle, or of a handle of
// another kind of object, is recognized.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_SOFTWAREDRIVERSTATE_H
#define TILE_LIB_LOWERED_SOFTWAREDRIVERSTATE_H

#include "SoftwareDriver.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <mutex>
#include <set>
#include <thread>

namespace mlir::tile::lowered {

namespace cuda = runtime::cuda;

/// Errors of the driver that the launcher has no names for.
enum DriverError : cuda::Result {
  kErrorOutOfMemory = 2,
  kErrorNotInitialized = 3,
  kErrorInvalidImage = 200,
  kErrorInvalidContext = 201,
  kErrorInvalidHandle = 400,
  kErrorLaunchOutOfResources = 701,
  kErrorContextIsDestroyed = 709,
  kErrorLaunchFailed = 719,
  kErrorCooperativeTooLarge = 720,
  kErrorUnsupported = 801,
  kErrorInvalidClusterSize = 912,
};

/// A number as the pointer that stands for a handle, and back.
template <typename HandleT> HandleT toHandle(uintptr_t number) {
  return reinterpret_cast<HandleT>(number); // NOLINT: no pointer, never read
}
template <typename HandleT> uintptr_t toNumber(HandleT handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

/// A kernel of a module, with what a caller has set of it.
struct SoftwareFunction {
  uintptr_t module = 0;
  std::string name;
  const KernelDescription *description = nullptr;
  int maxDynamicShared = 0;
  bool nonPortableCluster = false;
};

struct SoftwareDevice::Impl {
  SoftwareDeviceOptions options;
  std::map<std::string, KernelDescription> kernels;
  Launch launch;
  GlobalMemory memory;

  bool initialized = false;
  unsigned retained = 0; ///< of the primary context
  std::map<std::thread::id, std::vector<cuda::Context>> contexts;
  uintptr_t nextHandle = 0x1000;
  std::set<uintptr_t> modules, streams;
  std::map<uintptr_t, SoftwareFunction> functions;
  std::map<uintptr_t, bool> events; ///< whether it has been recorded
  /// After a launch has failed: what all calls return, and why.
  cuda::Result sticky = cuda::kSuccess;
  std::string lastError;

  Impl(const SoftwareDeviceOptions &options,
       std::map<std::string, KernelDescription> kernels, Launch launch)
      : options(options), kernels(std::move(kernels)),
        launch(std::move(launch)), memory(options.memoryBytes) {}

  SoftwareFunction *find(cuda::Function function) {
    auto it = functions.find(toNumber(function));
    return it == functions.end() ? nullptr : &it->second;
  }
  bool isStream(cuda::Stream stream) const {
    return !stream || streams.count(toNumber(stream));
  }
  /// What goes with the context.
  void destroyContext();
};

/// Calls `body` with the device that there is, alone; false where there is
/// none, or cuInit has not been called (unless it need not be).
cuda::Result
withDevice(llvm::function_ref<cuda::Result(SoftwareDevice::Impl &)> body,
           bool needsInit = true);
/// The same with a context that is current and has not failed.
cuda::Result
inContext(llvm::function_ref<cuda::Result(SoftwareDevice::Impl &)> body);

/// Fill in the functions of their file.
void addMemoryFunctions(cuda::ContextFunctions &functions);
void addLaunchFunctions(cuda::ContextFunctions &functions);

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_SOFTWAREDRIVERSTATE_H
