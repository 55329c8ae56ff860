# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ._bundled import load

load(__name__)
