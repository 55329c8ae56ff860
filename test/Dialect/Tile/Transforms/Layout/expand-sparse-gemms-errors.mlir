// RUN: tile-opt %s --tile-expand-sparse-gemms --split-input-file --verify-diagnostics

// expected-error @+1 {{--tile-set-target}}
module {
tile.kernel @no_target() grid(%bx) = (1) threads(128) {
}
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
// expected-error @+1 {{expected a kernel without tunables, got 'b' open: `--tile-choose-tunables` comes first}}
tile.kernel @tunable(%A: memref<?x?xf32>) tunable(%b in [512, 1024]) grid(%bx) = (1) threads(64) {
}
}
