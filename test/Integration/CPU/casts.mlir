// Casts round to nearest even; fp8 and fp4 saturate; NaN stays where it can; f64
// is rounded once (1.0004882812501 lies just above a tie of f16).
// RUN: tile-run %s --args=s=1.0625,d=1.0004882812501 | FileCheck %s --check-prefix=TIE
// RUN: tile-run %s --args=s=-1.1875,d=-1.1875 | FileCheck %s --check-prefix=ODD
// RUN: tile-run %s --args=s=1e9,d=464 | FileCheck %s --check-prefix=LARGE
// RUN: tile-run %s --args=s=inf,d=-inf | FileCheck %s --check-prefix=INF
// RUN: tile-run %s --args=s=nan,d=nan | FileCheck %s --check-prefix=NAN
// RUN: tile-run %s --args=s=0.00146484375,d=0.00097656251 | FileCheck %s --check-prefix=TINY
// TIE: e4m3: 1{{$}}
// TIE: e5m2: 1{{$}}
// TIE: bf16: 1.0625
// TIE: f64-f16: 1.00098
// ODD: e4m3: -1.25
// ODD: e5m2: -1.25
// ODD: e2m1: -1{{$}}
// LARGE: e4m3: 448
// LARGE: e5m2: 57344
// LARGE: bf16: 9.98244e+08
// LARGE: f16: inf
// LARGE: e2m1: 6
// LARGE: f64-e4m3: 448
// INF: e4m3: 448
// INF: e5m2: 57344
// INF: bf16: inf
// INF: f64-f16: -inf
// INF: f64-e4m3: -448
// NAN: e4m3: nan
// NAN: e5m2: nan
// NAN: bf16: nan
// NAN: e2m1: 6
// NAN: f64-e4m3: nan
// TINY: e4m3: 0.00195312
// TINY: e5m2: 0.00146484
// TINY: e2m1: 0{{$}}
// TINY: f64-e4m3: 0.00195312
tile.kernel @cast(%s: f32, %d: f64) grid(%b) = (1) threads(32) {
  %0 = arith.truncf %s : f32 to f8E4M3FN
  %1 = arith.extf %0 : f8E4M3FN to f32
  tile.print "e4m3" %1 : f32
  %2 = arith.truncf %s : f32 to f8E5M2
  %3 = arith.extf %2 : f8E5M2 to f32
  tile.print "e5m2" %3 : f32
  %4 = arith.truncf %s : f32 to bf16
  tile.print "bf16" %4 : bf16
  %5 = arith.truncf %s : f32 to f16
  tile.print "f16" %5 : f16
  %6 = arith.truncf %s : f32 to f4E2M1FN
  %7 = arith.extf %6 : f4E2M1FN to f32
  tile.print "e2m1" %7 : f32
  %8 = arith.truncf %d : f64 to f16
  tile.print "f64-f16" %8 : f16
  %9 = arith.truncf %d : f64 to f8E4M3FN
  tile.print "f64-e4m3" %9 : f8E4M3FN
}
