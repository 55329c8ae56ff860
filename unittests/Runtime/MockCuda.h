//===- MockCuda.h - A CUDA driver without a device --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the mock libcuda pretends and what it saw. MockCuda.cpp is a shared
// library with the driver's symbols, opened by the runtime like the real one;
// tests reach its state through mockCuda().
//
//===----------------------------------------------------------------------===//

#ifndef TILE_UNITTESTS_RUNTIME_MOCKCUDA_H
#define TILE_UNITTESTS_RUNTIME_MOCKCUDA_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct MockLaunch {
  std::string kernel;
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
  std::array<unsigned, 3> cluster; ///< zeros for a plain launch
  bool cooperative;
  unsigned shared;
  void *stream;
  std::vector<std::string> params; ///< the bytes of each
};

struct MockTensorMap {
  int type;
  unsigned rank;
  uint64_t address;
  std::vector<uint64_t> dims, strides;
  std::vector<unsigned> box, elementStrides; ///< im2col: channels, pixels
  int interleave, swizzle, l2, fill;
  std::vector<int> lower, upper; ///< of im2col maps
};

struct MockAllocation {
  uint64_t size;
  int device;
  bool managed;
  bool host;
};

struct MockCuda {
  // What it pretends.
  int numDevices = 1;
  int initResult = 0;
  int major = 9, minor = 0;
  bool hasClusters = true;
  int sharedOptin = 232448;
  int staticShared = 0;
  int maxThreads = 1024;
  int multiprocessors = 132;
  int activeBlocks = 1; ///< on each of them, of any kernel
  int launchResult = 0;
  /// Sizes of the groups of multiprocessors that hold a cluster each; none: the
  /// driver does not answer.
  std::vector<unsigned> groups;
  std::map<std::string, std::vector<size_t>> paramSizes; ///< by kernel
  std::string refuse; ///< images that contain this do not load
  std::map<uint64_t, MockAllocation> memory;
  /// A stream is captured: threads may not allocate, unless they exchange their
  /// mode for the relaxed one.
  bool captures = false;
  int captureMode = 0; ///< global; 2 is relaxed
  bool quiet = false;  ///< launches are counted, not recorded

  // What it saw.
  int primaryRetained = 0;
  int modulesLoaded = 0;
  int numLaunches = 0;
  int clusterQuestions = 0;
  int blockQuestions = 0;
  unsigned sharedAsked = 0; ///< of the last one
  std::vector<std::string> images;
  std::vector<MockLaunch> launches;
  std::vector<MockTensorMap> tensorMaps;
  std::map<int, int> functionAttributes;
};

/// The state of the mock library, the same for all who open it.
extern "C" MockCuda *mockCudaState();
/// The contexts of the calling thread, the current one last.
extern "C" std::vector<void *> *mockCudaContexts();

#endif // TILE_UNITTESTS_RUNTIME_MOCKCUDA_H
