//===- Npy.cpp - arrays in NumPy's file format ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Npy.h"
#include "Elements.h"
#include "Strides.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tile/Pipelines/ToolFiles.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

static constexpr StringRef kMagic = "\x93NUMPY";
/// NumPy itself refuses headers of more than 10000 characters.
static constexpr uint64_t kLargestHeader = 65536;
/// Magic, version, and the header's length in versions 2 and 3.
static constexpr uint64_t kLargestPreamble = 12;

template <typename... T>
static llvm::Error error(StringRef path, const T &...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << path << "': ";
  (stream << ... << parts);
  return llvm::createStringError(text);
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// NumPy's kinds and sizes of a type, as `f2`: the one that is written first.
static SmallVector<StringRef> namesOf(Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    if (type.isF16())
      return {"f2"};
    if (type.isF32())
      return {"f4"};
    if (type.isF64())
      return {"f8"};
    if (type.isBF16())
      return {"u2", "V2"};
    return {"u1", "V1"};
  }
  switch (element.isIndex() ? 64 : element.getIntOrFloatBitWidth()) {
  case 1:
    return {"b1"};
  case 4:
    return {"u1"};
  case 8:
    return {"i1", "u1"};
  case 16:
    return {"i2", "u2"};
  case 32:
    return {"i4", "u4"};
  case 64:
    return {"i8", "u8"};
  default:
    return {};
  }
}

static bool isNumpyType(Type element) {
  return element.isF16() || element.isF32() || element.isF64() ||
         (!isa<FloatType>(element) && !isPacked(element));
}

llvm::Error run::checkNpyElement(const NpyFile &file, StringRef argument,
                                 Type element) {
  StringRef descr = file.descr;
  char order = descr.empty() ? '?' : descr.front();
  SmallVector<StringRef> names = namesOf(element);
  if (llvm::is_contained(names, descr.drop_front()) &&
      (order == '<' || order == '|'))
    return llvm::Error::success();
  if (order == '>')
    return error(file.path, "expected little-endian elements, got '", descr,
                 "'; array.astype(array.dtype.newbyteorder('<')) has them");
  std::string expected;
  for (StringRef name : names)
    expected += (expected.empty() ? "'" : " or '") +
                std::string(name.back() == '1' ? "|" : "<") + name.str() + "'";
  return error(file.path, "expected elements ", expected, " for argument '",
               argument, "' of ", element,
               isNumpyType(element) ? "" : " (its bits)", ", got '", descr,
               "'");
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

namespace {
/// Reads a header's text, a Python dictionary of three entries.
class HeaderParser {
public:
  HeaderParser(StringRef text, NpyFile &file) : rest(text), file(file) {}

  /// False where the text is no such dictionary.
  bool parse() {
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':') || !entry(key))
        return false;
      if (!take(',')) {
        if (!take('}'))
          return false;
        break;
      }
    }
    return rest.trim(" \n").empty() && seen == 7;
  }

private:
  bool take(char which) {
    rest = rest.ltrim(' ');
    return rest.consume_front(StringRef(&which, 1));
  }

  bool string(std::string &value) {
    rest = rest.ltrim(' ');
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return false;
    value = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  bool entry(StringRef key) {
    unsigned bit = key == "descr"           ? 1
                   : key == "fortran_order" ? 2
                   : key == "shape"         ? 4
                                            : 0;
    if (!bit || seen & bit)
      return false;
    seen |= bit;
    if (bit == 1)
      return string(file.descr);
    if (bit == 4)
      return tuple();
    rest = rest.ltrim(' ');
    file.isFortran = rest.consume_front("True");
    return file.isFortran || rest.consume_front("False");
  }

  /// `()`, `(3,)` or `(3, 4)`
  bool tuple() {
    if (!take('('))
      return false;
    while (!take(')')) {
      rest = rest.ltrim(' ');
      int64_t size = 0;
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      file.shape.push_back(size);
      if (!take(','))
        return take(')');
    }
    return true;
  }

  StringRef rest;
  NpyFile &file;
  unsigned seen = 0;
};
} // namespace

/// Fills `to` from `offset` on; false at the file's end.
static llvm::Expected<bool> readAll(llvm::sys::fs::file_t handle,
                                    MutableArrayRef<char> to, uint64_t offset) {
  while (!to.empty()) {
    auto count = llvm::sys::fs::readNativeFileSlice(handle, to, offset);
    if (!count)
      return count.takeError();
    if (*count == 0)
      return false;
    to = to.drop_front(*count);
    offset += *count;
  }
  return true;
}

/// Calls `use` with the opened file, which is a regular one: others may have no
/// end, or never begin.
static llvm::Error
withFile(StringRef path,
         llvm::function_ref<llvm::Error(llvm::sys::fs::file_t, uint64_t)> use) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return error(path, "cannot read: ", code.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return error(path, "expected a file");
  auto handle = llvm::sys::fs::openNativeFileForRead(path);
  if (!handle)
    return error(path, "cannot read: ", llvm::toString(handle.takeError()));
  llvm::scope_exit close([&] { (void)llvm::sys::fs::closeFile(*handle); });
  return use(*handle, status.getSize());
}

/// Bytes of an element by its name, as 2 of `<f2`; 0 of what is neither a
/// number nor bits.
static uint64_t bytesOfName(StringRef descr) {
  uint64_t bytes = 0;
  if (descr.size() < 3 || !StringRef("biufV").contains(descr[1]) ||
      descr.drop_front(2).getAsInteger(10, bytes) || bytes > 16)
    return 0;
  return bytes;
}

static llvm::Error readHeader(NpyFile &file, llvm::sys::fs::file_t handle,
                              uint64_t size) {
  StringRef path = file.path;
  std::string begin(std::min<uint64_t>(size, kLargestPreamble + kLargestHeader),
                    '\0');
  auto complete = readAll(handle, begin, 0);
  if (!complete)
    return error(path, "cannot read: ", llvm::toString(complete.takeError()));
  if (!StringRef(begin).starts_with(kMagic) || begin.size() < 10)
    return error(path, "expected a file of NumPy's format, which begins with "
                       "the byte 0x93 and NUMPY");
  auto byte = [&](size_t i) {
    return uint64_t(static_cast<unsigned char>(begin[i]));
  };
  if (byte(6) < 1 || byte(6) > 3)
    return error(path, "expected version 1 to 3 of NumPy's format, got ",
                 byte(6));
  uint64_t preamble = byte(6) == 1 ? 10 : 12, length = byte(8) | byte(9) << 8;
  if (byte(6) > 1 && begin.size() >= preamble)
    length |= byte(10) << 16 | byte(11) << 24;
  if (length > kLargestHeader || preamble + length > begin.size())
    return error(path, "expected a header of ", length,
                 " bytes, got a file of ", size);
  StringRef text = StringRef(begin).substr(preamble, length);
  if (!HeaderParser(text, file).parse())
    return error(path, "expected a header with a descr of one type, "
                       "fortran_order and shape");
  uint64_t bytes = bytesOfName(file.descr);
  if (!bytes)
    return error(path,
                 "expected elements of one boolean, integer or "
                 "floating-point type, got '",
                 file.descr, "'");
  int64_t count = 1;
  bool isEmpty = llvm::is_contained(file.shape, 0);
  for (int64_t extent : file.shape)
    if (!isEmpty &&
        (llvm::MulOverflow(count, extent, count) || count > kLargestBuffer))
      return error(path, "expected at most 2^30 elements");
  file.dataOffset = preamble + length;
  uint64_t expected = isEmpty ? 0 : uint64_t(count) * bytes;
  if (size - file.dataOffset != expected)
    return error(path, "expected ", expected, " bytes of elements, got ",
                 size - file.dataOffset);
  return llvm::Error::success();
}

llvm::Expected<NpyFile> run::openNpy(StringRef path) {
  NpyFile file;
  file.path = path.str();
  if (auto failure = withFile(path, [&](auto handle, uint64_t size) {
        return readHeader(file, handle, size);
      }))
    return failure;
  return file;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

llvm::Error run::readNpy(const NpyFile &file, StringRef argument, Type element,
                         ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                         Buffer &to) {
  int64_t count = 1, bytes = elementBytes(element);
  for (int64_t size : shape)
    count *= size;
  Buffer data(count * bytes);
  if (auto failure = withFile(
          file.path,
          [&](llvm::sys::fs::file_t handle, uint64_t) -> llvm::Error {
            auto complete =
                readAll(handle, MutableArrayRef<char>(data.data(), data.size()),
                        file.dataOffset);
            if (!complete)
              return complete.takeError();
            return *complete ? llvm::Error::success()
                             : error(file.path, "ends too early");
          }))
    return failure;
  // In the file, the elements lie one after the other.
  SmallVector<int64_t> fileStrides = denseStrides(shape, file.isFortran);
  ElementOrder order(shape, strides);
  SmallVector<int64_t> places;
  ElementOrder fileOrder(shape, fileStrides);
  for (int64_t from = 0; from < count; from += kChunk) {
    int64_t end = std::min<int64_t>(count, from + kChunk);
    places.resize(end - from);
    fileOrder.forEachRun(
        from, end,
        [&](int64_t number, int64_t place, int64_t stride, int64_t length) {
          for (int64_t i = 0; i < length; ++i)
            places[number - from + i] = place + i * stride;
        });
    bool fits = true;
    order.forEachRun(
        from, end,
        [&](int64_t number, int64_t place, int64_t stride, int64_t length) {
          for (int64_t i = 0; i < length; ++i) {
            const char *source =
                data.data() + places[number - from + i] * bytes;
            uint64_t bits = 0;
            std::memcpy(&bits, source, bytes);
            fits &= !isPacked(element) || bits < 16;
            if (element.isInteger(1))
              bits = bits != 0;
            storeBitsAt(element, to.data(), place + i * stride, bits);
          }
        });
    if (!fits)
      return error(file.path, "expected bytes below 16 for argument '",
                   argument, "' of ", element);
  }
  return llvm::Error::success();
}

llvm::Error run::writeNpy(StringRef path, Type element, ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> strides, const Buffer &from) {
  StringRef name = namesOf(element).front();
  std::string header;
  llvm::raw_string_ostream text(header);
  text << "{'descr': '" << (name.back() == '1' ? "|" : "<") << name
       << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(shape, text);
  text << (shape.size() == 1 ? ",), }" : "), }");
  // NumPy aligns the elements to 64 bytes.
  constexpr size_t kPreamble = 10, kAlign = 64;
  size_t length = llvm::alignTo(kPreamble + header.size() + 1, kAlign);
  header.append(length - kPreamble - header.size() - 1, ' ');
  header += '\n';
  int64_t count = 1, bytes = elementBytes(element);
  for (int64_t size : shape)
    count *= size;
  ElementOrder order(shape, strides);
  std::string file;
  llvm::raw_string_ostream out(file);
  out << kMagic << '\x01' << '\0' << char(header.size() & 0xff)
      << char(header.size() >> 8) << header;
  std::vector<char> row(kChunk * bytes);
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    int64_t end = std::min<int64_t>(count, begin + kChunk);
    order.forEachRun(
        begin, end,
        [&](int64_t number, int64_t place, int64_t stride, int64_t size) {
          for (int64_t i = 0; i < size; ++i) {
            uint64_t bits =
                loadBitsAt(element, from.data(), place + i * stride);
            std::memcpy(row.data() + (number - begin + i) * bytes, &bits,
                        bytes);
          }
        });
    out.write(row.data(), (end - begin) * bytes);
  }
  return writeWhole(path, file);
}
