# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The slots of a kernel's rings over time, as a picture.

Rings, roles and places are read from the scheduled program; durations are not: filling a
slot is drawn as long as FILL readings of one.
"""

import html
from dataclasses import dataclass, field

from . import ir as _ir
from ._pipeline import place_of

FILL, READ, ISSUE = 2.0, 1.0, 0.25
_UNIT, _ROW, _LEFT, _TOP = 34, 24, 90, 44


@dataclass
class Ring:
    """A ring of the scheduled program: what it holds, and who fills and reads it where."""

    index: int
    stages: int
    producer: str
    consumers: tuple
    buffers: tuple
    line: int = 0
    filled_by: str = "all threads"
    read_by: str = "all threads"
    events: dict = field(default_factory=dict)  # operation -> lines

    @property
    def title(self):
        """The ring in one line."""
        held = ", ".join(self.buffers)
        at = f", loop at line {self.line}" if self.line else ""
        return (
            f"ring {self.index}: {self.stages} slots of {held}; {self.filled_by} fill by "
            f"{self.producer}, {self.read_by} read by {', '.join(self.consumers)}{at}"
        )


def _role_of(op):
    """The role that an operation is in; "all threads" where there are none."""
    inner, parent = op.operation, op.operation.parent
    while parent is not None:
        if parent.operation.name == "tile.warp_specialize":
            for name, region in zip(
                parent.opview.role_names, parent.operation.regions, strict=True
            ):
                if any(block.owner == parent and _holds(block, inner) for block in region.blocks):
                    return f"role '{name}'"
        inner, parent = parent.operation, parent.operation.parent
    return "all threads"


def _holds(block, operation):
    return any(each.operation == operation for each in block.operations)


def rings(operations):
    """The rings among the operations of a scheduled program."""
    found = {}
    for op in operations:
        name = op.operation.name
        if name == "tile.ring.create":
            type = op.results[0].type
            buffers = tuple(
                "x".join(map(str, buffer.shape)) + f"x{buffer.element_type}"
                for buffer in map(_ir.MemRefType, type.buffers)
            )
            consumers = tuple(map(str, type.consumers))
            ring = Ring(len(found), type.stages, str(type.producer), consumers, buffers)
            found[op.results[0]] = ring
        elif name.startswith("tile.ring."):
            ring = found.get(op.operands[0])
            if ring is None:
                continue
            line = place_of(op.operation.location).line
            ring.events.setdefault(name, []).append(line)
            if name == "tile.ring.acquire":
                ring.filled_by, ring.line = _role_of(op), line
            elif name == "tile.ring.wait":
                ring.read_by, ring.line = _role_of(op), ring.line or line
    return list(found.values())


def schedule(stages, iterations):
    """(issued, full, read, free) of each iteration, in units of one reading."""
    times = []
    issued = read_end = 0.0
    for i in range(iterations):
        slot_free = times[i - stages][3] if i >= stages else 0.0
        issued = max(issued + (ISSUE if i else 0.0), slot_free)
        full = issued + FILL
        read = max(full, read_end)
        read_end = read + READ
        times.append((issued, full, read, read_end))
    return times


def _box(x, y, width, color, text, title):
    return (
        f"<g><title>{html.escape(title, quote=False)}</title>"
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" '
        f'height="{_ROW - 4}" fill="{color}" stroke="#555"/><text x="{x + width / 2:.1f}" '
        f'y="{y + 14}" text-anchor="middle">{text}</text></g>'
    )


def _draw_ring(ring, top, parts):
    """Appends a ring's rows; returns (width, height)."""
    iterations = min(2 * ring.stages + 2, 14)
    times = schedule(ring.stages, iterations)
    parts.append(
        f'<text x="8" y="{top + 16}" font-weight="bold">'
        f"{html.escape(ring.title, quote=False)}</text>"
    )
    for slot in range(ring.stages):
        y = top + 26 + slot * _ROW
        parts.append(f'<text x="8" y="{y + 14}">slot {slot}</text>')
    for i, (issued, full, read, free) in enumerate(times):
        y = top + 26 + i % ring.stages * _ROW
        fill = f"iteration {i}: {ring.filled_by} fill slot {i % ring.stages} by {ring.producer}"
        use = f"iteration {i}: {ring.read_by} read slot {i % ring.stages}"
        parts.append(_box(_LEFT + issued * _UNIT, y, (full - issued) * _UNIT, "#cfe3f7", i, fill))
        parts.append(_box(_LEFT + read * _UNIT, y, (free - read) * _UNIT, "#f9d9a8", i, use))
    return _LEFT + times[-1][3] * _UNIT + 16, 26 + ring.stages * _ROW + 14


def draw(found):
    """SVG of rings; a line of text where there are none."""
    parts, height = [], _TOP
    width = 640.0
    for ring in found:
        parts_width, parts_height = _draw_ring(ring, height, parts)
        width, height = max(width, parts_width, 8.0 * len(ring.title)), height + parts_height
    note = (
        f"slots over time: blue is being filled, orange being read; drawn as if filling took "
        f"{FILL:g} times as long as reading"
        if found
        else "no rings: no copy runs ahead in this kernel"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height + 8}" '
        f'font-family="monospace" font-size="12">\n<text x="8" y="20">{note}</text>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
