// The architecture, or the device, that a module is compiled for.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a | FileCheck %s --check-prefix=ARCH
// RUN: tile-opt %s --tile-set-target | FileCheck %s --check-prefix=DEFAULT
// RUN: tile-opt %s --tile-set-target=device=H100-PCIe | FileCheck %s --check-prefix=DEVICE
// What was stated before is replaced.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --tile-set-target=arch=sm_90a | FileCheck %s --check-prefix=ARCH
// Where nothing is asked for, what the module states stays.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-set-target | FileCheck %s --check-prefix=ARCH

// ARCH: module attributes {tile.target = #tile.target<"sm_90a">} {
// DEFAULT: module attributes {tile.target = #tile.target<"sm_80">} {
// DEVICE: module attributes {tile.target = #tile.target<"sm_90a", device = "H100-PCIe">} {
tile.kernel @k() grid(%b) = (1) threads(32) {
}
