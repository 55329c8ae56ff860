// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the precompiled header is made for and with.
