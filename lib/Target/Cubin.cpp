//===- Cubin.cpp - PTX to machine code ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Target/Cubin.h"
#include "../Runtime/CubinCheck.h"
#include "ChildProcess.h"
#include "NvJitLink.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

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

static std::atomic<bool> removesOnSignals = false;

void mlir::tile::removeTemporaryFilesOnSignals() { removesOnSignals = true; }

namespace {
/// A file that is gone when the scope ends.
class TemporaryFile {
public:
  ~TemporaryFile() {
    if (path.empty())
      return;
    llvm::sys::fs::remove(path);
    if (removesOnSignals)
      llvm::sys::DontRemoveFileOnSignal(path);
  }
  /// Creates the file with `contents`, or says why it cannot.
  bool create(llvm::StringRef suffix, llvm::StringRef contents,
              std::string &message) {
    int file;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("tile", suffix, file, path)) {
      path.clear();
      llvm::SmallString<128> directory;
      llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true,
                                             directory);
      message = "cannot create a temporary file in '" + directory.str().str() +
                "' (TMPDIR names another place): " + error.message();
      return false;
    }
    if (removesOnSignals)
      llvm::sys::RemoveFileOnSignal(path);
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    os << contents;
    os.close();
    if (!os.has_error())
      return true;
    message = "cannot write the temporary file '" + path.str().str() +
              "' (TMPDIR names another place): " + os.error().message();
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

/// Why ptxas has not assembled what it was given; none where it has.
static std::optional<std::string> explainEnd(const ChildResult &ran,
                                             const std::string &cubin) {
  if (!ran.failure.empty())
    return "ptxas " + ran.failure;
  if (ran.status && *ran.status != 0)
    return "ptxas ended with status " + std::to_string(*ran.status);
  if (ran.status)
    return cubin.empty() ? std::optional<std::string>("ptxas wrote nothing")
                         : std::nullopt;
  // The output tells: ptxas writes it last.
  if (mlir::tile::runtime::checkCubin(cubin).ok())
    return std::nullopt;
  return "ptxas wrote no machine code, and its exit status is lost: expected a "
         "process that does not ignore SIGCHLD, and no other part of it that "
         "waits for all children";
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
  if (!input.create("ptx", ptx, result.message) ||
      !output.create("cubin", "", result.message)) {
    result.status = Status::Failed;
    return result;
  }
  std::string arch = "-arch=" + options.target->arch.str();
  llvm::SmallVector<llvm::StringRef> arguments = {program, arch, "-O3", "-v"};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  result.options = llvm::join(llvm::drop_begin(arguments), " ");
  arguments.append({input.getPath(), "-o", output.getPath()});
  ChildResult ran = runChild(arguments, kTimeoutSeconds);
  std::string cubin = output.read();
  if (std::optional<std::string> why = explainEnd(ran, cubin)) {
    classifyFailure(ran.output, result);
    // What it has said explains its own status, but not another's signal.
    if (result.message.empty() || !ran.failure.empty())
      result.message = *why;
    return result;
  }
  result.cubin = std::move(cubin);
  result.status = Status::Assembled;
  parseAssemblerLog(ran.output, result);
  if (options.wantVersion) {
    ChildResult asked = runChild({program, "--version"}, kTimeoutSeconds);
    if (asked.failure.empty() && asked.status.value_or(0) == 0) {
      // "Cuda compilation tools, release 13.0, V13.0.88"
      llvm::StringRef version =
          llvm::StringRef(asked.output).split(", V").second;
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
