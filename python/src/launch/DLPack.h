//===- DLPack.h - tensors of other libraries --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is needed of DLPack 1.x, after its specification (dmlc.github.io/dlpack,
// "C API" and "Python specification"): the description of a tensor, the two
// structures that capsules of `__dlpack__` hold, and the table of functions in
// the capsule `__dlpack_c_exchange_api__` of a tensor's type.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PYTHON_DLPACK_H
#define TILE_PYTHON_DLPACK_H

#include <cstdint>

namespace mlir::tile::python::dlpack {

inline constexpr uint32_t kMajorVersion = 1;

enum DeviceType : int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3, ///< of the CPU, pinned
  kCudaManaged = 13,
};

enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3FN = 10,
  kFloat8E5M2 = 12,
  kFloat8E8M0FNU = 14,
  kFloat4E2M1FN = 17,
};

struct Version {
  uint32_t major, minor;
};

struct Device {
  int32_t type; ///< DeviceType
  int32_t ordinal;
};

struct DataType {
  uint8_t code; ///< TypeCode
  uint8_t bits;
  uint16_t lanes;

  bool operator==(DataType other) const {
    return code == other.code && bits == other.bits && lanes == other.lanes;
  }
};

/// Belongs to its producer.
struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides;    ///< in elements; null before version 1.2: dense
  uint64_t byteOffset; ///< of the first element behind `data`
};

struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

inline constexpr uint64_t kReadOnly = 1;

struct ManagedTensorVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags; ///< kReadOnly
  Tensor tensor;
};

/// Names of capsules.
inline constexpr const char *kCapsule = "dltensor";
inline constexpr const char *kCapsuleVersioned = "dltensor_versioned";
inline constexpr const char *kExchangeCapsule = "dlpack_exchange_api";

struct ExchangeHeader {
  Version version;
  ExchangeHeader *older; ///< of a smaller major version, or null
};

/// Functions of a producer that take its Python objects; they return 0, or -1
/// and have set an exception.
struct ExchangeApi {
  ExchangeHeader header;
  int (*allocate)(Tensor *prototype, ManagedTensorVersioned **out,
                  void *errorContext,
                  void (*setError)(void *errorContext, const char *kind,
                                   const char *message));
  int (*managedFromObject)(void *object, ManagedTensorVersioned **out);
  int (*managedToObject)(ManagedTensorVersioned *tensor, void **object);
  /// What it fills in is valid until the caller returns to Python; may be null.
  int (*tensorFromObject)(void *object, Tensor *out);
  int (*currentStream)(int32_t deviceType, int32_t ordinal, void **stream);
};

} // namespace mlir::tile::python::dlpack
#endif // TILE_PYTHON_DLPACK_H
