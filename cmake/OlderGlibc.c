/*===- OlderGlibc.c - functions that glibc 2.34 lacks
-------------------------===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
#include <sys/random.h>

/* LLVM makes names of temporary files with it. */
__attribute__((visibility("hidden"))) unsigned int arc4random(void) {
  unsigned int value = 0;
  (void)!getrandom(&value, sizeof value, 0);
  return value;
}
