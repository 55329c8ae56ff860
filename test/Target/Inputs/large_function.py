# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""large_function.py N: a kernel with N guarded blocks, three conditions and conversions that all of them have in common."""

import sys

GUARDED = """
  %first{0} = llvm.icmp "eq" %tid, %zero : i32
  llvm.cond_br %first{0}, ^then{0}, ^next{0}
^then{0}:
  %low{0} = llvm.trunc %wide overflow<nuw> : i64 to i32
  %sum{0} = llvm.add %low{0}, %tid : i32
  llvm.store volatile %sum{0}, %out : i32, !llvm.ptr<1>
  llvm.br ^next{0}
^next{0}:
  nvvm.barrier
  %inside{0} = llvm.icmp "ule" %row, %last : i64
  llvm.cond_br %inside{0}, ^in{0}, ^out{0}
^in{0}:
  llvm.store volatile %seven, %out : i32, !llvm.ptr<1>
  llvm.br ^end{0}
^out{0}:
  llvm.store volatile %eight, %out : i32, !llvm.ptr<1>
  llvm.br ^end{0}
^end{0}:
  nvvm.barrier
"""

print("""llvm.func @k(%wide: i64, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %seven = llvm.mlir.constant(7 : i32) : i32
  %eight = llvm.mlir.constant(8 : i32) : i32
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %last = llvm.mlir.constant(4032 : i64) : i64
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %block = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 64> : i32
  %long = llvm.zext %block : i32 to i64
  %row = llvm.mul %long, %c64 : i64""")
for number in range(int(sys.argv[1])):
    print(GUARDED.format(number))
print("  llvm.return\n}")
