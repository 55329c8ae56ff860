//===- LaunchTargets.cpp - where kernels are launched ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "LaunchTargets.h"
#include "../HostProgram.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <pthread.h>

using namespace mlir::tile;
using namespace mlir::tile::python;
using runtime::Arg;

/// Nanoseconds of one of `repeats`.
static double sinceStart(std::chrono::steady_clock::time_point start,
                         long repeats) {
  std::chrono::duration<double, std::nano> spent =
      std::chrono::steady_clock::now() - start;
  return spent.count() / double(repeats > 0 ? repeats : 1);
}

//===----------------------------------------------------------------------===//
// On the CPU
//===----------------------------------------------------------------------===//

namespace {
class HostTarget : public LaunchTarget {
public:
  HostTarget(runtime::KernelSpec kernel, PyObject *capsule,
             const HostProgram *program, size_t index, unsigned workers)
      : LaunchTarget(std::move(kernel)), capsule(capsule), program(program),
        index(index), workers(workers) {
    Py_INCREF(capsule);
  }
  ~HostTarget() override { Py_DECREF(capsule); }

  bool launch(const Given &given, Failure &failure) override;
  bool repeat(const Given &given, long repeats, double &nanoseconds,
              Failure &failure) override {
    auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < repeats; ++i)
      if (!launch(given, failure))
        return false;
    nanoseconds = sinceStart(start, repeats);
    return true;
  }
  bool load(int ordinal, KernelFacts &facts, Failure &failure) override {
    facts.arch = "cpu";
    return true;
  }

private:
  PyObject *capsule;
  const HostProgram *program;
  size_t index;
  unsigned workers;
};
} // namespace

static TileArg toTileArg(const Arg &arg) {
  TileArg result;
  result.kind =
      arg.kind == runtime::ArgKind::MemRef ? TILE_ARG_MEMREF : TILE_ARG_SCALAR;
  result.type = int32_t(arg.type);
  result.rank = int32_t(arg.rank);
  result.data = arg.data;
  result.shape = arg.shape;
  result.strides = arg.strides;
  result.bits = arg.bits;
  return result;
}

/// What a kernel printed goes where Python's own output goes.
static bool writeOutput(const char *text) {
  PyObject *file = PySys_GetObject("stdout"); // borrowed
  if (!text || !*text || !file || file == Py_None)
    return true;
  PyObject *string =
      PyUnicode_DecodeUTF8(text, Py_ssize_t(strlen(text)), "replace");
  PyObject *result =
      string ? PyObject_CallMethod(file, "write", "O", string) : nullptr;
  Py_XDECREF(string);
  Py_XDECREF(result);
  return result;
}

bool HostTarget::launch(const Given &given, Failure &failure) {
  Arguments arguments(kernel, expected, /*onDevice=*/false);
  failure.isArgument = true;
  if (!arguments.convert(given)) {
    failure.text = arguments.problem();
    return false;
  }
  std::vector<TileArg> args;
  for (const Arg &arg : arguments.args())
    args.push_back(toTileArg(arg));
  char *output = nullptr, *error = nullptr;
  int32_t result;
  Py_BEGIN_ALLOW_THREADS result =
      program->run(program->program, index, args.data(), args.size(), workers,
                   &output, &error);
  Py_END_ALLOW_THREADS bool written = writeOutput(output);
  failure.isArgument = result == TILE_RUN_REFUSED;
  failure.text = error ? error : "";
  program->destroyText(output);
  program->destroyText(error);
  return result == TILE_RUN_DONE && written;
}

std::unique_ptr<LaunchTarget>
python::makeHostTarget(PyObject *capsule, size_t index,
                       const std::string &manifest, unsigned workers,
                       Failure &failure) {
  auto *program = static_cast<const HostProgram *>(
      PyCapsule_GetPointer(capsule, kProgramCapsule));
  if (!program)
    return nullptr;
  auto parsed = runtime::parseManifest(manifest, /*numBlobs=*/1);
  if (!parsed || parsed->kernels.size() != 1) {
    failure.text =
        parsed ? "expected the manifest of one kernel" : parsed.message();
    return nullptr;
  }
  return std::make_unique<HostTarget>(std::move(parsed->kernels.front()),
                                      capsule, program, index, workers);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

namespace {
/// The drivers and devices of this process, which are opened once: a driver
/// cannot be opened anew, and its contexts are shared by all kernels. They stay
/// open to the end, since other libraries are in the same contexts.
struct Devices {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<runtime::Driver>> drivers;
  std::map<std::pair<std::string, int>, std::shared_ptr<runtime::Device>> open;
};
std::atomic<bool> isOpened{false}, isForked{false};
} // namespace

static Devices &devices() {
  static auto *instance = new Devices; // outlives what is destroyed at exit
  return *instance;
}

void python::watchForks() {
  pthread_atfork(nullptr, nullptr, [] {
    if (isOpened)
      isForked = true;
  });
}

static bool checkFork(Failure &failure) {
  if (!isForked)
    return true;
  failure.text = "the GPU's driver was opened before this process was forked, "
                 "which it does not survive; expected a process of its own: "
                 "multiprocessing's start method 'spawn'";
  return false;
}

/// With the lock of `devices()`.
static std::shared_ptr<runtime::Driver> openDriver(const std::string &path,
                                                   Failure &failure) {
  std::shared_ptr<runtime::Driver> &driver = devices().drivers[path];
  if (driver)
    return driver;
  auto opened =
      path.empty() ? runtime::Driver::open() : runtime::Driver::open(path);
  if (!opened) {
    failure.text = opened.message();
    return nullptr;
  }
  isOpened = true;
  return driver = *opened;
}

std::shared_ptr<runtime::Device>
python::openDevice(const std::string &path, int ordinal, Failure &failure) {
  if (!checkFork(failure))
    return nullptr;
  std::lock_guard<std::mutex> lock(devices().mutex);
  auto found = devices().open.find({path, ordinal});
  if (found != devices().open.end())
    return found->second;
  std::shared_ptr<runtime::Driver> driver = openDriver(path, failure);
  if (!driver)
    return nullptr;
  auto device = runtime::Device::open(driver, ordinal);
  if (!device) {
    failure.text = device.message();
    return nullptr;
  }
  return devices().open[{path, ordinal}] = *device;
}

int python::numDevices(const std::string &path, Failure &failure) {
  if (!checkFork(failure))
    return -1;
  std::lock_guard<std::mutex> lock(devices().mutex);
  std::shared_ptr<runtime::Driver> driver = openDriver(path, failure);
  return driver ? driver->numDevices() : -1;
}

//===----------------------------------------------------------------------===//
// On GPUs
//===----------------------------------------------------------------------===//

namespace {
class DeviceTarget : public LaunchTarget {
public:
  DeviceTarget(runtime::KernelSpec kernel, runtime::Artifact artifact,
               std::string driver)
      : LaunchTarget(std::move(kernel)), artifact(std::move(artifact)),
        driver(std::move(driver)) {}
  ~DeviceTarget() override {
    // What was loaded before a fork is the parent's.
    if (isForked)
      for (Loaded &one : loaded)
        (void)one.artifact.release();
  }

  bool launch(const Given &given, Failure &failure) override;
  bool repeat(const Given &given, long repeats, double &nanoseconds,
              Failure &failure) override;
  bool load(int ordinal, KernelFacts &facts, Failure &failure) override;

private:
  const runtime::Kernel *convert(Arguments &arguments, const Given &given,
                                 Failure &failure);
  struct Loaded {
    std::unique_ptr<runtime::LoadedArtifact> artifact;
    const runtime::Kernel *kernel = nullptr;
  };
  const runtime::Kernel *find(int ordinal, Failure &failure);

  runtime::Artifact artifact;
  std::string driver;
  std::mutex mutex;           ///< of loading
  std::vector<Loaded> loaded; ///< by ordinal; with the interpreter's lock
};
} // namespace

/// The kernel on a GPU; loads it there first.
const runtime::Kernel *DeviceTarget::find(int ordinal, Failure &failure) {
  if (ordinal >= 0 && size_t(ordinal) < loaded.size() &&
      loaded[size_t(ordinal)].kernel)
    return loaded[size_t(ordinal)].kernel;
  Loaded fresh;
  Py_BEGIN_ALLOW_THREADS {
    std::lock_guard<std::mutex> lock(mutex);
    if (std::shared_ptr<runtime::Device> device =
            openDevice(driver, ordinal, failure)) {
      auto made = runtime::LoadedArtifact::load(device, artifact);
      if (made) {
        fresh.artifact = std::move(*made);
        fresh.kernel = fresh.artifact->find(kernel.name);
      } else {
        failure.text = made.message();
      }
    }
  }
  Py_END_ALLOW_THREADS if (!fresh.kernel) return nullptr;
  if (loaded.size() <= size_t(ordinal))
    loaded.resize(size_t(ordinal) + 1);
  // Two threads may have loaded it: the first one stays.
  if (!loaded[size_t(ordinal)].kernel)
    loaded[size_t(ordinal)] = std::move(fresh);
  return loaded[size_t(ordinal)].kernel;
}

/// Converts the arguments and finds the kernel for them.
const runtime::Kernel *DeviceTarget::convert(Arguments &arguments,
                                             const Given &given,
                                             Failure &failure) {
  failure.isArgument = true;
  if (!arguments.convert(given)) {
    failure.text = arguments.problem();
    failure.isElsewhere = arguments.areElsewhere();
    return nullptr;
  }
  failure.isArgument = false;
  if (!checkFork(failure))
    return nullptr;
  int ordinal = arguments.ordinal();
  return find(ordinal < 0 ? 0 : ordinal, failure);
}

bool DeviceTarget::launch(const Given &given, Failure &failure) {
  Arguments arguments(kernel, expected, /*onDevice=*/true);
  const runtime::Kernel *loadedKernel = convert(arguments, given, failure);
  if (!loadedKernel)
    return false;
  runtime::LaunchChecks checks;
  checks.pointers = !arguments.arePointersTrusted();
  bool fits = true;
  runtime::Status status;
  Py_BEGIN_ALLOW_THREADS status = loadedKernel->launch(
      arguments.args(), static_cast<runtime::cuda::Stream>(arguments.stream()),
      checks, fits);
  Py_END_ALLOW_THREADS if (status.ok()) return true;
  failure.isArgument = !fits;
  failure.text = status.message();
  return false;
}

bool DeviceTarget::repeat(const Given &given, long repeats, double &nanoseconds,
                          Failure &failure) {
  Arguments arguments(kernel, expected, /*onDevice=*/true);
  const runtime::Kernel *loadedKernel = convert(arguments, given, failure);
  if (!loadedKernel)
    return false;
  runtime::LaunchChecks checks;
  checks.pointers = !arguments.arePointersTrusted();
  auto prepared = loadedKernel->prepare(arguments.args(), checks);
  if (!prepared) {
    failure.isArgument = true;
    failure.text = prepared.message();
    return false;
  }
  runtime::Status status;
  Py_BEGIN_ALLOW_THREADS auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < repeats && status.ok(); ++i)
    status = prepared->launch(
        static_cast<runtime::cuda::Stream>(arguments.stream()));
  nanoseconds = sinceStart(start, repeats);
  Py_END_ALLOW_THREADS failure.text = status.message();
  return status.ok();
}

bool DeviceTarget::load(int ordinal, KernelFacts &facts, Failure &failure) {
  const runtime::Kernel *found = find(ordinal, failure);
  if (!found)
    return false;
  const runtime::KernelResources &used = found->resources();
  facts.arch = found->code().arch;
  facts.registers = used.registers;
  facts.localBytes = used.localBytes;
  facts.staticShared = used.staticShared;
  facts.maxThreads = used.maxThreads;
  facts.function = reinterpret_cast<uint64_t>(found->function());
  return true;
}

std::unique_ptr<LaunchTarget>
python::makeDeviceTarget(const char *bytes, size_t size,
                         const std::string &name, const std::string &driver,
                         Failure &failure) {
  auto parsed = runtime::Artifact::parse(bytes, size);
  if (!parsed) {
    failure.text = parsed.message();
    return nullptr;
  }
  const runtime::KernelSpec *kernel = parsed->manifest.find(name);
  if (!kernel) {
    std::string names;
    for (const runtime::KernelSpec &other : parsed->manifest.kernels)
      names += (names.empty() ? "" : ", ") + other.name;
    failure.text =
        "expected a kernel of the artifact (" + names + "), got '" + name + "'";
    failure.isArgument = true;
    return nullptr;
  }
  runtime::KernelSpec copy = *kernel;
  return std::make_unique<DeviceTarget>(std::move(copy), std::move(*parsed),
                                        driver);
}
