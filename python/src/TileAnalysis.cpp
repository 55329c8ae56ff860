//===- TileAnalysis.cpp - targets and estimates for Python ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileDialect.h"
#include "tile-c/Analysis.h"

using namespace nb::literals;
using namespace tile_python;

static nb::dict targetFigures(const std::string &arch,
                              const std::string &device) {
  TileTargetFigures figures;
  std::string error;
  if (!tileTargetGetFigures(toC(arch), toC(device), &figures, appendText,
                            &error))
    throw nb::value_error(error.c_str());
  nb::dict result;
  result["arch"] = figures.arch;
  result["capability"] = figures.capability;
  result["shared_per_block"] = figures.sharedPerBlock;
  result["shared_per_sm"] = figures.sharedPerSm;
  result["registers_per_sm"] = figures.registersPerSm;
  result["registers_per_thread"] = figures.registersPerThread;
  result["threads_per_sm"] = figures.threadsPerSm;
  result["blocks_per_sm"] = figures.blocksPerSm;
  result["device"] = figures.device;
  result["multiprocessors"] = figures.multiprocessors;
  result["max_ghz"] = figures.maxGHz;
  result["sustained_ghz"] = figures.sustainedGHz;
  result["dram_bytes_per_second"] = figures.dramBytesPerSecond;
  result["l2_bytes"] = figures.l2Bytes;
  result["tensor_multiply_adds"] = figures.tensorMultiplyAdds;
  result["multiply_adds"] = figures.multiplyAdds;
  result["shared_bytes_per_cycle"] = figures.sharedBytesPerCycle;
  result["l2_bytes_per_cycle"] = figures.l2BytesPerCycle;
  return result;
}

static nb::dict kernelEstimate(MlirOperation kernel, const std::string &arch,
                               const std::string &device,
                               const std::string &hints) {
  TileKernelEstimate estimate;
  std::string limit;
  if (!tileKernelGetEstimate(kernel, toC(arch), toC(device), toC(hints),
                             &estimate, appendText, &limit))
    throw nb::value_error(limit.c_str());
  nb::dict result;
  result["microseconds"] = estimate.microseconds;
  result["blocks"] = estimate.blocks;
  result["threads"] = estimate.threads;
  result["registers"] = estimate.registers;
  result["shared_bytes"] = estimate.sharedBytes;
  result["rounds"] = estimate.rounds;
  result["resident"] = estimate.resident;
  result["tensor_part"] = estimate.tensorPart;
  result["gigahertz"] = estimate.gigahertz;
  result["dram_bytes"] = estimate.dramBytes;
  result["l2_bytes"] = estimate.l2Bytes;
  result["tensor_cycles"] = estimate.tensorCycles;
  result["thread_cycles"] = estimate.threadCycles;
  result["limit"] = limit;
  return result;
}

void tile_python::bindAnalysis(nb::module_ &m) {
  m.def("target_figures", targetFigures, "arch"_a, "device"_a = "",
        "Limits of an architecture and figures of a GPU, by name; ValueError "
        "for names that are not known.");
  m.def(
      "archs",
      [] {
        std::vector<std::string> names;
        for (intptr_t i = 0;; ++i) {
          MlirStringRef name = tileTargetGetArch(i);
          if (!name.length)
            return names;
          names.emplace_back(name.data, name.length);
        }
      },
      "Names of the architectures that there is code for.");
  m.def("kernel_estimate", kernelEstimate, "kernel"_a, "arch"_a,
        "device"_a = "", "hints"_a = "",
        "What a tile.kernel without tunables costs, as written, by the model "
        "that chooses tiles; ValueError where it cannot run.");
}
