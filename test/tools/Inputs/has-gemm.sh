#!/bin/sh
# Interesting (status 1): the module still multiplies.
grep -q "tile.gemm" "$1" && exit 1
exit 0
