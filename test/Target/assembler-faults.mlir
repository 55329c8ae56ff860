// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s
// ptxas miscompiles a 64-bit difference whose minuend is the upper half of a
// 32-bit product (lib/Target/AssemblerFaults.h): the borrow is an instruction
// of its own there, and elsewhere it is not.

// CHECK-LABEL: .entry quotients(
// CHECK: mul.hi.u32
// CHECK-NOT: sub.s64
// CHECK: setp.gt.u32
// CHECK-NOT: sub.s64
// CHECK: ret;
llvm.func @quotients(%out: !llvm.ptr<1>, %x: i32, %y: i32) attributes {nvvm.kernel} {
  %mask = llvm.mlir.constant(1048575 : i32) : i32
  %c3 = llvm.mlir.constant(3 : i32) : i32
  %a = llvm.and %x, %mask : i32
  %b = llvm.and %y, %mask : i32
  %m = llvm.udiv %a, %c3 : i32
  %minuend = llvm.zext %m : i32 to i64
  %subtrahend = llvm.zext %b : i32 to i64
  %difference = llvm.sub %minuend, %subtrahend : i64
  llvm.store %difference, %out : i64, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .entry wide_subtrahend(
// CHECK: mul.hi.u32
// CHECK-NOT: sub.s64
// CHECK: ret;
llvm.func @wide_subtrahend(%out: !llvm.ptr<1>, %x: i32, %y: i64) attributes {nvvm.kernel} {
  %mask = llvm.mlir.constant(1048575 : i32) : i32
  %c3 = llvm.mlir.constant(3 : i32) : i32
  %a = llvm.and %x, %mask : i32
  %m = llvm.udiv %a, %c3 : i32
  %minuend = llvm.zext %m : i32 to i64
  %difference = llvm.sub %minuend, %y : i64
  llvm.store %difference, %out : i64, !llvm.ptr<1>
  llvm.return
}

// A quotient of 64 bits that fits in 32, frozen: LLVM's selection narrows it.
// CHECK-LABEL: .entry narrowed(
// CHECK: mul.hi.u32
// CHECK-NOT: sub.s64
// CHECK: ret;
llvm.func @narrowed(%out: !llvm.ptr<1>, %x: i32, %y: i64) attributes {nvvm.kernel} {
  %c6 = llvm.mlir.constant(6 : i64) : i64
  %mask = llvm.mlir.constant(1048575 : i32) : i32
  %a = llvm.and %x, %mask : i32
  %wide = llvm.zext %a : i32 to i64
  %m = llvm.udiv %wide, %c6 : i64
  %frozen = llvm.freeze %m : i64
  %q = llvm.udiv %frozen, %y : i64
  %p = llvm.mul %q, %y : i64
  %difference = llvm.sub %frozen, %p : i64
  llvm.store %difference, %out : i64, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .entry others(
// CHECK: sub.s64
// CHECK: ret;
llvm.func @others(%out: !llvm.ptr<1>, %x: i32, %y: i64) attributes {nvvm.kernel} {
  %minuend = llvm.zext %x : i32 to i64
  %difference = llvm.sub %minuend, %y : i64
  llvm.store %difference, %out : i64, !llvm.ptr<1>
  llvm.return
}

// Two additions at a time, of a constant that is not the same for both: where
// only the upper sum is used, ptxas adds the lower half of the constant to it.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PACKED
// PACKED-LABEL: .entry bytes(
// PACKED-NOT: add.s16x2
// PACKED: ret;
llvm.func @bytes(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c = llvm.mlir.constant(dense<[0, -5]> : vector<2xi8>) : vector<2xi8>
  %most = llvm.mlir.constant(dense<3> : vector<2xi8>) : vector<2xi8>
  %x = llvm.load %in : !llvm.ptr<1> -> vector<2xi8>
  %y = llvm.add %x, %c : vector<2xi8>
  %z = llvm.intr.smin(%y, %most) : (vector<2xi8>, vector<2xi8>) -> vector<2xi8>
  llvm.store %z, %out : vector<2xi8>, !llvm.ptr<1>
  llvm.return
}

// PACKED-LABEL: .entry halves(
// PACKED-NOT: add.s16x2
// PACKED: ret;
llvm.func @halves(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c = llvm.mlir.constant(dense<[7, -5]> : vector<2xi16>) : vector<2xi16>
  %x = llvm.load %in : !llvm.ptr<1> -> vector<2xi16>
  %y = llvm.add %x, %c : vector<2xi16>
  llvm.store %y, %out : vector<2xi16>, !llvm.ptr<1>
  llvm.return
}

// One constant for both is the same half.
// PACKED-LABEL: .entry splat(
// PACKED: add.s16x2
// PACKED: ret;
llvm.func @splat(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c = llvm.mlir.constant(dense<7> : vector<2xi16>) : vector<2xi16>
  %x = llvm.load %in : !llvm.ptr<1> -> vector<2xi16>
  %y = llvm.add %x, %c : vector<2xi16>
  llvm.store %y, %out : vector<2xi16>, !llvm.ptr<1>
  llvm.return
}

// A minimum reads both sums, and one half of it is used: ptxas would drop the
// addition of the second operand. Through a freeze and a shuffle, too.
// PACKED-LABEL: .entry extremum(
// PACKED-NOT: add.s16x2
// PACKED: min.s16x2
// PACKED-NOT: add.s16x2
// PACKED: ret;
llvm.func @extremum(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c = llvm.mlir.constant(dense<-3> : vector<2xi16>) : vector<2xi16>
  %one = llvm.mlir.constant(1 : i32) : i32
  %x = llvm.load %a : !llvm.ptr<1> -> vector<2xi16>
  %y = llvm.load %b : !llvm.ptr<1> -> vector<2xi16>
  %p = llvm.add %x, %c : vector<2xi16>
  %q = llvm.add %y, %c : vector<2xi16>
  %frozen = llvm.freeze %q : vector<2xi16>
  %z = llvm.intr.smin(%p, %frozen) : (vector<2xi16>, vector<2xi16>) -> vector<2xi16>
  %high = llvm.extractelement %z[%one : i32] : vector<2xi16>
  %v = llvm.extractelement %q[%one : i32] : vector<2xi16>
  %w = llvm.mul %high, %v : i16
  llvm.store %w, %out : i16, !llvm.ptr<1>
  llvm.return
}

// A maximum of a negation, read by another one: ptxas would drop the negation.
// PACKED-LABEL: .entry negated(
// PACKED-NOT: neg.s32
// PACKED: not.b32 [[NOT:%r[0-9]+]], %{{r[0-9]+}};
// PACKED: add.s32 [[NEG:%r[0-9]+]], [[NOT]], 1;
// PACKED: max.s32 {{.*}}[[NEG]]
// PACKED: max.s32
// PACKED: min.s32
// PACKED: ret;
llvm.func @negated(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %b: i32, %d: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %c = llvm.load %in : !llvm.ptr<1> -> i32
  %neg = llvm.sub %zero, %c : i32
  %x = llvm.intr.smax(%b, %neg) : (i32, i32) -> i32
  %y = llvm.intr.smax(%d, %x) : (i32, i32) -> i32
  %e = llvm.load %out : !llvm.ptr<1> -> i32
  %other = llvm.sub %zero, %e : i32
  %z = llvm.intr.smin(%y, %other) : (i32, i32) -> i32
  llvm.store %z, %out : i32, !llvm.ptr<1>
  llvm.return
}

// PACKED-LABEL: .entry negated_short(
// PACKED-NOT: neg.s16
// PACKED: not.b16
// PACKED: max.s16
// PACKED: max.s16
// PACKED: ret;
llvm.func @negated_short(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %b: i16, %d: i16) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i16) : i16
  %c = llvm.load %in : !llvm.ptr<1> -> i16
  %neg = llvm.sub %zero, %c : i16
  %x = llvm.intr.smax(%b, %neg) : (i16, i16) -> i16
  %y = llvm.intr.smax(%d, %x) : (i16, i16) -> i16
  llvm.store %y, %out : i16, !llvm.ptr<1>
  llvm.return
}

// LLVM's selection makes a negation of a product with or a quotient by minus a
// power of two.
// PACKED-LABEL: .entry negated_by_selection(
// PACKED-NOT: neg.s32
// PACKED: max.s32
// PACKED: max.s32
// PACKED-NOT: neg.s32
// PACKED: ret;
llvm.func @negated_by_selection(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %b: i32, %d: i32) attributes {nvvm.kernel} {
  %two = llvm.mlir.constant(-2 : i32) : i32
  %four = llvm.mlir.constant(-4 : i32) : i32
  %c = llvm.load %in : !llvm.ptr<1> -> i32
  %product = llvm.mul %c, %two : i32
  %x = llvm.intr.smax(%b, %product) : (i32, i32) -> i32
  %y = llvm.intr.smax(%d, %x) : (i32, i32) -> i32
  %e = llvm.load %out : !llvm.ptr<1> -> i32
  %quotient = llvm.sdiv %e, %four : i32
  %z = llvm.intr.smax(%y, %quotient) : (i32, i32) -> i32
  llvm.store %z, %out : i32, !llvm.ptr<1>
  llvm.return
}

// PACKED-LABEL: .entry negated_vector(
// PACKED-NOT: neg.s32
// PACKED: max.s32
// PACKED-NOT: neg.s32
// PACKED: ret;
llvm.func @negated_vector(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(dense<0> : vector<2xi32>) : vector<2xi32>
  %b = llvm.load %in : !llvm.ptr<1> -> vector<2xi32>
  %c = llvm.load %out : !llvm.ptr<1> -> vector<2xi32>
  %neg = llvm.sub %zero, %c : vector<2xi32>
  %x = llvm.intr.smax(%b, %neg) : (vector<2xi32>, vector<2xi32>) -> vector<2xi32>
  %first = llvm.mlir.constant(0 : i32) : i32
  %y = llvm.extractelement %x[%first : i32] : vector<2xi32>
  %second = llvm.mlir.constant(1 : i32) : i32
  %z = llvm.extractelement %x[%second : i32] : vector<2xi32>
  %w = llvm.intr.smax(%y, %z) : (i32, i32) -> i32
  llvm.store %w, %out : i32, !llvm.ptr<1>
  llvm.return
}
