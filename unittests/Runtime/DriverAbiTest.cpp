//===- DriverAbiTest.cpp - The runtime's declarations against <cuda.h> ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where CUDA is installed, the numbers and layouts that CudaDriver.h declares
// from the documentation are compared with the vendor's header.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/CudaDriver.h"
#include "tile/Runtime/Manifest.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace rt = mlir::tile::runtime;
namespace ours = mlir::tile::runtime::cuda;

static_assert(ours::kSuccess == CUDA_SUCCESS);
static_assert(ours::kErrorInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(ours::kErrorDeinitialized == CUDA_ERROR_DEINITIALIZED);
static_assert(ours::kErrorNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(ours::kErrorInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(ours::kErrorNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(ours::kErrorUnsupportedPtxVersion ==
              CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(ours::kErrorNotFound == CUDA_ERROR_NOT_FOUND);

static_assert(int(ours::kMaxGridX) == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
static_assert(int(ours::kMaxGridY) == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
static_assert(int(ours::kMaxGridZ) == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
static_assert(int(ours::kMultiprocessorCount) ==
              CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(int(ours::kL2CacheSize) == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(int(ours::kComputeCapabilityMajor) ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(int(ours::kComputeCapabilityMinor) ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(int(ours::kMaxSharedPerBlockOptin) ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(int(ours::kClusterLaunch) == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);

static_assert(int(ours::kFunctionMaxThreads) ==
              CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(int(ours::kFunctionStaticShared) ==
              CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(int(ours::kFunctionLocalBytes) ==
              CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(int(ours::kFunctionRegisters) == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(int(ours::kFunctionMaxDynamicShared) ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(int(ours::kFunctionNonPortableCluster) ==
              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);

static_assert(int(ours::kPointerMemoryType) ==
              CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(int(ours::kPointerIsManaged) == CU_POINTER_ATTRIBUTE_IS_MANAGED);
static_assert(int(ours::kPointerDeviceOrdinal) ==
              CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(int(ours::kMemoryHost) == CU_MEMORYTYPE_HOST);
static_assert(int(ours::kMemoryDevice) == CU_MEMORYTYPE_DEVICE);
static_assert(int(ours::kJitErrorLog) == CU_JIT_ERROR_LOG_BUFFER);
static_assert(int(ours::kJitErrorLogSize) ==
              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(int(ours::kStreamNonBlocking) == CU_STREAM_NON_BLOCKING);
static_assert(int(ours::kCaptureRelaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(int(ours::kLaunchClusterDimension) ==
              CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);

static_assert(sizeof(ours::Device) == sizeof(CUdevice));
static_assert(sizeof(ours::DevicePtr) == sizeof(CUdeviceptr));
static_assert(sizeof(ours::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(ours::LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));
static_assert(sizeof(ours::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(ours::LaunchConfig, stream) ==
              offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(ours::LaunchConfig, attributes) ==
              offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(ours::LaunchConfig, numAttributes) ==
              offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(ours::TensorMap) == sizeof(CUtensorMap));
static_assert(rt::kTensorMapBytes == sizeof(CUtensorMap));

static_assert(int(ours::kMapUInt8) == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(int(ours::kMapUInt16) == CU_TENSOR_MAP_DATA_TYPE_UINT16);
static_assert(int(ours::kMapUInt32) == CU_TENSOR_MAP_DATA_TYPE_UINT32);
static_assert(int(ours::kMapInt32) == CU_TENSOR_MAP_DATA_TYPE_INT32);
static_assert(int(ours::kMapUInt64) == CU_TENSOR_MAP_DATA_TYPE_UINT64);
static_assert(int(ours::kMapInt64) == CU_TENSOR_MAP_DATA_TYPE_INT64);
static_assert(int(ours::kMapFloat16) == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
static_assert(int(ours::kMapFloat32) == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(int(ours::kMapFloat64) == CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
static_assert(int(ours::kMapBFloat16) == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(int(ours::kMapTFloat32) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);

static_assert(int(rt::TensorMapInterleave::B16) ==
              CU_TENSOR_MAP_INTERLEAVE_16B);
static_assert(int(rt::TensorMapInterleave::B32) ==
              CU_TENSOR_MAP_INTERLEAVE_32B);
static_assert(int(rt::TensorMapSwizzle::B32) == CU_TENSOR_MAP_SWIZZLE_32B);
static_assert(int(rt::TensorMapSwizzle::B64) == CU_TENSOR_MAP_SWIZZLE_64B);
static_assert(int(rt::TensorMapSwizzle::B128) == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(int(rt::TensorMapL2::B64) == CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
static_assert(int(rt::TensorMapL2::B128) == CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
static_assert(int(rt::TensorMapL2::B256) == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(int(rt::TensorMapFill::NaN) ==
              CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);

TEST(DriverAbi, MatchesTheVendorsHeader) { SUCCEED(); }

#else

TEST(DriverAbi, MatchesTheVendorsHeader) {
  GTEST_SKIP() << "no <cuda.h> to compare with";
}

#endif
