// RUN: tile-opt %s --tile-select-copies -split-input-file -verify-diagnostics

// An impossible forced choice names the rule that is violated, and only rules
// that are for such moves.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @strides(%X: memref<?x?x?x64xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    // expected-error @+2 {{'tile.im2col' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': the stride of spatial dimension 0 is 16, more than 8}}
    tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %s kernel [3, 3] strides [16, 1] {prefer = #tile.copy_instruction<tma>} : memref<?x?x?x64xf16> to memref<64x64xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @target(%X: memref<?x?x?x64xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    // expected-error @+2 {{'tile.im2col' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': sm_80 has no tensor memory accelerator}}
    tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %s kernel [3, 3] {prefer = #tile.copy_instruction<tma>} : memref<?x?x?x64xf16> to memref<64x64xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @fragment(%X: memref<?x?x?x64xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    // expected-error @+2 {{'tile.im2col' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': copies from global to shared memory only}}
    tile.im2col %X pixel %bx filter [%c0, %c0] channel %c0 to %f kernel [3, 3] {prefer = #tile.copy_instruction<tma>} : memref<?x?x?x64xf16> to memref<64x64xf16, #tile.fragment>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @gather4(%X: memref<?x64xf16> {tile.alignment = 16}, %I: memref<?xi32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    // expected-error @+2 {{'tile.gather' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': sm_90a has no tensor copies of four rows}}
    tile.gather %X[%c0] rows %I[%bx] to %s {prefer = #tile.copy_instruction<tma>} : memref<?x64xf16>, memref<?xi32> to memref<64x64xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
  tile.kernel @six(%X: memref<?x64xf16> {tile.alignment = 16}, %I: memref<?xi32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<6x64xf16, #shared>
    // expected-error @+2 {{'tile.gather' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': the tile has 6 rows, not a multiple of 4}}
    tile.gather %X[%c0] rows %I[%bx] to %s {prefer = #tile.copy_instruction<tma>} : memref<?x64xf16>, memref<?xi32> to memref<6x64xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
  tile.kernel @narrow(%X: memref<?x64xf16> {tile.alignment = 16}, %I: memref<?xi32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x8xf16, #shared>
    // expected-error @+2 {{'tile.gather' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': four rows are 64 bytes in shared memory, not a multiple of 128}}
    tile.gather %X[%c0] rows %I[%bx] to %s {prefer = #tile.copy_instruction<tma>} : memref<?x64xf16>, memref<?xi32> to memref<64x8xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
  tile.kernel @registers(%X: memref<?x64xf16> {tile.alignment = 16}, %I: memref<?xi32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x64xf16, #shared>
    %i = tile.alloc : memref<64xi32, #tile.fragment>
    // expected-error @+2 {{'tile.scatter' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': the indices are in registers, and one thread moves the rows}}
    tile.scatter %s to %X[%c0] rows %i[%c0] {prefer = #tile.copy_instruction<tma>} : memref<64x64xf16, #shared> to memref<?x64xf16>, memref<64xi32, #tile.fragment>
  }
}
