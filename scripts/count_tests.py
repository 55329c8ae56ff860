#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up what the test runners left in a directory and prints "N passed, N failed".

Reads ctest.xml with gtest/*.xml (one per GoogleTest program; a program that left none
counts as one test), lit.json, lit-dev.json, pytest*.xml, matrix-*.xml and errors.txt (a failure a line). A runner
that ran and left nothing readable is a failure. Exits non-zero when anything failed.
"""

import argparse
import json
import pathlib
import sys
import xml.etree.ElementTree


class Count:
    """Passed and failed tests, with the names of those that failed."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = 0

    def junit(self, path: pathlib.Path, own=lambda name: False):
        """Adds the cases of a JUnit file, but for those that `own` counts itself."""
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            name = case.get("name")
            if own(name):
                continue
            failed = case.get("status") == "fail" or any(
                case.find(tag) is not None for tag in ("failure", "error")
            )
            skipped = case.find("skipped") is not None or case.get("status") in (
                "disabled",
                "notrun",
            )
            if failed:
                self.failed.append(f"{case.get('classname') or path.stem}: {name}")
            elif skipped:
                self.skipped += 1
            else:
                self.passed += 1


def count_ctest(directory: pathlib.Path, count: Count):
    programs = {}
    for path in sorted(directory.glob("gtest/*.xml")):
        try:
            programs[path.stem] = xml.etree.ElementTree.parse(path)
        except xml.etree.ElementTree.ParseError:
            continue  # the program died while writing: ctest has it as failed

    def counted_by_case(name: str) -> bool:
        if name not in programs:
            return False
        count.junit(directory / "gtest" / f"{name}.xml")
        return True

    before = len(count.failed)
    count.junit(directory / "ctest.xml", counted_by_case)
    # A program that ran all its cases and then failed (a leak, an exit status).
    for case in xml.etree.ElementTree.parse(directory / "ctest.xml").iter("testcase"):
        died = case.get("name") in programs and case.get("status") == "fail"
        if died and len(count.failed) == before:
            count.failed.append(f"ctest: {case.get('name')}")


def count_lit(path: pathlib.Path, count: Count):
    for test in json.loads(path.read_text())["tests"]:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            count.passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            count.skipped += 1
        else:
            count.failed.append(f"lit: {test['name']} ({test['code']})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, help="directory of the results")
    results = parser.parse_args().results
    count = Count()
    for runner, read in (
        ("ctest", lambda: count_ctest(results, count)),
        ("lit", lambda: count_lit(results / "lit.json", count)),
        ("lit with assertions", lambda: count_lit(results / "lit-dev.json", count)),
    ):
        try:
            read()
        except (OSError, ValueError, KeyError, xml.etree.ElementTree.ParseError) as error:
            count.failed.append(f"{runner} left no results ({error})")
    for path in (*sorted(results.glob("pytest*.xml")), *sorted(results.glob("matrix-*.xml"))):
        if path.exists():
            count.junit(path)
    if (results / "errors.txt").exists():
        count.failed += (results / "errors.txt").read_text().splitlines()

    print(f"== {count.skipped} skipped (they need a tool or a GPU that is not here)")
    for name in count.failed:
        print(f"failed: {name}")
    print(f"{count.passed} passed, {len(count.failed)} failed")
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main())
