"""Open an index, find documents by id and resolve paths, several times; print the seconds as JSON.

python resolve_paths.py INDEX QUERIES REPEATS

QUERIES contains a document id, a tab and a path on each line. The index is opened again for each repeat.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from excerpt.index import OffsetIndex


def main() -> None:
    """Read the queries, then time them."""
    place, queries, repeats = sys.argv[1:]
    lines = Path(queries).read_text(encoding="utf-8").splitlines()
    documents, paths = (list(column) for column in zip(*(line.split("\t") for line in lines), strict=True))
    rounds = []
    for _ in range(int(repeats)):
        cpu, wall = time.process_time(), time.perf_counter()
        index = OffsetIndex.open(place)
        opened = time.process_time() - cpu
        resolved = index.resolve(index.document_codes(documents), paths)
        rounds.append({"open": opened, "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall})
        if int((resolved.start < 0).sum()):
            raise SystemExit("some paths were not found")
    print(json.dumps(rounds))


if __name__ == "__main__":
    main()
