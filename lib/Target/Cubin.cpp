//===- Cubin.cpp - PTX to machine code ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Target/Cubin.h"
#include "NvJitLink.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace mlir::tile;
using Status = AssemblerResult::Status;

/// An assembler that runs longer than this hangs.
static constexpr unsigned kTimeoutSeconds = 300;

void mlir::tile::classifyFailure(llvm::StringRef log, AssemblerResult &result) {
  bool tooOld = log.contains("Unsupported .version") ||
                log.contains("is not defined for option 'gpu-name'") ||
                log.contains("Unsupported .target");
  result.status = tooOld ? Status::TooOld : Status::Failed;
  // The first line that complains; what follows tells that it gave up.
  llvm::StringRef first = log.trim().split('\n').first;
  for (llvm::StringRef line : llvm::split(log, '\n'))
    if (line.contains("error") || line.contains("fatal")) {
      first = line;
      break;
    }
  result.message = first.trim().str();
}

namespace {
/// A file that is gone when the scope ends.
class TemporaryFile {
public:
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  /// Creates the file with `contents`.
  bool create(llvm::StringRef suffix, llvm::StringRef contents) {
    int file;
    if (llvm::sys::fs::createTemporaryFile("tile", suffix, file, path)) {
      path.clear();
      return false;
    }
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    os << contents;
    os.close();
    if (!os.has_error())
      return true;
    os.clear_error();
    return false;
  }
  llvm::StringRef getPath() const { return path; }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  llvm::SmallString<128> path;
};
} // namespace

/// Runs `program`, both of its output streams into `log`. Returns its exit
/// status, negative when it could not be run or crashed.
static int run(llvm::StringRef program,
               llvm::ArrayRef<llvm::StringRef> arguments, std::string &log) {
  TemporaryFile output;
  if (!output.create("log", "")) {
    log = "cannot create a temporary file";
    return -1;
  }
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), output.getPath(), output.getPath()};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt,
                                         redirects, kTimeoutSeconds, 0, &error);
  log = error.empty() ? output.read() : error;
  return status;
}

static AssemblerResult assembleWithPtxas(llvm::StringRef ptx,
                                         const AssemblerOptions &options) {
  AssemblerResult result;
  result.assembler = "ptxas";
  std::string program = options.ptxas;
  if (program.empty()) {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas");
    if (!found) {
      result.message = "ptxas is not found on PATH";
      return result;
    }
    program = *found;
  } else if (!llvm::sys::fs::can_execute(program)) {
    result.message = "expected a program at '" + program + "'";
    return result;
  }

  TemporaryFile input, output;
  if (!input.create("ptx", ptx) || !output.create("cubin", "")) {
    result.status = Status::Failed;
    result.message = "cannot write a temporary file";
    return result;
  }
  std::string arch = "-arch=" + options.target->arch.str();
  llvm::SmallVector<llvm::StringRef> arguments = {program, arch, "-O3", "-v"};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  result.options = llvm::join(llvm::drop_begin(arguments), " ");
  arguments.append({input.getPath(), "-o", output.getPath()});
  std::string log;
  int status = run(program, arguments, log);
  if (status != 0) {
    classifyFailure(log, result);
    if (result.message.empty())
      result.message = "ptxas ended with status " + std::to_string(status);
    return result;
  }
  result.cubin = output.read();
  if (result.cubin.empty()) {
    result.status = Status::Failed;
    result.message = "ptxas wrote nothing";
    return result;
  }
  result.status = Status::Assembled;
  parseAssemblerLog(log, result);
  if (options.wantVersion) {
    std::string text;
    if (run(program, {program, "--version"}, text) == 0) {
      // "Cuda compilation tools, release 13.0, V13.0.88"
      llvm::StringRef version = llvm::StringRef(text).split(", V").second;
      result.version =
          version
              .take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
              .str();
    }
  }
  return result;
}

static AssemblerResult assembleWithAny(llvm::StringRef ptx,
                                       const AssemblerOptions &options) {
  AssemblerKind kind = options.kind;
  if (kind == AssemblerKind::Auto && !options.ptxas.empty())
    kind = AssemblerKind::Ptxas;
  if (kind == AssemblerKind::NvJitLink)
    return assembleWithNvJitLink(ptx, options);
  // nvJitLink makes relocatable code: it ignores setmaxnreg (C7504), which
  // costs roles their registers, and takes up to a minute where registers
  // spill.
  AssemblerResult first = assembleWithPtxas(ptx, options);
  if (kind == AssemblerKind::Ptxas || first.status == Status::Assembled ||
      first.status == Status::Failed)
    return first;
  // Absent or too old: the other may be there, and newer.
  AssemblerResult second = assembleWithNvJitLink(ptx, options);
  if (second.status == Status::NotFound) {
    if (first.status == Status::NotFound)
      first.message += ", and " + second.message;
    return first;
  }
  return second;
}

AssemblerResult mlir::tile::assemble(llvm::StringRef ptx,
                                     const AssemblerOptions &options) {
  assert(options.target && "expected a target");
  TimeReport::Scope time(options.timeReport, "assemble",
                         TimeReport::Group::Assembler);
  AssemblerResult result = assembleWithAny(ptx, options);
  if (result.status != Status::TooOld)
    return result;
  // The nearest that an older assembler may know.
  const TargetInfo *nearest = nullptr;
  for (const TargetInfo &target : TargetInfo::all())
    if (target.ptxVersion < options.target->ptxVersion &&
        target.runsOn(options.target->capability))
      nearest = &target;
  if (nearest)
    result.message += "; PTX for " + nearest->arch.str() +
                      " runs on the same devices, and an older one knows it";
  return result;
}
