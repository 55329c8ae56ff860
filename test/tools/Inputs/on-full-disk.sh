#!/bin/sh
# on-full-disk.sh FOLDER COMMAND...: runs COMMAND in FOLDER, on a file system of
# 8 KiB that holds the file `out` and nothing free but a page. Prints the status,
# what lies there afterwards and what `out` holds.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
exec unshare -rm sh -c '
  mount -t tmpfs -o size=8k full "$0" && cd "$0" || exit 1
  echo old > out
  "$@" 2>&1
  echo "status $?, files: $(echo *), out: $(cat out)"' "$folder" "$@"
