"""Start `excerpt explore`; print CPU seconds until the link, and of the first overview, as JSON.

python ask_overview.py EXCERPT ARGUMENT ...
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path


def main() -> None:
    """Start the server, wait for its link and for the overview, and stop it."""
    program, *arguments = sys.argv[1:]
    command = [program, "explore", *arguments, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            address, _, token = server.stdout.readline().strip().partition("/login#token=")
            if not token:
                raise SystemExit("excerpt explore printed no link")
            until_link = cpu(server.pid)
            request = urllib.request.Request(  # noqa: S310  our own server
                f"{address}/api/overview", headers={"Authorization": f"Bearer {token}"}
            )
            with urllib.request.urlopen(request) as answer:  # noqa: S310
                overview = json.loads(answer.read())
            if not overview["runs"]:
                raise SystemExit("excerpt explore sent no runs")
            print(json.dumps([until_link, cpu(server.pid) - until_link]))
        finally:
            server.terminate()  # Ctrl-C is ignored by what a shell starts in the background


def cpu(process: int) -> float:
    """User and system seconds of a process so far."""
    after_name = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
