#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: test-asserts.sh [folders of test/...]
# The lit suite, and mutations, with the assertions of our own code on (preset `dev`; those
# of Debian's LLVM are off). The last part of test.sh.
exec "$(dirname "${BASH_SOURCE[0]}")/checked-build.sh" dev 200 "$@"
