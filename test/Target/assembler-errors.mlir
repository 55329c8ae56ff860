// No assembler, or one that cannot do it: one error when machine code was asked
// for, and nothing at -o.
// RUN: rm -f %t.out
// RUN: not env PATH=/nonexistent %tile_bin/tile-translate %s --tile-to-cubin --assembler=ptxas --arch=sm_90a -o %t.out > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=MISSING < %t.log
// RUN: not ls %t.out
// RUN: not tile-translate %s --tile-to-cubin --ptxas=%t.no-such-program --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=NOPATH
// RUN: not tile-translate %s --tile-to-cubin --ptxas=%S/Inputs/old-ptxas --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not tile-translate %s --tile-to-cubin --ptxas=%S/Inputs/unaware-ptxas --arch=sm_110a -o %t.out 2>&1 | FileCheck %s --check-prefix=UNAWARE
// RUN: not tile-translate %s --tile-to-cubin --ptxas=%S/Inputs/failing-ptxas --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=FAILED
// RUN: not ls %t.out
// ptxas on PATH is asked before nvJitLink, whose relocatable code can take a minute, and has the last word.
// RUN: rm -rf %t.path && mkdir %t.path && cp %S/Inputs/failing-ptxas %t.path/ptxas
// RUN: not env PATH=%t.path:/usr/bin:/bin %tile_bin/tile-translate %s --tile-to-cubin --arch=sm_90a -o %t.out 2>&1 | FileCheck %s --check-prefix=FAILED
// RUN: not ls %t.out
// What it says about the code becomes warnings, and remarks at the kernel.
// RUN: tile-translate %s --tile-to-cubin --ptxas=%S/Inputs/serializing-ptxas --arch=sm_90a -o %t.out --dump-ptxas-info --remarks > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=LOSS < %t.log

// MISSING: error: cannot assemble the PTX: ptxas is not found on PATH
// MISSING-NOT: error:
// NOPATH: error: cannot assemble the PTX: expected a program at '{{.*}}no-such-program'
// OLD: error: cannot assemble the PTX: ptxas x.ptx, line 5; fatal   : Unsupported .version 8.7; current version is '8.0'; PTX for sm_90 runs on the same devices, and an older one knows it
// UNAWARE: error: cannot assemble the PTX: ptxas fatal   : Value 'sm_110a' is not defined for option 'gpu-name'; PTX for sm_100 runs on the same devices, and an older one knows it
// FAILED: error: cannot assemble the PTX: ptxas x.ptx, line 7; error   : Illegal operand type to instruction 'ld'
// LOSS: warning: ptxas info    : (C7510) Potential Performance Loss
// LOSS: store: 255 registers, 64 bytes stack, 32 bytes spill stores, 48 bytes spill loads, 1024 bytes static shared memory, 3 barriers
// LOSS: assembler-errors.mlir:[[@LINE+1]]:1: remark: 'store' spills: 255 registers, 64 bytes of stack, 32 bytes of spill stores, 48 bytes of spill loads
llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
