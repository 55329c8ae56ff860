# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The assembler that tests need: without it, nothing that it would have to accept counts as passed."""

import pathlib
import shutil
import sys
import xml.etree.ElementTree as xml

NONE = "no ptxas"


def add_options(parser):
    parser.add_argument("--ptxas", default="ptxas", help="the assembler, a program on PATH or a path")
    parser.add_argument("--without-ptxas", action="store_true", help="go on where there is no ptxas; what needs it is skipped")


def find(options, suite):
    """ptxas's path; None where there is none and the options allow that. Otherwise ends the process with a failure."""
    found = shutil.which(options.ptxas)
    if found or options.without_ptxas:
        return found
    message = f"skipped: {NONE} on PATH (--without-ptxas goes on and skips what needs it)"
    print(message)
    if junit := getattr(options, "junit", None):
        root = xml.Element("testsuite", name=suite)
        xml.SubElement(xml.SubElement(root, "testcase", classname=suite, name="ptxas"), "failure", message=message)
        xml.ElementTree(root).write(pathlib.Path(junit))
    sys.exit(2)
