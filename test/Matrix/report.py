# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the tests of the matrix report: failures, a JUnit file for scripts/count_tests.py, the count."""

import pathlib
import xml.etree.ElementTree as xml


def report(suite: str, results: list[tuple[str, list[str]]], junit: pathlib.Path | None) -> int:
    """Prints what failed and the count; returns the exit status. `results`: names and what is wrong."""
    root = xml.Element("testsuite", name=suite)
    failed = 0
    for name, wrong in results:
        case = xml.SubElement(root, "testcase", classname=suite, name=name)
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {name}: {line}")
            xml.SubElement(case, "failure", message=line)
    if junit:
        xml.ElementTree(root).write(junit)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0
