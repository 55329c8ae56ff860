/*===- compile.c - compiles a kernel through the C interface ----*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                  *|
|*                                                                          *|
|*   compile KERNEL.mlir ARCH ARTIFACT                                      *|
|*   compile ../scale.mlir sm_90 scale.tile                                 *|
|*                                                                          *|
|* Prints the compiler's decisions; launch.c runs what it writes.           *|
\*===--------------------------------------------------------------------===*/
#include "tile-c/Compiler.h"
#include <stdio.h>
#include <stdlib.h>

/* The bytes of a file, to be freed; NULL where it cannot be read. */
static char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  long length = -1;
  if (!file)
    return NULL;
  if (fseek(file, 0, SEEK_END) == 0)
    length = ftell(file);
  if (length >= 0 && fseek(file, 0, SEEK_SET) == 0)
    bytes = malloc((size_t)length + 1);
  if (bytes)
    *size = fread(bytes, 1, (size_t)length, file);
  fclose(file);
  return bytes;
}

static int writeFile(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  size_t written = file ? fwrite(bytes, 1, size, file) : 0;
  return (file && fclose(file) == 0 && written == size) ? 0 : 1;
}

int main(int argc, char **argv) {
  TileCompileOptions options;
  TileCompileResult *result = NULL;
  char *diagnostics = NULL;
  char *source = NULL;
  const char *bytes = NULL;
  size_t length = 0, size = 0;
  int status = 0;

  if (argc != 4) {
    fprintf(stderr, "usage: %s KERNEL.mlir ARCH ARTIFACT\n", argv[0]);
    return 2;
  }
  source = readFile(argv[1], &length);
  if (!source) {
    fprintf(stderr, "cannot read %s\n", argv[1]);
    return 1;
  }

  tileCompileOptionsInit(&options, sizeof(options));
  options.arch = argv[2];
  options.sourceName = argv[1];
  options.remarks = 1;
  status = tileCompile(source, length, &options, &result, &diagnostics);
  fputs(diagnostics, stderr);
  tileDiagnosticsDestroy(diagnostics);
  free(source);
  if (status)
    return 1;

  bytes = tileCompileResultData(result, &size);
  status = writeFile(argv[3], bytes, size);
  if (status)
    fprintf(stderr, "cannot write %s\n", argv[3]);
  else
    printf("%s: %zu bytes, by %s\n", argv[3], size, tileCompilerVersion());
  tileCompileResultDestroy(result);
  return status;
}
