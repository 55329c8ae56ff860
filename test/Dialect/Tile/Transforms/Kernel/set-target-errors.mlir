// Architectures and devices that are not in the tables are refused, with those that are.
// RUN: not tile-opt %s --tile-set-target=arch=sm_42 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tile-opt %s --tile-set-target=device=GTX-1080 -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not tile-opt %s --tile-set-target="arch=sm_90a device=A100-SXM" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// ARCH: error: expected an architecture among sm_80, {{.*}}sm_120a; got 'sm_42'
// DEVICE: error: expected a device among A100-SXM, {{.*}}; got 'GTX-1080'
// BOTH: error: expected code that A100-SXM (8.0) runs, like that for sm_80; got sm_90a
tile.kernel @k() grid(%b) = (1) threads(32) {
}
