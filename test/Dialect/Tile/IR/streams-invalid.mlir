// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected 'tile.streams' to be an array of i64 on a kernel, ascending positions of its buffers, got array<i64: 1>}}
tile.kernel @scalar(%X: memref<?xf16>, %n: index) grid(%b) = (1) threads(128) attributes {tile.streams = array<i64: 1>} {
}

// -----
// expected-error @+1 {{expected 'tile.streams' to be an array of i64 on a kernel, ascending positions of its buffers, got array<i64: 1, 0>}}
tile.kernel @order(%X: memref<?xf16>, %Y: memref<?xf16>) grid(%b) = (1) threads(128) attributes {tile.streams = array<i64: 1, 0>} {
}

// -----
// expected-error @+1 {{expected 'tile.shared_reads' to be an array of i64 on a kernel, ascending positions of its buffers, got array<i64: 2>}}
tile.kernel @beyond(%X: memref<?xf16>, %Y: memref<?xf16>) grid(%b) = (1) threads(128) attributes {tile.shared_reads = array<i64: 2>} {
}

// -----
// expected-error @+1 {{expected 'tile.stream_limits' to be an array of four positive i64 on a kernel, got array<i64: 0, 5, 5, 5>}}
tile.kernel @limits(%X: memref<?xf16>) grid(%b) = (1) threads(128) attributes {tile.stream_limits = array<i64: 0, 5, 5, 5>} {
}

// -----
// expected-error @+1 {{expected 'tile.results' to be an array of i64 on a kernel, ascending positions of its buffers, got array<i64>}}
tile.kernel @nothing(%X: memref<?xf16>) grid(%b) = (1) threads(128) attributes {tile.results = array<i64>} {
}

// -----
// expected-error @+1 {{expected 'tile.read_once' to be a list of `array<i64: ...>` on a kernel, each the position of a buffer and dimensions of the grid, got [array<i64: 0, 1>]}}
tile.kernel @dimension(%X: memref<?xf16>) grid(%b) = (1) threads(128) attributes {tile.read_once = [array<i64: 0, 1>]} {
}

// -----
// expected-error @+1 {{expected 'tile.read_once' to be a list of `array<i64: ...>` on a kernel, each the position of a buffer and dimensions of the grid, got array<i64: 0>}}
tile.kernel @list(%X: memref<?xf16>) grid(%b) = (1) threads(128) attributes {tile.read_once = array<i64: 0>} {
}
