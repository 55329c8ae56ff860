// With --json the standard output is the report alone: what a kernel prints goes
// to standard error.
// RUN: tile-run %s --json > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: tile-run %s --json --stage=lowered --arch=sm_90a > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: echo "%s" > %t.list
// RUN: tile-run --batch=%t.list --json > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: tile-run %s | FileCheck %s --check-prefix=TEXT
// OUT-NOT: block:
// OUT: {{^}}{
// ERR: {{^}}block: 0
// TEXT: {{^}}block: 0
// TEXT: kernel 'prints'
tile.kernel @prints() grid(%b) = (1) threads(32) {
  tile.print "block" %b : index
}
