/*===- LayoutTest.c - Layouts asked from C -----------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                  *|
\*===--------------------------------------------------------------------===*/

#include "tile-c/Layout.h"

#include <stdint.h>
#include <stdio.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      return 1;                                                                \
    }                                                                          \
  } while (0)

/* Axes and dimensions that a layout has not, and vectors of none of its
   elements: 0, and an answer at all. */
static int testOutOfRange(MlirLocation location) {
  const int64_t shape[] = {64, 64}, order[] = {1, 0};
  TileIntegers extents = {shape, 2}, dims = {order, 2};
  MlirAttribute fragment =
      tileFragmentLayoutGetBlocked(location, extents, 128, 4, dims);
  MlirAttribute shared = tileSharedLayoutGetRowMajor(location, extents, 16, 0);
  CHECK(!mlirAttributeIsNull(fragment) && !mlirAttributeIsNull(shared));

  CHECK(tileFragmentLayoutGetSize(fragment, TILE_AXIS_LANE) == 32);
  CHECK(tileFragmentLayoutGetSize(fragment, TILE_AXIS_WARP) == 4);
  CHECK(tileSharedLayoutGetAlignedElements(shared, 1) == 8);
  CHECK(tileLayoutBankConflicts(fragment, shared, 1, 4) >= 1);
  CHECK(tileLayoutWidestVector(fragment, shared, 1) == 4);
  CHECK(tileSharedLayoutMatrixConflicts(shared, 0, 1) >= 1);

  const int64_t none[] = {-1, 2, INT64_MIN, INT64_MAX};
  for (int i = 0; i < 4; ++i) {
    CHECK(tileSharedLayoutGetAlignedElements(shared, none[i]) == 0);
    CHECK(tileLayoutBankConflicts(fragment, shared, none[i], 4) == 0);
    CHECK(tileLayoutWidestVector(fragment, shared, none[i]) == 0);
    CHECK(tileSharedLayoutMatrixConflicts(shared, none[i], 1) == 0);
    CHECK(tileSharedLayoutMatrixConflicts(shared, 0, none[i]) == 0);
  }
  CHECK(tileFragmentLayoutGetSize(fragment, -1) == 0);
  CHECK(tileFragmentLayoutGetSize(fragment, 4) == 0);
  CHECK(tileLayoutBankConflicts(fragment, shared, 1, 0) == 0);
  CHECK(tileLayoutBankConflicts(fragment, shared, 1, -1) == 0);
  CHECK(tileLayoutBankConflicts(fragment, shared, 1, 65) == 0);
  return 0;
}

int main(void) {
  MlirContext context = mlirContextCreate();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tileRegisterDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirContextLoadAllAvailableDialects(context);
  int failed = testOutOfRange(mlirLocationUnknownGet(context));
  mlirDialectRegistryDestroy(registry);
  mlirContextDestroy(context);
  return failed;
}
