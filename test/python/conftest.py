# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests name files of the repository from its root, wherever pytest was started."""

import os
import pathlib
import signal

import pytest


@pytest.fixture(scope="session", autouse=True)
def in_the_repository():
    before = os.getcwd()
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    yield
    os.chdir(before)


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt: a shell that starts the tests in the background ignores it otherwise."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
