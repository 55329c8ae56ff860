# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TileLang's ways to name a target: text with options, a dictionary, a `Target` object."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["Target", "determine_target", "target_is_cuda", "target_is_rocm"]


class Target:
    """A target by name and options: Target("cuda -arch=sm_90"), Target({"kind": "cuda"})."""

    def __init__(self, target: str | Mapping[str, Any] | Target, host: Any = None) -> None:
        if isinstance(target, Target):
            self.attrs = dict(target.attrs)
        elif isinstance(target, Mapping):
            self.attrs = dict(target)
        else:
            words = str(target).split()
            pairs = (word.lstrip("-").partition("=")[::2] for word in words[1:])
            self.attrs = {"kind": words[0], **dict(pairs)}
        self.host = host

    @property
    def kind(self) -> Any:
        """Has the target's name: `target.kind.name`."""
        return _Kind(self.attrs["kind"])

    @property
    def arch(self) -> str:
        """The architecture ("sm_90"), empty where none is named."""
        return self.attrs.get("arch", "")

    def __str__(self) -> str:
        options = (f" -{k}={v}" for k, v in self.attrs.items() if k != "kind")
        return self.attrs["kind"] + "".join(options)

    def __repr__(self) -> str:
        return f"Target({str(self)!r})"

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


class _Kind(str):
    name = property(lambda self: str(self))


def _capability() -> tuple[int, int] | None:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    return tuple(torch.cuda.get_device_capability())


def determine_target(target: Any = "auto", return_object: bool = False) -> Any:
    """The target that "auto" stands for in this process; others stay what they are.

    Args:
      return_object: returns a `Target` in place of its text.
    """
    if target is None or str(target) == "auto":
        found = _capability()
        target = "llvm" if found is None else f"cuda -arch=sm_{found[0]}{found[1]}"
    return Target(target) if return_object else target


def target_is_cuda(target: Any) -> bool:
    """Whether the target is an NVIDIA GPU."""
    return Target(target).kind == "cuda"


def target_is_rocm(target: Any) -> bool:
    """Never: this compiler is for NVIDIA GPUs."""
    return False


target_is_hip = target_is_cdna = target_is_gfx950 = target_is_metal = target_is_rocm


def target_is_hopper(target: Any) -> bool:
    """Whether the target has compute capability 9."""
    return _number(target) // 10 == 9


def target_is_ampere(target: Any) -> bool:
    """Whether the target has compute capability 8."""
    return _number(target) // 10 == 8


def target_is_sm100(target: Any) -> bool:
    """Whether the target has compute capability 10."""
    return _number(target) // 10 == 10


def target_has_bulk_copy(target: Any) -> bool:
    """Whether the target copies tiles by TMA."""
    return _number(target) >= 90


def _number(target: Any) -> int:
    digits = "".join(c for c in Target(determine_target(target)).arch if c.isdigit())
    return int(digits) if digits else 0


def get_target_compute_version(target: Any = None) -> str:
    """The compute capability as text: "9.0". Raises ValueError without a GPU."""
    number = _number(target)
    if not number:
        raise ValueError("no NVIDIA GPU in this process, and the target names no architecture")
    return f"{number // 10}.{number % 10}"


def parse_compute_version(version: str) -> tuple[int, int]:
    """Numbers of "9.0"."""
    major, _, minor = version.partition(".")
    return int(major), int(minor or 0)
