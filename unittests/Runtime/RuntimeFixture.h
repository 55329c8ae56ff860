//===- RuntimeFixture.h - A device of the mock driver -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILE_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H
#define TILE_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H

#include "MockCuda.h"
#include "TestArtifacts.h"
#include "tile/Runtime/Launcher.h"

#include <gtest/gtest.h>

#include <cstring>
#include <dlfcn.h>

namespace mlir::tile::runtime::test {

inline void expectHas(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos)
      << "expected '" << part << "' in '" << text << "'";
}

/// The bytes of a parameter as a value.
template <typename T> T as(const std::string &bytes) {
  EXPECT_EQ(bytes.size(), sizeof(T));
  T value = {};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// Opens the mock and resets it before each test.
class RuntimeTest : public ::testing::Test {
protected:
  void SetUp() override {
    library = ::dlopen(TILE_MOCK_CUDA, RTLD_NOW);
    ASSERT_NE(library, nullptr) << ::dlerror();
    auto get = find<MockCuda *()>("mockCudaState");
    getContexts = find<std::vector<void *> *()>("mockCudaContexts");
    ASSERT_NE(get, nullptr);
    ASSERT_NE(getContexts, nullptr);
    mock = get();
    *mock = MockCuda();
    contexts().clear();
    mock->paramSizes["scale"] = {8, 4, 8, 8, 8, 4, 4};
    mock->paramSizes["tma"] = {128, 4, 8, 8, 8, 4, 4};
    mock->memory[kA] = {1 << 20, 0, false, false};
    mock->memory[kC] = {1 << 20, 0, false, false};
  }

  /// A function of the mock library.
  template <typename F> F *find(const char *name) {
    return reinterpret_cast<F *>(::dlsym(library, name));
  }

  /// The contexts of the calling thread, the current one last.
  std::vector<void *> &contexts() { return *getContexts(); }

  /// Opens the device as the test has set the mock up.
  std::shared_ptr<Device> openDevice() {
    Result<std::shared_ptr<Driver>> driver = Driver::open(TILE_MOCK_CUDA);
    EXPECT_TRUE(driver.ok()) << driver.message();
    Result<std::shared_ptr<Device>> device = Device::open(*driver);
    EXPECT_TRUE(device.ok()) << device.message();
    return *device;
  }

  std::unique_ptr<LoadedArtifact> load(Artifact artifact) {
    Result<std::unique_ptr<LoadedArtifact>> loaded =
        LoadedArtifact::load(openDevice(), std::move(artifact));
    EXPECT_TRUE(loaded.ok()) << loaded.message();
    return loaded ? std::move(*loaded) : nullptr;
  }

  std::string loadError(Artifact artifact) {
    return LoadedArtifact::load(openDevice(), std::move(artifact)).message();
  }

  /// The message of a launch of "scale" with `args` as they stand.
  std::string launchError(Artifact artifact = scaleArtifact()) {
    std::unique_ptr<LoadedArtifact> loaded = load(std::move(artifact));
    return loaded ? loaded->kernel(0).launch(args).message() : "not loaded";
  }

  static constexpr uint64_t kA = 0x100000, kC = 0x400000;
  void *library = nullptr;
  MockCuda *mock = nullptr;
  std::vector<void *> *(*getContexts)() = nullptr;

  // A valid set of arguments of scaleKernel, for tests to spoil.
  int64_t shapeA[2] = {100, 64}, stridesA[2] = {72, 1};
  int64_t shapeC[2] = {100, 300}, stridesC[2] = {300, 1};
  Arg args[4] = {Arg::memref(kA, ElementType::F16, 2, shapeA, stridesA),
                 Arg::memref(kC, ElementType::F32, 2, shapeC, stridesC),
                 Arg::f32(2.5f), Arg::i32(3)};
};

} // namespace mlir::tile::runtime::test

#endif // TILE_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H
