/*===- Dialect.h - the tile dialect for users of MLIR's C API ---*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Registers what the compiler knows with contexts that a program makes by    *|
|* MLIR's C API, makes and reads the dialect's types and attributes, and      *|
|* compiles modules. Exported where the library is built with MLIR's C API    *|
|* inside of it: that of the Python package.                                  *|
|*                                                                            *|
|* For each type and attribute X: `tile...IsAX` asks, `tileX...GetTypeID` is  *|
|* what MLIR knows the class by, `tileX...Get` makes one. A `GetChecked`      *|
|* verifies first: it emits an error at the location and returns null where   *|
|* the parameters are not valid. Accessors expect an attribute of their kind. *|
|* Arrays and strings that are returned live as long as the context.          *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_DIALECT_H
#define TILE_C_DIALECT_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"
#include "tile-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(performance-enum-size): C enumerations are ints. */

/* The tile dialect by itself (mlirDialectHandleInsertDialect, ...). */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);

/* The tile dialect, those that kernels are written in beside it (arith, math,
   scf, affine, memref, vector, func) and those that lowering produces. */
void tileRegisterDialects(MlirDialectRegistry registry);

/* The compiler's passes and pipelines, and upstream's general ones, by name for
   mlirParsePassPipeline. Calls after the first do nothing. */
void tileRegisterPasses(void);

/* tileCompile for a module: it is copied into a context of the compiler's own
   and stays as it is. Diagnostics go to `diagnostics` as text, not to the
   handlers of the module's context. Takes no lock of the caller's; the module
   must not change meanwhile. */
int32_t tileCompileModule(MlirModule module, const TileCompileOptions *options,
                          TileCompileResult **result, char **diagnostics);

/* Numbers that somebody else holds. */
typedef struct TileIntegers {
  const int64_t *data;
  intptr_t size;
} TileIntegers;

/*===----------------------------------------------------------------------===*\
|* Memory spaces                                                              *|
\*===----------------------------------------------------------------------===*/

/* `#tile.fragment`: registers spread over the threads of a block. */
bool tileAttributeIsAFragmentSpace(MlirAttribute attribute);
MlirTypeID tileFragmentSpaceAttrGetTypeID(void);
MlirAttribute tileFragmentSpaceAttrGet(MlirContext context);

/* `#tile.local`: memory private to a thread. */
bool tileAttributeIsALocalSpace(MlirAttribute attribute);
MlirTypeID tileLocalSpaceAttrGetTypeID(void);
MlirAttribute tileLocalSpaceAttrGet(MlirContext context);

/* `#tile.tmem`: Blackwell's tensor memory. */
bool tileAttributeIsATensorMemorySpace(MlirAttribute attribute);
MlirTypeID tileTensorMemorySpaceAttrGetTypeID(void);
MlirAttribute tileTensorMemorySpaceAttrGet(MlirContext context);

/*===----------------------------------------------------------------------===*\
|* Layouts (what they mean is in docs/Layouts.md; tile-c/Layout.h asks them)  *|
\*===----------------------------------------------------------------------===*/

/* The hardware axes of a fragment's layout. */
typedef enum TileAxis {
  TILE_AXIS_REGISTER = 0,
  TILE_AXIS_LANE = 1,
  TILE_AXIS_WARP = 2,
  TILE_AXIS_BLOCK = 3 /* of a cluster */
} TileAxis;

/* `#tile.fragment_layout`. The four axes' modes are flattened to triples
   (extent, dimension, stride), fastest digit first; dimension -1 replicates. */
bool tileAttributeIsAFragmentLayout(MlirAttribute attribute);
MlirTypeID tileFragmentLayoutAttrGetTypeID(void);
MlirAttribute tileFragmentLayoutAttrGetChecked(MlirLocation location,
                                               TileIntegers shape,
                                               const TileIntegers axes[4]);
TileIntegers tileFragmentLayoutAttrGetShape(MlirAttribute attribute);
/* The triples of a TileAxis. */
TileIntegers tileFragmentLayoutAttrGetModes(MlirAttribute attribute,
                                            int32_t axis);

/* `#tile.shared_layout`. Modes are triples as above; the swizzle is empty or
   three numbers (bits, base, shift). */
bool tileAttributeIsASharedLayout(MlirAttribute attribute);
MlirTypeID tileSharedLayoutAttrGetTypeID(void);
MlirAttribute tileSharedLayoutAttrGetChecked(MlirLocation location,
                                             TileIntegers shape,
                                             int64_t elementBits,
                                             TileIntegers modes,
                                             TileIntegers swizzle);
TileIntegers tileSharedLayoutAttrGetShape(MlirAttribute attribute);
int64_t tileSharedLayoutAttrGetElementBits(MlirAttribute attribute);
TileIntegers tileSharedLayoutAttrGetModes(MlirAttribute attribute);
TileIntegers tileSharedLayoutAttrGetSwizzle(MlirAttribute attribute);

/*===----------------------------------------------------------------------===*\
|* Enumerations                                                               *|
\*===----------------------------------------------------------------------===*/

/* Attributes of one case of an enumeration. Values are numbered as
   docs/Dialects/Tile.md lists the words; `GetChecked` refuses others. */
#define TILE_DECLARE_ENUM_ATTR(Name)                                           \
  bool tileAttributeIsA##Name(MlirAttribute attribute);                        \
  MlirTypeID tile##Name##AttrGetTypeID(void);                                  \
  MlirAttribute tile##Name##AttrGetChecked(MlirLocation location,              \
                                           int32_t value);                     \
  int32_t tile##Name##AttrGetValue(MlirAttribute attribute);

TILE_DECLARE_ENUM_ATTR(WarpPolicy)
TILE_DECLARE_ENUM_ATTR(ReduceKind)
TILE_DECLARE_ENUM_ATTR(AtomicKind)
TILE_DECLARE_ENUM_ATTR(Precision)
TILE_DECLARE_ENUM_ATTR(CopyInstruction)
TILE_DECLARE_ENUM_ATTR(MmaInstruction)
TILE_DECLARE_ENUM_ATTR(EvictionPolicy)

#undef TILE_DECLARE_ENUM_ATTR

/*===----------------------------------------------------------------------===*\
|* Targets, tunables, plans                                                   *|
\*===----------------------------------------------------------------------===*/

/* `#tile.target<"sm_90a", device = "...">`; an empty device is none. */
bool tileAttributeIsATarget(MlirAttribute attribute);
MlirTypeID tileTargetAttrGetTypeID(void);
MlirAttribute tileTargetAttrGetChecked(MlirLocation location,
                                       MlirStringRef arch,
                                       MlirStringRef device);
MlirStringRef tileTargetAttrGetArch(MlirAttribute attribute);
MlirStringRef tileTargetAttrGetDevice(MlirAttribute attribute);

/* `#tile.tunable<"bm" in [64, 128]>`. */
bool tileAttributeIsATunable(MlirAttribute attribute);
MlirTypeID tileTunableAttrGetTypeID(void);
MlirAttribute tileTunableAttrGet(MlirContext context, MlirStringRef name,
                                 TileIntegers values);
MlirStringRef tileTunableAttrGetName(MlirAttribute attribute);
TileIntegers tileTunableAttrGetValues(MlirAttribute attribute);

/* `#tile.tuned<"threads" = affine_map<()[s0] -> (s0 * 2)>>`. */
bool tileAttributeIsATuned(MlirAttribute attribute);
MlirTypeID tileTunedAttrGetTypeID(void);
MlirAttribute tileTunedAttrGet(MlirContext context, MlirStringRef attribute,
                               MlirAffineMap value);
MlirStringRef tileTunedAttrGetAttribute(MlirAttribute attribute);
MlirAffineMap tileTunedAttrGetValue(MlirAttribute attribute);

/* `#tile.copy_plan<tma, bytes = 16>`; the instruction is a CopyInstruction. */
bool tileAttributeIsACopyPlan(MlirAttribute attribute);
MlirTypeID tileCopyPlanAttrGetTypeID(void);
MlirAttribute tileCopyPlanAttrGetChecked(MlirLocation location,
                                         int32_t instruction, int64_t bytes);
int32_t tileCopyPlanAttrGetInstruction(MlirAttribute attribute);
int64_t tileCopyPlanAttrGetBytes(MlirAttribute attribute);

/* `#tile.move_request<{...}>`; what is negative is not asked for. */
typedef struct TileMoveRequest {
  int32_t prefer; /* a CopyInstruction */
  bool disableTma;
  int64_t coalescedWidth;
  int32_t evictionPolicy; /* an EvictionPolicy */
} TileMoveRequest;
bool tileAttributeIsAMoveRequest(MlirAttribute attribute);
MlirTypeID tileMoveRequestAttrGetTypeID(void);
MlirAttribute tileMoveRequestAttrGetChecked(MlirLocation location,
                                            TileMoveRequest request);
TileMoveRequest tileMoveRequestAttrGetRequest(MlirAttribute attribute);

/* `#tile.move_decision<{plan = ..., ...}>`; what is null, negative or empty is
   not decided. */
typedef struct TileMoveDecision {
  MlirAttribute layout; /* a FragmentLayout */
  MlirAttribute plan;   /* a CopyPlan */
  int64_t multicast;
  TileIntegers multicastAlong;
  bool inside;
  bool inFront;
  TileIntegers groups;
} TileMoveDecision;
bool tileAttributeIsAMoveDecision(MlirAttribute attribute);
MlirTypeID tileMoveDecisionAttrGetTypeID(void);
MlirAttribute tileMoveDecisionAttrGetChecked(MlirLocation location,
                                             TileMoveDecision decision);
TileMoveDecision tileMoveDecisionAttrGetDecision(MlirAttribute attribute);

/* `#tile.mma_plan<wgmma, m = 64, ...>`; the instruction is a MmaInstruction. */
typedef struct TileMmaPlan {
  int32_t instruction;
  int64_t m, n, k, warpsM, warpsN;
  bool pair, swapped;
} TileMmaPlan;
bool tileAttributeIsAMmaPlan(MlirAttribute attribute);
MlirTypeID tileMmaPlanAttrGetTypeID(void);
MlirAttribute tileMmaPlanAttrGetChecked(MlirLocation location,
                                        TileMmaPlan plan);
TileMmaPlan tileMmaPlanAttrGetPlan(MlirAttribute attribute);

/*===----------------------------------------------------------------------===*\
|* Types                                                                      *|
\*===----------------------------------------------------------------------===*/

/* `!tile.ring<3 x [memref<...>], cp_async -> threads>`: a number of slots, the
   types of a slot's buffers, what fills them (the number of a RingProducer) and
   what reads them (numbers of RingConsumers). */
bool tileTypeIsARing(MlirType type);
MlirTypeID tileRingTypeGetTypeID(void);
MlirType tileRingTypeGetChecked(MlirLocation location, int64_t stages,
                                intptr_t numBuffers, const MlirType *buffers,
                                int32_t producer, intptr_t numConsumers,
                                const int32_t *consumers);
int64_t tileRingTypeGetStages(MlirType type);
intptr_t tileRingTypeGetNumBuffers(MlirType type);
MlirType tileRingTypeGetBuffer(MlirType type, intptr_t index);
int32_t tileRingTypeGetProducer(MlirType type);
intptr_t tileRingTypeGetNumConsumers(MlirType type);
int32_t tileRingTypeGetConsumer(MlirType type, intptr_t index);
/* Whether mbarriers say "full" and "empty", so that threads of different roles
   may fill and read. */
bool tileRingTypeUsesMbarriers(MlirType type);

/* `!tile.mbarrier<2>`: a number of barriers. */
bool tileTypeIsAMbarrier(MlirType type);
MlirTypeID tileMbarrierTypeGetTypeID(void);
MlirType tileMbarrierTypeGetChecked(MlirLocation location, int64_t count);
int64_t tileMbarrierTypeGetCount(MlirType type);

/* `!tile.token`: an asynchronous operation in flight. */
bool tileTypeIsAToken(MlirType type);
MlirTypeID tileTokenTypeGetTypeID(void);
MlirType tileTokenTypeGet(MlirContext context);

/* NOLINTEND(performance-enum-size) */

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_DIALECT_H */
