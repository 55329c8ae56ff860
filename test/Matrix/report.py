# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the tests of the matrix report: failures, a JUnit file for scripts/count_tests.py, the count."""

import pathlib
import xml.etree.ElementTree as xml


def report(suite: str, results: list[tuple[str, list[str] | None]], junit: pathlib.Path | None) -> int:
    """Prints what failed and the count; returns the exit status. `results`: names and what is wrong, None where that
    could not be found out here."""
    root = xml.Element("testsuite", name=suite)
    failed = skipped = 0
    for name, wrong in results:
        case = xml.SubElement(root, "testcase", classname=suite, name=name)
        if wrong is None:
            skipped += 1
            xml.SubElement(case, "skipped")
            continue
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {name}: {line}")
            xml.SubElement(case, "failure", message=line)
    if junit:
        xml.ElementTree(root).write(junit)
    if skipped:
        print(f"{skipped} skipped: they need a tool that is not here")
    print(f"{len(results) - failed - skipped} passed, {failed} failed")
    return 1 if failed or len(results) == skipped else 0
