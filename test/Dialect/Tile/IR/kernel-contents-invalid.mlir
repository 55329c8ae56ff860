// What a kernel may not contain: calls, addresses, accesses that no index is
// checked for. The same for tile-opt, the compiler and the CPU.
// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// kernel-16: a function of the C library
llvm.func @system(!llvm.ptr) -> i32
tile.kernel @call(%p: memref<8xi8>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0 : i64
  // expected-error @+2 {{'llvm.inttoptr' op [kernel-16] expected an operation that a kernel may contain: of tile, or of arith, math, scf, cf, affine or vector on values}}
  // expected-note @+1 {{single elements are accessed by `memref.load`}}
  %address = llvm.inttoptr %zero : i64 to !llvm.ptr
  %r = llvm.call @system(%address) : (!llvm.ptr) -> i32
}

// -----

// kernel-16
func.func private @opaque()
tile.kernel @function() grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'func.call' op [kernel-16]}}
  // expected-note @+1 {{nothing is called, and no address is taken}}
  func.call @opaque() : () -> ()
}

// -----

// kernel-16: however deep
tile.kernel @assembly() grid(%b) = (1) threads(32) {
  %c = arith.constant true
  scf.if %c {
    // expected-error @+2 {{'llvm.inline_asm' op [kernel-16]}}
    // expected-note @+1 {{single elements}}
    llvm.inline_asm has_side_effects "ud2", "" : () -> ()
  }
}

// -----

llvm.mlir.global internal constant @secret(1 : i32) : i32
tile.kernel @global() grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'llvm.mlir.addressof' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %p = llvm.mlir.addressof @secret : !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> i32
}

// -----

// A constant table is no error; one that is not is refused where the module is
// compiled (tools/tile-run/foreign-module.mlir).
memref.global "private" constant @table : memref<4xf32> = dense<0.0>
tile.kernel @table_of_constants() grid(%b) = (1) threads(32) {
  %t = memref.get_global @table : memref<4xf32>
}

// -----

tile.kernel @reinterpret(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'memref.reinterpret_cast' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %o = memref.reinterpret_cast %Y to offset: [0], sizes: [2000], strides: [1] : memref<8xf32> to memref<2000xf32>
}

// -----

tile.kernel @pointer(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'memref.extract_aligned_pointer_as_index' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %p = memref.extract_aligned_pointer_as_index %Y : memref<8xf32> -> index
}

// -----

tile.kernel @allocate() grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'memref.alloc' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %m = memref.alloc() : memref<8xf32>
}

// -----

// kernel-16: vectors are values; what moves them to memory is a tile operation
tile.kernel @vector_store(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error @+2 {{'vector.store' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  vector.store %v, %Y[%b] : memref<8xf32>, vector<4xf32>
}

// -----

tile.kernel @vector_load(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'vector.load' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %v = vector.load %Y[%b] : memref<8xf32>, vector<4xf32>
}

// -----

tile.kernel @transfer_read(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  // expected-error @+2 {{'vector.transfer_read' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %v = vector.transfer_read %Y[%b], %z : memref<8xf32>, vector<4xf32>
}

// -----

tile.kernel @affine_vector(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'affine.vector_load' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %v = affine.vector_load %Y[0] : memref<8xf32>, vector<4xf32>
}

// -----

// kernel-16: a buffer out of nothing
tile.kernel @undefined_buffer() grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'ub.poison' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %v = ub.poison : memref<64xf32>
}

// -----

// kernel-16: a type that says nothing of sizes
tile.kernel @unranked(%Y: memref<8xf32>) grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'memref.cast' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %v = memref.cast %Y : memref<8xf32> to memref<*xf32>
}

// -----

// kernel-16: the first element of a buffer that may have none
tile.kernel @base(%Y: memref<?xf32>) grid(%b) = (1) threads(32) {
  %z = arith.constant 0.0 : f32
  // expected-error @+2 {{'memref.extract_strided_metadata' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  %base, %offset, %size, %stride = memref.extract_strided_metadata %Y : memref<?xf32> -> memref<f32>, index, index, index
  memref.store %z, %base[] : memref<f32>
}

// -----

// kernel-16: `tile.assert` is the one that kernels have
tile.kernel @assertion(%ok: i1) grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'cf.assert' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  cf.assert %ok, "no"
}

// -----

// kernel-16: `tile.print` likewise
tile.kernel @printing(%x: f32) grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'vector.print' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  vector.print %x : f32
}

// -----

tile.kernel @unknown() grid(%b) = (1) threads(32) {
  // expected-error @+2 {{'foreign.op' op [kernel-16]}}
  // expected-note @+1 {{single elements}}
  "foreign.op"() : () -> ()
}

// -----

tile.kernel @modulo_zero(%B: memref<32xf32>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i) in (32) {
    // expected-error @+1 {{'affine.apply' op [kernel-16] expected the constants that affine maps divide by to be positive}}
    %p = affine.apply affine_map<(d0) -> ((d0 mod 0) floordiv 2)>(%i)
    memref.store %zero, %B[%p] : memref<32xf32>
  }
}

// -----

tile.kernel @rounds_down(%B: memref<32xf16>) grid(%b) = (1) threads(32) {
  %one = arith.constant 1.0 : f32
  tile.parallel (%i) in (32) {
    // expected-error @+1 {{'arith.truncf' op [kernel-16] expected a conversion that rounds to the nearest number, of two to the even one, got downward}}
    %p = arith.truncf %one downward : f32 to f16
    memref.store %p, %B[%i] : memref<32xf16>
  }
}
