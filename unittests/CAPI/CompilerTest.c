/*===- CompilerTest.c - The compiler from C ---------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                  *|
\*===--------------------------------------------------------------------===*/

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

/* In the LLVM and NVVM dialects: what is tested here is the interface. */
static const char kModule[] =
    "llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {\n"
    "  llvm.store %x, %out : f32, !llvm.ptr<1>\n"
    "  llvm.return\n"
    "}\n";

static int testPtx(void) {
  TileCompileOptions options;
  TileCompileResult *result = NULL;
  char *diagnostics = NULL;
  size_t size = 0;
  tileCompileOptionsInit(&options, sizeof(options));
  options.arch = "sm_90a";
  options.output = TILE_OUTPUT_PTX;
  CHECK(tileCompile(kModule, strlen(kModule), &options, &result,
                    &diagnostics) == 0);
  CHECK(result && diagnostics && strcmp(diagnostics, "") == 0);
  CHECK(strstr(tileCompileResultData(result, &size), ".target sm_90a"));
  CHECK(strstr(tileCompileResultData(result, &size), ".entry store("));
  CHECK(size == strlen(tileCompileResultData(result, &size)));
  tileCompileResultDestroy(result);
  tileDiagnosticsDestroy(diagnostics);
  return 0;
}

/* `source` of `length` bytes does not compile and is told why by `part`. */
static int failsWith(const char *source, size_t length,
                     const TileCompileOptions *options, const char *part) {
  TileCompileResult *result = (TileCompileResult *)&result;
  char *diagnostics = NULL;
  CHECK(tileCompile(source, length, options, &result, &diagnostics) != 0);
  CHECK(result == NULL);
  if (!strstr(diagnostics, part))
    fprintf(stderr, "expected '%s', got '%s'\n", part, diagnostics);
  CHECK(strstr(diagnostics, part));
  /* One line says what is wrong; the kernel is not printed. */
  CHECK(!strstr(diagnostics, "see current operation"));
  tileDiagnosticsDestroy(diagnostics);
  /* Without a place for diagnostics they are dropped. */
  CHECK(tileCompile(source, length, options, &result, NULL) != 0);
  return 0;
}

static int testErrors(void) {
  TileCompileOptions options;
  tileCompileOptionsInit(&options, sizeof(options));
  CHECK(failsWith(kModule, strlen(kModule), NULL, "expected an architecture") ==
        0);
  options.arch = "sm_1";
  CHECK(failsWith(kModule, strlen(kModule), &options,
                  "expected an architecture among sm_80") == 0);
  options.arch = "sm_80";
  CHECK(failsWith(kModule, strlen(kModule), &options,
                  "source:1:1: error: expected the kernel's manifest") == 0);
  options.output = 77;
  CHECK(failsWith(kModule, strlen(kModule), &options,
                  "expected an output among") == 0);
  options.output = TILE_OUTPUT_PTX;
  options.sourceName = "kernel.mlir";
  /* The length counts, not the terminator. */
  CHECK(failsWith(kModule, 20, &options, "kernel.mlir:1:") == 0);
  options.ptxas = "/nonexistent/ptxas";
  options.output = TILE_OUTPUT_CUBIN;
  CHECK(failsWith(kModule, strlen(kModule), &options,
                  "expected a program at '/nonexistent/ptxas'") == 0);
  return 0;
}

static int testNvvm(void) {
  TileCompileOptions options;
  TileCompileResult *result = NULL;
  size_t size = 0;
  tileCompileOptionsInit(&options, sizeof(options));
  options.arch = "sm_80";
  options.output = TILE_OUTPUT_NVVM;
  CHECK(tileCompile(kModule, strlen(kModule), &options, &result, NULL) == 0);
  CHECK(strstr(tileCompileResultData(result, &size), "llvm.func @store"));
  tileCompileResultDestroy(result);
  tileCompileResultDestroy(NULL);
  return 0;
}

/* `part` in what `source` becomes, or NULL where it is not there. */
static const char *find(TileCompileResult **result, const char *source,
                        const TileCompileOptions *options, const char *part) {
  size_t size = 0;
  *result = NULL;
  if (tileCompile(source, strlen(source), options, result, NULL) != 0)
    return NULL;
  return strstr(tileCompileResultData(*result, &size), part);
}

/* Options that a kernel of the tile dialect is compiled with. */
static int testTileOptions(void) {
  static const char functions[] =
      "tile.kernel @f(%X: memref<32xf32>, %Y: memref<32xf32>) grid(%b) = (1) "
      "threads(32) {\n"
      "  tile.parallel (%i) in (32) {\n"
      "    %x = memref.load %X[%i] : memref<32xf32>\n"
      "    %y = math.exp2 %x : f32\n"
      "    memref.store %y, %Y[%i] : memref<32xf32>\n"
      "  }\n"
      "}\n";
  static const char tunable[] =
      "tile.kernel @g(%X: memref<?xf32>) tunable(%b in [32, 64, 96]) "
      "grid(%bx) = (dim(%X, 0) ceildiv %b) threads(32) {\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %m = arith.muli %bx, %b : index\n"
      "  %t = tile.alloc(%b) : memref<?xf32, #tile.fragment>\n"
      "  tile.fill %t with %zero : memref<?xf32, #tile.fragment>, f32\n"
      "  tile.copy %t to %X[%m] : memref<?xf32, #tile.fragment> to "
      "memref<?xf32>\n"
      "}\n";
  TileCompileOptions options;
  TileCompileResult *result = NULL;
  tileCompileOptionsInit(&options, sizeof(options));
  options.arch = "sm_80";
  options.output = TILE_OUTPUT_PTX;
  CHECK(!find(&result, functions, &options, "ex2.approx.ftz.f32"));
  CHECK(result);
  tileCompileResultDestroy(result);
  options.fastMath = 1;
  CHECK(find(&result, functions, &options, "ex2.approx.ftz.f32"));
  tileCompileResultDestroy(result);

  options.output = TILE_OUTPUT_NVVM;
  options.shapeHints = "X=4096";
  options.tunables = "b=96";
  CHECK(find(&result, tunable, &options, "constant(96 : index)"));
  tileCompileResultDestroy(result);
  options.tunables = "b=33";
  CHECK(failsWith(tunable, strlen(tunable), &options, "33") == 0);
  options.tunables = NULL;
  options.shapeHints = "Z=1";
  CHECK(failsWith(tunable, strlen(tunable), &options, "'Z'") == 0);
  return 0;
}

/* Roles where nothing asks for them by itself: a ring of cp.async that threads
   read has them when they are asked for. */
static int testRoles(void) {
  static const char loop[] =
      "#shared = #gpu.address_space<workgroup>\n"
      "tile.kernel @h(%X: memref<?x64xf32> {tile.alignment = 16}, "
      "%Y: memref<64xf32>, %T: index) grid(%b) = (1) threads(128) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %s = tile.alloc : memref<64xf32, #shared>\n"
      "  %f = tile.alloc : memref<64xf32, #tile.fragment>\n"
      "  tile.fill %f with %zero : memref<64xf32, #tile.fragment>, f32\n"
      "  tile.pipelined %k = %c0 to %T step %c1 stages(3) {\n"
      "    tile.copy %X[%k, %c0] sizes [1, 64] to %s : memref<?x64xf32> to "
      "memref<64xf32, #shared>\n"
      "    tile.parallel (%i) in (64) {\n"
      "      %x = memref.load %s[%i] : memref<64xf32, #shared>\n"
      "      %y = memref.load %f[%i] : memref<64xf32, #tile.fragment>\n"
      "      %z = arith.addf %x, %y : f32\n"
      "      memref.store %z, %f[%i] : memref<64xf32, #tile.fragment>\n"
      "    }\n"
      "  }\n"
      "  tile.copy %f to %Y : memref<64xf32, #tile.fragment> to "
      "memref<64xf32>\n"
      "}\n";
  TileCompileOptions options;
  TileCompileResult *result = NULL;
  tileCompileOptionsInit(&options, sizeof(options));
  options.arch = "sm_80";
  options.output = TILE_OUTPUT_PTX;
  CHECK(find(&result, loop, &options, ".maxntid 128"));
  tileCompileResultDestroy(result);
  options.roles = "on";
  CHECK(find(&result, loop, &options, ".maxntid 256"));
  tileCompileResultDestroy(result);
  options.roles = "off";
  CHECK(find(&result, loop, &options, ".maxntid 128"));
  tileCompileResultDestroy(result);
  options.roles = "sometimes";
  CHECK(failsWith(loop, strlen(loop), &options,
                  "expected roles among auto, on and off, got 'sometimes'") ==
        0);
  return 0;
}

/* A caller built against an older header has a shorter structure. */
static int testOlderCaller(void) {
  union {
    TileCompileOptions options;
    unsigned char bytes[sizeof(TileCompileOptions)];
  } caller;
  size_t older = offsetof(TileCompileOptions, fastMath);
  TileCompileResult *result = NULL;
  memset(caller.bytes, 0xff, sizeof(caller));
  tileCompileOptionsInit(&caller.options, older);
  CHECK(caller.options.structSize == older && caller.options.versions == 1);
  for (size_t i = older; i < sizeof(caller); ++i)
    CHECK(caller.bytes[i] == 0xff);
  caller.options.arch = "sm_80";
  caller.options.output = TILE_OUTPUT_PTX;
  CHECK(find(&result, kModule, &caller.options, ".target sm_80"));
  tileCompileResultDestroy(result);
  return 0;
}

/* Deeper than the parser's stack: one diagnostic, in a host's thread, too. */
static int testNesting(void) {
  static char deep[64 + 2 * 20000];
  char *end = deep + sprintf(deep, "module attributes {my.list = ");
  memset(end, '[', 20000);
  memset(end + 20000, ']', 20000);
  strcpy(end + 40000, "} {}");
  CHECK(failsWith(deep, strlen(deep), NULL,
                  "error: source:1: expected regions, types, attributes and "
                  "expressions to stand at most 1024 one in another") == 0);
  return 0;
}

int main(void) {
  CHECK(strstr(tileCompilerVersion(), "mlir-tile "));
  CHECK(strstr(tileCompilerVersion(), "LLVM 22"));
  return testPtx() || testErrors() || testNvvm() || testTileOptions() ||
         testRoles() || testOlderCaller() || testNesting();
}
