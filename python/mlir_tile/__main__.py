# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m mlir_tile` is the command `mlir-tile`."""

import sys

from .cli import main

sys.exit(main())
