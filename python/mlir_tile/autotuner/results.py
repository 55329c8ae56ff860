# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tuning measured, on disk: one JSON file a kernel, its sizes, device and compiler.

A file holds every configuration that was measured, so that a run that was stopped goes on where it
was. Files are replaced whole (rename); one that cannot be read counts as absent.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any

from .. import cache
from .._keys import is_number_of_numpy

__all__ = ["Store", "cache_folder", "digest", "plain"]

_FORMAT = 1


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: tensors as type, shape and strides; objects as their text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return str(value) if type(value) not in (bool, int, float, str, type(None)) else value
    if type(value) in (list, tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        items = sorted(value.items(), key=lambda item: str(item[0]))
        return {str(key): plain(item) for key, item in items}
    if hasattr(value, "shape") and hasattr(value, "dtype") and not is_number_of_numpy(value):
        strides = value.stride() if callable(getattr(value, "stride", None)) else ()
        return ["tensor", str(value.dtype), [int(s) for s in value.shape], list(strides)]
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}"
    return str(value)


def _exact(value: Any, outer: tuple[int, ...] = ()) -> Any:
    """`value` as JSON that no other value has: with types, and functions by their code.

    `outer`: functions around it, which may refer to themselves.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [_exact(item, outer) for item in value]
        is_set = isinstance(value, (set, frozenset))
        return [name, sorted(items, key=json.dumps) if is_set else items]
    if isinstance(value, dict):
        pairs = [[_exact(key, outer), _exact(item, outer)] for key, item in value.items()]
        return [name, sorted(pairs, key=json.dumps)]
    if hasattr(value, "shape") and hasattr(value, "dtype") and not is_number_of_numpy(value):
        return plain(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [name, [_exact(getattr(value, x.name), outer) for x in dataclasses.fields(value)]]
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        if id(value) in outer:
            return "itself"
        cells = [_content(cell) for cell in value.__closure__ or ()]
        given = [value.__defaults__, value.__kwdefaults__, *cells]
        return [name, plain(value), _text(code), _exact(given, (*outer, id(value)))]
    return [name, plain(value) if callable(value) else repr(value)]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return "unset"


def _text(code: CodeType) -> list[Any]:
    """What code does, without where it stands."""
    constants = [_text(x) if isinstance(x, CodeType) else _exact(x) for x in code.co_consts]
    return [code.co_code.hex(), code.co_names, constants]


def digest(*parts: Any) -> str:
    """A name for `parts`, the same in every process."""
    text = json.dumps([_exact(part) for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def cache_folder() -> Path:
    """Where results are kept: "autotuner" beside the kernels' cache."""
    return cache.directory() / "autotuner"


class Store:
    """The results of one key.

    Args:
      folder: where files are; None keeps nothing.
      key: name of the results (see `digest`).
      about: what a reader of the file wants to know; not part of the key.
    """

    def __init__(self, folder: Path | None, key: str, about: dict[str, Any] | None = None) -> None:
        self.path = None if folder is None else folder / f"{key}.json"
        self.about = plain(about or {})
        self.complete = False
        self.rows: dict[str, dict[str, Any]] = {}
        self._read()

    def _read(self) -> None:
        if self.path is None:
            return
        try:
            data = json.loads(self.path.read_text())
            if data["format"] != _FORMAT:
                return
            rows = {digest(row["config"]): row for row in data["results"]}
            self.complete, self.rows = bool(data["complete"]), rows
        except (OSError, ValueError, KeyError, TypeError):
            return

    def get(self, config: dict[str, Any]) -> dict[str, Any] | None:
        """What was found for a configuration: {"latency": ms} or {"error": text}."""
        return self.rows.get(digest(config))

    def put(self, config: dict[str, Any], **found: Any) -> None:
        """Keeps what was found for a configuration; `save` writes it."""
        self.rows[digest(config)] = {"config": plain(config), **found}

    def save(self, complete: bool) -> None:
        """Writes the file; a folder that cannot be written is no error."""
        self.complete = complete
        if self.path is None:
            return
        data = {
            "format": _FORMAT,
            "about": self.about,
            "complete": complete,
            "results": list(self.rows.values()),
        }
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "w") as file:
                    json.dump(data, file, indent=1)
                os.replace(name, self.path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
