//===- LaunchTargets.h - where kernels are launched -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel on the CPU, or on whichever GPU its tensors are: the code is put
// there when it is first needed.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PYTHON_LAUNCHTARGETS_H
#define TILE_PYTHON_LAUNCHTARGETS_H

#include "Arguments.h"
#include "tile/Runtime/Launcher.h"

#include <memory>
#include <string>

namespace mlir::tile::python {

/// Why nothing was launched; where a Python exception is set, that.
struct Failure {
  std::string text;
  bool isArgument = false; ///< ArgumentError, else LaunchError
  /// Of an argument: it is on another device than those before it.
  bool isElsewhere = false;
};

/// What code that is on a GPU takes.
struct KernelFacts {
  std::string arch;
  int registers = 0, localBytes = 0, staticShared = 0, maxThreads = 0;
  uint64_t function = 0; ///< CUfunction
};

/// Called with the interpreter's lock, which launches give back while they run.
class LaunchTarget {
public:
  explicit LaunchTarget(runtime::KernelSpec spec)
      : kernel(std::move(spec)), expected(expectedOf(kernel)) {}
  virtual ~LaunchTarget() = default;

  virtual bool launch(const Given &given, Failure &failure) = 0;
  /// Launches `repeats` times without Python in between, after checking the
  /// arguments once; nanoseconds of one of them, as the caller waits for it.
  virtual bool repeat(const Given &given, long repeats, double &nanoseconds,
                      Failure &failure) = 0;
  /// Makes the kernel ready on GPU `ordinal`.
  virtual bool load(int ordinal, KernelFacts &facts, Failure &failure) = 0;

  const runtime::KernelSpec kernel;
  const std::vector<Expected> expected; ///< of its arguments
  unsigned running = 0;                 ///< launches that are under way
};

/// `program`: a capsule of HostProgram.h, kept alive.
std::unique_ptr<LaunchTarget> makeHostTarget(PyObject *program, size_t index,
                                             const std::string &manifest,
                                             unsigned workers,
                                             Failure &failure);

/// Keeps no reference to `artifact`. `driver` is a path, empty for the
/// system's.
std::unique_ptr<LaunchTarget>
makeDeviceTarget(const char *artifact, size_t size, const std::string &name,
                 const std::string &driver, Failure &failure);

/// The GPU, opened once in a process; null where it failed.
std::shared_ptr<runtime::Device> openDevice(const std::string &driver,
                                            int ordinal, Failure &failure);
/// -1 where there is no driver.
int numDevices(const std::string &driver, Failure &failure);

/// From now on, a child of this process is told that the driver, which does not
/// survive a fork, is its parent's.
void watchForks();

} // namespace mlir::tile::python
#endif // TILE_PYTHON_LAUNCHTARGETS_H
