"""Run one command and print its time and memory as JSON; standard library only.

    python -I -S launch.py OUTPUT ERRORS COMMAND [ARGUMENT ...]

It is a separate process, because the kernel counts the memory of a parent as the peak of its child: started
from a benchmark with arrays in memory, a bare interpreter would seem large.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main(arguments: list[str]) -> None:
    """Run the command and print CPU time, wall time, peak memory and MiB read from disk."""
    output, errors, *command = arguments
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, errors, flags, 0o600),
    ]
    begin = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    used = {
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": wall,
        "peak": usage.ru_maxrss * unit / 2**20,
        "read": usage.ru_inblock * 512 / 2**20,
    }
    print(json.dumps({"status": os.waitstatus_to_exitcode(status), **used}))


if __name__ == "__main__":
    main(sys.argv[1:])
