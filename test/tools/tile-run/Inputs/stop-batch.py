# stop-batch.py SIGNAL COMMAND...: starts a batch, ends its first process by
# SIGNAL once that has workers, and tells whether these end.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import signal
import subprocess
import sys
import time

SECONDS = 30


def parent_of(number):
    """The parent of a process that runs; none of one that has ended."""
    try:
        stat = pathlib.Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return None
    state, parent = stat.rsplit(")", 1)[1].split()[:2]
    return None if state in "ZX" else int(parent)


def wait_for(look):
    end = time.monotonic() + SECONDS
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


# Who runs the tests may ignore these, and then the command would, too.
for number in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
    signal.signal(number, signal.SIG_DFL)
batch = subprocess.Popen(sys.argv[2:])


def workers():
    numbers = [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit()]
    found = [n for n in numbers if parent_of(n) == batch.pid]
    return found if len(found) == 2 else None


started = wait_for(workers)
batch.send_signal(getattr(signal, sys.argv[1]))
batch.wait()
ended = started and wait_for(lambda: all(parent_of(n) is None for n in started))
print("workers:", "ended" if ended else "run on" if started else "did not start")
