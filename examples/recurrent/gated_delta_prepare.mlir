// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First kernel of the gated delta rule: R = (I + A)^-1 diag(beta) of each chunk, with A[i, j] = beta[i] exp(c[i] - c[j]) k[i] k[j]^T
// below the diagonal, and E, the sums c of g within the chunk as exponents of two.
// Look at: blocks of 16 are inverted column by column in registers, and merged by products in tf32.
#shared = #gpu.address_space<workgroup>
tile.kernel @gated_delta_prepare(
    %K: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2, 64>},
    %G: memref<?x?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2>},
    %beta: memref<?x?x?xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 130, 2>},
    %R: memref<?x?x?x64xbf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 2, 130, 64>},
    %E: memref<?x?x?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 1, 2, 192>})
    grid(%n, %h, %b) = (dim(%beta, 1) ceildiv 64, dim(%beta, 2), dim(%beta, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c48 = arith.constant 48 : index
  %c49 = arith.constant 49 : index
  %c50 = arith.constant 50 : index
  %c64 = arith.constant 64 : index
  %c65 = arith.constant 65 : index
  %c66 = arith.constant 66 : index
  %c67 = arith.constant 67 : index
  %c80 = arith.constant 80 : index
  %c81 = arith.constant 81 : index
  %c82 = arith.constant 82 : index
  %c83 = arith.constant 83 : index
  %c84 = arith.constant 84 : index
  %c96 = arith.constant 96 : index
  %c97 = arith.constant 97 : index
  %c98 = arith.constant 98 : index
  %c99 = arith.constant 99 : index
  %c100 = arith.constant 100 : index
  %c101 = arith.constant 101 : index
  %c112 = arith.constant 112 : index
  %c113 = arith.constant 113 : index
  %c114 = arith.constant 114 : index
  %c115 = arith.constant 115 : index
  %c116 = arith.constant 116 : index
  %c117 = arith.constant 117 : index
  %c118 = arith.constant 118 : index
  %c128 = arith.constant 128 : index
  %c129 = arith.constant 129 : index
  %c130 = arith.constant 130 : index
  %c131 = arith.constant 131 : index
  %c132 = arith.constant 132 : index
  %c133 = arith.constant 133 : index
  %c134 = arith.constant 134 : index
  %c135 = arith.constant 135 : index
  %c144 = arith.constant 144 : index
  %c145 = arith.constant 145 : index
  %c146 = arith.constant 146 : index
  %c147 = arith.constant 147 : index
  %c148 = arith.constant 148 : index
  %c149 = arith.constant 149 : index
  %c150 = arith.constant 150 : index
  %c151 = arith.constant 151 : index
  %c152 = arith.constant 152 : index
  %c160 = arith.constant 160 : index
  %c161 = arith.constant 161 : index
  %c162 = arith.constant 162 : index
  %c163 = arith.constant 163 : index
  %c164 = arith.constant 164 : index
  %c165 = arith.constant 165 : index
  %c166 = arith.constant 166 : index
  %c167 = arith.constant 167 : index
  %c168 = arith.constant 168 : index
  %c169 = arith.constant 169 : index
  %c176 = arith.constant 176 : index
  %c177 = arith.constant 177 : index
  %c178 = arith.constant 178 : index
  %c179 = arith.constant 179 : index
  %c180 = arith.constant 180 : index
  %c181 = arith.constant 181 : index
  %c182 = arith.constant 182 : index
  %c183 = arith.constant 183 : index
  %c184 = arith.constant 184 : index
  %c185 = arith.constant 185 : index
  %c186 = arith.constant 186 : index
  %c192 = arith.constant 192 : index
  %c193 = arith.constant 193 : index
  %c194 = arith.constant 194 : index
  %c195 = arith.constant 195 : index
  %c196 = arith.constant 196 : index
  %c197 = arith.constant 197 : index
  %c198 = arith.constant 198 : index
  %c199 = arith.constant 199 : index
  %c200 = arith.constant 200 : index
  %c201 = arith.constant 201 : index
  %c202 = arith.constant 202 : index
  %c203 = arith.constant 203 : index
  %c208 = arith.constant 208 : index
  %c209 = arith.constant 209 : index
  %c210 = arith.constant 210 : index
  %c211 = arith.constant 211 : index
  %c212 = arith.constant 212 : index
  %c213 = arith.constant 213 : index
  %c214 = arith.constant 214 : index
  %c215 = arith.constant 215 : index
  %c216 = arith.constant 216 : index
  %c217 = arith.constant 217 : index
  %c218 = arith.constant 218 : index
  %c219 = arith.constant 219 : index
  %c220 = arith.constant 220 : index
  %c224 = arith.constant 224 : index
  %c225 = arith.constant 225 : index
  %c226 = arith.constant 226 : index
  %c227 = arith.constant 227 : index
  %c228 = arith.constant 228 : index
  %c229 = arith.constant 229 : index
  %c230 = arith.constant 230 : index
  %c231 = arith.constant 231 : index
  %c232 = arith.constant 232 : index
  %c233 = arith.constant 233 : index
  %c234 = arith.constant 234 : index
  %c235 = arith.constant 235 : index
  %c236 = arith.constant 236 : index
  %c237 = arith.constant 237 : index
  %c240 = arith.constant 240 : index
  %c241 = arith.constant 241 : index
  %c242 = arith.constant 242 : index
  %c243 = arith.constant 243 : index
  %c244 = arith.constant 244 : index
  %c245 = arith.constant 245 : index
  %c246 = arith.constant 246 : index
  %c247 = arith.constant 247 : index
  %c248 = arith.constant 248 : index
  %c249 = arith.constant 249 : index
  %c250 = arith.constant 250 : index
  %c251 = arith.constant 251 : index
  %c252 = arith.constant 252 : index
  %c253 = arith.constant 253 : index
  %c254 = arith.constant 254 : index
  %f0 = arith.constant 1.4426950408889634 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %heads = memref.dim %beta, %c2 : memref<?x?x?xbf16>
  %key_heads = memref.dim %K, %c2 : memref<?x?x?x64xbf16>
  %sharing = arith.divui %heads, %key_heads : index
  %hk = arith.divui %h, %sharing : index
  %E_length = memref.dim %E, %c2 : memref<?x?x?xf32>
  tile.assume %E_length {divisible_by = 64 : i64} : index
  %m = arith.muli %n, %c64 : index
  %Ks = tile.alloc : memref<64x64xbf16, #shared>
  %betas = tile.alloc : memref<64xf32, #shared>
  %P = tile.alloc : memref<64x64xf32, #tile.fragment>
  %diagonal = tile.alloc : memref<1024xf32, #shared>
  %below = tile.alloc : memref<64x64xf32, #shared>
  %inverse = tile.alloc : memref<64x64xf32, #shared>
  %turned = tile.alloc : memref<64x64xf32, #shared>
  tile.copy %K[%b, %m, %hk, %c0] sizes [1, 64, 1, 64] to %Ks : memref<?x?x?x64xbf16> to memref<64x64xbf16, #shared>
  tile.copy %beta[%b, %m, %h] sizes [1, 64, 1] to %betas : memref<?x?x?xbf16> to memref<64xf32, #shared>
  tile.gemm %Ks, %Ks, %P {clear, transpose_b} : memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>
  %Gs = tile.alloc : memref<64xf32, #shared>
  %sums = tile.alloc : memref<64xf32, #shared>
  tile.copy %G[%b, %m, %h] sizes [1, 64, 1] to %Gs : memref<?x?x?xf32> to memref<64xf32, #shared>
  tile.scan sum %Gs to %sums dim(0) : memref<64xf32, #shared> to memref<64xf32, #shared>
  %E_out = tile.alloc : memref<64xf32, #tile.fragment>
  tile.parallel (%i) in (64) {
    %x = memref.load %sums[%i] : memref<64xf32, #shared>
    %x_1 = arith.mulf %x, %f0 fastmath<contract> : f32
    memref.store %x_1, %E_out[%i] : memref<64xf32, #tile.fragment>
  }
  tile.copy %E_out to %E[%b, %h, %m] sizes [1, 1, 64] : memref<64xf32, #tile.fragment> to memref<?x?x?xf32>
  // A, as blocks on the diagonal and what is below them.
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %P[%i, %j] : memref<64x64xf32, #tile.fragment>
    %beta_1 = memref.load %betas[%i] : memref<64xf32, #shared>
    %x_1 = arith.mulf %x, %beta_1 fastmath<contract> : f32
    %ci = memref.load %sums[%i] : memref<64xf32, #shared>
    %cj = memref.load %sums[%j] : memref<64xf32, #shared>
    %x_2 = arith.subf %ci, %cj fastmath<contract> : f32
    %x_3 = arith.mulf %x_2, %f0 fastmath<contract> : f32
    %e = math.exp2 %x_3 fastmath<afn> : f32
    %x_4 = arith.mulf %x_1, %e fastmath<contract> : f32
    %past = arith.cmpi ult, %j, %i : index
    %x_5 = arith.select %past, %x_4, %zero : f32
    memref.store %x_5, %turned[%i, %j] : memref<64x64xf32, #shared>
    %bi = arith.divui %i, %c16 : index
    %bj = arith.divui %j, %c16 : index
    %apart = arith.cmpi ult, %bj, %bi : index
    %x_6 = arith.select %apart, %x_5, %zero : f32
    memref.store %x_6, %below[%i, %j] : memref<64x64xf32, #shared>
  }
  tile.parallel (%i, %j) in (64, 16) {
    %block = arith.divui %i, %c16 : index
    %first = arith.muli %block, %c16 : index
    %column = arith.addi %first, %j : index
    %x = memref.load %turned[%i, %column] : memref<64x64xf32, #shared>
    %flat = arith.muli %i, %c16 : index
    %flat_1 = arith.addi %flat, %j : index
    memref.store %x, %diagonal[%flat_1] : memref<1024xf32, #shared>
  }
  tile.fill %inverse with %zero : memref<64x64xf32, #shared>, f32
  tile.fill %turned with %zero : memref<64x64xf32, #shared>, f32
  // Columns of the inverse of each block: x[i] = [i = j] - sum over l < i of A[i, l] x[l].
  tile.parallel (%i, %j) in (4, 16) {
    %base = arith.muli %i, %c16 : index
    %column = arith.addi %base, %j : index
    %start = arith.muli %base, %c16 : index
    %row = arith.addi %base, %c0 : index
    %on = arith.cmpi eq, %j, %c0 : index
    %x = arith.select %on, %one, %zero : f32
    memref.store %x, %inverse[%row, %column] : memref<64x64xf32, #shared>
    memref.store %x, %turned[%column, %row] : memref<64x64xf32, #shared>
    %row_1 = arith.addi %base, %c1 : index
    %on_1 = arith.cmpi eq, %j, %c1 : index
    %x_1 = arith.select %on_1, %one, %zero : f32
    %flat = arith.addi %start, %c16 : index
    %a = memref.load %diagonal[%flat] : memref<1024xf32, #shared>
    %x_2 = arith.mulf %a, %x fastmath<contract> : f32
    %x_3 = arith.subf %x_1, %x_2 fastmath<contract> : f32
    memref.store %x_3, %inverse[%row_1, %column] : memref<64x64xf32, #shared>
    memref.store %x_3, %turned[%column, %row_1] : memref<64x64xf32, #shared>
    %row_2 = arith.addi %base, %c2 : index
    %on_2 = arith.cmpi eq, %j, %c2 : index
    %x_4 = arith.select %on_2, %one, %zero : f32
    %flat_1 = arith.addi %start, %c32 : index
    %a_1 = memref.load %diagonal[%flat_1] : memref<1024xf32, #shared>
    %x_5 = arith.mulf %a_1, %x fastmath<contract> : f32
    %flat_2 = arith.addi %start, %c33 : index
    %a_2 = memref.load %diagonal[%flat_2] : memref<1024xf32, #shared>
    %x_6 = math.fma %a_2, %x_3, %x_5 : f32
    %x_7 = arith.subf %x_4, %x_6 fastmath<contract> : f32
    memref.store %x_7, %inverse[%row_2, %column] : memref<64x64xf32, #shared>
    memref.store %x_7, %turned[%column, %row_2] : memref<64x64xf32, #shared>
    %row_3 = arith.addi %base, %c3 : index
    %on_3 = arith.cmpi eq, %j, %c3 : index
    %x_8 = arith.select %on_3, %one, %zero : f32
    %flat_3 = arith.addi %start, %c48 : index
    %a_3 = memref.load %diagonal[%flat_3] : memref<1024xf32, #shared>
    %x_9 = arith.mulf %a_3, %x fastmath<contract> : f32
    %flat_4 = arith.addi %start, %c49 : index
    %a_4 = memref.load %diagonal[%flat_4] : memref<1024xf32, #shared>
    %x_10 = math.fma %a_4, %x_3, %x_9 : f32
    %flat_5 = arith.addi %start, %c50 : index
    %a_5 = memref.load %diagonal[%flat_5] : memref<1024xf32, #shared>
    %x_11 = math.fma %a_5, %x_7, %x_10 : f32
    %x_12 = arith.subf %x_8, %x_11 fastmath<contract> : f32
    memref.store %x_12, %inverse[%row_3, %column] : memref<64x64xf32, #shared>
    memref.store %x_12, %turned[%column, %row_3] : memref<64x64xf32, #shared>
    %row_4 = arith.addi %base, %c4 : index
    %on_4 = arith.cmpi eq, %j, %c4 : index
    %x_13 = arith.select %on_4, %one, %zero : f32
    %flat_6 = arith.addi %start, %c64 : index
    %a_6 = memref.load %diagonal[%flat_6] : memref<1024xf32, #shared>
    %x_14 = arith.mulf %a_6, %x fastmath<contract> : f32
    %flat_7 = arith.addi %start, %c65 : index
    %a_7 = memref.load %diagonal[%flat_7] : memref<1024xf32, #shared>
    %x_15 = math.fma %a_7, %x_3, %x_14 : f32
    %flat_8 = arith.addi %start, %c66 : index
    %a_8 = memref.load %diagonal[%flat_8] : memref<1024xf32, #shared>
    %x_16 = math.fma %a_8, %x_7, %x_15 : f32
    %flat_9 = arith.addi %start, %c67 : index
    %a_9 = memref.load %diagonal[%flat_9] : memref<1024xf32, #shared>
    %x_17 = math.fma %a_9, %x_12, %x_16 : f32
    %x_18 = arith.subf %x_13, %x_17 fastmath<contract> : f32
    memref.store %x_18, %inverse[%row_4, %column] : memref<64x64xf32, #shared>
    memref.store %x_18, %turned[%column, %row_4] : memref<64x64xf32, #shared>
    %row_5 = arith.addi %base, %c5 : index
    %on_5 = arith.cmpi eq, %j, %c5 : index
    %x_19 = arith.select %on_5, %one, %zero : f32
    %flat_10 = arith.addi %start, %c80 : index
    %a_10 = memref.load %diagonal[%flat_10] : memref<1024xf32, #shared>
    %x_20 = arith.mulf %a_10, %x fastmath<contract> : f32
    %flat_11 = arith.addi %start, %c81 : index
    %a_11 = memref.load %diagonal[%flat_11] : memref<1024xf32, #shared>
    %x_21 = math.fma %a_11, %x_3, %x_20 : f32
    %flat_12 = arith.addi %start, %c82 : index
    %a_12 = memref.load %diagonal[%flat_12] : memref<1024xf32, #shared>
    %x_22 = math.fma %a_12, %x_7, %x_21 : f32
    %flat_13 = arith.addi %start, %c83 : index
    %a_13 = memref.load %diagonal[%flat_13] : memref<1024xf32, #shared>
    %x_23 = math.fma %a_13, %x_12, %x_22 : f32
    %flat_14 = arith.addi %start, %c84 : index
    %a_14 = memref.load %diagonal[%flat_14] : memref<1024xf32, #shared>
    %x_24 = math.fma %a_14, %x_18, %x_23 : f32
    %x_25 = arith.subf %x_19, %x_24 fastmath<contract> : f32
    memref.store %x_25, %inverse[%row_5, %column] : memref<64x64xf32, #shared>
    memref.store %x_25, %turned[%column, %row_5] : memref<64x64xf32, #shared>
    %row_6 = arith.addi %base, %c6 : index
    %on_6 = arith.cmpi eq, %j, %c6 : index
    %x_26 = arith.select %on_6, %one, %zero : f32
    %flat_15 = arith.addi %start, %c96 : index
    %a_15 = memref.load %diagonal[%flat_15] : memref<1024xf32, #shared>
    %x_27 = arith.mulf %a_15, %x fastmath<contract> : f32
    %flat_16 = arith.addi %start, %c97 : index
    %a_16 = memref.load %diagonal[%flat_16] : memref<1024xf32, #shared>
    %x_28 = math.fma %a_16, %x_3, %x_27 : f32
    %flat_17 = arith.addi %start, %c98 : index
    %a_17 = memref.load %diagonal[%flat_17] : memref<1024xf32, #shared>
    %x_29 = math.fma %a_17, %x_7, %x_28 : f32
    %flat_18 = arith.addi %start, %c99 : index
    %a_18 = memref.load %diagonal[%flat_18] : memref<1024xf32, #shared>
    %x_30 = math.fma %a_18, %x_12, %x_29 : f32
    %flat_19 = arith.addi %start, %c100 : index
    %a_19 = memref.load %diagonal[%flat_19] : memref<1024xf32, #shared>
    %x_31 = math.fma %a_19, %x_18, %x_30 : f32
    %flat_20 = arith.addi %start, %c101 : index
    %a_20 = memref.load %diagonal[%flat_20] : memref<1024xf32, #shared>
    %x_32 = math.fma %a_20, %x_25, %x_31 : f32
    %x_33 = arith.subf %x_26, %x_32 fastmath<contract> : f32
    memref.store %x_33, %inverse[%row_6, %column] : memref<64x64xf32, #shared>
    memref.store %x_33, %turned[%column, %row_6] : memref<64x64xf32, #shared>
    %row_7 = arith.addi %base, %c7 : index
    %on_7 = arith.cmpi eq, %j, %c7 : index
    %x_34 = arith.select %on_7, %one, %zero : f32
    %flat_21 = arith.addi %start, %c112 : index
    %a_21 = memref.load %diagonal[%flat_21] : memref<1024xf32, #shared>
    %x_35 = arith.mulf %a_21, %x fastmath<contract> : f32
    %flat_22 = arith.addi %start, %c113 : index
    %a_22 = memref.load %diagonal[%flat_22] : memref<1024xf32, #shared>
    %x_36 = math.fma %a_22, %x_3, %x_35 : f32
    %flat_23 = arith.addi %start, %c114 : index
    %a_23 = memref.load %diagonal[%flat_23] : memref<1024xf32, #shared>
    %x_37 = math.fma %a_23, %x_7, %x_36 : f32
    %flat_24 = arith.addi %start, %c115 : index
    %a_24 = memref.load %diagonal[%flat_24] : memref<1024xf32, #shared>
    %x_38 = math.fma %a_24, %x_12, %x_37 : f32
    %flat_25 = arith.addi %start, %c116 : index
    %a_25 = memref.load %diagonal[%flat_25] : memref<1024xf32, #shared>
    %x_39 = math.fma %a_25, %x_18, %x_38 : f32
    %flat_26 = arith.addi %start, %c117 : index
    %a_26 = memref.load %diagonal[%flat_26] : memref<1024xf32, #shared>
    %x_40 = math.fma %a_26, %x_25, %x_39 : f32
    %flat_27 = arith.addi %start, %c118 : index
    %a_27 = memref.load %diagonal[%flat_27] : memref<1024xf32, #shared>
    %x_41 = math.fma %a_27, %x_33, %x_40 : f32
    %x_42 = arith.subf %x_34, %x_41 fastmath<contract> : f32
    memref.store %x_42, %inverse[%row_7, %column] : memref<64x64xf32, #shared>
    memref.store %x_42, %turned[%column, %row_7] : memref<64x64xf32, #shared>
    %row_8 = arith.addi %base, %c8 : index
    %on_8 = arith.cmpi eq, %j, %c8 : index
    %x_43 = arith.select %on_8, %one, %zero : f32
    %flat_28 = arith.addi %start, %c128 : index
    %a_28 = memref.load %diagonal[%flat_28] : memref<1024xf32, #shared>
    %x_44 = arith.mulf %a_28, %x fastmath<contract> : f32
    %flat_29 = arith.addi %start, %c129 : index
    %a_29 = memref.load %diagonal[%flat_29] : memref<1024xf32, #shared>
    %x_45 = math.fma %a_29, %x_3, %x_44 : f32
    %flat_30 = arith.addi %start, %c130 : index
    %a_30 = memref.load %diagonal[%flat_30] : memref<1024xf32, #shared>
    %x_46 = math.fma %a_30, %x_7, %x_45 : f32
    %flat_31 = arith.addi %start, %c131 : index
    %a_31 = memref.load %diagonal[%flat_31] : memref<1024xf32, #shared>
    %x_47 = math.fma %a_31, %x_12, %x_46 : f32
    %flat_32 = arith.addi %start, %c132 : index
    %a_32 = memref.load %diagonal[%flat_32] : memref<1024xf32, #shared>
    %x_48 = math.fma %a_32, %x_18, %x_47 : f32
    %flat_33 = arith.addi %start, %c133 : index
    %a_33 = memref.load %diagonal[%flat_33] : memref<1024xf32, #shared>
    %x_49 = math.fma %a_33, %x_25, %x_48 : f32
    %flat_34 = arith.addi %start, %c134 : index
    %a_34 = memref.load %diagonal[%flat_34] : memref<1024xf32, #shared>
    %x_50 = math.fma %a_34, %x_33, %x_49 : f32
    %flat_35 = arith.addi %start, %c135 : index
    %a_35 = memref.load %diagonal[%flat_35] : memref<1024xf32, #shared>
    %x_51 = math.fma %a_35, %x_42, %x_50 : f32
    %x_52 = arith.subf %x_43, %x_51 fastmath<contract> : f32
    memref.store %x_52, %inverse[%row_8, %column] : memref<64x64xf32, #shared>
    memref.store %x_52, %turned[%column, %row_8] : memref<64x64xf32, #shared>
    %row_9 = arith.addi %base, %c9 : index
    %on_9 = arith.cmpi eq, %j, %c9 : index
    %x_53 = arith.select %on_9, %one, %zero : f32
    %flat_36 = arith.addi %start, %c144 : index
    %a_36 = memref.load %diagonal[%flat_36] : memref<1024xf32, #shared>
    %x_54 = arith.mulf %a_36, %x fastmath<contract> : f32
    %flat_37 = arith.addi %start, %c145 : index
    %a_37 = memref.load %diagonal[%flat_37] : memref<1024xf32, #shared>
    %x_55 = math.fma %a_37, %x_3, %x_54 : f32
    %flat_38 = arith.addi %start, %c146 : index
    %a_38 = memref.load %diagonal[%flat_38] : memref<1024xf32, #shared>
    %x_56 = math.fma %a_38, %x_7, %x_55 : f32
    %flat_39 = arith.addi %start, %c147 : index
    %a_39 = memref.load %diagonal[%flat_39] : memref<1024xf32, #shared>
    %x_57 = math.fma %a_39, %x_12, %x_56 : f32
    %flat_40 = arith.addi %start, %c148 : index
    %a_40 = memref.load %diagonal[%flat_40] : memref<1024xf32, #shared>
    %x_58 = math.fma %a_40, %x_18, %x_57 : f32
    %flat_41 = arith.addi %start, %c149 : index
    %a_41 = memref.load %diagonal[%flat_41] : memref<1024xf32, #shared>
    %x_59 = math.fma %a_41, %x_25, %x_58 : f32
    %flat_42 = arith.addi %start, %c150 : index
    %a_42 = memref.load %diagonal[%flat_42] : memref<1024xf32, #shared>
    %x_60 = math.fma %a_42, %x_33, %x_59 : f32
    %flat_43 = arith.addi %start, %c151 : index
    %a_43 = memref.load %diagonal[%flat_43] : memref<1024xf32, #shared>
    %x_61 = math.fma %a_43, %x_42, %x_60 : f32
    %flat_44 = arith.addi %start, %c152 : index
    %a_44 = memref.load %diagonal[%flat_44] : memref<1024xf32, #shared>
    %x_62 = math.fma %a_44, %x_52, %x_61 : f32
    %x_63 = arith.subf %x_53, %x_62 fastmath<contract> : f32
    memref.store %x_63, %inverse[%row_9, %column] : memref<64x64xf32, #shared>
    memref.store %x_63, %turned[%column, %row_9] : memref<64x64xf32, #shared>
    %row_10 = arith.addi %base, %c10 : index
    %on_10 = arith.cmpi eq, %j, %c10 : index
    %x_64 = arith.select %on_10, %one, %zero : f32
    %flat_45 = arith.addi %start, %c160 : index
    %a_45 = memref.load %diagonal[%flat_45] : memref<1024xf32, #shared>
    %x_65 = arith.mulf %a_45, %x fastmath<contract> : f32
    %flat_46 = arith.addi %start, %c161 : index
    %a_46 = memref.load %diagonal[%flat_46] : memref<1024xf32, #shared>
    %x_66 = math.fma %a_46, %x_3, %x_65 : f32
    %flat_47 = arith.addi %start, %c162 : index
    %a_47 = memref.load %diagonal[%flat_47] : memref<1024xf32, #shared>
    %x_67 = math.fma %a_47, %x_7, %x_66 : f32
    %flat_48 = arith.addi %start, %c163 : index
    %a_48 = memref.load %diagonal[%flat_48] : memref<1024xf32, #shared>
    %x_68 = math.fma %a_48, %x_12, %x_67 : f32
    %flat_49 = arith.addi %start, %c164 : index
    %a_49 = memref.load %diagonal[%flat_49] : memref<1024xf32, #shared>
    %x_69 = math.fma %a_49, %x_18, %x_68 : f32
    %flat_50 = arith.addi %start, %c165 : index
    %a_50 = memref.load %diagonal[%flat_50] : memref<1024xf32, #shared>
    %x_70 = math.fma %a_50, %x_25, %x_69 : f32
    %flat_51 = arith.addi %start, %c166 : index
    %a_51 = memref.load %diagonal[%flat_51] : memref<1024xf32, #shared>
    %x_71 = math.fma %a_51, %x_33, %x_70 : f32
    %flat_52 = arith.addi %start, %c167 : index
    %a_52 = memref.load %diagonal[%flat_52] : memref<1024xf32, #shared>
    %x_72 = math.fma %a_52, %x_42, %x_71 : f32
    %flat_53 = arith.addi %start, %c168 : index
    %a_53 = memref.load %diagonal[%flat_53] : memref<1024xf32, #shared>
    %x_73 = math.fma %a_53, %x_52, %x_72 : f32
    %flat_54 = arith.addi %start, %c169 : index
    %a_54 = memref.load %diagonal[%flat_54] : memref<1024xf32, #shared>
    %x_74 = math.fma %a_54, %x_63, %x_73 : f32
    %x_75 = arith.subf %x_64, %x_74 fastmath<contract> : f32
    memref.store %x_75, %inverse[%row_10, %column] : memref<64x64xf32, #shared>
    memref.store %x_75, %turned[%column, %row_10] : memref<64x64xf32, #shared>
    %row_11 = arith.addi %base, %c11 : index
    %on_11 = arith.cmpi eq, %j, %c11 : index
    %x_76 = arith.select %on_11, %one, %zero : f32
    %flat_55 = arith.addi %start, %c176 : index
    %a_55 = memref.load %diagonal[%flat_55] : memref<1024xf32, #shared>
    %x_77 = arith.mulf %a_55, %x fastmath<contract> : f32
    %flat_56 = arith.addi %start, %c177 : index
    %a_56 = memref.load %diagonal[%flat_56] : memref<1024xf32, #shared>
    %x_78 = math.fma %a_56, %x_3, %x_77 : f32
    %flat_57 = arith.addi %start, %c178 : index
    %a_57 = memref.load %diagonal[%flat_57] : memref<1024xf32, #shared>
    %x_79 = math.fma %a_57, %x_7, %x_78 : f32
    %flat_58 = arith.addi %start, %c179 : index
    %a_58 = memref.load %diagonal[%flat_58] : memref<1024xf32, #shared>
    %x_80 = math.fma %a_58, %x_12, %x_79 : f32
    %flat_59 = arith.addi %start, %c180 : index
    %a_59 = memref.load %diagonal[%flat_59] : memref<1024xf32, #shared>
    %x_81 = math.fma %a_59, %x_18, %x_80 : f32
    %flat_60 = arith.addi %start, %c181 : index
    %a_60 = memref.load %diagonal[%flat_60] : memref<1024xf32, #shared>
    %x_82 = math.fma %a_60, %x_25, %x_81 : f32
    %flat_61 = arith.addi %start, %c182 : index
    %a_61 = memref.load %diagonal[%flat_61] : memref<1024xf32, #shared>
    %x_83 = math.fma %a_61, %x_33, %x_82 : f32
    %flat_62 = arith.addi %start, %c183 : index
    %a_62 = memref.load %diagonal[%flat_62] : memref<1024xf32, #shared>
    %x_84 = math.fma %a_62, %x_42, %x_83 : f32
    %flat_63 = arith.addi %start, %c184 : index
    %a_63 = memref.load %diagonal[%flat_63] : memref<1024xf32, #shared>
    %x_85 = math.fma %a_63, %x_52, %x_84 : f32
    %flat_64 = arith.addi %start, %c185 : index
    %a_64 = memref.load %diagonal[%flat_64] : memref<1024xf32, #shared>
    %x_86 = math.fma %a_64, %x_63, %x_85 : f32
    %flat_65 = arith.addi %start, %c186 : index
    %a_65 = memref.load %diagonal[%flat_65] : memref<1024xf32, #shared>
    %x_87 = math.fma %a_65, %x_75, %x_86 : f32
    %x_88 = arith.subf %x_76, %x_87 fastmath<contract> : f32
    memref.store %x_88, %inverse[%row_11, %column] : memref<64x64xf32, #shared>
    memref.store %x_88, %turned[%column, %row_11] : memref<64x64xf32, #shared>
    %row_12 = arith.addi %base, %c12 : index
    %on_12 = arith.cmpi eq, %j, %c12 : index
    %x_89 = arith.select %on_12, %one, %zero : f32
    %flat_66 = arith.addi %start, %c192 : index
    %a_66 = memref.load %diagonal[%flat_66] : memref<1024xf32, #shared>
    %x_90 = arith.mulf %a_66, %x fastmath<contract> : f32
    %flat_67 = arith.addi %start, %c193 : index
    %a_67 = memref.load %diagonal[%flat_67] : memref<1024xf32, #shared>
    %x_91 = math.fma %a_67, %x_3, %x_90 : f32
    %flat_68 = arith.addi %start, %c194 : index
    %a_68 = memref.load %diagonal[%flat_68] : memref<1024xf32, #shared>
    %x_92 = math.fma %a_68, %x_7, %x_91 : f32
    %flat_69 = arith.addi %start, %c195 : index
    %a_69 = memref.load %diagonal[%flat_69] : memref<1024xf32, #shared>
    %x_93 = math.fma %a_69, %x_12, %x_92 : f32
    %flat_70 = arith.addi %start, %c196 : index
    %a_70 = memref.load %diagonal[%flat_70] : memref<1024xf32, #shared>
    %x_94 = math.fma %a_70, %x_18, %x_93 : f32
    %flat_71 = arith.addi %start, %c197 : index
    %a_71 = memref.load %diagonal[%flat_71] : memref<1024xf32, #shared>
    %x_95 = math.fma %a_71, %x_25, %x_94 : f32
    %flat_72 = arith.addi %start, %c198 : index
    %a_72 = memref.load %diagonal[%flat_72] : memref<1024xf32, #shared>
    %x_96 = math.fma %a_72, %x_33, %x_95 : f32
    %flat_73 = arith.addi %start, %c199 : index
    %a_73 = memref.load %diagonal[%flat_73] : memref<1024xf32, #shared>
    %x_97 = math.fma %a_73, %x_42, %x_96 : f32
    %flat_74 = arith.addi %start, %c200 : index
    %a_74 = memref.load %diagonal[%flat_74] : memref<1024xf32, #shared>
    %x_98 = math.fma %a_74, %x_52, %x_97 : f32
    %flat_75 = arith.addi %start, %c201 : index
    %a_75 = memref.load %diagonal[%flat_75] : memref<1024xf32, #shared>
    %x_99 = math.fma %a_75, %x_63, %x_98 : f32
    %flat_76 = arith.addi %start, %c202 : index
    %a_76 = memref.load %diagonal[%flat_76] : memref<1024xf32, #shared>
    %x_100 = math.fma %a_76, %x_75, %x_99 : f32
    %flat_77 = arith.addi %start, %c203 : index
    %a_77 = memref.load %diagonal[%flat_77] : memref<1024xf32, #shared>
    %x_101 = math.fma %a_77, %x_88, %x_100 : f32
    %x_102 = arith.subf %x_89, %x_101 fastmath<contract> : f32
    memref.store %x_102, %inverse[%row_12, %column] : memref<64x64xf32, #shared>
    memref.store %x_102, %turned[%column, %row_12] : memref<64x64xf32, #shared>
    %row_13 = arith.addi %base, %c13 : index
    %on_13 = arith.cmpi eq, %j, %c13 : index
    %x_103 = arith.select %on_13, %one, %zero : f32
    %flat_78 = arith.addi %start, %c208 : index
    %a_78 = memref.load %diagonal[%flat_78] : memref<1024xf32, #shared>
    %x_104 = arith.mulf %a_78, %x fastmath<contract> : f32
    %flat_79 = arith.addi %start, %c209 : index
    %a_79 = memref.load %diagonal[%flat_79] : memref<1024xf32, #shared>
    %x_105 = math.fma %a_79, %x_3, %x_104 : f32
    %flat_80 = arith.addi %start, %c210 : index
    %a_80 = memref.load %diagonal[%flat_80] : memref<1024xf32, #shared>
    %x_106 = math.fma %a_80, %x_7, %x_105 : f32
    %flat_81 = arith.addi %start, %c211 : index
    %a_81 = memref.load %diagonal[%flat_81] : memref<1024xf32, #shared>
    %x_107 = math.fma %a_81, %x_12, %x_106 : f32
    %flat_82 = arith.addi %start, %c212 : index
    %a_82 = memref.load %diagonal[%flat_82] : memref<1024xf32, #shared>
    %x_108 = math.fma %a_82, %x_18, %x_107 : f32
    %flat_83 = arith.addi %start, %c213 : index
    %a_83 = memref.load %diagonal[%flat_83] : memref<1024xf32, #shared>
    %x_109 = math.fma %a_83, %x_25, %x_108 : f32
    %flat_84 = arith.addi %start, %c214 : index
    %a_84 = memref.load %diagonal[%flat_84] : memref<1024xf32, #shared>
    %x_110 = math.fma %a_84, %x_33, %x_109 : f32
    %flat_85 = arith.addi %start, %c215 : index
    %a_85 = memref.load %diagonal[%flat_85] : memref<1024xf32, #shared>
    %x_111 = math.fma %a_85, %x_42, %x_110 : f32
    %flat_86 = arith.addi %start, %c216 : index
    %a_86 = memref.load %diagonal[%flat_86] : memref<1024xf32, #shared>
    %x_112 = math.fma %a_86, %x_52, %x_111 : f32
    %flat_87 = arith.addi %start, %c217 : index
    %a_87 = memref.load %diagonal[%flat_87] : memref<1024xf32, #shared>
    %x_113 = math.fma %a_87, %x_63, %x_112 : f32
    %flat_88 = arith.addi %start, %c218 : index
    %a_88 = memref.load %diagonal[%flat_88] : memref<1024xf32, #shared>
    %x_114 = math.fma %a_88, %x_75, %x_113 : f32
    %flat_89 = arith.addi %start, %c219 : index
    %a_89 = memref.load %diagonal[%flat_89] : memref<1024xf32, #shared>
    %x_115 = math.fma %a_89, %x_88, %x_114 : f32
    %flat_90 = arith.addi %start, %c220 : index
    %a_90 = memref.load %diagonal[%flat_90] : memref<1024xf32, #shared>
    %x_116 = math.fma %a_90, %x_102, %x_115 : f32
    %x_117 = arith.subf %x_103, %x_116 fastmath<contract> : f32
    memref.store %x_117, %inverse[%row_13, %column] : memref<64x64xf32, #shared>
    memref.store %x_117, %turned[%column, %row_13] : memref<64x64xf32, #shared>
    %row_14 = arith.addi %base, %c14 : index
    %on_14 = arith.cmpi eq, %j, %c14 : index
    %x_118 = arith.select %on_14, %one, %zero : f32
    %flat_91 = arith.addi %start, %c224 : index
    %a_91 = memref.load %diagonal[%flat_91] : memref<1024xf32, #shared>
    %x_119 = arith.mulf %a_91, %x fastmath<contract> : f32
    %flat_92 = arith.addi %start, %c225 : index
    %a_92 = memref.load %diagonal[%flat_92] : memref<1024xf32, #shared>
    %x_120 = math.fma %a_92, %x_3, %x_119 : f32
    %flat_93 = arith.addi %start, %c226 : index
    %a_93 = memref.load %diagonal[%flat_93] : memref<1024xf32, #shared>
    %x_121 = math.fma %a_93, %x_7, %x_120 : f32
    %flat_94 = arith.addi %start, %c227 : index
    %a_94 = memref.load %diagonal[%flat_94] : memref<1024xf32, #shared>
    %x_122 = math.fma %a_94, %x_12, %x_121 : f32
    %flat_95 = arith.addi %start, %c228 : index
    %a_95 = memref.load %diagonal[%flat_95] : memref<1024xf32, #shared>
    %x_123 = math.fma %a_95, %x_18, %x_122 : f32
    %flat_96 = arith.addi %start, %c229 : index
    %a_96 = memref.load %diagonal[%flat_96] : memref<1024xf32, #shared>
    %x_124 = math.fma %a_96, %x_25, %x_123 : f32
    %flat_97 = arith.addi %start, %c230 : index
    %a_97 = memref.load %diagonal[%flat_97] : memref<1024xf32, #shared>
    %x_125 = math.fma %a_97, %x_33, %x_124 : f32
    %flat_98 = arith.addi %start, %c231 : index
    %a_98 = memref.load %diagonal[%flat_98] : memref<1024xf32, #shared>
    %x_126 = math.fma %a_98, %x_42, %x_125 : f32
    %flat_99 = arith.addi %start, %c232 : index
    %a_99 = memref.load %diagonal[%flat_99] : memref<1024xf32, #shared>
    %x_127 = math.fma %a_99, %x_52, %x_126 : f32
    %flat_100 = arith.addi %start, %c233 : index
    %a_100 = memref.load %diagonal[%flat_100] : memref<1024xf32, #shared>
    %x_128 = math.fma %a_100, %x_63, %x_127 : f32
    %flat_101 = arith.addi %start, %c234 : index
    %a_101 = memref.load %diagonal[%flat_101] : memref<1024xf32, #shared>
    %x_129 = math.fma %a_101, %x_75, %x_128 : f32
    %flat_102 = arith.addi %start, %c235 : index
    %a_102 = memref.load %diagonal[%flat_102] : memref<1024xf32, #shared>
    %x_130 = math.fma %a_102, %x_88, %x_129 : f32
    %flat_103 = arith.addi %start, %c236 : index
    %a_103 = memref.load %diagonal[%flat_103] : memref<1024xf32, #shared>
    %x_131 = math.fma %a_103, %x_102, %x_130 : f32
    %flat_104 = arith.addi %start, %c237 : index
    %a_104 = memref.load %diagonal[%flat_104] : memref<1024xf32, #shared>
    %x_132 = math.fma %a_104, %x_117, %x_131 : f32
    %x_133 = arith.subf %x_118, %x_132 fastmath<contract> : f32
    memref.store %x_133, %inverse[%row_14, %column] : memref<64x64xf32, #shared>
    memref.store %x_133, %turned[%column, %row_14] : memref<64x64xf32, #shared>
    %row_15 = arith.addi %base, %c15 : index
    %on_15 = arith.cmpi eq, %j, %c15 : index
    %x_134 = arith.select %on_15, %one, %zero : f32
    %flat_105 = arith.addi %start, %c240 : index
    %a_105 = memref.load %diagonal[%flat_105] : memref<1024xf32, #shared>
    %x_135 = arith.mulf %a_105, %x fastmath<contract> : f32
    %flat_106 = arith.addi %start, %c241 : index
    %a_106 = memref.load %diagonal[%flat_106] : memref<1024xf32, #shared>
    %x_136 = math.fma %a_106, %x_3, %x_135 : f32
    %flat_107 = arith.addi %start, %c242 : index
    %a_107 = memref.load %diagonal[%flat_107] : memref<1024xf32, #shared>
    %x_137 = math.fma %a_107, %x_7, %x_136 : f32
    %flat_108 = arith.addi %start, %c243 : index
    %a_108 = memref.load %diagonal[%flat_108] : memref<1024xf32, #shared>
    %x_138 = math.fma %a_108, %x_12, %x_137 : f32
    %flat_109 = arith.addi %start, %c244 : index
    %a_109 = memref.load %diagonal[%flat_109] : memref<1024xf32, #shared>
    %x_139 = math.fma %a_109, %x_18, %x_138 : f32
    %flat_110 = arith.addi %start, %c245 : index
    %a_110 = memref.load %diagonal[%flat_110] : memref<1024xf32, #shared>
    %x_140 = math.fma %a_110, %x_25, %x_139 : f32
    %flat_111 = arith.addi %start, %c246 : index
    %a_111 = memref.load %diagonal[%flat_111] : memref<1024xf32, #shared>
    %x_141 = math.fma %a_111, %x_33, %x_140 : f32
    %flat_112 = arith.addi %start, %c247 : index
    %a_112 = memref.load %diagonal[%flat_112] : memref<1024xf32, #shared>
    %x_142 = math.fma %a_112, %x_42, %x_141 : f32
    %flat_113 = arith.addi %start, %c248 : index
    %a_113 = memref.load %diagonal[%flat_113] : memref<1024xf32, #shared>
    %x_143 = math.fma %a_113, %x_52, %x_142 : f32
    %flat_114 = arith.addi %start, %c249 : index
    %a_114 = memref.load %diagonal[%flat_114] : memref<1024xf32, #shared>
    %x_144 = math.fma %a_114, %x_63, %x_143 : f32
    %flat_115 = arith.addi %start, %c250 : index
    %a_115 = memref.load %diagonal[%flat_115] : memref<1024xf32, #shared>
    %x_145 = math.fma %a_115, %x_75, %x_144 : f32
    %flat_116 = arith.addi %start, %c251 : index
    %a_116 = memref.load %diagonal[%flat_116] : memref<1024xf32, #shared>
    %x_146 = math.fma %a_116, %x_88, %x_145 : f32
    %flat_117 = arith.addi %start, %c252 : index
    %a_117 = memref.load %diagonal[%flat_117] : memref<1024xf32, #shared>
    %x_147 = math.fma %a_117, %x_102, %x_146 : f32
    %flat_118 = arith.addi %start, %c253 : index
    %a_118 = memref.load %diagonal[%flat_118] : memref<1024xf32, #shared>
    %x_148 = math.fma %a_118, %x_117, %x_147 : f32
    %flat_119 = arith.addi %start, %c254 : index
    %a_119 = memref.load %diagonal[%flat_119] : memref<1024xf32, #shared>
    %x_149 = math.fma %a_119, %x_133, %x_148 : f32
    %x_150 = arith.subf %x_134, %x_149 fastmath<contract> : f32
    memref.store %x_150, %inverse[%row_15, %column] : memref<64x64xf32, #shared>
    memref.store %x_150, %turned[%column, %row_15] : memref<64x64xf32, #shared>
  }
  %minus = tile.alloc : memref<64x64xf32, #tile.fragment>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %R_out = tile.alloc : memref<64x64xbf16, #tile.fragment>
  tile.gemm %turned, %below, %minus {clear, transpose_b} : memref<64x64xf32, #shared>, memref<64x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %minus[%i, %j] : memref<64x64xf32, #tile.fragment>
    %x_1 = arith.subf %zero, %x fastmath<contract> : f32
    memref.store %x_1, %turned[%i, %j] : memref<64x64xf32, #shared>
  }
  tile.copy %inverse to %below : memref<64x64xf32, #shared> to memref<64x64xf32, #shared>
  scf.for %step = %c1 to %c4 step %c1 {
    tile.copy %inverse to %acc : memref<64x64xf32, #shared> to memref<64x64xf32, #tile.fragment>
    tile.gemm %below, %turned, %acc {transpose_b} : memref<64x64xf32, #shared>, memref<64x64xf32, #shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %acc to %below : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #shared>
  }
  tile.parallel (%i, %j) in (64, 64) {
    %x = memref.load %acc[%i, %j] : memref<64x64xf32, #tile.fragment>
    %beta_1 = memref.load %betas[%j] : memref<64xf32, #shared>
    %x_1 = arith.mulf %x, %beta_1 fastmath<contract> : f32
    %narrow = arith.truncf %x_1 : f32 to bf16
    memref.store %narrow, %R_out[%i, %j] : memref<64x64xbf16, #tile.fragment>
  }
  tile.copy %R_out to %R[%b, %h, %m, %c0] sizes [1, 1, 64, 64] : memref<64x64xbf16, #tile.fragment> to memref<?x?x?x64xbf16>
}
