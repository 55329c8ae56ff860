# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the tests of the matrix report: failures, a JUnit file for scripts/count_tests.py, the count."""

import dataclasses
import pathlib
import xml.etree.ElementTree as xml


@dataclasses.dataclass(frozen=True)
class Skipped:
    """In place of what is wrong: the case was not decided, for a reason, and counts neither as passed nor as failed."""

    reason: str


def report(suite: str, results: list[tuple[str, list[str] | Skipped]], junit: pathlib.Path | None) -> int:
    """Prints what failed and the count; returns the exit status. `results`: names and what is wrong."""
    root = xml.Element("testsuite", name=suite)
    failed, skipped = 0, {}
    for name, wrong in results:
        case = xml.SubElement(root, "testcase", classname=suite, name=name)
        if isinstance(wrong, Skipped):
            skipped[wrong.reason] = skipped.get(wrong.reason, 0) + 1
            xml.SubElement(case, "skipped", message=wrong.reason)
            continue
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {name}: {line}")
            xml.SubElement(case, "failure", message=line)
    if junit:
        xml.ElementTree(root).write(junit)
    for reason, count in skipped.items():
        print(f"{count} cases skipped: {reason}")
    print(f"{len(results) - failed - sum(skipped.values())} passed, {failed} failed")
    return 1 if failed or not results else 0
