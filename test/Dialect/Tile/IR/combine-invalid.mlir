// RUN: tile-opt %s --verify-diagnostics --split-input-file

// reduce_with-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %u = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce_with-1] expected as many targets and neutral values as sources, one or more, got 1 sources, 2 targets and 1 neutral values}}
  tile.reduce_with (%x) to (%t, %u) dim(1) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>, memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// reduce_with-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %u = tile.alloc : memref<8xf16, #tile.fragment>
  // expected-error @+1 {{[reduce_with-1] expected fragments or shared tiles of numbers}}
  tile.reduce_with (%x) to (%u) dim(1) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf16, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// reduce_with-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %u = tile.alloc : memref<8x5xf32, #tile.fragment>
  %v = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce_with-1] expected fragments or shared tiles of numbers}}
  tile.reduce_with (%x, %u) to (%t, %v) dim(1) neutral(%z, %z : f32, f32) : (memref<8x4xf32, #tile.fragment>, memref<8x5xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>, memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %s : f32, f32
  }
}

// -----

// reduce_with-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce_with-2] expected a dimension in [0, 2), got 2}}
  tile.reduce_with (%x) to (%t) dim(2) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// reduce_with-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce_with-3] expected targets of the sources' shape without dimension 0}}
  tile.reduce_with (%x) to (%t) dim(0) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// reduce_with-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %y = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[reduce_with-3] expected targets that are tiles of their own}}
  tile.reduce_with (%x, %y) to (%t, %t) dim(1) neutral(%z, %z : f32, f32) : (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>, memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %s : f32, f32
  }
}

// -----

// reduce_with-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %i = arith.constant 0 : i32
  // expected-error @+1 {{[reduce_with-4] expected a neutral value of type 'f32', got 'i32'}}
  tile.reduce_with (%x) to (%t) dim(1) neutral(%i : i32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// reduce_with-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce_with-4] expected a region whose arguments are the neutral values' types, twice}}
  tile.reduce_with (%x) to (%t) dim(1) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
}

// -----

// reduce_with-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  tile.reduce_with (%x) to (%t) dim(1) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    // expected-error @+1 {{[reduce_with-4] expected values of the neutral values' types}}
    tile.yield %s, %s : f32, f32
  }
}

// -----

// reduce_with-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %i = arith.constant 0 : index
  tile.reduce_with (%x) to (%t) dim(1) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{[reduce_with-5] expected pure operations on scalars in a combination}}
    %s = memref.load %x[%i, %i] : memref<8x4xf32, #tile.fragment>
    tile.yield %s : f32
  }
}

// -----

// reduce_with-6
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[reduce_with-6] expected a layout of shape [8, 4], got [32]}}
  tile.reduce_with (%x) to (%t) dim(1) neutral(%z : f32) {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// scan_with-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-1] expected targets of the sources' shape and of 8 bits or more an element}}
  tile.scan_with (%x) to (%t) dim(1) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// scan_with-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-1] expected as many targets and neutral values as sources}}
  tile.scan_with (%t, %x) to (%t) dim(1) neutral(%z : f32) : (memref<8xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) to (memref<8xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// scan_with-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-2] expected a dimension in [0, 2), got 3}}
  tile.scan_with (%x) to (%x) dim(3) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// scan_with-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %y = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-3] expected a source that is a target to be its own}}
  tile.scan_with (%x, %y) to (%y, %x) dim(1) neutral(%z, %z : f32, f32) : (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %s : f32, f32
  }
}

// -----

// scan_with-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %y = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-3] expected each target once}}
  tile.scan_with (%x, %x) to (%y, %y) dim(1) neutral(%z, %z : f32, f32) : (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %s : f32, f32
  }
}

// -----

// scan_with-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %i = arith.constant 0 : i32
  // expected-error @+1 {{[scan_with-4] expected a neutral value of type 'f32', got 'i32'}}
  tile.scan_with (%x) to (%x) dim(1) neutral(%i : i32) : (memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// scan_with-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %i = arith.constant 0 : index
  tile.scan_with (%x) to (%x) dim(1) neutral(%z : f32) : (memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{[scan_with-5] expected pure operations on scalars in a combination}}
    %s = memref.load %x[%i, %i] : memref<8x4xf32, #tile.fragment>
    tile.yield %s : f32
  }
}

// -----

// scan_with-6
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-6] expected a layout of shape [8, 4], got [32]}}
  tile.scan_with (%x) to (%x) dim(1) neutral(%z : f32) {layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>} : (memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// scan_with-7
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %y = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-7] expected a carry for each source, 2, got 1}}
  tile.scan_with (%x, %y) to (%x, %y) dim(1) neutral(%z, %z : f32, f32) carry(%t : memref<8xf32, #tile.fragment>) : (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %s : f32, f32
  }
}

// -----

// scan_with-7
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %y = tile.alloc : memref<8x4xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-7] expected each carry once}}
  tile.scan_with (%x, %y) to (%x, %y) dim(1) neutral(%z, %z : f32, f32) carry(%t, %t : memref<8xf32, #tile.fragment>, memref<8xf32, #tile.fragment>) : (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %s : f32, f32
  }
}

// -----

// scan_with-7
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %u = tile.alloc : memref<4xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-7] expected a carry that is a tile of its own, of type 'f32' and of the source's shape without dimension 1}}
  tile.scan_with (%x) to (%x) dim(1) neutral(%z : f32) carry(%u : memref<4xf32, #tile.fragment>) : (memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
}

// -----

// scan-6
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[scan-6] expected a carry that is a tile of its own, of type 'f32' and of the source's shape without dimension 0}}
  tile.scan sum %x to %x dim(0) carry(%x : memref<8x4xf32, #tile.fragment>) : memref<8x4xf32, #tile.fragment> to memref<8x4xf32, #tile.fragment>
}

// -----

// scan-6
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %u = tile.alloc : memref<8xf16, #tile.fragment>
  // expected-error @+1 {{[scan-6] expected a carry that is a tile of its own, of type 'f32' and of the source's shape without dimension 1}}
  tile.scan sum %x to %x dim(1) carry(%u : memref<8xf16, #tile.fragment>) : memref<8x4xf32, #tile.fragment> to memref<8x4xf32, #tile.fragment>
}

// -----

// sort-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %x = tile.alloc : memref<8x4xi4, #tile.fragment>
  // expected-error @+1 {{[sort-1] expected keys that are a fragment or a shared tile of static shape, of numbers of 8, 16, 32 or 64 bits}}
  tile.sort %x dim(0) : memref<8x4xi4, #tile.fragment>
}

// -----

// sort-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[sort-1] expected payloads that are fragments or shared tiles of the keys' shape}}
  tile.sort %x, %t dim(0) : memref<8x4xf32, #tile.fragment>, memref<8xf32, #tile.fragment>
}

// -----

// sort-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[sort-2] expected a dimension of at most 65536 elements, in [0, 2), got 2}}
  tile.sort %x dim(2) : memref<8x4xf32, #tile.fragment>
}

// -----

// sort-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %x = tile.alloc : memref<131072xi8, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[sort-2] expected a dimension of at most 65536 elements, in [0, 1), got 0}}
  tile.sort %x dim(0) : memref<131072xi8, #gpu.address_space<workgroup>>
}

// -----

// sort-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[sort-3] expected each buffer once}}
  tile.sort %x, %x dim(1) : memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>
}

// -----

// sort-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{[sort-4] expected `is_unsigned` on integers, got 'f32'}}
  tile.sort %x dim(1) {is_unsigned} : memref<8x4xf32, #tile.fragment>
}

// -----

// topk-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %v = tile.alloc : memref<8x2xf16, #tile.fragment>
  %p = tile.alloc : memref<8x2xi32, #tile.fragment>
  // expected-error @+1 {{[topk-1] expected fragments or shared tiles of static shape: a source of numbers of 8, 16, 32 or 64 bits, values of its type, and places of i32 or i64}}
  tile.topk %x to %v, %p dim(1) : memref<8x4xf32, #tile.fragment> to memref<8x2xf16, #tile.fragment>, memref<8x2xi32, #tile.fragment>
}

// -----

// topk-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %v = tile.alloc : memref<8x2xf32, #tile.fragment>
  %p = tile.alloc : memref<8x2xi16, #tile.fragment>
  // expected-error @+1 {{[topk-1] expected fragments or shared tiles of static shape: a source of numbers of 8, 16, 32 or 64 bits, values of its type, and places of i32 or i64}}
  tile.topk %x to %v, %p dim(1) : memref<8x4xf32, #tile.fragment> to memref<8x2xf32, #tile.fragment>, memref<8x2xi16, #tile.fragment>
}

// -----

// topk-2
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %v = tile.alloc : memref<8x2xf32, #tile.fragment>
  %p = tile.alloc : memref<8x2xi32, #tile.fragment>
  // expected-error @+1 {{[topk-2] expected a dimension of at most 65536 elements, in [0, 2), got -1}}
  tile.topk %x to %v, %p dim(-1) : memref<8x4xf32, #tile.fragment> to memref<8x2xf32, #tile.fragment>, memref<8x2xi32, #tile.fragment>
}

// -----

// topk-3
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %v = tile.alloc : memref<8x5xf32, #tile.fragment>
  %p = tile.alloc : memref<8x5xi32, #tile.fragment>
  // expected-error @+1 {{[topk-3] expected values and places of the source's shape with 1 to 4 elements in dimension 1}}
  tile.topk %x to %v, %p dim(1) : memref<8x4xf32, #tile.fragment> to memref<8x5xf32, #tile.fragment>, memref<8x5xi32, #tile.fragment>
}

// -----

// topk-4
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %p = tile.alloc : memref<8x4xi32, #tile.fragment>
  // expected-error @+1 {{[topk-4] expected each buffer once}}
  tile.topk %x to %x, %p dim(1) : memref<8x4xf32, #tile.fragment> to memref<8x4xf32, #tile.fragment>, memref<8x4xi32, #tile.fragment>
}

// -----

// topk-5
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %v = tile.alloc : memref<8x2xf32, #tile.fragment>
  %p = tile.alloc : memref<8x2xi32, #tile.fragment>
  // expected-error @+1 {{[topk-5] expected `is_unsigned` on integers, got 'f32'}}
  tile.topk %x to %v, %p dim(1) {is_unsigned} : memref<8x4xf32, #tile.fragment> to memref<8x2xf32, #tile.fragment>, memref<8x2xi32, #tile.fragment>
}

// -----

// scan_with-7: carries of one rank
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  %x = tile.alloc : memref<8x4xf32, #tile.fragment>
  %y = tile.alloc : memref<8x4xf32, #tile.fragment>
  %t = tile.alloc : memref<8xf32, #tile.fragment>
  %u = tile.alloc : memref<8x1xf32, #tile.fragment>
  // expected-error @+1 {{[scan_with-7] expected carries of one rank: all without dimension 1, or all with extent one there, got 'memref<8xf32, #tile.fragment>' and 'memref<8x1xf32, #tile.fragment>'}}
  tile.scan_with (%x, %y) to (%x, %y) dim(1) neutral(%z, %z : f32, f32) carry(%t, %u : memref<8xf32, #tile.fragment>, memref<8x1xf32, #tile.fragment>) : (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) to (memref<8x4xf32, #tile.fragment>, memref<8x4xf32, #tile.fragment>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s, %s : f32, f32
  }
}

// -----

// scan-6: not the source's own memory, by another view
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x8xf32, #gpu.address_space<workgroup>>
  %v = tile.view %s : memref<8x8xf32, #gpu.address_space<workgroup>> to memref<8x8x1xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[scan-6] expected a carry that is a tile of its own}}
  tile.scan sum %v to %v dim(2) carry(%s : memref<8x8xf32, #gpu.address_space<workgroup>>) : memref<8x8x1xf32, #gpu.address_space<workgroup>> to memref<8x8x1xf32, #gpu.address_space<workgroup>>
}

// -----

// sort-3: nor twice by a view
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<8x8xf32, #gpu.address_space<workgroup>>
  %v = tile.view %s : memref<8x8xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{[sort-3] expected each buffer once}}
  tile.sort %s, %v dim(1) : memref<8x8xf32, #gpu.address_space<workgroup>>, memref<8x8xf32, #gpu.address_space<workgroup>>
}
