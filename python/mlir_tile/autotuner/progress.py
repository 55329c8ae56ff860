# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Progress of tuning: a bar by rich or tqdm where one is installed and somebody looks, else lines
in the log."""

from __future__ import annotations

import importlib
import logging
import sys
from typing import Any

__all__ = ["Progress"]

_LOG = logging.getLogger("mlir_tile.autotuner")


class Progress:
    """Counts configurations that are done.

    Args:
      total: how many there are.
      kind: "rich", "tqdm", "log", or "auto": a bar if the error stream is a terminal.
    """

    def __init__(self, total: int, kind: str = "auto") -> None:
        self.total, self.done, self.best = total, 0, float("inf")
        self.bar: Any = None
        self.task: Any = None
        wanted = ("rich", "tqdm") if kind == "auto" and sys.stderr.isatty() else (kind,)
        for name in wanted:
            if name in ("rich", "tqdm") and self._start(name):
                break

    def _start(self, name: str) -> bool:
        try:
            module = importlib.import_module("rich.progress" if name == "rich" else "tqdm.auto")
        except ImportError:
            return False
        if name == "tqdm":
            self.bar = module.tqdm(total=self.total, desc="tuning", file=sys.stderr)
            return True
        self.bar = module.Progress()
        self.task = self.bar.add_task("tuning", total=self.total)
        self.bar.start()
        return True

    def step(self, text: str, latency: float | None = None) -> None:
        """One more configuration is done; `text` says what came of it."""
        self.done += 1
        self.best = min(self.best, latency if latency is not None else self.best)
        best = "" if self.best == float("inf") else f", best {self.best:.4g} ms"
        _LOG.info("%d of %d: %s%s", self.done, self.total, text, best)
        if self.task is not None:
            self.bar.update(self.task, advance=1, description=f"tuning{best}")
        elif self.bar is not None:
            self.bar.set_postfix_str(best.removeprefix(", "))
            self.bar.update(1)

    def close(self) -> None:
        """Ends the bar."""
        if self.task is not None:
            self.bar.stop()
        elif self.bar is not None:
            self.bar.close()
