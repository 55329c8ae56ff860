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
  let description = !strconcat(RingSyntax, [{
    `stages` copies of each buffer. `producer` says what fills a slot and so how
    "full" is signalled; `consumers` say what reads it and so how "empty" is:
    the slot is free once each kind of reader has finished.

    ```mlir
    !tile.ring<3 x [memref<128x32xf16, #shared>, memref<32x128xf16, #shared>], cp_async -> threads>
    !tile.ring<4 x [memref<128x64xf16, #shared>, memref<64xf32, #shared>], tma -> (wgmma, threads)>
    !tile.ring<4 x [memref<128x64xf16, #shared>], cp_async_mbarrier -> wgmma>
    !tile.ring<2 x [memref<128x256xf32, #tile.tmem>], mma -> threads>
    ```

    The slots of a ring from `mma` are accumulators in tensor memory, those of
    all others buffers in shared memory.

    Copies by cp.async and by loads and stores have two protocols each.
    `cp_async` and `threads`: whoever fills the ring also reads it, and a barrier
    of its threads says both "full" and "empty". `cp_async_mbarrier` and
    `threads_mbarrier`: mbarriers say so, and filling and reading are the
    business of different roles. All threads of a producing role copy, and "full"
    is what all of them say: by `cp.async.mbarrier.arrive.noinc`, each once its
    own copies have landed (nobody waits for them), or by an arrival of each warp
    behind its stores.
  }]);
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"Type">:$buffers,
                        "RingProducer":$producer, ArrayRefParameter<"RingConsumer">:$consumers);
  let assemblyFormat = "`<` $stages `x` ` ` `[` $buffers `]` `,` $producer `->` custom<RingConsumers>($consumers) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether `side` is among the consumers.
    bool hasConsumer(::mlir::tile::RingConsumer side) const {
      return ::llvm::is_contained(getConsumers(), side);
    }
    /// Full and empty are signalled by mbarriers in shared memory, so that
    /// producer and consumer may be different threads.
    bool usesMbarriers() const {
      return getProducer() == ::mlir::tile::RingProducer::Tma ||
             isFilledByRole() || inTensorMemory();
    }
    /// All threads of a role fill the slots together, through the generic proxy;
    /// mbarriers say when they have.
    bool isFilledByRole() const {
      return getProducer() == ::mlir::tile::RingProducer::CpAsyncMbarrier ||
             getProducer() == ::mlir::tile::RingProducer::ThreadsMbarrier;
    }
    /// Slots are accumulators that gemms by tcgen05 write.
    bool inTensorMemory() const {
      return getProducer() == ::mlir::tile::RingProducer::Mma;
    }
  }];
}

def Tile_TokenType : Tile_Type<"Token", "token"> {
  let summary = "an asynchronous operation in flight";
  let description = [{
    Issued by an operation that returns it, ended by `tile.await`. Loops carry
    it, so that an operation may be in flight across iterations.
  }];
}

def Tile_MbarrierType : Tile_Type<"Mbarrier", "mbarrier"> {
  let summary = "barriers that count arrivals of threads";
  let description = [{
    `count` barriers, 1 to 1024, each of 8 bytes in shared memory; see
    `tile.mbarrier.create`.

    ```mlir
    !tile.mbarrier<2>
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

#endif // TILE_TYPES_TD
