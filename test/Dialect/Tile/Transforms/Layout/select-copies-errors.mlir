// RUN: tile-opt %s --tile-select-copies -split-input-file -verify-diagnostics

// An impossible forced choice names every rule and its reason.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @forced(%A: memref<?x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x32xf16, #shared>
    // expected-error @+4 {{'tile.copy' op cannot be made by 'cp_async', which `prefer` asks for}}
    // expected-note @+3 {{rule 'cp_async at 16 bytes': the stride of dimension 0 of 'A' is known to be a multiple of 2 bytes only (`tile.assume` with `divisible_by` can promise more)}}
    // expected-note @+2 {{rule 'cp_async at 8 bytes'}}
    // expected-note @+1 {{rule 'cp_async at 4 bytes'}}
    tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<cp_async>} : memref<?x?xf16> to memref<64x32xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @wrong_way(%A: memref<64x32xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x32xf16, #shared>
    // expected-error @+4 {{'tile.copy' op cannot be made by 'ldmatrix', which `prefer` asks for}}
    // expected-note @+3 {{rule 'ldmatrix at 16 bytes': copies from shared memory to fragments only}}
    // expected-note @+2 {{rule 'ldmatrix at 8 bytes'}}
    // expected-note @+1 {{rule 'ldmatrix at 4 bytes'}}
    tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<ldmatrix>} : memref<64x32xf16> to memref<64x32xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @tma(%A: memref<64x32xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x32xf16, #shared>
    // expected-error @+2 {{'tile.copy' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': sm_80 has no tensor memory accelerator}}
    tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<tma>} : memref<64x32xf16> to memref<64x32xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
  tile.kernel @bulk(%A: memref<64x32xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc layout(#tile.shared_layout<shape [64, 32] bits 16 modes [(32, 1:1), (64, 0:40)]>) : memref<64x32xf16, #shared>
    // expected-error @+2 {{'tile.copy' op cannot be made by 'bulk', which `prefer` asks for}}
    // expected-note @+1 {{rule 'bulk': the region is not contiguous in the shared buffer}}
    tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<bulk>} : memref<64x32xf16> to memref<64x32xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
  tile.kernel @tma_rows(%A: memref<?x?xf16> {tile.alignment = 16}) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x32xf16, #shared>
    // expected-error @+2 {{'tile.copy' op cannot be made by 'tma', which `prefer` asks for}}
    // expected-note @+1 {{rule 'tma': the stride of dimension 0 of 'A' is known to be a multiple of 2 bytes only, not of 16 (`tile.assume` with `divisible_by` can promise more)}}
    tile.copy %A[%c0, %c0] to %s {prefer = #tile.copy_instruction<tma>} : memref<?x?xf16> to memref<64x32xf16, #shared>
  }
}

// -----
#shared = #gpu.address_space<workgroup>
// The architecture is stated, never guessed.
// expected-error @+1 {{expected 'tile.target' on the module (`--tile-set-target=arch=...`)}}
module {
  tile.kernel @no_target(%A: memref<64x32xf16>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %s = tile.alloc : memref<64x32xf16, #shared>
    tile.copy %A[%c0, %c0] to %s : memref<64x32xf16> to memref<64x32xf16, #shared>
  }
}
