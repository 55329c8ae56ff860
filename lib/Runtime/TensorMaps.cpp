//===- TensorMaps.cpp - Encoding tensor maps at launch --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TensorMaps.h. The limits are those of cuTensorMapEncodeTiled and
// cuTensorMapEncodeIm2col in the CUDA Driver API; checking them here names the
// argument, which the driver does not.
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"
#include "ArgCheck.h"

#include <cstring>

using namespace mlir::tile::runtime;

/// The driver has no types of fp8: bytes are copied as they are.
static int mapType(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return cuda::kMapFloat16;
  case ElementType::BF16:
    return cuda::kMapBFloat16;
  case ElementType::F32:
    return cuda::kMapFloat32;
  case ElementType::TF32:
    return cuda::kMapTFloat32;
  case ElementType::F64:
    return cuda::kMapFloat64;
  case ElementType::I32:
    return cuda::kMapInt32;
  case ElementType::UI32:
    return cuda::kMapUInt32;
  case ElementType::I64:
    return cuda::kMapInt64;
  case ElementType::UI64:
    return cuda::kMapUInt64;
  case ElementType::I16:
  case ElementType::UI16:
    return cuda::kMapUInt16;
  default:
    return cuda::kMapUInt8;
  }
}

/// Coordinates are 32-bit and signed, though maps could be twice as large.
/// Boxes may begin behind the tensor: kernels take coordinates that are 2^20
/// larger.
constexpr uint64_t kMaxDim = (uint64_t(1) << 31) - (uint64_t(1) << 20);
constexpr uint64_t kMaxStride = uint64_t(1) << 40;
/// Stands for the address of a tensor without elements, which may be null.
constexpr cuda::DevicePtr kNowhere = 4096;

/// The key of a launch, or an error that names the argument.
static Status evaluate(const KernelSpec &kernel, unsigned index,
                       Span<const ExprArg> args, TensorMapKey &key) {
  const TensorMapSpec &spec = kernel.tensorMaps[index];
  auto fail = [&](const std::string &what) {
    return argError(kernel, spec.arg,
                    "tensor map " + std::to_string(index) + ": " + what);
  };
  // A convolution may have no pixels though its tensor has elements.
  bool isEmpty = false;
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    Expr::Value dim = spec.dims[i].evaluate(args);
    if (!dim.ok())
      return fail(spec.dims[i].str() + ": " + dim.error);
    if (dim.value < 0 || uint64_t(dim.value) > kMaxDim)
      return fail("expected extents of at most 2^31 - 2^20, got " +
                  std::to_string(dim.value));
    key.dims[i] = uint64_t(dim.value);
    isEmpty |= dim.value == 0;
    if (spec.im2col.any() && i > 0 && i <= spec.im2col.lower.size())
      isEmpty |=
          dim.value + spec.im2col.upper[i - 1] <= spec.im2col.lower[i - 1];
  }
  uint64_t align = spec.interleave == TensorMapInterleave::B32 ? 32 : 16;
  if (isEmpty) {
    key.address = kNowhere;
    for (size_t i = 0; i < spec.dims.size(); ++i)
      key.dims[i] = 1;
    for (size_t i = 0; i < spec.strides.size(); ++i)
      key.strides[i] = align;
    return Status();
  }
  if (key.address % align)
    return fail("expected an address aligned to " + std::to_string(align) +
                " bytes");
  for (size_t i = 0; i < spec.strides.size(); ++i) {
    Expr::Value stride = spec.strides[i].evaluate(args);
    if (!stride.ok())
      return fail(spec.strides[i].str() + ": " + stride.error);
    bool fits = stride.value > 0 && uint64_t(stride.value) < kMaxStride &&
                uint64_t(stride.value) % align == 0;
    // Only zero is ever multiplied by the stride of a dimension of extent 1.
    if (!fits && key.dims[i + 1] == 1) {
      key.strides[i] = align;
      continue;
    }
    if (!fits)
      return fail("expected strides to be multiples of " +
                  std::to_string(align) + " bytes below 2^40, got " +
                  std::to_string(stride.value));
    key.strides[i] = uint64_t(stride.value);
  }
  return Status();
}

static Status encode(const TensorMapSpec &spec, const ContextScope &driver,
                     const TensorMapKey &key, cuda::TensorMap &map) {
  unsigned rank = unsigned(spec.dims.size());
  unsigned box[5] = {}, elementStrides[5] = {};
  for (unsigned i = 0; i < rank; ++i) {
    box[i] = spec.im2col.any() ? 1 : unsigned(spec.box[i]);
    elementStrides[i] = unsigned(spec.elementStrides[i]);
  }
  // A device address, which is not read here.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void *address = reinterpret_cast<void *>(key.address);
  if (spec.im2col.any()) {
    int lower[3] = {}, upper[3] = {};
    for (unsigned i = 0; i < rank - 2 && !key.isEmpty; ++i) {
      lower[i] = int(spec.im2col.lower[i]);
      upper[i] = int(spec.im2col.upper[i]);
    }
    return driver.check(
        driver->tensorMapEncodeIm2col(
            &map, mapType(spec.type), rank, address, key.dims.data(),
            key.strides.data(), lower, upper, unsigned(spec.im2col.channels),
            unsigned(spec.im2col.pixels), elementStrides, int(spec.interleave),
            int(spec.swizzle), int(spec.l2), int(spec.fill)),
        "cuTensorMapEncodeIm2col");
  }
  // The enumerations of the manifest number their values as the driver does.
  return driver.check(driver->tensorMapEncodeTiled(
                          &map, mapType(spec.type), rank, address,
                          key.dims.data(), key.strides.data(), box,
                          elementStrides, int(spec.interleave),
                          int(spec.swizzle), int(spec.l2), int(spec.fill)),
                      "cuTensorMapEncodeTiled");
}

Status TensorMapCache::get(const KernelSpec &kernel, unsigned index,
                           Device &device, const ContextScope &driver,
                           cuda::DevicePtr address, Span<const ExprArg> args,
                           char *out) {
  TensorMapKey key;
  key.map = index;
  key.address = address;
  if (Status status = evaluate(kernel, index, args, key); !status.ok())
    return status;
  const TensorMapSpec &spec = kernel.tensorMaps[index];
  if (key.address == kNowhere) {
    Result<cuda::DevicePtr> nothing =
        device.nothing(kernel.args[spec.arg].access != Access::Read);
    if (!nothing.ok())
      return argError(kernel, spec.arg, nothing.message());
    key.address = *nothing;
    key.isEmpty = true;
  }
  std::lock_guard<std::mutex> lock(mutex);
  for (const Entry &entry : entries)
    if (entry.key == key) {
      std::memcpy(out, &entry.map, kTensorMapBytes);
      return Status();
    }
  cuda::TensorMap map;
  Status status = encode(spec, driver, key, map);
  if (!status.ok())
    return argError(kernel, kernel.tensorMaps[index].arg,
                    "tensor map " + std::to_string(index) + ": " +
                        status.message());
  if (entries.size() < kEntries) {
    entries.push_back({key, map});
  } else {
    entries[next] = {key, map};
    next = (next + 1) % kEntries;
  }
  std::memcpy(out, &map, kTensorMapBytes);
  return Status();
}
