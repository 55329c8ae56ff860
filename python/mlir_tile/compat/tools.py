# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.tools`: drawings of layouts."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

__all__ = ["plot_layout"]

_CELL = 34
_LARGEST = 1 << 14  # elements of a drawing, which stays below a megabyte


def _cells(layout: Any) -> dict[tuple[int, int], str]:
    """Row and column of each place of a layout given by functions, and what is written there: the
    element's indices; of a fragment, its thread and register at the element's place."""
    shape = [int(size) for size in layout.shape]
    thread, index = (getattr(layout, f"forward_{part}_fn", None) for part in ("thread", "index"))
    found = {}
    for place in itertools.product(*map(range, shape)):
        if thread is not None:
            registers = place if index is None else index(*place)
            text = f"T{int(thread(*place))}:{registers}"
            found[place if len(place) == 2 else (0, *place)] = text
            continue
        target = layout.forward_fn(*place)
        target = list(target) if isinstance(target, (tuple, list)) else [target]
        numbers = [int(number) for number in target]
        row = 0
        for number in numbers[:-1]:
            row = row * 1024 + number
        found[row, numbers[-1]] = ",".join(map(str, place))
    return found


def _draw(layout: Any) -> str:
    cells = _cells(layout)
    rows = {row: at for at, row in enumerate(sorted({row for row, _ in cells}))}
    columns = 1 + max(column for _, column in cells)
    size = f'width="{columns * _CELL}" height="{len(rows) * _CELL}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-size="9" text-anchor="middle">']
    for (row, column), text in sorted(cells.items()):
        x, y = column * _CELL, rows[row] * _CELL
        box = f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="#eef" stroke="#669"/>'
        parts.append(f'{box}<text x="{x + _CELL // 2}" y="{y + _CELL // 2 + 3}">{text}</text>')
    return "\n".join([*parts, "</svg>\n"])


def plot_layout(
    layout: Any,
    save_directory: str = "./tmp",
    name: str = "layout",
    formats: str | list[str] = "svg",
    verbose: bool = False,
    **_: Any,
) -> None:
    """Writes a drawing of a layout to save_directory/name.svg.

    Args:
      layout: of `mlir_tile.layout`, or a T.Layout or T.Fragment given by functions of indices.
      formats: "svg" is what can be written; for others (png, pdf) the SVG is written, too.
    """
    draw = getattr(layout, "draw", None)
    if draw is None:
        elements = 1
        for extent in getattr(layout, "shape", ()):
            elements *= int(extent)
        functions = ("forward_fn", "forward_thread_fn")
        if not any(getattr(layout, function, None) for function in functions):
            raise TypeError(f"plot_layout needs a layout, got {layout!r}")
        if elements > _LARGEST:
            raise ValueError(f"a drawing has at most {_LARGEST} elements, the layout {elements}")
    drawing = _draw(layout) if draw is None else draw()
    text = drawing if isinstance(drawing, str) else drawing._repr_svg_()
    folder = Path(save_directory)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    path.write_text(text)
    if verbose:
        print(path)
