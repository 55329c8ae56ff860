//===- ToolFiles.cpp - what tools read and write --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Pipelines/ToolFiles.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tile;
namespace fs = llvm::sys::fs;

/// Brackets one in another: regions have two each in the generic form, and a
/// level takes the parser some kilobytes of a stack of eight megabytes.
static constexpr size_t kMaxBrackets = 1024;

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// Where a string or a comment that starts at `place` ends; `place` where none
/// does.
static size_t skipQuoted(StringRef text, size_t place) {
  if (text.substr(place).starts_with("//"))
    return std::min(text.find('\n', place), text.size());
  if (text[place] != '"')
    return place;
  for (size_t i = place + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"' || text[i] == '\n')
      return i + 1; // no string goes on over a line
  }
  return text.size();
}

llvm::Error tile::checkNesting(StringRef text, StringRef name) {
  if (isBytecode(llvm::MemoryBufferRef(text, name)))
    return llvm::Error::success();
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    while (i < text.size() && skipQuoted(text, i) != i)
      i = skipQuoted(text, i);
    if (i == text.size())
      break;
    char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    char previous = i ? text[i - 1] : '\0';
    // Neither comparisons nor arrows are brackets.
    bool opens = StringRef("([{").contains(c) || (c == '<' && next != '=');
    bool closes = StringRef(")]}").contains(c) ||
                  (c == '>' && next != '=' && previous != '-');
    depth = opens ? depth + 1 : depth - (closes && depth);
    if (depth > kMaxBrackets)
      return llvm::createStringError(
          name + ":" + llvm::Twine(text.take_front(i).count('\n') + 1) +
          ": expected at most " + llvm::Twine(kMaxBrackets) +
          " brackets one in another, as regions, types and attributes have");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tile::openSource(StringRef path) {
  std::string reason;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &reason);
  if (!buffer)
    return llvm::createStringError(reason);
  if (llvm::Error error = checkNesting(buffer->getBuffer(), path))
    return error;
  return buffer;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static llvm::Error cannotWrite(const llvm::Twine &what, std::error_code error) {
  return llvm::createStringError(error, "cannot write " + what + ": " +
                                            error.message());
}

/// Writes and closes; the stream's error is taken, since a stream that goes
/// with one ends the process.
static std::error_code writeAndClose(llvm::raw_fd_ostream &stream,
                                     StringRef bytes) {
  stream << bytes;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

static std::error_code replaceFile(StringRef path, StringRef bytes) {
  SmallString<128> temporary;
  int file = 0;
  if (std::error_code error =
          fs::createUniqueFile(path + ".%%%%%%.tmp", file, temporary))
    return error;
  llvm::sys::RemoveFileOnSignal(temporary);
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  std::error_code error = writeAndClose(stream, bytes);
  if (!error)
    error = fs::rename(temporary, path);
  if (error)
    fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  return error;
}

llvm::Error tile::writeWhole(StringRef path, StringRef bytes) {
  if (path == "-") {
    llvm::outs() << bytes;
    return flushStandardOutput();
  }
  fs::file_status status;
  bool exists = !fs::status(path, status);
  std::error_code error;
  if (exists && status.type() != fs::file_type::regular_file) {
    // A rename would destroy a device or a pipe.
    llvm::raw_fd_ostream stream(path, error);
    if (!error)
      error = writeAndClose(stream, bytes);
  } else {
    // The file that a link names is replaced, not the link.
    SmallString<128> target(path);
    if (exists)
      error = fs::real_path(path, target);
    if (!error && exists)
      error = fs::access(target, fs::AccessMode::Write);
    if (!error)
      error = replaceFile(target, bytes);
  }
  if (error)
    return cannotWrite("'" + path + "'", error);
  return llvm::Error::success();
}

llvm::Error tile::flushStandardOutput() {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  if (error)
    return cannotWrite("to standard output", error);
  return llvm::Error::success();
}
