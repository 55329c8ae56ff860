// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included in front of every file that is compiled with assertions
// (TILE_ASSERTIONS) against an LLVM that has none. Without NDEBUG, LLVM's
// header declares statistics of passes with more members than that LLVM's own
// constructor sets: they must be those of a release build.
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
