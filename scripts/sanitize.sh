#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: sanitize.sh [--mutants COUNT] [folders of test/...]
# The lit suite, and mutations, with our libraries and tools built with AddressSanitizer,
# UndefinedBehaviorSanitizer and assertions (preset `sanitize`). LLVM is Debian's and not
# instrumented. COUNT files and as many artifacts are mutated (default: 200; before a release
# 20,000).
mutants=200
if [[ ${1-} == --mutants ]]; then
  [[ ${2-} =~ ^[0-9]+$ ]] || {
    echo "sanitize.sh: expected a number after --mutants, got '${2-}'" >&2
    exit 2
  }
  mutants=$2
  shift 2
fi
runtime=$(clang-22 -print-file-name=libclang_rt.asan-x86_64.a)
if [[ ! -f $runtime ]]; then
  echo "sanitize.sh: expected clang's sanitizers; as root, run: apt-get install libclang-rt-22-dev" >&2
  exit 1
fi
# - abort_on_error: `not` takes an exit status for a refusal, not a signal.
# - allow_user_poisoning, detect_container_overflow: LLVM's allocators and containers say
#   what is in use only in code that is instrumented, so half of them would.
# - detect_leaks: contexts of MLIR live until the process ends.
# - detect_stack_use_after_return: fibers that a finding stops leave their frames behind.
export ASAN_OPTIONS=abort_on_error=1:allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0:detect_stack_use_after_return=0
export UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1
exec "$(dirname "${BASH_SOURCE[0]}")/checked-build.sh" sanitize "$mutants" "$@"
