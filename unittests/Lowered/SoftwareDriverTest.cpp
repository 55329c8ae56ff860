//===- SoftwareDriverTest.cpp - The driver's functions in software --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions for devices, contexts, memory, streams and events do and
// refuse, called as the launcher does and as it never would.
//
//===----------------------------------------------------------------------===//

#include "SoftwareDriverFixture.h"

#include <cmath>
#include <thread>

using namespace mlir::tile::lowered;
using namespace mlir::tile::lowered::test;

namespace {

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

TEST_F(SoftwareDriverTest, LimitsByArchitecture) {
  auto attribute = [&](int which) {
    int value = -1;
    EXPECT_EQ(f.deviceGetAttribute(&value, which, 0), cuda::kSuccess);
    return value;
  };
  struct Row {
    int major, minor, shared, clusters;
  };
  for (Row row :
       {Row{8, 0, 166912, 0}, Row{8, 6, 101376, 0}, Row{8, 7, 166912, 0},
        Row{8, 9, 101376, 0}, Row{10, 3, 232448, 1}, Row{11, 0, 232448, 1},
        Row{9, 0, 232448, 1}, Row{10, 0, 232448, 1}, Row{12, 0, 101376, 1}}) {
    open(SoftwareDeviceOptions::of(row.major, row.minor));
    EXPECT_EQ(attribute(cuda::kComputeCapabilityMajor), row.major);
    EXPECT_EQ(attribute(cuda::kComputeCapabilityMinor), row.minor);
    EXPECT_EQ(attribute(cuda::kMaxSharedPerBlockOptin), row.shared);
    EXPECT_EQ(attribute(cuda::kClusterLaunch), row.clusters);
    EXPECT_EQ(attribute(cuda::kMultiprocessorCount), 4);
    EXPECT_EQ(attribute(cuda::kMaxGridX), 2147483647);
    EXPECT_EQ(attribute(cuda::kMaxGridZ), 65535);
  }
  int value = 0;
  EXPECT_EQ(f.deviceGetAttribute(&value, 9999, 0), cuda::kErrorInvalidValue);
  EXPECT_EQ(f.deviceGetAttribute(&value, cuda::kMaxGridX, 1),
            cuda::kErrorInvalidDevice);
  cuda::Device handle = -1;
  EXPECT_EQ(f.deviceGet(&handle, 1), cuda::kErrorInvalidDevice);
  EXPECT_EQ(f.deviceGet(&handle, 0), cuda::kSuccess);
  char name[8];
  EXPECT_EQ(f.deviceGetName(name, sizeof(name), 0), cuda::kSuccess);
  EXPECT_STREQ(name, "sm_120 ");
}

TEST_F(SoftwareDriverTest, CallsNeedACurrentContext) {
  uint64_t address = allocate(64);
  cuda::Context popped = nullptr;
  ASSERT_EQ(f.ctxPopCurrent(&popped), cuda::kSuccess);
  EXPECT_EQ(popped, context);
  EXPECT_EQ(f.ctxPopCurrent(&popped), kErrorInvalidContext);
  char byte = 0;
  float time = 0;
  int value = 0;
  size_t size = 0;
  cuda::Stream stream = nullptr;
  cuda::Event event = nullptr;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  cuda::TensorMap map;
  cuda::LaunchConfig config = {};
  for (cuda::Result result :
       {c.ctxSynchronize(),
        c.memAlloc(&address, 4),
        c.memFree(address),
        c.memGetInfo(&size, &size),
        c.memcpyHtoD(address, &byte, 1),
        c.memcpyDtoH(&byte, address, 1),
        c.memcpyDtoD(address, address, 1),
        c.memsetD8(address, 0, 1),
        c.memsetD8Async(address, 0, 1, nullptr),
        c.pointerGetAttribute(&value, cuda::kPointerMemoryType, address),
        c.streamCreate(&stream, 0),
        c.streamDestroy(stream),
        c.streamSynchronize(nullptr),
        c.eventCreate(&event, 0),
        c.eventDestroy(event),
        c.eventRecord(event, nullptr),
        c.eventSynchronize(event),
        c.eventElapsedTime(&time, event, event),
        c.moduleLoadDataEx(&module, "TILELOWERED\n", 0, nullptr, nullptr),
        c.moduleUnload(module),
        c.moduleGetFunction(&function, module, "wide"),
        c.funcGetAttribute(&value, cuda::kFunctionRegisters, function),
        c.funcSetAttribute(function, cuda::kFunctionMaxDynamicShared, 0),
        c.funcGetParamInfo(function, 0, &size, &size),
        c.launchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                       nullptr),
        c.launchKernelEx(&config, function, nullptr, nullptr),
        c.occupancyMaxActiveClusters(&value, function, &config),
        c.tensorMapEncodeTiled(&map, 0, 1, nullptr, nullptr, nullptr, nullptr,
                               nullptr, 0, 0, 0, 0),
        c.tensorMapEncodeIm2col(&map, 0, 3, nullptr, nullptr, nullptr, nullptr,
                                nullptr, 1, 1, nullptr, 0, 0, 0, 0)})
    EXPECT_EQ(result, kErrorInvalidContext);
  // A context is current on one thread.
  ASSERT_EQ(f.ctxPushCurrent(context), cuda::kSuccess);
  EXPECT_EQ(c.ctxSynchronize(), cuda::kSuccess);
  std::thread([&] {
    cuda::Context current = context;
    EXPECT_EQ(f.ctxGetCurrent(&current), cuda::kSuccess);
    EXPECT_EQ(current, nullptr);
    EXPECT_EQ(c.ctxSynchronize(), kErrorInvalidContext);
  }).join();
  EXPECT_EQ(f.ctxPushCurrent(nullptr), kErrorInvalidContext);
}

TEST_F(SoftwareDriverTest, TheLastReleaseDestroysTheContext) {
  allocate(64);
  cuda::Context again = nullptr;
  ASSERT_EQ(f.devicePrimaryCtxRetain(&again, 0), cuda::kSuccess);
  EXPECT_EQ(again, context);
  EXPECT_EQ(f.devicePrimaryCtxRelease(0), cuda::kSuccess);
  EXPECT_EQ(device->memory().numRegions(), 1u);
  EXPECT_EQ(f.devicePrimaryCtxRelease(0), cuda::kSuccess);
  EXPECT_EQ(device->memory().numRegions(), 0u);
  EXPECT_EQ(c.ctxSynchronize(), kErrorContextIsDestroyed);
  EXPECT_EQ(f.ctxPushCurrent(context), kErrorInvalidContext);
  EXPECT_EQ(f.devicePrimaryCtxRelease(0), kErrorInvalidContext);
}

TEST_F(SoftwareDriverTest, WithoutADeviceTheDriverIsShutDown) {
  device.reset();
  int count = 0;
  EXPECT_EQ(f.init(0), cuda::kErrorDeinitialized);
  EXPECT_EQ(f.deviceGetCount(&count), cuda::kErrorDeinitialized);
  EXPECT_EQ(c.ctxSynchronize(), cuda::kErrorDeinitialized);
  SoftwareDevice other(SoftwareDeviceOptions(), {}, nullptr);
  EXPECT_EQ(f.deviceGetCount(&count), kErrorNotInitialized);
  EXPECT_EQ(f.init(1), cuda::kErrorInvalidValue);
  EXPECT_EQ(f.init(0), cuda::kSuccess);
  EXPECT_EQ(f.deviceGetCount(&count), cuda::kSuccess);
  EXPECT_EQ(count, 1);
}

TEST_F(SoftwareDriverTest, ErrorsHaveNames) {
  const char *text = nullptr;
  for (int error :
       {0, 1, 2, 3, 4, 100, 101, 200, 201, 400, 500, 701, 709, 719, 801, 912}) {
    EXPECT_EQ(f.getErrorName(error, &text), cuda::kSuccess) << error;
    EXPECT_EQ(std::string(text).compare(0, 5, "CUDA_"), 0);
    EXPECT_EQ(f.getErrorString(error, &text), cuda::kSuccess) << error;
    EXPECT_GT(std::string(text).size(), 0u);
  }
  EXPECT_EQ(f.getErrorName(12345, &text), cuda::kErrorInvalidValue);
  EXPECT_EQ(text, nullptr);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(SoftwareDriverTest, AddressesPromiseWhatTheDriverDoes) {
  GlobalMemory &memory = device->memory();
  std::vector<uint64_t> addresses;
  for (size_t bytes : {1, 255, 256, 257, 100000}) {
    uint64_t address = allocate(bytes);
    addresses.push_back(address);
    EXPECT_EQ(address % 512, 256u);
    GlobalMemory::Region *region = memory.find(address);
    ASSERT_NE(region, nullptr);
    EXPECT_EQ(region->begin, address);
    EXPECT_EQ(region->bytes, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(region->host) % 256, 0u);
    EXPECT_EQ(region->shadow.size(), bytes);
    EXPECT_FALSE(region->shadow.isWritten(0, 1));
    EXPECT_EQ(memory.find(address + bytes - 1), region);
    EXPECT_EQ(memory.find(address - 1), nullptr);
    EXPECT_EQ(memory.find(address + bytes), nullptr);
    EXPECT_EQ(memory.find(address + bytes + 1000000), nullptr);
    EXPECT_EQ(memory.find(address, bytes), region);
    EXPECT_EQ(memory.find(address, bytes + 1), nullptr);
  }
  EXPECT_EQ(memory.find(addresses[0])->bytes, 1u);
  EXPECT_EQ(memory.find(0), nullptr);
  EXPECT_EQ(memory.bytesInUse(), 1u + 255 + 256 + 257 + 100000);
  // Also the region that was found last is gone when it is freed.
  ASSERT_NE(memory.find(addresses[2]), nullptr);
  EXPECT_EQ(c.memFree(addresses[2]), cuda::kSuccess);
  EXPECT_EQ(memory.bytesInUse(), 1u + 255 + 257 + 100000);
  EXPECT_EQ(memory.find(addresses[2]), nullptr);
  EXPECT_EQ(c.memFree(addresses[2]), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memFree(addresses[3] + 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memFree(0), cuda::kSuccess);
  // No address comes back.
  EXPECT_GT(allocate(256), addresses[4]);
  size_t free = 0, total = 0;
  EXPECT_EQ(c.memGetInfo(&free, &total), cuda::kSuccess);
  EXPECT_EQ(total - free, memory.bytesInUse());
  uint64_t address = 0;
  EXPECT_EQ(c.memAlloc(&address, free + 1), kErrorOutOfMemory);
  EXPECT_EQ(c.memAlloc(&address, 0), cuda::kErrorInvalidValue);
}

TEST_F(SoftwareDriverTest, CopiesStayInsideOfAllocations) {
  uint64_t a = allocate(100), b = allocate(100);
  char bytes[101] = {};
  for (unsigned i = 0; i < 101; ++i)
    bytes[i] = char(i);
  EXPECT_EQ(c.memcpyHtoD(a, bytes, 101), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memcpyHtoD(a + 60, bytes, 41), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memcpyHtoD(a - 1, bytes, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memcpyHtoD(reinterpret_cast<uintptr_t>(bytes), bytes, 1),
            cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memcpyHtoD(a, nullptr, 1), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memcpyHtoD(a + 60, bytes + 60, 40), cuda::kSuccess);
  EXPECT_EQ(c.memcpyHtoD(a, bytes, 0), cuda::kSuccess);
  // What is written is known, and copied along.
  Shadow &shadow = device->memory().find(a)->shadow;
  EXPECT_TRUE(shadow.isWritten(60, 40));
  EXPECT_FALSE(shadow.isWritten(59, 1));
  EXPECT_EQ(c.memcpyDtoD(b, a + 50, 20), cuda::kSuccess);
  Shadow &copied = device->memory().find(b)->shadow;
  EXPECT_FALSE(copied.isWritten(9, 1));
  EXPECT_TRUE(copied.isWritten(10, 10));
  EXPECT_FALSE(copied.isWritten(20, 1));
  EXPECT_EQ(c.memcpyDtoD(b, a + 81, 20), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memcpyDtoD(b + 81, a, 20), cuda::kErrorInvalidValue);
  char read[10] = {};
  EXPECT_EQ(c.memcpyDtoH(read, b + 10, 10), cuda::kSuccess);
  EXPECT_EQ(std::string(read, 10), std::string(bytes + 60, 10));
  EXPECT_EQ(c.memcpyDtoH(read, b + 95, 6), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memcpyDtoH(nullptr, b, 6), cuda::kErrorInvalidValue);
  EXPECT_EQ(c.memsetD8(b, 7, 100), cuda::kSuccess);
  EXPECT_EQ(c.memsetD8(b, 7, 101), cuda::kErrorInvalidValue);
  EXPECT_TRUE(copied.isWritten(0, 100));
  EXPECT_EQ(c.memsetD8Async(b + 99, 8, 1, nullptr), cuda::kSuccess);
  EXPECT_EQ(c.memcpyDtoH(read, b + 98, 2), cuda::kSuccess);
  EXPECT_EQ(read[0], 7);
  EXPECT_EQ(read[1], 8);
}

TEST_F(SoftwareDriverTest, NewMemoryHoldsNaN) {
  uint64_t address = allocate(8);
  float values[2] = {0, 0};
  EXPECT_EQ(c.memcpyDtoH(values, address, 8), cuda::kSuccess);
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1]));
}

TEST_F(SoftwareDriverTest, PointerAttributes) {
  uint64_t address = allocate(100);
  int ordinal = -1;
  unsigned type = 0, managed = 7;
  EXPECT_EQ(c.pointerGetAttribute(&ordinal, cuda::kPointerDeviceOrdinal,
                                  address + 99),
            cuda::kSuccess);
  EXPECT_EQ(c.pointerGetAttribute(&type, cuda::kPointerMemoryType, address),
            cuda::kSuccess);
  EXPECT_EQ(c.pointerGetAttribute(&managed, cuda::kPointerIsManaged, address),
            cuda::kSuccess);
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(type, unsigned(cuda::kMemoryDevice));
  EXPECT_EQ(managed, 0u);
  EXPECT_EQ(c.pointerGetAttribute(&ordinal, cuda::kPointerDeviceOrdinal,
                                  address + 100),
            cuda::kErrorInvalidValue);
  EXPECT_EQ(c.pointerGetAttribute(&ordinal, 1234, address),
            cuda::kErrorInvalidValue);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST_F(SoftwareDriverTest, StreamsAndEvents) {
  cuda::Stream stream = nullptr;
  cuda::Event begin = nullptr, end = nullptr;
  ASSERT_EQ(c.streamCreate(&stream, cuda::kStreamNonBlocking), cuda::kSuccess);
  ASSERT_EQ(c.eventCreate(&begin, 0), cuda::kSuccess);
  ASSERT_EQ(c.eventCreate(&end, 0), cuda::kSuccess);
  float time = -1;
  EXPECT_EQ(c.eventRecord(begin, stream), cuda::kSuccess);
  EXPECT_EQ(c.eventElapsedTime(&time, begin, end), kErrorInvalidHandle);
  EXPECT_EQ(c.eventRecord(end, nullptr), cuda::kSuccess);
  EXPECT_EQ(c.eventSynchronize(end), cuda::kSuccess);
  EXPECT_EQ(c.eventElapsedTime(&time, begin, end), cuda::kSuccess);
  EXPECT_EQ(time, 0);
  EXPECT_EQ(c.streamSynchronize(stream), cuda::kSuccess);
  // One kind of handle is not another.
  EXPECT_EQ(c.streamDestroy(reinterpret_cast<cuda::Stream>(begin)),
            kErrorInvalidHandle);
  EXPECT_EQ(c.eventSynchronize(reinterpret_cast<cuda::Event>(stream)),
            kErrorInvalidHandle);
  EXPECT_EQ(c.streamDestroy(stream), cuda::kSuccess);
  EXPECT_EQ(c.streamDestroy(stream), kErrorInvalidHandle);
  EXPECT_EQ(c.streamSynchronize(stream), kErrorInvalidHandle);
  EXPECT_EQ(c.eventRecord(begin, stream), kErrorInvalidHandle);
  EXPECT_EQ(c.memsetD8Async(allocate(1), 0, 1, stream), kErrorInvalidHandle);
  EXPECT_EQ(c.eventDestroy(begin), cuda::kSuccess);
  EXPECT_EQ(c.eventDestroy(begin), kErrorInvalidHandle);
  EXPECT_EQ(c.eventElapsedTime(&time, begin, end), kErrorInvalidHandle);
}

} // namespace
