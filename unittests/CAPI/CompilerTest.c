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
  tileCompileOptionsInit(&options);
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
  tileDiagnosticsDestroy(diagnostics);
  /* Without a place for diagnostics they are dropped. */
  CHECK(tileCompile(source, length, options, &result, NULL) != 0);
  return 0;
}

static int testErrors(void) {
  TileCompileOptions options;
  tileCompileOptionsInit(&options);
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
  tileCompileOptionsInit(&options);
  options.arch = "sm_80";
  options.output = TILE_OUTPUT_NVVM;
  CHECK(tileCompile(kModule, strlen(kModule), &options, &result, NULL) == 0);
  CHECK(strstr(tileCompileResultData(result, &size), "llvm.func @store"));
  tileCompileResultDestroy(result);
  tileCompileResultDestroy(NULL);
  return 0;
}

int main(void) {
  CHECK(strstr(tileCompilerVersion(), "mlir-tile "));
  CHECK(strstr(tileCompilerVersion(), "LLVM 22"));
  return testPtx() || testErrors() || testNvvm();
}
