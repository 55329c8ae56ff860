#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a tile program of the benchmarks: program.py KIND [field=value ...]

KIND is gemm, gemm_any (whose artifact serves all sizes), attention, backward, decode, combine, sparse, conv, rows, weights, quantized, gemv, reduce, operator or recurrent;
of experts grouped, weight_gradient, gate, count, offsets, place or combine_copies; block_scaled or cast.

    python3 benchmarks/program.py gemm tb=True tile=128,128,64 stages=5 | tile-translate --tile-to-ptx --arch=sm_90a

Fields are those of tilebench.gemm.Gemm, tilebench.attention.Attention, tilebench.conv.Conv, tilebench.rows.Rows,
tilebench.weights.Weights, tilebench.quantized.Quantized, tilebench.quantized_gemv.Gemv, tilebench.operators.Operator,
tilebench.attention_backward.Backward, tilebench.attention_decode.Decode and Combine, tilebench.attention_sparse.Sparse,
tilebench.recurrent.Kernel, tilebench.experts.Grouped, tilebench.experts_backward.WeightGradient, tilebench.experts_route.Gate, Count,
Offsets, Place and Combine, tilebench.block_scaled.BlockScaled and Cast, and hints=A=1024x512,...: the sizes that arguments have as
`tile.shape_hint`.
"""

import ast
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tilebench.attention import Attention  # noqa: E402
from tilebench.attention_backward import Backward  # noqa: E402
from tilebench.attention_decode import Combine, Decode  # noqa: E402
from tilebench.attention_sparse import Sparse  # noqa: E402
from tilebench.block_scaled import BlockScaled, Cast  # noqa: E402
from tilebench.conv import Conv  # noqa: E402
from tilebench import experts_route as route  # noqa: E402
from tilebench.experts import Grouped  # noqa: E402
from tilebench.experts_backward import WeightGradient  # noqa: E402
from tilebench.gemm import Gemm, Reduce  # noqa: E402
from tilebench.operators import Operator  # noqa: E402
from tilebench import random_gemms  # noqa: E402
from tilebench.quantized import Quantized  # noqa: E402
from tilebench.quantized_gemv import Gemv  # noqa: E402
from tilebench.recurrent import Kernel  # noqa: E402
from tilebench.rows import Rows  # noqa: E402
from tilebench.weights import Weights  # noqa: E402


def value(text):
    """Python's literal where the text is one, else the text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def add_hints(text, hints):
    """The program with a `tile.shape_hint` on each argument that `hints` names."""
    for hint in hints.split(","):
        name, sizes = hint.split("=")
        attribute = f"tile.shape_hint = array<i64: {', '.join(sizes.split('x'))}>"
        argument = re.search(rf"%{name}: (?:memref<[^<>]*>|i32)( {{[^}}]*}})?", text)
        if not argument:
            sys.exit(f"program.py: expected hints for arguments of the program, got '{name}'")
        others = argument.group(1)
        end = argument.end() - 1 if others else argument.end()
        text = text[:end] + (f", {attribute}" if others else f" {{{attribute}}}") + text[end:]
    return text


def main():
    kinds = {"gemm": Gemm, "gemm_any": random_gemms.program, "attention": Attention, "conv": Conv, "rows": Rows}
    kinds |= {"backward": Backward, "decode": Decode, "combine": Combine, "sparse": Sparse}
    kinds |= {"quantized": Quantized, "gemv": Gemv}
    kinds |= {"weights": Weights, "reduce": Reduce, "operator": Operator, "recurrent": Kernel}
    kinds |= {"grouped": Grouped, "weight_gradient": WeightGradient, "gate": route.Gate, "count": route.Count, "offsets": route.Offsets}
    kinds |= {"place": route.Place, "combine_copies": route.Combine, "block_scaled": BlockScaled, "cast": Cast}
    if len(sys.argv) < 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    fields = dict(argument.split("=", 1) for argument in sys.argv[2:] if "=" in argument)
    hints = fields.pop("hints", None)
    try:
        program = kinds[sys.argv[1]](**{name: value(text) for name, text in fields.items()})
    except TypeError as error:
        sys.exit(f"program.py: {error}")
    text = program.text()
    print(add_hints(text, hints) if hints else text, end="")


if __name__ == "__main__":
    main()
