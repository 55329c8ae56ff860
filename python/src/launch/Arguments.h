//===- Arguments.h - Python objects as the arguments of a launch *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of any library, by the fastest way that it offers: DLPack's exchange
// functions (PyTorch), Python's buffers (NumPy, on the CPU), `__dlpack__`,
// `__cuda_array_interface__`. Nothing is copied but shapes and strides. Shapes
// and values are checked by the launcher; here is checked what only Python
// knows: types, devices, and whether memory may be written.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PYTHON_ARGUMENTS_H
#define TILE_PYTHON_ARGUMENTS_H

#include "DLPack.h"
#include "Scalars.h"
#include "TensorTypes.h"
#include "tile/Runtime/Launcher.h"

#include <deque>
#include <memory>
#include <vector>

namespace mlir::tile::python {

/// What a launch is given.
struct Given {
  PyObject *const *args;
  size_t count;
  /// The caller's, or null for the one that the tensors' libraries work on.
  PyObject *stream = nullptr;
  size_t made = 0; ///< of the last ones, which are new and hold what they say
};

/// The arguments of one launch, for as long as it is being made.
class Arguments {
public:
  /// `expected`: expectedOf the kernel. `onDevice`: memory of a GPU is
  /// expected, else the CPU's.
  Arguments(const runtime::KernelSpec &kernel,
            const std::vector<Expected> &expected, bool onDevice)
      : kernel(kernel), expected(expected.data()), numExpected(expected.size()),
        onDevice(onDevice) {}
  ~Arguments();
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  /// Converts all of them. False: `problem` is the sentence, or a Python
  /// exception of theirs is set that should pass.
  bool convert(const Given &given);

  const std::string &problem() const { return text; }
  /// Whether the problem is that arguments are on several GPUs.
  bool areElsewhere() const { return elsewhere; }
  runtime::Span<const runtime::Arg> args() const {
    return {reinterpret_cast<const runtime::Arg *>(storage), count};
  }
  /// The GPU of the tensors; -1 where none says.
  int ordinal() const { return device; }
  void *stream() const { return workStream; }
  /// Whether every address is known to be memory of the GPU.
  bool arePointersTrusted() const { return trusted; }

private:
  // Away from the code that launches run through.
  [[gnu::cold]] bool refuse(size_t index, const std::string &what);
  [[gnu::cold]] bool refuseCount(size_t given);
  [[gnu::cold]] bool refuseNegative(size_t index);
  bool addScalar(size_t index, PyObject *object);
  bool convertRest(PyObject *const *objects, PyObject *stream, bool hasSlow);
  bool convertSlowly(size_t index, PyObject *object, const TensorType &type);
  bool exchange(size_t index, PyObject *object, const TensorType &type);
  bool addTensor(size_t index, const dlpack::Tensor &tensor);
  bool addBuffer(size_t index, PyObject *object, bool &handled);
  bool addArrayInterface(size_t index, PyObject *object, bool &handled);
  bool addCapsule(size_t index, PyObject *object, bool &handled);
  bool addCudaInterface(size_t index, PyObject *object, bool &handled);
  bool addDevice(size_t index, int32_t type, int32_t ordinal);
  /// Strides in bytes become strides in elements; false where they are none.
  bool addBytes(size_t index, void *data, runtime::ElementType type,
                unsigned itemBytes, std::vector<int64_t> shape,
                const int64_t *byteStrides);
  void set(size_t index, uint64_t data, runtime::ElementType type,
           unsigned rank, const int64_t *shape, const int64_t *strides);
  /// Two elements a byte: the shape counts bytes, the kernel elements.
  void unpackShape(runtime::Arg &arg);

  bool findStream(PyObject *given);
  bool findWorkStream();

  const runtime::KernelSpec &kernel;
  const Expected *expected; ///< of each argument
  size_t numExpected;
  bool onDevice;
  size_t count = 0;
  size_t firstMade = 0; ///< what it and those behind it hold is known
  int device = -1;
  void *workStream = nullptr;
  bool trusted = true, elsewhere = false;
  const dlpack::ExchangeApi *streamApi = nullptr;
  PyObject *streamOwner = nullptr; ///< borrowed: a tensor without functions
  std::string text;
  /// What tensors without exchange functions need until the launch is made.
  struct Owned {
    std::deque<std::vector<int64_t>> dims;
    std::vector<PyObject *> objects;
    std::deque<Py_buffer> buffers;
  };
  Owned &owned() {
    if (!slow)
      slow = std::make_unique<Owned>();
    return *slow;
  }
  std::unique_ptr<Owned> slow;
  alignas(runtime::Arg) char storage[runtime::kMaxArgs * sizeof(runtime::Arg)];
};

} // namespace mlir::tile::python
#endif // TILE_PYTHON_ARGUMENTS_H
