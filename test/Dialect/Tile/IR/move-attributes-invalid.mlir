// RUN: tile-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

tile.kernel @decided_nothing(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected what is decided behind `decided`, as {plan = ...}}}
  tile.copy %A to %B decided : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @decided_a_request(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{unknown decision 'disable_tma'}}
  tile.copy %A to %B decided {disable_tma} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @misspelled(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{unknown decision 'layuot', did you mean 'layout'?}}
  tile.copy %A to %B decided {layuot = 1} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @twice(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected `plan` once, got it twice}}
  tile.copy %A to %B {plan = #tile.copy_plan<scalar, bytes = 4>} decided {plan = #tile.copy_plan<scalar, bytes = 4>} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @flag_twice(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected `inside` once, got it twice}}
  tile.copy %A to %B {inside} decided {inside} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @not_an_instruction(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected `prefer` to be a #tile.copy_instruction, got "tma"}}
  tile.copy %A to %B {prefer = "tma"} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @flag_with_value(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected `disable_tma` to be without a value, got true}}
  tile.copy %A to %B {disable_tma = true} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @narrow_number(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected `coalesced_width` to be a number of type i64, got 4 : i32}}
  tile.copy %A to %B {coalesced_width = 4 : i32} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @sign_with_value(%A: memref<64xi32>, %B: memref<64xi32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{expected `is_unsigned` to be without a value, got 1 : i64}}
  tile.atomic max %A to %B {is_unsigned = 1} : memref<64xi32> to memref<64xi32>
}

// -----

// Parts that an operation does not have.
tile.kernel @of_an_atomic(%A: memref<64xf32>, %B: memref<64xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{'tile.atomic' op unknown attribute 'coalesced_width'}}
  tile.atomic add %A to %B {coalesced_width = 4} : memref<64xf32> to memref<64xf32>
}

// -----

tile.kernel @of_a_gather(%A: memref<?x64xf32>, %I: memref<64xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.gather' op unknown attribute 'groups'}}
  tile.gather %A[%c0] rows %I[%c0] to %t decided {groups = array<i64: 2, 1>} : memref<?x64xf32>, memref<64xi32> to memref<64x64xf32, #gpu.address_space<workgroup>>
}

// -----

tile.kernel @of_a_scatter(%A: memref<?x64xf32>, %I: memref<64xi32>) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.scatter' op unknown attribute 'multicast'}}
  tile.scatter %t to %A[%c0] rows %I[%c0] decided {multicast = 2} : memref<64x64xf32, #gpu.address_space<workgroup>> to memref<?x64xf32>, memref<64xi32>
}

// -----

// expected-error @+1 {{expected a request, got none}}
"test.op"() {x = #tile.move_request<{}>} : () -> ()

// -----

// expected-error @+1 {{unknown decision 'prefer'}}
"test.op"() {x = #tile.move_decision<{prefer = #tile.copy_instruction<tma>}>} : () -> ()
