// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// kernel-1
// expected-error @+1 {{[kernel-1] expected a grid of 1 to 3 dimensions, got 0}}
tile.kernel @no_grid() grid() = () threads(32) {
}

// -----

// kernel-1
// expected-error @+1 {{[kernel-1] expected a grid of 1 to 3 dimensions, got 4}}
tile.kernel @grid_of_four() grid(%a, %b, %c, %d) = (1, 1, 1, 1) threads(32) {
}

// -----

// kernel-2
// expected-error @+1 {{[kernel-2] expected a multiple of 32 threads in [32, 1024], got 48}}
tile.kernel @half_a_warp() grid(%bx) = (1) threads(48) {
}

// -----

// kernel-2
// expected-error @+1 {{[kernel-2] expected a multiple of 32 threads in [32, 1024], got 2048}}
tile.kernel @too_many_threads() grid(%bx) = (1) threads(2048) {
}

// -----

// kernel-2
// expected-error @+1 {{[kernel-2] expected a multiple of 32 threads in [32, 1024], got -32}}
tile.kernel @negative_threads() grid(%bx) = (1) threads(-32) {
}

// -----

// kernel-3: a tile is no argument
// expected-error @+1 {{[kernel-3] expected argument 'A' to be a strided memref of numbers in global memory, without offset, got 'memref<8xf32, #tile.fragment>'}}
tile.kernel @fragment_argument(%A: memref<8xf32, #tile.fragment>) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-3: a launcher passes pointers, sizes and strides, no offsets
// expected-error @+1 {{[kernel-3] expected argument 'A' to be a strided memref}}
tile.kernel @offset_argument(%A: memref<8xf32, strided<[1], offset: ?>>) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-3
// expected-error @+1 {{[kernel-3] expected argument 'A' to be a strided memref}}
tile.kernel @vector_elements(%A: memref<8xvector<4xf32>>) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-3
// expected-error @+1 {{[kernel-3] expected argument 'A' to be a strided memref}}
tile.kernel @not_strided(%A: memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j)>>) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-3
// expected-error @+1 {{[kernel-3] expected argument 't' to be a memref or a scalar, got 'tensor<8xf32>'}}
tile.kernel @tensor_argument(%t: tensor<8xf32>) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-3
// expected-error @+1 {{[kernel-3] expected argument 'n' to be a memref or a scalar, got 'i17'}}
tile.kernel @odd_integer(%n: i17) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-4
// expected-error @+1 {{[kernel-4] expected grid operands to name a dimension of a memref or an integer scalar argument, got argument 0, dimension 2}}
tile.kernel @dimension_out_of_range(%A: memref<?x?xf32>) grid(%bx) = (dim(%A, 2)) threads(32) {
}

// -----

// kernel-4
// expected-error @+1 {{[kernel-4] expected grid operands to name a dimension of a memref or an integer scalar argument, got argument 0, dimension -1}}
tile.kernel @float_extent(%x: f32) grid(%bx) = (%x) threads(32) {
}

// -----

// kernel-4: an operand that does not exist, in generic form
// expected-error @+1 {{[kernel-4] expected grid operands to name a dimension}}
"tile.kernel"() <{sym_name = "k", arg_types = [], arg_names = [], arg_attrs = [], grid = affine_map<()[s0] -> (s0)>, grid_operands = array<i64: 7, 0>, threads = 32 : i64}> ({
^bb0(%bx: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// kernel-4: as many pairs as symbols
// expected-error @+1 {{[kernel-4] expected a grid map over 0 symbols, got affine_map<()[s0] -> (s0)>}}
"tile.kernel"() <{sym_name = "k", arg_types = [index], arg_names = ["n"], arg_attrs = [{}], grid = affine_map<()[s0] -> (s0)>, grid_operands = array<i64>, threads = 32 : i64}> ({
^bb0(%n: index, %bx: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// kernel-5
// expected-error @+1 {{[kernel-5] expected 1 positive cluster extents of product at most 16}}
tile.kernel @cluster_rank() grid(%bx) = (1) threads(32) cluster(2, 2) {
}

// -----

// kernel-5
// expected-error @+1 {{[kernel-5] expected 2 positive cluster extents of product at most 16}}
tile.kernel @cluster_too_large() grid(%bx, %by) = (1, 1) threads(32) cluster(8, 4) {
}

// -----

// kernel-5
// expected-error @+1 {{[kernel-5] expected 1 positive cluster extents of product at most 16}}
tile.kernel @cluster_of_none() grid(%bx) = (1) threads(32) cluster(0) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] expected `tile.alignment` to be a power of two of at most 1048576 bytes on a memref, got 12 : i64 on argument 'A'}}
tile.kernel @alignment(%A: memref<8xf32> {tile.alignment = 12}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] expected `tile.alignment` to be a power of two of at most 1048576 bytes on a memref, got 16 : i64 on argument 'n'}}
tile.kernel @alignment_of_scalar(%n: index {tile.alignment = 16}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6: what overflows when it is counted in bits
// expected-error @+1 {{[kernel-6] expected `tile.alignment` to be a power of two of at most 1048576 bytes on a memref, got 4611686018427387904 : i64 on argument 'A'}}
tile.kernel @huge_alignment(%A: memref<64x64xf16> {tile.alignment = 4611686018427387904}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] expected `tile.alignment` to be a power of two of at most 1048576 bytes on a memref, got 2097152 : i64 on argument 'A'}}
tile.kernel @large_alignment(%A: memref<64x64xf16> {tile.alignment = 2097152}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] expected `tile.alignment` to be a power of two of at most 1048576 bytes on a memref, got -9223372036854775808 : i64 on argument 'A'}}
tile.kernel @negative_alignment(%A: memref<64x64xf16> {tile.alignment = -9223372036854775808}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] expected `tile.may_alias` to be a unit attribute on a memref, got true on argument 'A'}}
tile.kernel @may_alias(%A: memref<8xf32> {tile.may_alias = true}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] unknown attribute 'tile.volatile' on argument 'A'}}
tile.kernel @unknown_attribute(%A: memref<8xf32> {tile.volatile}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-6
// expected-error @+1 {{[kernel-6] unknown attribute 'tile.alignement' on argument 'A', did you mean 'tile.alignment'?}}
tile.kernel @misspelled_attribute(%A: memref<8xf32> {tile.alignement = 16}) grid(%bx) = (1) threads(32) {
}

// -----

// kernel-7
// expected-error @+1 {{[kernel-7] expected a grid extent that is not negative, got -3}}
tile.kernel @negative_grid() grid(%bx) = (4 - 7) threads(32) {
}

// -----

// kernel-8: by the parser
// expected-error @+1 {{[kernel-8] expected a positive constant after 'ceildiv'}}
tile.kernel @division_by_zero(%n: index) grid(%bx) = (%n ceildiv 0) threads(32) {
}

// -----

// kernel-8: by the verifier
// expected-error @+1 {{[kernel-8] expected grid extents that divide by positive constants and tunables, got affine_map<()[s0] -> (s0 floordiv s0)>}}
"tile.kernel"() <{sym_name = "k", arg_types = [index], arg_names = ["n"], arg_attrs = [{}], grid = affine_map<()[s0] -> (s0 floordiv s0)>, grid_operands = array<i64: 0, -1>, threads = 32 : i64}> ({
^bb0(%n: index, %bx: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// kernel-9
// expected-error @+1 {{[kernel-9] expected distinct argument names that are not empty, got "n"}}
"tile.kernel"() <{sym_name = "k", arg_types = [index, index], arg_names = ["n", "n"], arg_attrs = [{}, {}], grid = affine_map<() -> (1)>, grid_operands = array<i64>, threads = 32 : i64}> ({
^bb0(%n: index, %m: index, %bx: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// kernel-10: whose thread?
tile.kernel @thread_index() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[kernel-10] expected code of a block, got an operation on its threads}}
  %t = gpu.thread_id x
}

// -----

// kernel-10: barriers are the compiler's business
tile.kernel @barrier() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[kernel-10] expected code of a block, got an operation on its threads}}
  gpu.barrier
}

// -----

// kernel-10: also inside a loop over elements
tile.kernel @lane_in_parallel() grid(%bx) = (1) threads(32) {
  tile.parallel (%i) in (32) {
    // expected-error @+1 {{[kernel-10] expected code of a block, got an operation on its threads}}
    %lane = gpu.lane_id
  }
}

// -----

// kernel-10: control flow that would differ between threads cannot be written
tile.kernel @divergent(%n: index) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %frag = tile.alloc : memref<32xf32, #tile.fragment>
  // expected-error @+2 {{[kernel-10] expected elements of fragment memory to be accessed inside `tile.parallel` only}}
  // expected-note @+1 {{outside it, values and control flow are the same for all threads of a block}}
  %x = memref.load %frag[%c0] : memref<32xf32, #tile.fragment>
  %positive = arith.cmpf ogt, %x, %zero : f32
  scf.if %positive {
    tile.fill %frag with %zero : memref<32xf32, #tile.fragment>, f32
  }
}

// -----

// kernel-10: under control flow, through affine operations, by a store
tile.kernel @store_to_fragment(%n: index, %ok: i1) grid(%bx) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  %frag = tile.alloc : memref<32xf32, #tile.fragment>
  scf.if %ok {
    // expected-error @+2 {{[kernel-10] expected elements of fragment memory}}
    // expected-note @+1 {{outside it}}
    affine.store %zero, %frag[0] : memref<32xf32, #tile.fragment>
  }
}

// -----

// kernel-10: local memory differs between threads too
tile.kernel @local(%n: index) grid(%bx) = (1) threads(32) {
  %local = tile.alloc : memref<4xi32, #tile.local>
  // expected-error @+2 {{[kernel-10] expected elements of local memory}}
  // expected-note @+1 {{outside it}}
  %x = memref.load %local[%bx] : memref<4xi32, #tile.local>
}

// -----

// Shared and global memory are the same for every thread.
tile.kernel @uniform(%A: memref<32xf32>) grid(%bx) = (1) threads(32) {
  %s = tile.alloc : memref<32xf32, #gpu.address_space<workgroup>>
  %x = memref.load %A[%bx] : memref<32xf32>
  memref.store %x, %s[%bx] : memref<32xf32, #gpu.address_space<workgroup>>
}

// -----

// The header.

// expected-error @+1 {{expected one extent per block index, got 2 extents for 1 indices}}
tile.kernel @extents() grid(%bx) = (1, 2) threads(32) {
}

// -----

// expected-error @+1 {{expected an argument of the kernel in a grid extent, got '%q'}}
tile.kernel @unknown_argument(%n: index) grid(%bx) = (%q) threads(32) {
}

// -----

// expected-error @+1 {{expected a dimension that is not negative, got -1}}
tile.kernel @negative_dimension(%A: memref<?xf32>) grid(%bx) = (dim(%A, -1)) threads(32) {
}

// -----

// expected-error @+1 {{expected at most 64 nested parentheses in a grid extent}}
tile.kernel @deep(%n: index) grid(%bx) = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((%n)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) threads(32) {
}

// -----

// expected-error @+1 {{expected a name and attributes for each of 1 arguments, got 0 names and 0 attribute dictionaries}}
"tile.kernel"() <{sym_name = "k", arg_types = [index], arg_names = [], arg_attrs = [], grid = affine_map<() -> (1)>, grid_operands = array<i64>, threads = 32 : i64}> ({
^bb0(%n: index, %bx: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{expected 2 block arguments (arguments and block indices), got 1}}
"tile.kernel"() <{sym_name = "k", arg_types = [index], arg_names = ["n"], arg_attrs = [{}], grid = affine_map<() -> (1)>, grid_operands = array<i64>, threads = 32 : i64}> ({
^bb0(%n: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{expected block argument 0 of type 'index', got 'i32'}}
"tile.kernel"() <{sym_name = "k", arg_types = [index], arg_names = ["n"], arg_attrs = [{}], grid = affine_map<() -> (1)>, grid_operands = array<i64>, threads = 32 : i64}> ({
^bb0(%n: i32, %bx: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{requires attribute 'arg_attrs'}}
"tile.kernel"() ({
^bb0(%bx: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

func.func @parent() {
  // expected-error @+1 {{'tile.kernel' op expects parent op 'builtin.module'}}
  tile.kernel @nested() grid(%bx) = (1) threads(32) {
  }
  return
}

// -----

func.func @parent() {
  // expected-error @+1 {{'tile.return' op expects parent op 'tile.kernel'}}
  "tile.return"() : () -> ()
}

// -----

// alloc-1
tile.kernel @dynamic_alloc() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-1] expected a memref of static shape without a layout map, got 'memref<?xf32, #tile.fragment>'}}
  %0 = tile.alloc : memref<?xf32, #tile.fragment>
}

// -----

// alloc-1
tile.kernel @strided_alloc() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-1] expected a memref of static shape without a layout map}}
  %0 = tile.alloc : memref<8xf32, strided<[2]>, #tile.fragment>
}

// -----

// alloc-2
tile.kernel @global_alloc() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-2] expected shared, fragment, local or tensor memory, got 'memref<8xf32>'}}
  %0 = tile.alloc : memref<8xf32>
}

// -----

// alloc-2
tile.kernel @unknown_space() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-2] expected shared, fragment, local or tensor memory, got 'memref<8xf32, 7 : i32>'}}
  %0 = tile.alloc : memref<8xf32, 7 : i32>
}

// -----

// alloc-3: kind
tile.kernel @fragment_layout_on_shared() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-3] expected a fragment layout on a fragment only}}
  %0 = tile.alloc layout(#tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>) : memref<32xf32, #gpu.address_space<workgroup>>
}

// -----

// alloc-3: kind
tile.kernel @shared_layout_on_fragment() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-3] expected a shared layout on a shared buffer only}}
  %0 = tile.alloc layout(#tile.shared_layout<shape [32] bits 32 modes [(32, 0:1)]>) : memref<32xf32, #tile.fragment>
}

// -----

// alloc-3: shape
tile.kernel @fragment_shape() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-3] expected a layout of the buffer's shape 'memref<64xf32, #tile.fragment>', got}}
  %0 = tile.alloc layout(#tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>) : memref<64xf32, #tile.fragment>
}

// -----

// alloc-3: shape
tile.kernel @shared_shape() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-3] expected a layout of the buffer's shape}}
  %0 = tile.alloc layout(#tile.shared_layout<shape [32] bits 32 modes [(32, 0:1)]>) : memref<8x4xf32, #gpu.address_space<workgroup>>
}

// -----

// alloc-4: two elements in one place
tile.kernel @overlapping() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-4] expected a layout that puts each element in a place of its own}}
  %0 = tile.alloc layout(#tile.shared_layout<shape [8, 4] bits 32 modes [(4, 1:1), (8, 0:2)]>) : memref<8x4xf32, #gpu.address_space<workgroup>>
}

// -----

// alloc-4: element width
tile.kernel @width() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-4] expected a layout of 32-bit elements, got 16}}
  %0 = tile.alloc layout(#tile.shared_layout<shape [32] bits 16 modes [(32, 0:1)]>) : memref<32xf32, #gpu.address_space<workgroup>>
}

// -----

// alloc-5
tile.kernel @threads() grid(%bx) = (1) threads(64) {
  // expected-error @+1 {{[alloc-5] expected a layout over 64 threads, got 32}}
  %0 = tile.alloc layout(#tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>) : memref<32xf32, #tile.fragment>
}

// -----

// alloc-6
tile.kernel @element_type() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-6] expected a number as element type, got 'complex<f32>'}}
  %0 = tile.alloc : memref<8xcomplex<f32>, #tile.fragment>
}

// -----

// alloc-7: empty
tile.kernel @empty_alloc() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-7] expected positive extents of product at most 16777216, got 'memref<0x8xf32, #tile.fragment>'}}
  %0 = tile.alloc : memref<0x8xf32, #tile.fragment>
}

// -----

// alloc-7: huge, beyond 64 bits
tile.kernel @huge_alloc() grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[alloc-7] expected positive extents of product at most 16777216}}
  %0 = tile.alloc : memref<4294967296x4294967296xf32, #tile.fragment>
}

// -----

// kernel-11: blocks of a persistent kernel
// expected-error @+1 {{[kernel-11] expected `persistent` of 1 to 32 blocks a multiprocessor, got 0}}
tile.kernel @k() grid(%bx) = (1) threads(32) attributes {persistent = 0} {
}

// -----

// coordinates-1
tile.kernel @k(%n: index) grid(%bx, %by) = (1, 1) threads(32) {
  // expected-error @+1 {{[coordinates-1] expected 2 results, one per dimension of the grid, got 1}}
  %x = tile.block_coordinates %n : index
}

// -----

// kernel-12: a loop shared by one block is not shared
// expected-error @+1 {{[kernel-12] expected `split` of 2 to 16, got 1}}
tile.kernel @k() grid(%bx) = (1) threads(32) attributes {split = 1} {
}

// -----

// kernel-12: no cluster has more than 16 blocks
// expected-error @+1 {{[kernel-12] expected `split` of 2 to 8, got 9}}
tile.kernel @k() grid(%bx) = (1) threads(32) cluster(2) attributes {split = 9} {
}

// -----

// A dimension that an argument does not have.
tile.kernel @k(%A: memref<?x?xf16>) grid(%bx) = (1) threads(128) {
  %c = arith.constant -1 : index
  // expected-error @+1 {{expected a dimension of at least 0 and less than 2, got -1}}
  %d = memref.dim %A, %c : memref<?x?xf16>
}
