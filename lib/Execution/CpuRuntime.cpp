//===- CpuRuntime.cpp - what compiled kernels call ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// print and assert (see DebugPatterns.cpp of TileToCPU), and the conversions
// between half precision and wider floats that LLVM calls by name on hosts
// without instructions for them. Rings, roles and tokens: CpuSchedule.cpp; the
// C library: CpuLibrary.cpp.
//
//===----------------------------------------------------------------------===//
#include "CpuRuntime.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::tile;

static std::string &line(CpuContext *context) {
  return context->output.back().second;
}

static void printBegin(CpuContext *context, int64_t block,
                       const char *message) {
  if (context->output.empty() || context->output.back().first != block)
    context->output.push_back({block, {}});
  line(context) += message;
  context->firstIndex = true;
}

static void printIndex(CpuContext *context, int64_t index) {
  line(context) += context->firstIndex ? "[" : ", ";
  context->firstIndex = false;
  line(context) += std::to_string(index);
}

static void endLine(CpuContext *context, const std::string &value) {
  if (!context->firstIndex)
    line(context) += "]";
  line(context) += ": " + value + "\n";
}

static void printFloat(CpuContext *context, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  endLine(context, text);
}

static void printInt(CpuContext *context, int64_t value) {
  endLine(context, std::to_string(value));
}

static void assertFailed(CpuContext *context, int64_t block,
                         const char *message) {
  context->failure = message;
  context->failedBlock = block;
  CpuSchedule &schedule = context->schedule;
  std::longjmp(schedule.agents[schedule.current].unwind, 1);
}

//===----------------------------------------------------------------------===//
// Half precision
//===----------------------------------------------------------------------===//

static uint16_t narrow(llvm::APFloat value, const llvm::fltSemantics &format) {
  bool lossy = false;
  value.convert(format, llvm::APFloat::rmNearestTiesToEven, &lossy);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

#if defined(__x86_64__)
// The psABI passes a half in the low bits of an SSE register, as a float's are.
using HalfRegister = float;
#else
using HalfRegister = uint16_t;
#endif

static HalfRegister toRegister(uint16_t bits) {
#if defined(__x86_64__)
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
#else
  return bits;
#endif
}

static HalfRegister floatToHalf(float x) {
  return toRegister(narrow(llvm::APFloat(x), llvm::APFloat::IEEEhalf()));
}
static HalfRegister doubleToHalf(double x) {
  return toRegister(narrow(llvm::APFloat(x), llvm::APFloat::IEEEhalf()));
}
static HalfRegister floatToBfloat(float x) {
  return toRegister(narrow(llvm::APFloat(x), llvm::APFloat::BFloat()));
}
static HalfRegister doubleToBfloat(double x) {
  return toRegister(narrow(llvm::APFloat(x), llvm::APFloat::BFloat()));
}
static float halfToFloat(HalfRegister x) {
#if defined(__x86_64__)
  uint64_t bits = llvm::bit_cast<uint32_t>(x) & 0xffff;
#else
  uint64_t bits = x;
#endif
  llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
  bool lossy = false;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &lossy);
  return value.convertToFloat();
}

std::vector<std::pair<llvm::StringRef, void *>>
mlir::tile::getCpuRuntimeFunctions() {
  auto address = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  std::vector<std::pair<llvm::StringRef, void *>> functions{
      {"tile_cpu_print_begin", address(printBegin)},
      {"tile_cpu_print_index", address(printIndex)},
      {"tile_cpu_print_float", address(printFloat)},
      {"tile_cpu_print_int", address(printInt)},
      {"tile_cpu_assert_failed", address(assertFailed)},
      {"__truncsfhf2", address(floatToHalf)},
      {"__truncdfhf2", address(doubleToHalf)},
      {"__truncsfbf2", address(floatToBfloat)},
      {"__truncdfbf2", address(doubleToBfloat)},
      {"__extendhfsf2", address(halfToFloat)}};
  appendScheduleFunctions(functions);
  appendGridFunctions(functions);
  appendWorkspaceFunctions(functions);
  appendClusterFunctions(functions);
  appendLibraryFunctions(functions);
  return functions;
}
