# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests name files of the repository from its root, wherever pytest was started."""

import os
import pathlib

import pytest


@pytest.fixture(scope="session", autouse=True)
def in_the_repository():
    before = os.getcwd()
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    yield
    os.chdir(before)
