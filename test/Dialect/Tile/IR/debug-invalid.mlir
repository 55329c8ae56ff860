// RUN: tile-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// print-1
tile.kernel @k(%A: memref<8xf32>) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[print-1] expected a scalar or a shared or fragment buffer, got 'memref<8xf32>'}}
  tile.print "A" %A : memref<8xf32>
}

// -----

// print-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %l = tile.alloc : memref<8xf32, #tile.local>
  // expected-error @+1 {{[print-1] expected a scalar or a shared or fragment buffer}}
  tile.print "l" %l : memref<8xf32, #tile.local>
}

// -----

// print-1
tile.kernel @k() grid(%bx) = (1) threads(32) {
  %v = "test.value"() : () -> vector<4xf32>
  // expected-error @+1 {{[print-1] expected a scalar or a shared or fragment buffer, got 'vector<4xf32>'}}
  tile.print "v" %v : vector<4xf32>
}

// -----

// assume-1
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[assume-1] expected one of `equals`, `divisible_by`, `min` and `max`}}
  tile.assume %n : index
}

// -----

// assume-2
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[assume-2] expected a positive `divisible_by`, got 0}}
  tile.assume %n {divisible_by = 0 : i64} : index
}

// -----

// assume-2
tile.kernel @k(%n: index) grid(%bx) = (1) threads(32) {
  // expected-error @+1 {{[assume-2] expected min <= max, got 8 and 4}}
  tile.assume %n {min = 8 : i64, max = 4 : i64} : index
}

// -----

// assume-3
tile.kernel @k(%n: i32, %m: index) grid(%b) = (1) threads(32) {
  // expected-error @+1 {{[assume-3] expected an index that equals another, got 'i32'}}
  tile.assume %n equals %m : i32
}

// -----

// assume-rows-1
tile.kernel @k(%n: index) grid(%b) = (1) threads(32) {
  // expected-error @+1 {{[assume-rows-1] expected at least one row, got 0}}
  tile.assume_rows %n to %n of 0
}
