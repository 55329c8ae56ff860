#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the acceptance with PyTorch itself, "cuda" mapped to the CPU (not in CI: PyTorch is 5 GB).
#   with_torch.sh VENV PACKAGE [options of run.py]
# VENV: folder of a virtual environment with torch, numpy, pytest, einops; PACKAGE: folder that
# holds mlir_tile (build/release/python).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=$1 package=$2
shift 2
PYTHONPATH=$package exec "$venv/bin/python" "$here/run.py" --torch real "$@"
