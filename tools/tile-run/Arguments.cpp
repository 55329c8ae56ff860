//===- Arguments.cpp - the arguments of a run -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--args=NAME=[SHAPE[@STRIDES]][:FILL[:SEED]],...` or `NAME=@FILE.npy` for
// buffers, `NAME=NUMBER` for scalars.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Elements.h"
#include "Strides.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

/// By Fill; files have a syntax of their own.
static constexpr llvm::StringLiteral kFillNames[] = {
    "zeros", "ones",  "iota",   "uniform",     "normal", "smallint",
    "nan",   "range", "sorted", "permutation", "places", "halves"};

/// Integers up to here are exact in the f64 that data is made in.
static constexpr int64_t kLargestExact = int64_t(1) << 53;

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

int64_t Argument::span() const { return isBuffer ? spanOf(shape, strides) : 0; }

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
  stream << " " << element << ", ";
  if (fill == Fill::File) {
    stream << "from '" << file.path << "'";
    return text;
  }
  stream << kFillNames[static_cast<int>(fill)];
  if (fill == Fill::Range || fill == Fill::Sorted)
    stream << " " << low << " to " << high;
  if (fill != Fill::Zeros && fill != Fill::Ones && fill != Fill::Iota &&
      fill != Fill::Nan)
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

/// `LO:HI` of the fills that have them.
static llvm::Error parseRange(Argument &argument, StringRef fill,
                              ArrayRef<StringRef> &parts) {
  auto fits = [](int64_t number) {
    return number >= -kLargestExact && number <= kLargestExact;
  };
  if (parts.size() < 2 || parts[0].getAsInteger(10, argument.low) ||
      parts[1].getAsInteger(10, argument.high) || !fits(argument.low) ||
      !fits(argument.high) || argument.low >= argument.high)
    return error("expected ", fill, ":LO:HI, with LO below HI, for argument '",
                 argument.name, "'");
  parts = parts.drop_front(2);
  return llvm::Error::success();
}

/// `FILL[:LO:HI][:SEED]`
static llvm::Error parseFill(Argument &argument, ArrayRef<StringRef> parts) {
  if (parts.empty())
    return llvm::Error::success();
  StringRef fill = parts.front();
  parts = parts.drop_front();
  auto *name = llvm::find(kFillNames, fill);
  if (name == std::end(kFillNames))
    return error("expected a fill (", llvm::join(ArrayRef(kFillNames), ", "),
                 ") for argument '", argument.name, "', got '", fill, "'");
  argument.fill = static_cast<Fill>(name - std::begin(kFillNames));
  if (argument.fill == Fill::Range || argument.fill == Fill::Sorted)
    if (auto failure = parseRange(argument, fill, parts))
      return failure;
  if (parts.empty())
    return llvm::Error::success();
  if (parts.front().getAsInteger(10, argument.seed))
    return error("expected a seed for argument '", argument.name, "', got '",
                 parts.front(), "'");
  if (parts.size() > 1)
    return error("expected SHAPE:FILL:SEED for argument '", argument.name,
                 "', got '", parts[1], "' after the seed");
  return llvm::Error::success();
}

static llvm::Error parseBuffer(Argument &argument, StringRef text) {
  if (text.consume_front("@")) {
    auto file = openNpy(text);
    if (!file)
      return file.takeError();
    if (auto failure = checkNpyElement(*file, argument.name, argument.element))
      return failure;
    argument.fill = Fill::File;
    argument.shape = file->shape;
    if (file->isFortran)
      argument.strides = denseStrides(file->shape, /*isFortran=*/true);
    argument.file = std::move(*file);
    return llvm::Error::success();
  }
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  bool hasShape = !parts[0].empty() && llvm::isDigit(parts[0][0]);
  if (hasShape) {
    auto [shapeText, strideText] = parts[0].split('@');
    argument.shape.clear();
    if (auto failure = parseExtents(argument.name, shapeText, argument.shape))
      return failure;
    if (parts[0].contains('@'))
      if (auto failure =
              parseExtents(argument.name, strideText, argument.strides))
        return failure;
  }
  return parseFill(argument, ArrayRef<StringRef>(parts).drop_front(
                                 hasShape || parts[0].empty()));
}

/// The shape fits the type, and has a reasonable number of elements.
static llvm::Error checkShape(const Argument &argument) {
  auto type = cast<MemRefType>(argument.type);
  StringRef name = argument.name;
  if (static_cast<int64_t>(argument.shape.size()) != type.getRank())
    return error("expected ", type.getRank(), " extents of argument '", name,
                 "', got ", argument.shape.size());
  int64_t count = 1;
  for (auto [d, size] : llvm::enumerate(argument.shape)) {
    if (ShapedType::isDynamic(size))
      return error("expected the shape of argument '", name, "' of type ", type,
                   " in --args, as in --args=", name,
                   "=1024x512, or a tile.shape_hint on the argument");
    if (!type.isDynamicDim(d) && type.getDimSize(d) != size)
      return error("expected extent ", type.getDimSize(d), " in dimension ", d,
                   " of argument '", name, "', got ", size);
    if (size > kLargestBuffer || llvm::MulOverflow(count, size, count) ||
        count > kLargestBuffer)
      return error("expected at most 2^30 elements in argument '", name, "'");
  }
  return llvm::Error::success();
}

/// The strides that the type states, kDynamic where it leaves them open. Those
/// of an identity layout follow from the shape.
static llvm::Expected<SmallVector<int64_t>>
stridesOfType(const Argument &argument) {
  auto type = cast<MemRefType>(argument.type);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return error("expected a strided memref as argument '", argument.name,
                 "', got ", type);
  if (!ShapedType::isDynamic(offset) && offset != 0)
    return error("expected argument '", argument.name,
                 "' to start at offset 0, got ", offset);
  if (type.getLayout().isIdentity())
    return denseStrides(argument.shape);
  return strides;
}

/// Strides are within the address space, and keep apart what is written.
static llvm::Error checkPlaces(const Argument &argument) {
  StringRef name = argument.name;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(argument.shape, argument.strides)) {
    int64_t reach = 0;
    if (stride < 0)
      return error("expected strides of argument '", name,
                   "' to be 0 or more, got ", stride);
    if (size <= 1)
      continue;
    if (llvm::MulOverflow(size - 1, stride, reach) ||
        llvm::AddOverflow(last, reach, last) || last >= kLargestBuffer)
      return error("expected strides of argument '", name,
                   "' to stay below 2^30 elements");
  }
  if (!argument.isWritten)
    return llvm::Error::success();
  auto shared = findShared(argument.shape, argument.strides);
  if (!shared)
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "expected the elements of argument '" << name
         << "', which is written, to have places of their own, got strides ";
  llvm::interleave(argument.strides, stream, "x");
  stream << " for shape ";
  llvm::interleave(argument.shape, stream, "x");
  stream << ": element [";
  llvm::interleaveComma(*shared, stream);
  stream << "] lies where another one does";
  return llvm::createStringError(text);
}

/// Shape and strides fit the type; chooses the strides that are open.
static llvm::Error checkBuffer(Argument &argument) {
  if (auto failure = checkShape(argument))
    return failure;
  auto stated = stridesOfType(argument);
  if (!stated)
    return stated.takeError();
  if (argument.strides.empty()) {
    argument.strides = *stated;
    for (auto [size, stride] : llvm::zip(argument.shape, argument.strides))
      if (size > 1 && stride > kLargestBuffer)
        return error("expected strides of argument '", argument.name,
                     "' to stay below 2^30 elements");
    chooseStrides(argument.shape, argument.strides);
  }
  if (argument.strides.size() != argument.shape.size())
    return error("expected ", argument.shape.size(), " strides of argument '",
                 argument.name, "', got ", argument.strides.size());
  for (auto [d, stride] : llvm::enumerate(argument.strides))
    if (!ShapedType::isDynamic((*stated)[d]) && (*stated)[d] != stride &&
        argument.shape[d] > 1 && argument.numElements() > 0)
      return error(
          "expected stride ", (*stated)[d], " in dimension ", d,
          " of argument '", argument.name, "' of type ", argument.type,
          ", got ", stride,
          argument.fill == Fill::File
              ? " of a file in Fortran order; numpy.ascontiguousarray(array) "
                "is in C order"
              : "");
  return checkPlaces(argument);
}

/// The integers of a fill fit the element type.
static llvm::Error checkFill(const Argument &argument) {
  if ((argument.fill == Fill::Places || argument.fill == Fill::Halves) &&
      !(isa<IntegerType>(argument.element) &&
        argument.element.getIntOrFloatBitWidth() % 4 == 0 &&
        argument.element.getIntOrFloatBitWidth() <= 32))
    return error("expected integers of 4 to 32 bits for the places of argument "
                 "'",
                 argument.name, "', got ", argument.element);
  int64_t low = argument.low, last = argument.high - 1;
  if (argument.fill == Fill::Permutation)
    last = argument.numElements() - 1;
  else if (argument.fill != Fill::Range && argument.fill != Fill::Sorted)
    return llvm::Error::success();
  Type type = argument.element;
  if (isa<FloatType>(type))
    return llvm::Error::success();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  int64_t least = bits == 1 ? 0 : llvm::minIntN(bits);
  int64_t most = bits == 1 ? 1 : llvm::maxIntN(bits);
  if (low >= least && last <= most)
    return llvm::Error::success();
  return error("expected numbers of argument '", argument.name,
               "' to fit its type ", type, ", got ", low, " to ", last);
}

Signature run::signatureOf(KernelOp kernel, const KernelFacts &facts) {
  Signature signature;
  signature.kernel = kernel.getSymName().str();
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i) {
    auto attrs = cast<DictionaryAttr>(kernel.getArgAttrs()[i]);
    auto hint = attrs.getAs<DenseI64ArrayAttr>(kShapeHintAttrName);
    // Of several problems the first.
    if (auto list = attrs.getAs<ArrayAttr>(kShapeHintAttrName))
      hint = cast<DenseI64ArrayAttr>(list[0]);
    signature.parameters.push_back(
        {cast<StringAttr>(kernel.getArgNames()[i]).getValue().str(),
         cast<TypeAttr>(kernel.getArgTypes()[i]).getValue(), facts.isRead[i],
         facts.isWritten[i],
         hint ? SmallVector<int64_t>(hint.asArrayRef())
              : SmallVector<int64_t>(),
         facts.isIndices[i], facts.sparseColumns[i]});
  }
  return signature;
}

llvm::Expected<unsigned> run::findBuffer(ArrayRef<Argument> arguments,
                                         StringRef kernel, StringRef name,
                                         StringRef option) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (argument.isBuffer && argument.name == name)
      return i;
  return error("expected a buffer argument of kernel '", kernel, "' in ",
               option, ", got '", name, "'");
}

/// An integer of the argument's type, signed or unsigned, that a double
/// holds: as which it is kept.
static llvm::Error checkInteger(const Argument &argument) {
  double number = argument.scalar;
  constexpr double kMost = 9007199254740992.0; // 2^53
  if (number != std::trunc(number) || std::fabs(number) > kMost)
    return error("expected an integer for argument '", argument.name,
                 "', of at most 2^53 in magnitude, got ", number);
  unsigned bits = argument.element.isIndex()
                      ? 64
                      : argument.element.getIntOrFloatBitWidth();
  if (number < -std::ldexp(1.0, int(bits) - 1) ||
      number >= std::ldexp(1.0, int(bits)))
    return error("expected an integer that fits type ", argument.element,
                 " for argument '", argument.name, "', got ",
                 static_cast<int64_t>(number));
  return llvm::Error::success();
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
    argument.scalar = 1;
    if (auto memref = dyn_cast<MemRefType>(argument.type)) {
      argument.isBuffer = true;
      argument.shape = llvm::to_vector(memref.getShape());
      for (auto [d, size] : llvm::enumerate(argument.shape))
        if (ShapedType::isDynamic(size) && !parameter.hint.empty())
          size = parameter.hint[d];
      if (argument.isWritten && !argument.isRead)
        argument.fill = Fill::Nan;
      else if (parameter.isIndices) // a row that is named twice is a race
        argument.fill = Fill::Permutation;
      else if (parameter.sparseColumns)
        argument.fill =
            parameter.sparseColumns == 2 ? Fill::Halves : Fill::Places;
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
      if (auto failure = checkFill(argument))
        return failure;
    } else if (!stated[i] && !isa<FloatType>(argument.element)) {
      ArrayRef<int64_t> hint = signature.parameters[i].hint;
      if (hint.empty())
        return error("expected a value for argument '", argument.name,
                     "' in --args, as in --args=", argument.name, "=1");
      argument.scalar = static_cast<double>(hint.front());
    } else if (isa<FloatType>(argument.element)) {
      argument.scalar = roundTo(argument.element, argument.scalar);
    } else if (auto failure = checkInteger(argument)) {
      return failure;
    }
  }
  return arguments;
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
