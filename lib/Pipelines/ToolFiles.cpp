//===- ToolFiles.cpp - what tools read and write --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Pipelines/ToolFiles.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tile;
namespace fs = llvm::sys::fs;

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

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
