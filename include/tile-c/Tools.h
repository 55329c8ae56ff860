/*===- Tools.h - the command line tools in the library ----------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* For packages whose programs are scripts, as Python's: one library instead  *|
|* of five executables with LLVM in each. Exported by the library of the      *|
|* Python package only.                                                       *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_TOOLS_H
#define TILE_C_TOOLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the tool `name` ("tile-opt", "tile-translate", "tile-run",
   "tile-lsp-server", "tile-reduce") with what `main` takes, `argv[argc]` being
   NULL, and returns its exit status; 2 for a name that is none. A process may
   call it once, and ends afterwards: the tool owns the command line options,
   the signal handlers and the standard streams. */
int32_t tileToolMain(const char *name, int32_t argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_TOOLS_H */
