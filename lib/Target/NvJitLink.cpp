//===- NvJitLink.cpp - nvJitLink, opened at run time ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations follow the nvJitLink documentation (CUDA Toolkit 12 and 13); the
// library itself is looked for by its versioned names, the newest first.
//
//===----------------------------------------------------------------------===//
#include "NvJitLink.h"
#include "llvm/ADT/StringExtras.h"
#include <dlfcn.h>
#include <vector>

using namespace mlir::tile;

namespace {
using Handle = struct Opaque *;
constexpr int kSuccess = 0;
constexpr int kInputPtx = 2;

struct Functions {
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*errorLogSize)(Handle, size_t *) = nullptr;
  int (*errorLog)(Handle, char *) = nullptr;
  int (*infoLogSize)(Handle, size_t *) = nullptr;
  int (*infoLog)(Handle, char *) = nullptr;
  int (*version)(unsigned *, unsigned *) = nullptr; ///< absent before 12.3

  /// False when no library has all that is needed. The library stays open: its
  /// initialization is costly, and unloading it is not supported everywhere.
  bool load();
};
} // namespace

bool Functions::load() {
  for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12",
                           "/usr/local/cuda/lib64/libnvJitLink.so.13",
                           "/usr/local/cuda/lib64/libnvJitLink.so.12"}) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      continue;
    bool complete_ = true;
    auto find = [&](auto &function, const char *symbol) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, symbol));
      complete_ &= function != nullptr;
    };
    find(create, "nvJitLinkCreate");
    find(destroy, "nvJitLinkDestroy");
    find(addData, "nvJitLinkAddData");
    find(complete, "nvJitLinkComplete");
    find(cubinSize, "nvJitLinkGetLinkedCubinSize");
    find(cubin, "nvJitLinkGetLinkedCubin");
    find(errorLogSize, "nvJitLinkGetErrorLogSize");
    find(errorLog, "nvJitLinkGetErrorLog");
    find(infoLogSize, "nvJitLinkGetInfoLogSize");
    find(infoLog, "nvJitLinkGetInfoLog");
    version =
        reinterpret_cast<decltype(version)>(dlsym(library, "nvJitLinkVersion"));
    if (complete_)
      return true;
    dlclose(library);
  }
  return false;
}

static std::string readLog(Handle handle, int (*size)(Handle, size_t *),
                           int (*read)(Handle, char *)) {
  size_t length = 0;
  if (size(handle, &length) != kSuccess || length == 0)
    return {};
  std::string text(length, '\0');
  if (read(handle, text.data()) != kSuccess)
    return {};
  return text.c_str(); // up to the terminator that the size counts
}

AssemblerResult
mlir::tile::assembleWithNvJitLink(llvm::StringRef ptx,
                                  const AssemblerOptions &options) {
  AssemblerResult result;
  result.assembler = "nvJitLink";
  Functions link;
  if (!link.load()) {
    result.message = "libnvJitLink.so.13 or .12 is not found";
    return result;
  }
  if (options.wantVersion && link.version) {
    unsigned major = 0, minor = 0;
    if (link.version(&major, &minor) == kSuccess)
      result.version = std::to_string(major) + "." + std::to_string(minor);
  }
  std::vector<std::string> arguments = {"-arch=" + options.target->arch.str(),
                                        "-O3", "-verbose"};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  result.options = llvm::join(arguments, " ");
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  Handle handle = nullptr;
  if (link.create(&handle, pointers.size(), pointers.data()) != kSuccess) {
    // Options are fixed but for the architecture.
    result.status = AssemblerResult::Status::TooOld;
    result.message = "nvJitLink does not know the architecture " +
                     options.target->arch.str();
    return result;
  }
  // The reader of PTX wants the terminator of a C string.
  std::string text = ptx.str();
  int error = link.addData(handle, kInputPtx, text.c_str(), text.size() + 1,
                           "tile.ptx");
  if (error == kSuccess)
    error = link.complete(handle);
  std::string info = readLog(handle, link.infoLogSize, link.infoLog);
  size_t size = 0;
  if (error == kSuccess)
    error = link.cubinSize(handle, &size);
  if (error == kSuccess) {
    result.cubin.resize(size);
    error = link.cubin(handle, result.cubin.data());
  }
  if (error == kSuccess) {
    result.status = AssemblerResult::Status::Assembled;
    parseAssemblerLog(info, result);
  } else {
    std::string log = readLog(handle, link.errorLogSize, link.errorLog);
    if (log.empty())
      log = "nvJitLink failed with error " + std::to_string(error);
    classifyFailure(log, result);
    result.cubin.clear();
  }
  link.destroy(&handle);
  return result;
}
