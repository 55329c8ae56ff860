// RUN: tile-opt %s --tile-skip-rows --verify-diagnostics

module attributes {tile.target = #tile.target<"sm_90a">} {
  // expected-error @below {{expected its barriers: run --tile-insert-barriers}}
  tile.kernel @early() grid(%bx) = (1) threads(256) {
  }
}
