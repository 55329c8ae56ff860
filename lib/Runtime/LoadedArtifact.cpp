//===- LoadedArtifact.cpp - An artifact's code on a device ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the best code that the device accepts for each kernel. Launching is
// Kernel.cpp's.
//
//===----------------------------------------------------------------------===//

#include "ChoiceCache.h"
#include "LaunchMemo.h"
#include "tile/Runtime/Launcher.h"

using namespace mlir::tile::runtime;

static std::string codeText(const CodeSpec &code) {
  return code.arch + (code.format == CodeFormat::Cubin
                          ? " cubin"
                          : " ptx " + code.ptxVersion);
}

/// The log's first lines, as one line.
static std::string logText(const char *log) {
  std::string text;
  for (; *log && text.size() < 400; ++log) {
    bool space = *log == '\n' || *log == '\r' || *log == '\t' || *log == ' ';
    if (!space)
      text += *log;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  return text;
}

/// Whether a version asks no more of its arguments than the kernel.
static bool asksForTheSame(const KernelSpec &version,
                           const KernelSpec &kernel) {
  if (version.assumptions.size() != kernel.assumptions.size())
    return false;
  for (size_t i = 0; i < kernel.assumptions.size(); ++i)
    if (version.assumptions[i].expr != kernel.assumptions[i].expr)
      return false;
  for (size_t i = 0; i < kernel.args.size(); ++i)
    if (version.args[i].alignment != kernel.args[i].alignment)
      return false;
  return true;
}

Result<std::unique_ptr<LoadedArtifact>>
LoadedArtifact::load(std::shared_ptr<Device> device, Artifact artifact) {
  // Artifacts made in memory are checked like those from files: the launcher
  // relies on it.
  if (Status status = verifyManifest(artifact.manifest, artifact.blobs.size());
      !status.ok())
    return Error{"manifest: " + status.message()};
  std::unique_ptr<LoadedArtifact> loaded(new LoadedArtifact);
  loaded->owner = std::move(device);
  loaded->artifact = std::move(artifact);
  loaded->modules.resize(loaded->artifact.blobs.size(), nullptr);
  for (const KernelSpec &spec : loaded->artifact.manifest.kernels) {
    Result<std::unique_ptr<Kernel>> kernel = loaded->loadKernel(spec);
    if (!kernel)
      return kernel.error();
    for (const KernelSpec &version : spec.versions) {
      Result<std::unique_ptr<Kernel>> faster = loaded->loadKernel(version);
      if (!faster)
        return faster.error();
      (*faster)->asksForTheSame = asksForTheSame(version, spec);
      (*kernel)->versions.push_back(std::move(*faster));
    }
    (*kernel)->memo = std::make_unique<LaunchMemo>(spec);
    if (!spec.cost.empty()) {
      std::vector<const CostSpec *> costs;
      std::vector<int64_t> places;
      auto add = [&](const Kernel &version) {
        const CostSpec &cost = version.spec().cost;
        costs.push_back(&cost);
        places.push_back(version.clusterPlaces());
      };
      for (const std::unique_ptr<Kernel> &version : (*kernel)->versions)
        add(*version);
      add(**kernel);
      (*kernel)->predictor = std::make_unique<LaunchPredictor>(
          costs, Span<const int64_t>(places.data(), places.size()));
      (*kernel)->choices = std::make_unique<ChoiceCache>();
    }
    loaded->kernels.push_back(std::move(*kernel));
  }
  return loaded;
}

Result<std::unique_ptr<LoadedArtifact>>
LoadedArtifact::load(std::shared_ptr<Device> device, const std::string &path) {
  Result<Artifact> artifact = Artifact::readFile(path);
  if (!artifact)
    return artifact.error();
  return load(std::move(device), std::move(*artifact));
}

Result<std::unique_ptr<LoadedArtifact>>
LoadedArtifact::load(std::shared_ptr<Device> device, const char *bytes,
                     size_t size) {
  Result<Artifact> artifact = Artifact::parse(bytes, size);
  if (!artifact)
    return artifact.error();
  return load(std::move(device), std::move(*artifact));
}

LoadedArtifact::~LoadedArtifact() {
  ContextScope driver(*owner);
  for (cuda::Module module : modules)
    if (module)
      driver->moduleUnload(module);
}

Status LoadedArtifact::loadModule(const ContextScope &driver, unsigned blob) {
  if (modules[blob])
    return Status();
  constexpr unsigned kLogSize = 8192;
  std::string log(kLogSize, '\0');
  int options[] = {cuda::kJitErrorLog, cuda::kJitErrorLogSize};
  // The driver takes the size in the place of a pointer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void *values[] = {&log[0], reinterpret_cast<void *>(uintptr_t(kLogSize))};
  cuda::Module module = nullptr;
  Status status = driver.check(
      driver->moduleLoadDataEx(&module, artifact.blobs[blob].c_str(), 2,
                               options, values),
      "cuModuleLoadDataEx");
  log.back() = '\0';
  if (!status.ok()) {
    std::string details = logText(log.c_str());
    return Error{status.message() + (details.empty() ? "" : ": " + details)};
  }
  modules[blob] = module;
  return Status();
}

Result<std::unique_ptr<Kernel>>
LoadedArtifact::loadKernel(const KernelSpec &spec) {
  ContextScope driver(*owner);
  std::vector<size_t> candidates =
      selectCode(spec.code, owner->computeMajor(), owner->computeMinor());
  std::string prefix = "kernel '" + spec.name + "': ";
  if (candidates.empty()) {
    std::string list;
    for (const CodeSpec &code : spec.code)
      list += (list.empty() ? "" : ", ") + codeText(code);
    return Error{prefix + "expected code for compute capability " +
                 std::to_string(owner->computeMajor()) + "." +
                 std::to_string(owner->computeMinor()) + ", got " + list};
  }
  // A driver may refuse code that it should run (a PTX version it is too old
  // for, a binary of another product line): then the next best is tried.
  std::string failures;
  for (size_t candidate : candidates) {
    const CodeSpec &code = spec.code[candidate];
    std::unique_ptr<Kernel> kernel(new Kernel);
    kernel->description = &spec;
    kernel->chosen = &code;
    Status status = loadModule(driver, code.blob);
    if (status.ok())
      status = driver.check(driver->moduleGetFunction(&kernel->entry,
                                                      modules[code.blob],
                                                      spec.name.c_str()),
                            "cuModuleGetFunction");
    if (!status.ok()) {
      failures += (failures.empty() ? "" : "; ") + codeText(code) + ": " +
                  status.message();
      continue;
    }
    if (status = kernel->configure(*owner, driver); !status.ok())
      return status.takeError();
    return kernel;
  }
  return Error{prefix + "cannot load " + failures};
}

const Kernel *LoadedArtifact::find(const std::string &name) const {
  for (const std::unique_ptr<Kernel> &kernel : kernels)
    if (kernel->spec().name == name)
      return kernel.get();
  return nullptr;
}
