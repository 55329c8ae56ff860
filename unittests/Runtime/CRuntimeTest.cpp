//===- CRuntimeTest.cpp - Runs the test written in C ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFixture.h"

#include <unistd.h>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

extern "C" int testCRuntime(const char *driver, const char *path);

namespace {

using CRuntimeTest = RuntimeTest;

TEST_F(CRuntimeTest, WorksFromC) {
  std::string path = "/tmp/tile-c-runtime-test-" + std::to_string(::getpid());
  Artifact artifact = scaleArtifact();
  artifact.manifest.kernels[0].code.pop_back(); // the cubin is of sm_8x
  artifact.blobs.pop_back();
  ASSERT_TRUE(artifact.writeFile(path).ok());
  EXPECT_EQ(testCRuntime(TILE_MOCK_CUDA, path.c_str()), 0);
  ::unlink(path.c_str());
  EXPECT_EQ(mock->primaryRetained, 0);
  EXPECT_EQ(mock->modulesLoaded, 0);
}

} // namespace
