# no-threads.py COMMAND...: runs COMMAND where the system starts no thread.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import resource
import sys

if os.getuid() == 0:  # whom no limit holds
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
os.execvp(sys.argv[1], sys.argv[1:])
