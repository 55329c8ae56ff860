/*===- ExecutionTest.c - Running kernels on the CPU from C ------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                  *|
\*===--------------------------------------------------------------------===*/

#include "tile-c/Execution.h"
#include "tile-c/Compiler.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      return 1;                                                                \
    }                                                                          \
  } while (0)

enum { kRows = 4, kColumns = 32 };

/* Y = s * X, of any number of rows; X may have any row stride. */
static const char kScale[] =
    "tile.kernel @scale(%X: memref<?x32xf32, strided<[?, 1]>>, "
    "%Y: memref<?x32xf32>, %s: f32) grid(%b) = (dim(%X, 0)) threads(32) {\n"
    "  tile.parallel (%i) in (32) {\n"
    "    %x = memref.load %X[%b, %i] : memref<?x32xf32, strided<[?, 1]>>\n"
    "    %y = arith.mulf %x, %s : f32\n"
    "    memref.store %y, %Y[%b, %i] : memref<?x32xf32>\n"
    "  }\n"
    "}\n";

/* Rows of X are 40 elements apart. */
static float X[kRows][40], Y[kRows][kColumns];
static const int64_t kShape[] = {kRows, kColumns};
static const int64_t kStridesX[] = {40, 1};

static void fill(TileArg *args, float factor) {
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < 40; ++j)
      X[i][j] = (float)(i * 100 + j);
  memset(Y, 0xff, sizeof(Y));
  args[0] = tileArgMemRef((uint64_t)(uintptr_t)X, TILE_TYPE_F32, 2, kShape,
                          kStridesX);
  args[1] =
      tileArgMemRef((uint64_t)(uintptr_t)Y, TILE_TYPE_F32, 2, kShape, NULL);
  args[2] = tileArgF32(factor);
}

static int isScaled(float factor) {
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      CHECK(Y[i][j] == factor * X[i][j]);
  return 0;
}

static int create(const char *source, const TileProgramOptions *options,
                  TileProgram **program) {
  char *diagnostics = NULL;
  int32_t failed =
      tileProgramCreate(source, strlen(source), options, program, &diagnostics);
  if (failed || strcmp(diagnostics, ""))
    fprintf(stderr, "%s\n", diagnostics);
  tileDiagnosticsDestroy(diagnostics);
  return failed;
}

/* Two programs at a time, of either kind. */
static int testRun(int32_t kind) {
  TileProgramOptions options;
  TileProgram *first = NULL, *second = NULL;
  TileArg args[3];
  char *error = NULL, *output = NULL;
  tileProgramOptionsInit(&options, sizeof(options));
  options.kind = kind;
  options.arch = kind == TILE_PROGRAM_LOWERED ? "sm_90a" : NULL;
  CHECK(create(kScale, &options, &first) == 0);
  CHECK(create(kScale, &options, &second) == 0);
  CHECK(tileProgramNumKernels(first) == 1);
  CHECK(strcmp(tileProgramKernelName(first, 0), "scale") == 0);
  CHECK(tileProgramKernelName(first, 1) == NULL);
  CHECK(strstr(tileProgramManifest(first, 0), "\"name\": \"X\"") ||
        strstr(tileProgramManifest(first, 0), "\"name\":\"X\""));
  CHECK(tileProgramManifest(first, 1) == NULL);
  fill(args, 3.0f);
  CHECK(tileProgramRun(first, 0, args, 3, 0, &output, &error) == TILE_RUN_DONE);
  CHECK(error == NULL && strcmp(output, "") == 0);
  tileDiagnosticsDestroy(output);
  CHECK(isScaled(3.0f) == 0);
  fill(args, -1.5f);
  CHECK(tileProgramRun(second, 0, args, 3, 2, NULL, NULL) == TILE_RUN_DONE);
  CHECK(isScaled(-1.5f) == 0);
  /* Without elements there is nothing that strides could say. */
  {
    static const int64_t none[] = {0, kColumns}, zeros[] = {0, 0};
    TileArg empty[3];
    empty[0] = tileArgMemRef(0, TILE_TYPE_F32, 2, none, zeros);
    empty[1] = empty[0];
    empty[2] = args[2];
    CHECK(tileProgramRun(first, 0, empty, 3, 1, NULL, NULL) == TILE_RUN_DONE);
  }
  tileProgramDestroy(first);
  CHECK(tileProgramRun(second, 0, args, 3, 1, NULL, NULL) == TILE_RUN_DONE);
  tileProgramDestroy(second);
  return 0;
}

/* `part` in the sentence that a run is refused with. */
static int refuses(TileProgram *program, const TileArg *args, size_t count,
                   const char *part) {
  char *error = NULL;
  CHECK(tileProgramRun(program, 0, args, count, 0, NULL, &error) ==
        TILE_RUN_REFUSED);
  if (!error || !strstr(error, part))
    fprintf(stderr, "expected '%s', got '%s'\n", part, error ? error : "");
  CHECK(error && strstr(error, part));
  tileDiagnosticsDestroy(error);
  return 0;
}

static int testRefused(void) {
  static const int64_t narrow[] = {kRows, 31};
  TileProgram *program = NULL;
  TileArg args[3];
  CHECK(create(kScale, NULL, &program) == 0);
  fill(args, 1.0f);
  CHECK(refuses(program, args, 2, "expected 3 arguments, got 2") == 0);
  CHECK(refuses(program, args, 100000, "got 100000") == 0);
  args[0].type = TILE_TYPE_F16;
  CHECK(refuses(program, args, 3,
                "argument 0 ('X'): expected element type f32, got f16") == 0);
  args[0].type = 1000;
  CHECK(refuses(program, args, 3, "argument 0: expected a kind") == 0);
  fill(args, 1.0f);
  args[1].shape = narrow;
  CHECK(refuses(program, args, 3,
                "argument 1 ('Y'): expected shape *x32, got 4x31") == 0);
  fill(args, 1.0f);
  args[1].strides = kStridesX;
  CHECK(refuses(program, args, 3,
                "argument 1 ('Y'): expected strides [32, 1], got [40, 1]") ==
        0);
  fill(args, 1.0f);
  args[0].data = 0;
  CHECK(refuses(program, args, 3, "argument 0 ('X'): expected memory") == 0);
  fill(args, 1.0f);
  args[1].data = args[0].data + 4 * 40;
  CHECK(refuses(program, args, 3, "it overlaps argument 0 ('X')") == 0);
  CHECK(tileProgramRun(program, 7, args, 3, 0, NULL, NULL) == TILE_RUN_REFUSED);
  tileProgramDestroy(program);
  return 0;
}

/* What goes wrong while a kernel runs, and what it prints. */
static int testFailed(void) {
  static const char outside[] =
      "tile.kernel @f(%X: memref<?xf32>, %n: index) grid(%b) = (1) "
      "threads(32) {\n"
      "  tile.parallel (%i) in (32) {\n"
      "    %j = arith.addi %i, %n : index\n"
      "    %x = memref.load %X[%j] : memref<?xf32>\n"
      "    memref.store %x, %X[%i] : memref<?xf32>\n"
      "  }\n"
      "}\n";
  static const int64_t shape[] = {32};
  TileProgramOptions options;
  TileProgram *program = NULL;
  TileArg args[2];
  char *error = NULL;
  args[0] =
      tileArgMemRef((uint64_t)(uintptr_t)X, TILE_TYPE_F32, 1, shape, NULL);
  args[1] = tileArgI64(1);
  tileProgramOptionsInit(&options, sizeof(options));
  options.checkAccesses = 1;
  CHECK(create(outside, &options, &program) == 0);
  CHECK(tileProgramRun(program, 0, args, 2, 0, NULL, &error) ==
        TILE_RUN_FAILED);
  CHECK(error && strstr(error, "kernel 'f': ") && strstr(error, "block 0"));
  tileDiagnosticsDestroy(error);
  args[1] = tileArgI64(0);
  CHECK(tileProgramRun(program, 0, args, 2, 0, NULL, NULL) == TILE_RUN_DONE);
  tileProgramDestroy(program);

  /* The same without being asked for, of lowered code; it is usable after. */
  tileProgramOptionsInit(&options, sizeof(options));
  options.kind = TILE_PROGRAM_LOWERED;
  CHECK(create(outside, &options, &program) == 0);
  args[1] = tileArgI64(1);
  CHECK(tileProgramRun(program, 0, args, 2, 0, NULL, &error) ==
        TILE_RUN_FAILED);
  CHECK(error && strstr(error, "kernel 'f': "));
  tileDiagnosticsDestroy(error);
  args[1] = tileArgI64(0);
  CHECK(tileProgramRun(program, 0, args, 2, 0, NULL, NULL) == TILE_RUN_DONE);
  tileProgramDestroy(program);
  return 0;
}

static int failsWith(const char *source, const TileProgramOptions *options,
                     const char *part) {
  TileProgram *program = (TileProgram *)&program;
  char *diagnostics = NULL;
  CHECK(tileProgramCreate(source, strlen(source), options, &program,
                          &diagnostics) != 0);
  CHECK(program == NULL);
  if (!strstr(diagnostics, part))
    fprintf(stderr, "expected '%s', got '%s'\n", part, diagnostics);
  CHECK(strstr(diagnostics, part));
  tileDiagnosticsDestroy(diagnostics);
  return 0;
}

/* As many threads as were asked for need not be there. */
static int testWorkers(void) {
  TileProgram *program = NULL;
  TileArg args[3];
  char *error = NULL;
  CHECK(create(kScale, NULL, &program) == 0);
  fill(args, 3);
  CHECK(tileProgramRun(program, 0, args, 3, UINT32_MAX, NULL, &error) ==
        TILE_RUN_DONE);
  CHECK(!error && isScaled(3) == 0);
  tileProgramDestroy(program);
  return 0;
}

static int testErrors(void) {
  TileProgramOptions options;
  tileProgramOptionsInit(&options, sizeof(options));
  CHECK(failsWith("module {}", &options, "expected at least one tile.kernel") ==
        0);
  options.sourceName = "kernel.mlir";
  CHECK(failsWith("tile.kernel @", &options, "kernel.mlir:1:14: error: ") == 0);
  options.kind = 3;
  CHECK(failsWith(kScale, &options, "expected a kind of program") == 0);
  options.kind = TILE_PROGRAM_LOWERED;
  options.roles = "sometimes";
  CHECK(failsWith(kScale, &options, "got 'sometimes'") == 0);
  options.arch = "sm_1";
  CHECK(failsWith(kScale, &options, "sm_80") == 0);
  tileProgramDestroy(NULL);
  return 0;
}

static int testDevices(void) {
  CHECK(strcmp(tileArchOfCapability(9, 0), "sm_90a") == 0);
  CHECK(tileArchOfCapability(7, 5) == NULL);
  CHECK(tileArchOfCapability(-1, -1) == NULL);
  CHECK(strcmp(tileDeviceOfName("Unheard-of", 9, 9, 1), "") == 0);
  CHECK(strcmp(tileDeviceOfName("", 9, 0, 0), "") == 0);
  CHECK(strcmp(tileDeviceOfName(NULL, 9, 0, 0), "") == 0);
  return 0;
}

int main(void) {
  return testRun(TILE_PROGRAM_CPU) || testRun(TILE_PROGRAM_LOWERED) ||
         testRefused() || testFailed() || testWorkers() || testErrors() ||
         testDevices();
}
