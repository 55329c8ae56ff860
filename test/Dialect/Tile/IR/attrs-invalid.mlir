// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// fragment layouts: 32 lanes
// expected-error @+1 {{expected lane modes of extent 32 together, got 16}}
"test.attribute"() {a = #tile.fragment_layout<shape [16] reg [] lane [(16, 0:1)] warp []>} : () -> ()

// -----

// an element that nobody holds
// expected-error @+1 {{coordinate 32 of dimension 0 (extent 64) is held by no thread}}
"test.attribute"() {a = #tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp []>} : () -> ()

// -----

// no such dimension
// expected-error @+1 {{expected a mode with a positive extent, a dimension below 1 and a stride that is not negative, got (32, 1:1)}}
"test.attribute"() {a = #tile.fragment_layout<shape [32] reg [] lane [(32, 1:1)] warp []>} : () -> ()

// -----

// a negative dimension is no replication
// expected-error @+1 {{expected a mode with a positive extent, a dimension below 1 and a stride that is not negative, got (32, -2:1)}}
"test.attribute"() {a = #tile.fragment_layout<shape [32] reg [] lane [(32, -2:1)] warp []>} : () -> ()

// -----

// extents are positive
// expected-error @+1 {{expected a mode with a positive extent, a dimension below 1 and a stride that is not negative, got (0, 0:1)}}
"test.attribute"() {a = #tile.fragment_layout<shape [32] reg [(0, 0:1)] lane [(32, 0:1)] warp []>} : () -> ()

// -----

// strides are not negative
// expected-error @+1 {{expected a mode with a positive extent, a dimension below 1 and a stride that is not negative, got (2, 0:-1)}}
"test.attribute"() {a = #tile.fragment_layout<shape [32] reg [(2, 0:-1)] lane [(32, 0:1)] warp []>} : () -> ()

// -----

// a digit that moves nowhere
// expected-error @+1 {{expected a positive stride in}}
"test.attribute"() {a = #tile.fragment_layout<shape [32] reg [(2, 0:0)] lane [(32, 0:1)] warp []>} : () -> ()

// -----

// shapes are not negative
// expected-error @+1 {{expected a non-negative extent of dimension 0, got -32}}
"test.attribute"() {a = #tile.fragment_layout<shape [-32] reg [] lane [(32, 0:1)] warp []>} : () -> ()

// -----

// 64 bits
// expected-error @+1 {{overflow 64 bits}}
"test.attribute"() {a = #tile.fragment_layout<shape [32] reg [(4611686018427387904, 0:32)] lane [(32, 0:1)] warp []>} : () -> ()

// -----

// shared layouts: element bits
// expected-error @+1 {{expected element bits in [1, 64], got 0}}
"test.attribute"() {a = #tile.shared_layout<shape [32] bits 0 modes [(32, 0:1)]>} : () -> ()

// -----

// element bits
// expected-error @+1 {{expected an element width that is a power of two up to 128 bits, got 12}}
"test.attribute"() {a = #tile.shared_layout<shape [32] bits 12 modes [(32, 0:1)]>} : () -> ()

// -----

// no replication in memory
// expected-error @+1 {{expected a mode with a positive extent, a dimension below 1 and a stride that is not negative, got (32, -1:0)}}
"test.attribute"() {a = #tile.shared_layout<shape [32] bits 32 modes [(32, *)]>} : () -> ()

// -----

// the modes cover the shape
// expected-error @+1 {{expected the modes of dimension 0 to cover its extent 64, got 32}}
"test.attribute"() {a = #tile.shared_layout<shape [64] bits 32 modes [(32, 0:1)]>} : () -> ()

// -----

// a swizzle has three numbers
// expected-error @+1 {{expected a swizzle (bits, base, shift), got 2 numbers}}
"test.attribute"() {a = #tile.shared_layout<shape [32] bits 32 modes [(32, 0:1)] swizzle(3, 4)>} : () -> ()

// -----

// and they are in range
// expected-error @+1 {{expected a swizzle with bits in [1, 8], base in [0, 16] and shift in [bits, 16], got (9, 4, 9)}}
"test.attribute"() {a = #tile.shared_layout<shape [32] bits 32 modes [(32, 0:1)] swizzle(9, 4, 9)>} : () -> ()

// -----

// a swizzle keeps elements whole
// expected-error @+1 {{swizzle base 0 would split elements of 32 bits}}
"test.attribute"() {a = #tile.shared_layout<shape [32] bits 32 modes [(32, 0:1)] swizzle(1, 0, 1)>} : () -> ()

// -----

// 64 bits
// expected-error @+1 {{overflow 64 bits}}
"test.attribute"() {a = #tile.shared_layout<shape [32] bits 32 modes [(32, 0:4611686018427387904)]>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected positive bytes, got 0}}
"test.attribute"() {a = #tile.copy_plan<vector, bytes = 0>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected `exchange` of loads and stores by threads, got 'tma'}}
"test.attribute"() {a = #tile.copy_plan<tma, bytes = 4, exchange = [4, 8]>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected `exchange` of two powers of two, a bit of the lane and one of the register, got array<i64: 4, 6>}}
"test.attribute"() {a = #tile.copy_plan<vector, bytes = 8, exchange = [4, 6]>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected a shape and counts of warps in [1, 65536], got 0}}
"test.attribute"() {a = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [0, 4]>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected a shape and counts of warps in [1, 65536], got -16}}
"test.attribute"() {a = #tile.mma_plan<mma_sync, m = -16, n = 8, k = 16, warps = [1, 4]>} : () -> ()

// -----

// plans: only tcgen05 multiplies for two blocks
// expected-error @+1 {{expected `pair` of tcgen05 only, got wgmma}}
"test.attribute"() {a = #tile.mma_plan<wgmma, m = 64, n = 8, k = 16, warps = [4, 1], pair>} : () -> ()

// -----

// plans: only wgmma of whole operands takes them swapped
// expected-error @+1 {{expected `swapped` of wgmma only, got mma_sync}}
"test.attribute"() {a = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1], swapped>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected `swapped` of wgmma only, got wgmma_sp}}
"test.attribute"() {a = #tile.mma_plan<wgmma_sp, m = 64, n = 8, k = 32, warps = [4, 1], swapped>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected `pair` or `swapped`, got both}}
"test.attribute"() {a = #tile.mma_plan<wgmma, m = 64, n = 8, k = 16, warps = [4, 1], swapped, pair>} : () -> ()

// -----

// plans
// expected-error @+1 {{expected `pair` or `swapped`}}
"test.attribute"() {a = #tile.mma_plan<wgmma, m = 64, n = 8, k = 16, warps = [4, 1], other>} : () -> ()

// -----

// targets
// expected-error @+1 {{expected an architecture among sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100f, sm_100a, sm_103a, sm_110a, sm_120, sm_120f, sm_120a; got 'sm_42'}}
"test.attribute"() {a = #tile.target<"sm_42">} : () -> ()

// -----

// the nearest architecture: code of the family, or of an older one
// expected-error @+1 {{got 'sm_121a', where code for sm_120f runs, too}}
"test.attribute"() {a = #tile.target<"sm_121a">} : () -> ()

// -----

// expected-error @+1 {{got 'sm_103', where code for sm_103a runs, too}}
"test.attribute"() {a = #tile.target<"sm_103">} : () -> ()

// -----

// devices
// expected-error @+1 {{expected a device among A100-SXM, A100-PCIe, A10, AGX-Orin, L40S, H200, H100-SXM, H100-PCIe, H20, GH200, B200, Thor, RTX-5090; got 'H300'}}
"test.attribute"() {a = #tile.target<"sm_90a", device = "H300">} : () -> ()

// -----

// expected-error @+1 {{expected code that L40S (8.9) runs, like that for sm_89; got sm_90a}}
"test.attribute"() {a = #tile.target<"sm_90a", device = "L40S">} : () -> ()

// -----

// a target belongs on a module
// expected-error @+1 {{expected 'tile.target' to be a #tile.target attribute on a module, got "sm_80"}}
module attributes {tile.target = "sm_80"} {
}

// -----

// expected-error @+1 {{expected 'tile.target' to be a #tile.target attribute on a module, got #tile.target<"sm_80">}}
"test.op"() {tile.target = #tile.target<"sm_80">} : () -> ()

// -----

// expected-error @+1 {{unknown attribute 'tile.speed' of the tile dialect}}
"test.op"() {tile.speed = 11} : () -> ()
