// RUN: tile-opt %s --tile-expand-operations --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a kernel without tunables, got 'b' open: `--tile-choose-tunables` comes first}}
tile.kernel @tunable(%A: memref<?x?xf32>) tunable(%b in [512, 1024]) grid(%bx) = (1) threads(64) {
}
