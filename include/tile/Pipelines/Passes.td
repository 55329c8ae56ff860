//===- Passes.td - passes that run others on trial --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_PIPELINES_PASSES_TD
#define TILE_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def FitStagesPass : Pass<"tile-fit-stages", "::mlir::ModuleOp"> {
  let summary = "Takes stages from pipelined loops until a kernel fits shared memory";
  let description = [{
    Runs before `tile-pipeline`. Where the tiles of a kernel, the slots that its
    loops ask for and scratch memory may take more than a block has, a copy of the
    kernel goes through the passes of the schedule, and the function by which
    `tile-place-shared-memory` places tiles says how many bytes it takes. As long
    as these are too many, the loop whose slots take most loses a stage, and a
    remark says so. Before a loop loses its second stage, the kernel is tried
    without roles: rings of roles share no bytes with tiles behind the loop.

    A tile that TMA fills once in each iteration of a loop over tiles (the queries
    of attention in a persistent kernel) gets a second slot, so that the warps that
    load fill it for the next tile while the others read this one: in kernels that
    may have roles, where both slots fit and one block runs at a time (several hide
    each other's waits). A trial with and one without them say how many bytes that
    takes.

    A kernel that does not fit with one stage each is left to the error of
    `tile-place-shared-memory`; one whose copy is refused by a pass, to that
    pass's error.

    Before, on sm_80, which gives a block 163 KiB:

    ```mlir
    tile.pipelined %k = %c0 to %K step %c64 stages(8) {
      tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<256x64xf16, #shared>
      ...
    ```

    After: `stages(5)`.

    Needs: `--tile-set-target`, `--tile-infer-layouts`.
    Leaves: loops with stages that fit; `tile.without_roles` on a kernel that fits
    without roles only; `tile.second_slots` on one whose lone tiles get two slots.
  }];
  let options = [
    Option<"roles", "roles", "::mlir::tile::RoleChoice",
           "::mlir::tile::RoleChoice::Auto",
           "whether warps are divided into roles, as --tile-pipeline is told",
           [{::llvm::cl::values(
             clEnumValN(::mlir::tile::RoleChoice::Auto, "auto", "where it pays"),
             clEnumValN(::mlir::tile::RoleChoice::On, "on", "or an error"),
             clEnumValN(::mlir::tile::RoleChoice::Off, "off", "never"))}]>,
    Option<"remarks", "remarks", "bool", "false",
           "say which loops have fewer stages, and why">];
  let statistics = [
    Statistic<"trials", "trials", "copies of kernels that were scheduled">,
    Statistic<"stagesTaken", "stages-taken", "stages taken from loops">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

#endif // TILE_PIPELINES_PASSES_TD
