//===- DeviceInfoTest.cpp - table of devices ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Target/DeviceInfo.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace mlir::tile;

namespace {

TEST(DeviceInfo, FiguresAreWhole) {
  for (const DeviceInfo &device : DeviceInfo::all()) {
    SCOPED_TRACE(device.name.str());
    EXPECT_EQ(DeviceInfo::get(device.name), &device);
    EXPECT_GT(device.multiprocessors, 0);
    EXPECT_GT(device.dramBytesPerSecond, 1e11);
    EXPECT_GT(device.l2Capacity, 1e6);
    EXPECT_GE(device.maxGHz, device.sustainedGHz);
    EXPECT_GT(device.sustainedGHz, 1);
    // Each is of an architecture of the other table, which it runs.
    const TargetInfo *target = TargetInfo::newestFor(device.capability);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->capability, device.capability);
    EXPECT_TRUE(device.runs(*target));
    if (device.groups.front()) {
      EXPECT_EQ(std::accumulate(device.groups.begin(), device.groups.end(),
                                int64_t(0)),
                device.multiprocessors);
    }
    EXPECT_EQ(device.figures().clusterPlaces(1), device.multiprocessors);
  }
}

// The figures that the constants of the cost model were fitted with.
TEST(DeviceInfo, DefaultsOfArchitectures) {
  const std::pair<const char *, const char *> kDefaults[] = {
      {"sm_80", "A100-SXM"}, {"sm_86", "A10"},    {"sm_87", "AGX-Orin"},
      {"sm_89", "L40S"},     {"sm_90", "H200"},   {"sm_90a", "H200"},
      {"sm_100f", "B200"},   {"sm_103a", "B200"}, {"sm_110a", "Thor"},
      {"sm_120", "RTX-5090"}};
  for (auto [arch, name] : kDefaults)
    EXPECT_EQ(DeviceInfo::of(*TargetInfo::get(arch), "").name.str(), name);
  EXPECT_EQ(DeviceInfo::of(*TargetInfo::get("sm_90a"), "h20").name.str(),
            "H20");
}

TEST(DeviceInfo, NamesOfTheDriver) {
  struct Case {
    const char *driver;
    unsigned capability;
    int64_t multiprocessors;
    const char *name;
  };
  const Case kCases[] = {
      {"NVIDIA A100-SXM4-80GB", 80, 108, "A100-SXM"},
      {"NVIDIA A100 80GB PCIe", 80, 108, "A100-PCIe"},
      {"NVIDIA A100-PCIE-40GB", 80, 108, "A100-PCIe"},
      {"NVIDIA H100 80GB HBM3", 90, 132, "H100-SXM"},
      {"NVIDIA H100 PCIe", 90, 114, "H100-PCIe"},
      {"NVIDIA H200", 90, 132, "H200"},
      {"NVIDIA H20", 90, 78, "H20"},
      {"NVIDIA GH200 480GB", 90, 132, "GH200"},
      {"NVIDIA L40S", 89, 142, "L40S"},
      {"NVIDIA B200", 100, 148, "B200"},
      {"NVIDIA GeForce RTX 5090", 120, 170, "RTX-5090"},
      // No row of their own: the most similar one of the architecture.
      {"NVIDIA H100 NVL", 90, 132, "H200"},
      {"NVIDIA H800 PCIe", 90, 114, "H100-PCIe"},
      {"NVIDIA GeForce RTX 5080", 120, 84, "RTX-5090"}};
  for (const Case &one : kCases) {
    const DeviceInfo *device =
        DeviceInfo::find(one.driver, one.capability, one.multiprocessors);
    ASSERT_TRUE(device) << one.driver;
    EXPECT_EQ(device->name.str(), one.name) << one.driver;
  }
  EXPECT_FALSE(DeviceInfo::find("NVIDIA T4", 75, 40));
}

TEST(DeviceInfo, NamesOfPeople) {
  EXPECT_EQ(DeviceInfo::get("H100 PCIe"), DeviceInfo::get("h100-pcie"));
  std::string error;
  EXPECT_FALSE(DeviceInfo::get("H100", &error));
  EXPECT_NE(error.find("H100-SXM, H100-PCIe"), std::string::npos) << error;
  EXPECT_FALSE(DeviceInfo::get(""));
  EXPECT_FALSE(
      DeviceInfo::get("H20")->runs(*TargetInfo::get("sm_100"), &error));
  EXPECT_EQ(error, "expected code that H20 (9.0) runs, like that for sm_90a; "
                   "got sm_100");
}

TEST(DeviceInfo, PlacesOfClusters) {
  EXPECT_EQ(DeviceInfo::get("H200")->figures().clusterPlaces(2), 66);
  EXPECT_EQ(DeviceInfo::get("H200")->figures().clusterPlaces(4), 30);
  EXPECT_EQ(DeviceInfo::get("H20")->figures().clusterPlaces(4), 19);
}

} // namespace
