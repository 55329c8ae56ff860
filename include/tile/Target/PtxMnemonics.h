//===- PtxMnemonics.h - instructions that are written as text ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mnemonics of instructions that the lowering writes as inline PTX and that
// others look for in it: what ptxas gets wrong (AssemblerFaults.cpp), and the
// checks of --tile-verify-nvvm. Whoever writes one and whoever finds it take
// the name from here, so that neither can change alone.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_PTXMNEMONICS_H
#define TILE_TARGET_PTXMNEMONICS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tile::ptx {

inline constexpr llvm::StringLiteral kAnyWgmma = "wgmma.";
inline constexpr llvm::StringLiteral kWgmmaMma = "wgmma.mma_async";
inline constexpr llvm::StringLiteral kWgmmaWait = "wgmma.wait_group";
inline constexpr llvm::StringLiteral kWgmmaWaitForAll =
    "wgmma.wait_group.sync.aligned 0;";

/// Its indices are in increasing order, as `tile.gemm` demands of metadata.
inline constexpr llvm::StringLiteral kMmaSp = "mma.sp::ordered_metadata";

inline constexpr llvm::StringLiteral kComplement = "not.b32";
inline constexpr llvm::StringLiteral kComplementOfShort = "not.b16";

inline constexpr llvm::StringLiteral kAnyTcgen05 = "tcgen05.";
inline constexpr llvm::StringLiteral kTcgen05Mma = "tcgen05.mma.";
inline constexpr llvm::StringLiteral kTcgen05Load = "tcgen05.ld.";
inline constexpr llvm::StringLiteral kTcgen05WaitForLoads =
    "tcgen05.wait::ld.sync.aligned;";
inline constexpr llvm::StringLiteral kGroupOfOne = "cta_group::1";
inline constexpr llvm::StringLiteral kGroupOfTwo = "cta_group::2";
inline constexpr llvm::StringLiteral kTcgen05Commit = "tcgen05.commit";

inline constexpr llvm::StringLiteral kMbarrierInit = "mbarrier.init";
inline constexpr llvm::StringLiteral kMbarrierArrive = "mbarrier.arrive";
inline constexpr llvm::StringLiteral kMbarrierTryWait =
    "mbarrier.try_wait.parity";
inline constexpr llvm::StringLiteral kMbarrierTestWait =
    "mbarrier.test_wait.parity";

/// Bytes that a phase of an mbarrier counts, as parts of a mnemonic.
inline constexpr llvm::StringLiteral kExpectBytes = "expect_tx";
inline constexpr llvm::StringLiteral kCompleteBytes = "complete_tx";
/// Shared memory of any block of the cluster.
inline constexpr llvm::StringLiteral kSharedOfCluster = "shared::cluster";

inline constexpr llvm::StringLiteral kProxyFence = "fence.proxy.async";

} // namespace mlir::tile::ptx
#endif // TILE_TARGET_PTXMNEMONICS_H
