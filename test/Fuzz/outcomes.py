# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What became of a case: right, wrong, fault, hang, refused or skipped; and the report over all of them.

Standard library only: packs carry this file to machines without numpy.
"""

import collections
import dataclasses
import json
import re

RIGHT, WRONG, FAULT, HANG, REFUSED = "right", "wrong", "fault", "hang", "refused"
SKIPPED = "skipped"  # for want of a tool: nothing is known of the case

# What a run says of itself, as opposed to what a compiler refuses.
FAULTS = (r"thread \d+ of block", r"in block \d+: ", r"CUDA_ERROR", r"wrote outside of argument", r"the process ended by signal", r"the process ended with status",
          r"PLEASE submit a bug report", r"Stack dump", r"Assertion", r"LLVM ERROR", r"ptxas", r"Sanitizer")
# What is refused because it was asked for in so many words, not because the program needs it.
ASKED = re.compile(r"which `specialize` asks for|`roles=on` asks for|expected a device and a driver with clusters")


@dataclasses.dataclass
class Outcome:
    name: str  # of the program and run
    path: str
    kind: str
    text: str  # the message, or what differs
    command: str

    @property
    def group(self):
        """The message without numbers and names."""
        text = re.sub(r"'[^' ]*[<%#!][^']*'|%[\w#]+|@\w+", "_", self.text)
        text = re.sub(r"\bsm_\w+", "sm_N", re.sub(r"0x[0-9a-fA-F]+", "N", text))
        return re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "N", text)[:200]


def error_kind(text):
    if "still running after" in text:
        return HANG
    return FAULT if any(re.search(pattern, text) for pattern in FAULTS) else REFUSED


def of_report(line, path, command):
    """From a line of `tile-run --batch --json`."""
    try:
        report = json.loads(line)
    except ValueError:
        return Outcome("?", path, FAULT, f"no report: {line[:200]}", command)
    name = report.get("name", "?")
    if report.get("passed"):
        return Outcome(name, path, RIGHT, "", command)
    if "error" in report:
        return Outcome(name, path, error_kind(report["error"]), report["error"], command)
    wrong = [check for check in report.get("check", []) if check.get("wrong")]
    text = "; ".join(f"{c['name']}: {c['wrong']} of {c['elements']} elements wrong" for c in wrong)
    return Outcome(name, path, WRONG if wrong else FAULT, text or "failed without a reason", command)


def of_compiler(status, errors):
    """The kind and the message of a compiler that ended so; right where it did its work."""
    if status == 0 and not re.search(r"\(C75\d\d\)", errors):
        return RIGHT, ""
    lines = [line for line in errors.splitlines() if line.strip()]
    found = ([line for line in lines if "error" in line or "fatal" in line or "C75" in line] or lines or ["no message"])[0]
    if status == 0:
        return RIGHT, found  # serialized instructions: slower, not wrong
    crashed = status < 0 or status > 125 or any(mark in errors for mark in ("Stack dump", "Assertion", "LLVM ERROR"))
    text = re.sub(r"^.*?error: ", "", found)
    return (FAULT if crashed or "ptxas" in found else REFUSED), text


def report(outcomes, limits=()):
    """The counts, the classes of refusals, the findings. `limits`: (expression, reason) of refusals that are documented."""
    paths = list(dict.fromkeys(o.path for o in outcomes))
    kinds = (RIGHT, WRONG, FAULT, HANG, REFUSED, SKIPPED)
    counts = collections.Counter((o.path, o.kind) for o in outcomes)
    width = max([len(p) for p in paths] + [5])
    print(f"{'path':{width}} " + " ".join(f"{kind:>8}" for kind in kinds))
    for path in paths:
        print(f"{path:{width}} " + " ".join(f"{counts[path, kind]:8}" for kind in kinds))
    refused = [o for o in outcomes if o.kind == REFUSED]
    decided = sum(o.kind != SKIPPED for o in outcomes)
    print(f"refused: {len(refused)} of {decided} ({100 * len(refused) / max(1, decided):.1f} %)")
    for title, kept in (("refused", [REFUSED]), ("findings", [WRONG, FAULT, HANG])):
        groups = collections.defaultdict(list)
        for o in outcomes:
            if o.kind in kept:
                groups[o.kind, o.group].append(o)
        for (kind, group), found in sorted(groups.items(), key=lambda item: -len(item[1])):
            known = next((f" [{reason}]" for pattern, reason in limits if re.search(pattern, found[0].text)), "")
            print(f"{title}: {len(found)} x {kind}: {group}{known}")
            for o in sorted(found, key=lambda o: len(o.text))[:3]:
                print(f"    {o.name} {o.path}: {o.text[:160]}\n      {o.command}")
    return counts
