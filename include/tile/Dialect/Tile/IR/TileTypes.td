//===- TileTypes.td - types of the tile dialect -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_TYPES_TD
#define TILE_TYPES_TD

include "tile/Dialect/Tile/IR/TileAttrs.td"

class Tile_Type<string name, string mnem> : TypeDef<Tile_Dialect, name> {
  let mnemonic = mnem;
}

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "a multi-stage buffer with its full/empty protocol";
  let description = [{
    `stages` copies of each buffer. `producer` says what fills a slot and so how
    "full" is signalled; `consumer` says what reads it and so how "empty" is.

    ```mlir
    !tile.ring<3 x [memref<128x32xf16, #shared>, memref<32x128xf16, #shared>], cp_async -> threads>
    ```
  }];
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"Type">:$buffers,
                        "RingSide":$producer, "RingSide":$consumer);
  let assemblyFormat = "`<` $stages `x` ` ` `[` $buffers `]` `,` $producer `->` $consumer `>`";
  let genVerifyDecl = 1;
}

def Tile_TokenType : Tile_Type<"Token", "token"> {
  let summary = "an asynchronous operation in flight";
}

#endif // TILE_TYPES_TD
