"""Start `excerpt assess serve`, open a long document and highlight in it; print wall seconds as JSON.

python ask_campaign.py FOLDER NAME TOPIC DOCUMENT REPEATS

NAME is an assessor who has judged the document; their highlights are kept.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from assessor_client import Connection, Server, add_people, excerpt


def main() -> None:
    """Start the server, time the requests and stop it."""
    folder, name, topic, document, repeats = sys.argv[1:]
    link = add_people(Path(folder), [name])[0]
    with tempfile.TemporaryDirectory() as place:
        server = Server(excerpt("assess", "serve", folder, "--no-browser"), Path(place) / "errors")
        try:
            connection = Connection(link)
            asked = f"/api/document?{urllib.parse.urlencode({'topic': topic, 'document': document})}"
            opening = [timed(lambda: connection.ask(asked)) for _ in range(int(repeats))]
            found = opening[-1][1]
            saving = [highlight(connection, topic, document, found, number) for number in range(int(repeats))]
        finally:
            server.stop()
    first, again = opening[0][0], [seconds for seconds, _ in opening[1:]]
    highlights = len(found["state"]["highlights"])
    print(json.dumps({"first": first, "again": again, "saving": saving, "highlights": highlights}))


def timed(work: Any) -> tuple[float, Any]:
    """Wall seconds of a request, and its answer."""
    begin = time.perf_counter()
    answer = work()
    return time.perf_counter() - begin, answer


def highlight(connection: Connection, topic: str, document: str, found: dict[str, Any], number: int) -> float:
    """Seconds until a highlight is saved."""
    start = 7 * number
    event: dict[str, Any] = {"id": f"bench-{time.time_ns()}-{number}", "topic": topic, "document": document}
    event |= {"base": found["state"]["version"], "kind": "highlight", "start": start, "end": start + 5}
    event["quote"] = found["text"][start : start + 5]
    seconds, answer = timed(lambda: connection.ask("/api/events", event))
    found["state"] = answer["state"]
    return seconds


if __name__ == "__main__":
    main()
