// Where the decisions of KernelDecisions.h may stand, what they look like, and which exclude each other.
// RUN: tile-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{expected 'tile.roles' to be a unit on a kernel, got true}}
tile.kernel @roles() grid(%b) = (1) threads(32) attributes {tile.roles = true} {
}

// -----

// expected-error @+1 {{expected 'tile.without_roles' to be a unit on a kernel, got 1 : i64}}
tile.kernel @without() grid(%b) = (1) threads(32) attributes {tile.without_roles = 1 : i64} {
}

// -----

tile.kernel @place() grid(%b) = (1) threads(32) {
  // expected-error @+1 {{expected 'tile.without_roles' to be a unit on a kernel, got unit}}
  %f = tile.alloc {tile.without_roles} : memref<64xf32, #tile.fragment>
}

// -----

// expected-error @+1 {{expected no 'tile.without_roles' beside 'tile.roles': a kernel has roles, or none}}
tile.kernel @both() grid(%b) = (1) threads(32) attributes {tile.roles, tile.without_roles} {
}

// -----

// expected-error @+1 {{expected no 'tile.without_roles' beside `specialize = true`: a kernel has roles, or none}}
tile.kernel @asked() grid(%b) = (1) threads(32) attributes {specialize = true, tile.without_roles} {
}

// -----

// What the program forbids and a pass has found impossible agree.
tile.kernel @agree() grid(%b) = (1) threads(32) attributes {specialize = false, tile.without_roles} {
}

// -----

// expected-error @+1 {{unknown attribute 'tile.without_role' of the tile dialect, did you mean 'tile.without_roles'?}}
tile.kernel @misspelled() grid(%b) = (1) threads(32) attributes {tile.without_role} {
}
