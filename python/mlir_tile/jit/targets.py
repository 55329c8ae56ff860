# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of targets: ours, and those that TileLang's scripts use for them."""

import os
import re
import sys
import weakref

from mlir_tile.errors import ArgumentError

_chosen = None

followers = weakref.WeakSet()
"""Tables of calls (CallTable) that hold for the default target alone."""


def set_default_target(name):
    """Makes `name` the target of every kernel compiled afterwards, whatever it asks for; None ends
    that."""
    global _chosen
    _chosen = name
    for table in list(followers):
        table._forget()


def default_target():
    """The target that stands for "auto": set_default_target's, else the GPU that is there, else the
    CPU."""
    if _chosen is not None:
        return _chosen
    return "cuda" if _has_gpu() else "cpu"


def _has_gpu():
    return os.path.exists("/dev/nvidiactl")


def target_for(target, arguments):
    """The target of a call with these arguments, for resolve_target: "auto" is the CPU where the
    arrays are numpy's, which no GPU reaches."""
    numpy = sys.modules.get("numpy")
    if numpy is None or _chosen is not None or not _is_auto(target):
        return target
    arrays = [x for x in arguments if hasattr(x, "shape")]
    return "cpu" if arrays and all(isinstance(x, numpy.ndarray) for x in arrays) else target


def _is_auto(target):
    """Whether nobody named a target."""
    return (target is None or str(target).strip() == "auto") and _named_default() == "auto"


def _named_default():
    """What stands for "auto" by TileLang's variable of the environment; "auto" where it is not
    set."""
    return os.environ.get("TILELANG_DEFAULT_TARGET") or "auto"


def resolve_target(target=None):
    """The name that execution.compile takes: cpu, lowered:sm_…, cuda, cuda:sm_…"""
    # What set_default_target chose stands for every GPU; lowered code is asked for by name.
    if _chosen is not None and not str(target).strip().startswith("lowered:"):
        return _chosen
    if isinstance(target, dict):
        arch = target.get("arch")
        target = (
            f"{target.get('kind', 'cuda')} -arch={arch}" if arch else target.get("kind", "cuda")
        )
    text = "auto" if target is None else str(target).strip()
    if text == "auto":
        named = _named_default()
        return default_target() if named == "auto" else resolve_target(named)
    if text in ("cpu", "cuda") or text.startswith(("cuda:", "lowered:")):
        return text
    kind = text.split()[0].partition("-")[0]
    if kind in ("llvm", "c", "cpu"):
        return "cpu"
    if kind.startswith("cuda") or kind == "nvidia":
        arch = re.search(r"sm_?(\d+[a-z]?)", text)
        if arch is None:
            return "cuda"
        name = arch[1]
        return f"cuda:sm_{name + 'a' if name in ('90', '100', '103', '110', '120') else name}"
    raise ArgumentError(
        "expected a target of auto, cpu, cuda, cuda:sm_90a (or another architecture),"
        f" lowered:sm_90a; got {target!r}"
    )


def architecture_of(target):
    """The architecture of a target's PTX; that of Hopper where it names none."""
    _, _, arch = target.partition(":")
    return arch or "sm_90a"
