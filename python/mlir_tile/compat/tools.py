# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.tools`: drawings of layouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["plot_layout"]


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
      formats: "svg" is what can be written; for others (png, pdf) the SVG is written, too.
    """
    draw = getattr(layout, "draw", None)
    if draw is None:
        raise TypeError(f"plot_layout needs a layout, got {type(layout).__name__}")
    drawing = draw()
    text = drawing if isinstance(drawing, str) else drawing._repr_svg_()
    folder = Path(save_directory)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    path.write_text(text)
    if verbose:
        print(path)
