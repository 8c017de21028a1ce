"""Start `excerpt explore` and request a document several times; print the wall seconds as JSON.

python ask_explore.py EXCERPT REPEATS QRELS RUN CORPUS
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request

MEASURE = "charP"


def main() -> None:
    """Start the server, time the requests and stop it."""
    program, repeats, qrels, run, corpus = sys.argv[1:]
    command = [program, "explore", qrels, run, "-m", MEASURE, "--corpus", corpus, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address, _, token = server.stdout.readline().strip().partition("/login#token=")
            if not token:
                raise SystemExit("excerpt explore printed no link")
            print(json.dumps([ask(address, token) for _ in range(int(repeats))]))
        finally:
            server.terminate()  # Ctrl-C is ignored by what a shell starts in the background


def ask(address: str, token: str) -> float:
    """Seconds from the request to the last byte of the answer."""
    request = urllib.request.Request(  # noqa: S310  our own server
        f"{address}/api/document?document=A", headers={"Authorization": f"Bearer {token}"}
    )
    begin = time.perf_counter()
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        body = answer.read()
    taken = time.perf_counter() - begin
    if not json.loads(body).get("text"):
        raise SystemExit("excerpt explore sent no text")
    return taken


if __name__ == "__main__":
    main()
