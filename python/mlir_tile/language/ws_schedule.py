# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules by which TileLang parts a plain kernel into roles of warps.

The kernel means what its text says; a schedule says which warps do what of it, and when. Here that
is the compiler's decision, so a schedule is checked and not followed.
"""

from __future__ import annotations

import dataclasses
import enum

from .annotations import attr
from .builder import current
from .errors import fail

WSID = "tl.ws_op_id"


class WSSyncKind(enum.Enum):
    """What a role does at the barriers of a pipeline."""

    PRODUCER_ACQUIRE = 0
    PRODUCER_COMMIT = 1
    CONSUMER_WAIT = 2
    CONSUMER_RELEASE = 3

    def same_as(self, other):
        return self is other


class WSRole:
    """The warps from `warps_lo` on, `warps_hi` excluded, that have one task."""

    def __init__(self, name, *, warps_lo, warps_hi, max_nreg=0):
        self.name, self.max_nreg = name, max_nreg
        self.warp_lo, self.warp_hi = int(warps_lo), int(warps_hi)


@dataclasses.dataclass
class WSPipeline:
    """`depth` versions of buffers, which one role fills and another one reads."""

    name: str
    buffers: list
    depth: int


class WSInstr:
    """A step of a role."""


@dataclasses.dataclass
class WSOpRef(WSInstr):
    """The operation, or the loop, of this name."""

    id: str


@dataclasses.dataclass
class WSSync(WSInstr):
    """A role waits for, or says something at, a pipeline."""

    kind: WSSyncKind
    pipeline: str
    stage: int = 0

    @classmethod
    def producer_acquire(cls, pipeline, stage=0):
        return cls(WSSyncKind.PRODUCER_ACQUIRE, pipeline, stage)

    @classmethod
    def producer_commit(cls, pipeline, stage=0):
        return cls(WSSyncKind.PRODUCER_COMMIT, pipeline, stage)

    @classmethod
    def consumer_wait(cls, pipeline, stage=0):
        return cls(WSSyncKind.CONSUMER_WAIT, pipeline, stage)

    @classmethod
    def consumer_release(cls, pipeline, stage=0):
        return cls(WSSyncKind.CONSUMER_RELEASE, pipeline, stage)


class WSScope:
    """What each role does in a loop, or in the whole kernel (ROOT)."""

    ROOT = "tl.ws_scope_root"

    def __init__(self, id, bodies):
        self.id = id
        self.bodies = {
            role: [WSOpRef(x) if isinstance(x, str) else x for x in steps]
            for role, steps in bodies.items()
        }


@dataclasses.dataclass
class WSSchedule:
    """The roles of a kernel's warps, what they share, and what they do."""

    num_warps: int
    roles: list
    pipelines: list
    scopes: list

    def __post_init__(self):
        assert self.num_warps > 0, f"expected a positive number of warps, got {self.num_warps}"
        assert self.num_warps % 4 == 0, (
            f"expected a multiple of 4 warps, which have their registers together, got"
            f" {self.num_warps}"
        )


def annotate_ws_schedule(schedule):
    """Says how the kernel could be parted into roles; the compiler decides it."""
    current("T.annotate_ws_schedule")
    if not isinstance(schedule, WSSchedule):
        fail(f"T.annotate_ws_schedule: expected a T.WSSchedule, got {schedule!r}")
    roles, pipelines = ({x.name for x in every} for every in (schedule.roles, schedule.pipelines))
    for scope in schedule.scopes:
        for role, steps in scope.bodies.items():
            if role not in roles:
                fail(
                    f"T.annotate_ws_schedule: the scope {scope.id} has a role {role}, but the"
                    f" schedule has {', '.join(sorted(roles))}"
                )
            for step in steps:
                if isinstance(step, WSSync) and step.pipeline not in pipelines:
                    fail(
                        f"T.annotate_ws_schedule: {role} waits for a pipeline {step.pipeline}, but"
                        f" the schedule has {', '.join(sorted(pipelines))}"
                    )


def ws_op(op_id):
    """`with T.ws_op("name"):` a name for statements, which a schedule uses."""
    if not isinstance(op_id, str) or not op_id:
        fail(f"T.ws_op: expected a name, got {op_id!r}")
    return attr(None, WSID, op_id)
