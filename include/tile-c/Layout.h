/*===- Layout.h - questions to layouts, through the C API -------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Who holds which element of a fragment, where an element of a buffer lies,  *|
|* what accesses cost; layouts as text and as pictures. Layouts are           *|
|* attributes of tile-c/Dialect.h; docs/Layouts.md says what they mean.       *|
|*                                                                            *|
|* Coordinates have one number per dimension. A hardware index is four        *|
|* numbers in the order of TileAxis: register, lane, warp, block of a         *|
|* cluster, each below the size of its axis.                                  *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_LAYOUT_H
#define TILE_C_LAYOUT_H

#include "tile-c/Dialect.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(performance-enum-size): C enumerations are ints. */

typedef enum TileLayoutForm {
  TILE_LAYOUT_WORDS = 0, /* for people: "each thread holds 4 elements: ..." */
  TILE_LAYOUT_CUTE = 1,  /* `shape:stride`, as the literature writes it */
  TILE_LAYOUT_SVG = 2    /* one period, below a megabyte */
} TileLayoutForm;

/* Hands a fragment's or a shared layout, in a TileLayoutForm, to `callback`. */
void tileLayoutPrint(MlirAttribute layout, int32_t form,
                     MlirStringCallback callback, void *userData);
/* The extents of what is drawn: after it the picture repeats itself. */
void tileLayoutGetPeriod(MlirAttribute layout, int64_t *extents);

/* A layout in CuTe's notation: `((4,8),(2,2)):((2@1,1@0),(1@1,8@0))`, threads
   and registers over a tile of `shape`; `Sw<3,3,3> o (128,64):(64,1)`. Null,
   after an error at the location, where it is none. */
MlirAttribute tileFragmentLayoutParseCute(MlirLocation location,
                                          MlirStringRef text,
                                          TileIntegers shape);
MlirAttribute tileSharedLayoutParseCute(MlirLocation location,
                                        MlirStringRef text,
                                        int64_t elementBits);

/*===----------------------------------------------------------------------===*\
|* Fragments                                                                  *|
\*===----------------------------------------------------------------------===*/

/* Coalesced: `vector` consecutive elements of dimension order[0] a thread, then
   threads along order[0], order[1], ... Null, after an error, where `threads`
   is no multiple of 32, `order` no order of the dimensions, or the result no
   layout. */
MlirAttribute tileFragmentLayoutGetBlocked(MlirLocation location,
                                           TileIntegers shape, int64_t threads,
                                           int64_t vector, TileIntegers order);
/* Numbers of an axis (TileAxis): registers, lanes, warps, blocks; 0 where there
   is no such axis. */
int64_t tileFragmentLayoutGetSize(MlirAttribute layout, int32_t axis);
/* How many threads hold one element, at most. */
int64_t tileFragmentLayoutGetReplication(MlirAttribute layout);
/* Whether every element has exactly one holder; whether some registers hold
   nothing. */
bool tileFragmentLayoutIsBijective(MlirAttribute layout);
bool tileFragmentLayoutOvershoots(MlirAttribute layout);
/* Whether two layouts of one shape are the same map, however spelled. */
bool tileFragmentLayoutIsEquivalent(MlirAttribute layout, MlirAttribute other);
/* The element at a hardware index; false, where it lies outside of the shape.
 */
bool tileFragmentLayoutGetCoordinates(MlirAttribute layout,
                                      const int64_t index[4],
                                      int64_t *coordinates);
/* Calls back for every holder of an element, in increasing order of block,
   warp, lane, register. */
void tileFragmentLayoutGetOwners(
    MlirAttribute layout, const int64_t *coordinates,
    void (*callback)(const int64_t index[4], void *userData), void *userData);
/* How to turn one layout into another: "identity", ... and why not by less, to
   `callback`, one after the other. False, with one reason, where it cannot be
   done. */
bool tileFragmentLayoutConversion(MlirAttribute from, MlirAttribute to,
                                  MlirStringCallback callback, void *userData);

/*===----------------------------------------------------------------------===*\
|* Shared memory                                                              *|
\*===----------------------------------------------------------------------===*/

/* Row-major with rows padded; swizzled so that accesses of 16 bytes to eight
   rows touch different banks. Null, after an error, where the result is no
   layout. */
MlirAttribute tileSharedLayoutGetRowMajor(MlirLocation location,
                                          TileIntegers shape,
                                          int64_t elementBits,
                                          int64_t padElements);
MlirAttribute tileSharedLayoutGetSwizzled(MlirLocation location,
                                          TileIntegers shape,
                                          int64_t elementBits, bool panels);
/* Bytes from the buffer's start to an element. */
int64_t tileSharedLayoutGetByteOffset(MlirAttribute layout,
                                      const int64_t *coordinates);
int64_t tileSharedLayoutGetSizeInBytes(MlirAttribute layout);
/* Alignment of the start, in bytes. */
int64_t tileSharedLayoutGetAlignment(MlirAttribute layout);
/* Elements along a dimension that an access of 16 bytes or less may take at
   once; 0 where there is no such dimension, as of what follows. */
int64_t tileSharedLayoutGetAlignedElements(MlirAttribute layout, int64_t dim);

/* Wavefronts that the worst access between a fragment and a buffer takes, as a
   multiple of the fewest (1: no bank conflicts), with `vector` elements along
   `dim` at a time; 0 where these are none of its elements. The layouts have one
   shape. */
int64_t tileLayoutBankConflicts(MlirAttribute fragment, MlirAttribute shared,
                                int64_t dim, int64_t vector);
/* The widest such vector, in elements. */
int64_t tileLayoutWidestVector(MlirAttribute fragment, MlirAttribute shared,
                               int64_t dim);
/* The same degree of ldmatrix and stmatrix, which take eight rows of 16 bytes.
 */
int64_t tileSharedLayoutMatrixConflicts(MlirAttribute layout, int64_t rowDim,
                                        int64_t columnDim);

/* NOLINTEND(performance-enum-size) */

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_LAYOUT_H */
