//===- Arguments.cpp - the arguments of a run -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--args=NAME=[SHAPE[@STRIDES]][:FILL[:SEED]],...` for buffers, `NAME=NUMBER`
// for scalars. Data is a function of (fill, seed, element number) only: the
// same on every machine, whatever the element type rounds it to.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Elements.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

static constexpr llvm::StringLiteral kFillNames[] = {
    "zeros", "ones", "iota", "uniform", "normal", "smallint", "nan"};

/// What a host may be asked to allocate for one argument.
static constexpr int64_t kLargestBuffer = int64_t(1) << 30;

template <typename... T> static llvm::Error error(const T &...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << parts);
  return llvm::createStringError(text);
}

int64_t Argument::numElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t Argument::span() const {
  if (!isBuffer || numElements() == 0)
    return 0;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(shape, strides))
    last += (size - 1) * stride;
  return last + 1;
}

std::string Argument::describe() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!isBuffer) {
    stream << element << llvm::format(" %g", scalar);
    return text;
  }
  llvm::interleave(shape, stream, "x");
  if (shape.empty())
    stream << "one";
  stream << " " << element << ", " << kFillNames[static_cast<int>(fill)];
  if (fill == Fill::Uniform || fill == Fill::Normal || fill == Fill::SmallInt)
    stream << ", seed " << seed;
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// `1024x512`
static llvm::Error parseExtents(StringRef argument, StringRef text,
                                SmallVectorImpl<int64_t> &extents) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t number = 0;
    if (part.getAsInteger(10, number) || number < 0)
      return error("expected extents like 1024x512 for argument '", argument,
                   "', got '", text, "'");
    extents.push_back(number);
  }
  return llvm::Error::success();
}

static llvm::Error parseBuffer(Argument &argument, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  unsigned next = 0;
  SmallVector<int64_t> shape;
  bool hasShape = !parts[0].empty() && llvm::isDigit(parts[0][0]);
  if (hasShape) {
    auto [shapeText, strideText] = parts[0].split('@');
    if (auto failure = parseExtents(argument.name, shapeText, shape))
      return failure;
    if (parts[0].contains('@')) {
      argument.strides.clear();
      if (auto failure =
              parseExtents(argument.name, strideText, argument.strides))
        return failure;
    }
    argument.shape = shape;
  }
  if (hasShape || parts[0].empty())
    next = 1;
  if (next < parts.size()) {
    auto *name = llvm::find(kFillNames, parts[next]);
    if (name == std::end(kFillNames))
      return error("expected a fill (zeros, ones, iota, uniform, normal, "
                   "smallint or nan) for argument '",
                   argument.name, "', got '", parts[next], "'");
    argument.fill = static_cast<Fill>(name - std::begin(kFillNames));
    ++next;
  }
  if (next < parts.size()) {
    if (parts[next].getAsInteger(10, argument.seed))
      return error("expected a seed for argument '", argument.name, "', got '",
                   parts[next], "'");
    ++next;
  }
  if (next < parts.size())
    return error("expected SHAPE:FILL:SEED for argument '", argument.name,
                 "', got '", text, "'");
  return llvm::Error::success();
}

/// Shape and strides fit the type, and make a buffer of reasonable size.
static llvm::Error checkBuffer(Argument &argument) {
  auto type = cast<MemRefType>(argument.type);
  StringRef name = argument.name;
  if (static_cast<int64_t>(argument.shape.size()) != type.getRank())
    return error("expected ", type.getRank(), " extents of argument '", name,
                 "', got ", argument.shape.size());
  int64_t count = 1;
  for (auto [d, size] : llvm::enumerate(argument.shape)) {
    if (ShapedType::isDynamic(size))
      return error("expected the shape of argument '", name, "' of type ", type,
                   " in --args, as in --args=", name, "=1024x512");
    if (!type.isDynamicDim(d) && type.getDimSize(d) != size)
      return error("expected extent ", type.getDimSize(d), " in dimension ", d,
                   " of argument '", name, "', got ", size);
    if (llvm::MulOverflow(count, size, count) || count > kLargestBuffer)
      return error("expected at most 2^30 elements in argument '", name, "'");
  }
  SmallVector<int64_t> typeStrides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(typeStrides, offset)))
    return error("expected a strided memref as argument '", name, "', got ",
                 type);
  if (!ShapedType::isDynamic(offset) && offset != 0)
    return error("expected argument '", name, "' to start at offset 0, got ",
                 offset);
  if (argument.strides.empty()) {
    argument.strides.assign(argument.shape.size(), 1);
    int64_t stride = 1;
    for (size_t d = argument.shape.size(); d-- > 0;) {
      argument.strides[d] =
          ShapedType::isDynamic(typeStrides[d]) ? stride : typeStrides[d];
      stride = argument.strides[d] * std::max<int64_t>(argument.shape[d], 1);
    }
  }
  if (argument.strides.size() != argument.shape.size())
    return error("expected ", argument.shape.size(), " strides of argument '",
                 name, "', got ", argument.strides.size());
  // An identity layout's strides follow from its shape.
  if (type.getLayout().isIdentity()) {
    int64_t stride = 1;
    for (size_t d = argument.shape.size(); d-- > 0;) {
      typeStrides[d] = stride;
      stride *= std::max<int64_t>(argument.shape[d], 1);
    }
  }
  int64_t last = 0;
  for (auto [d, stride] : llvm::enumerate(argument.strides)) {
    int64_t reach = 0;
    if (!ShapedType::isDynamic(typeStrides[d]) && typeStrides[d] != stride &&
        argument.shape[d] > 1 && count > 0)
      return error("expected stride ", typeStrides[d], " in dimension ", d,
                   " of argument '", name, "' of type ", type, ", got ",
                   stride);
    if (llvm::MulOverflow(argument.shape[d], stride, reach) ||
        llvm::AddOverflow(last, reach, last) || last > kLargestBuffer)
      return error("expected strides of argument '", name,
                   "' to stay below 2^30 elements");
  }
  return llvm::Error::success();
}

Signature run::signatureOf(KernelOp kernel, const KernelFacts &facts) {
  Signature signature;
  signature.kernel = kernel.getSymName().str();
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i)
    signature.parameters.push_back(
        {cast<StringAttr>(kernel.getArgNames()[i]).getValue().str(),
         cast<TypeAttr>(kernel.getArgTypes()[i]).getValue(), facts.isRead[i],
         facts.isWritten[i]});
  return signature;
}

llvm::Expected<std::vector<Argument>>
run::parseArguments(const Signature &signature, StringRef text) {
  std::vector<Argument> arguments;
  for (auto [i, parameter] : llvm::enumerate(signature.parameters)) {
    Argument argument;
    argument.name = parameter.name;
    argument.type = parameter.type;
    argument.element = getElementTypeOrSelf(argument.type);
    argument.seed = i + 1;
    argument.isRead = parameter.isRead;
    argument.isWritten = parameter.isWritten;
    if (auto memref = dyn_cast<MemRefType>(argument.type)) {
      argument.isBuffer = true;
      argument.shape = llvm::to_vector(memref.getShape());
      if (argument.isWritten && !argument.isRead)
        argument.fill = Fill::Nan;
    }
    arguments.push_back(std::move(argument));
  }

  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  SmallVector<bool> stated(arguments.size(), false);
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    auto found = llvm::find_if(
        arguments, [name = name](const Argument &a) { return a.name == name; });
    if (found == arguments.end() || !part.contains('='))
      return error("expected NAME=VALUE with an argument of kernel '",
                   signature.kernel, "' in --args, got '", part, "'");
    size_t index = found - arguments.begin();
    if (stated[index])
      return error("expected argument '", name, "' once in --args");
    stated[index] = true;
    if (found->isBuffer) {
      if (auto failure = parseBuffer(*found, value))
        return failure;
    } else if (value.getAsDouble(found->scalar)) {
      return error("expected a number for argument '", name, "', got '", value,
                   "'");
    }
  }
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (argument.isBuffer) {
      if (auto failure = checkBuffer(argument))
        return failure;
    } else if (!stated[i]) {
      return error("expected a value for argument '", argument.name,
                   "' in --args, as in --args=", argument.name, "=1");
    } else if (isa<FloatType>(argument.element)) {
      argument.scalar = roundTo(argument.element, argument.scalar);
    } else if (argument.scalar != std::trunc(argument.scalar) ||
               std::fabs(argument.scalar) > 9.0e15) {
      return error("expected an integer for argument '", argument.name,
                   "', got ", argument.scalar);
    }
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// SplitMix64's output function (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators"): a number for each (seed, counter).
static uint64_t hash(uint64_t seed, uint64_t counter) {
  uint64_t x =
      seed * 0xd1342543de82ef95ull + (counter + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// In [-1, 1), a multiple of 2^-52.
static double uniform(uint64_t bits) {
  return std::ldexp(static_cast<double>(bits >> 11), -52) - 1.0;
}

/// Mean 0, variance 1: the sum of twelve uniform numbers less six (Irwin-Hall),
/// which needs no function whose last bit differs between machines.
static double normal(uint64_t seed, uint64_t i) {
  uint64_t sum = 0;
  for (unsigned n = 0; n < 3; ++n) {
    uint64_t bits = hash(seed, 3 * i + n);
    sum += (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) +
           (bits >> 48);
  }
  return (static_cast<double>(sum) + 6.0) / 65536.0 - 6.0;
}

static double valueAt(const Argument &argument, uint64_t i) {
  bool isInteger = !isa<FloatType>(argument.element);
  switch (argument.fill) {
  case Fill::Zeros:
    return 0;
  case Fill::Ones:
    return 1;
  case Fill::Iota:
    return static_cast<double>(i);
  case Fill::Uniform: {
    double x = uniform(hash(argument.seed, i));
    return isInteger ? std::floor(100 * x) : x;
  }
  case Fill::Normal: {
    double x = normal(argument.seed, i);
    return isInteger ? std::nearbyint(10 * x) : x;
  }
  case Fill::SmallInt:
    return static_cast<double>(hash(argument.seed, i) % 7) - 3;
  case Fill::Nan:
    return std::numeric_limits<double>::quiet_NaN();
  }
  llvm_unreachable("all fills are listed");
}

std::vector<int64_t> run::placesOf(const Argument &argument) {
  std::vector<int64_t> places;
  int64_t count = argument.numElements();
  places.reserve(count);
  SmallVector<int64_t> index(argument.shape.size(), 0);
  int64_t place = 0;
  for (int64_t n = 0; n < count; ++n) {
    places.push_back(place);
    for (size_t d = index.size(); d-- > 0;) {
      place += argument.strides[d];
      if (++index[d] < argument.shape[d])
        break;
      place -= argument.strides[d] * argument.shape[d];
      index[d] = 0;
    }
  }
  return places;
}

/// Calls `range(from, to)` for parts of [0, count) on all cores: filling the
/// buffers of a large benchmark would take longer than everything else.
static void onAllCores(size_t count,
                       llvm::function_ref<void(size_t, size_t)> range) {
  constexpr size_t kWorthAThread = size_t(1) << 18;
  size_t parts = std::min<size_t>(
      std::max(1u, std::thread::hardware_concurrency()), count / kWorthAThread);
  std::vector<std::thread> threads;
  for (size_t part = 1; part < parts; ++part)
    threads.emplace_back(range, count * part / parts,
                         count * (part + 1) / parts);
  range(0, parts ? count / parts : count);
  for (std::thread &thread : threads)
    thread.join();
}

llvm::Expected<Memory> run::fillArguments(ArrayRef<Argument> arguments) {
  // Results, reference and magnitudes are kept beside each other: refuse what
  // could only end in a process without memory.
  double needed = 0;
  for (const Argument &argument : arguments)
    needed += 4.0 * double(argument.span()) * sizeof(double);
  double physical =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (physical > 0 && needed > physical)
    return error("expected arguments that fit this machine's memory, got ",
                 static_cast<int64_t>(needed / 4 / sizeof(double)),
                 " elements");
  Memory memory(arguments.size());
  for (auto [argumentOf, bufferOf] : llvm::zip(arguments, memory)) {
    const Argument &argument = argumentOf;
    std::vector<char> &buffer = bufferOf;
    if (!argument.isBuffer)
      continue;
    buffer.assign(bytesOf(argument.element, argument.span()), '\xff');
    char *bytes = buffer.data();
    bool isInteger = !isa<FloatType>(argument.element);
    std::vector<int64_t> places = placesOf(argument);
    auto fill = [&](size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) {
        int64_t place = places[i];
        // Integers have no NaN: all bits set is as unlikely a result.
        if (isInteger && argument.fill == Fill::Nan)
          storeIntegerAt(argument.element, bytes, place, -1);
        else if (isInteger)
          storeIntegerAt(argument.element, bytes, place,
                         static_cast<int64_t>(valueAt(argument, i)));
        else
          storeElementAt(argument.element, bytes, place, valueAt(argument, i));
      }
    };
    if (isPacked(argument.element))
      fill(0, places.size()); // neighbours share bytes
    else
      onAllCores(places.size(), fill);
  }
  return memory;
}

Memory run::widenMemory(ArrayRef<Argument> arguments, const Memory &memory,
                        bool magnitudes) {
  Memory wide(arguments.size());
  for (auto [argument, from, to] : llvm::zip(arguments, memory, wide)) {
    if (!argument.isBuffer)
      continue;
    if (!isa<FloatType>(argument.element)) {
      to = from;
      continue;
    }
    size_t count = argument.span();
    std::vector<double> values =
        loadElements(argument.element, from.data(), count);
    if (magnitudes)
      for (double &value : values)
        value = std::fabs(value);
    to.resize(count * sizeof(double));
    std::memcpy(to.data(), values.data(), to.size());
  }
  return wide;
}

std::vector<double> run::readBuffer(const Argument &argument,
                                    const std::vector<char> &memory,
                                    Type element) {
  std::vector<double> all =
      loadElements(element, memory.data(), argument.span());
  std::vector<double> values;
  for (int64_t place : placesOf(argument))
    values.push_back(all[place]);
  return values;
}

Extents run::extentsOf(ArrayRef<Argument> arguments) {
  Extents extents;
  for (const Argument &argument : arguments) {
    extents.sizes.push_back(argument.shape);
    extents.scalars.push_back(
        argument.isBuffer || isa<FloatType>(argument.element)
            ? std::nullopt
            : std::optional<int64_t>(static_cast<int64_t>(argument.scalar)));
  }
  return extents;
}
