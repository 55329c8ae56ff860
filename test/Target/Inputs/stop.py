# stop.py SIGNAL NUMBERFILE FOLDER COMMAND...: starts COMMAND with temporary
# files in FOLDER, waits until the assembler has written its number to
# NUMBERFILE, ends COMMAND by SIGNAL, and tells what is left.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import signal
import subprocess
import sys
import time

SECONDS = 30


def wait_for(condition):
    end = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def has_ended(number):
    """A process that nobody waits for stays as a zombie."""
    try:
        stat = pathlib.Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return True
    return stat.rsplit(")", 1)[1].split()[0] in "ZX"


# Who runs the tests may ignore these, and then the command would, too.
for number in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)
number_file, folder = map(pathlib.Path, sys.argv[2:4])
number_file.unlink(missing_ok=True)
folder.mkdir(parents=True, exist_ok=True)
environment = dict(os.environ, TMPDIR=str(folder), PTXAS_NUMBER=str(number_file))
command = subprocess.Popen(sys.argv[4:], env=environment)
started = wait_for(lambda: number_file.exists() and number_file.read_text().endswith("\n"))
command.send_signal(getattr(signal, sys.argv[1]))
command.wait()
number = int(number_file.read_text()) if started else 0
print("assembler:", "ended" if started and wait_for(lambda: has_ended(number)) else "runs on")
print("files:", *sorted(path.suffix for path in folder.iterdir()))
if started and not has_ended(number):
    os.kill(number, signal.SIGKILL)
