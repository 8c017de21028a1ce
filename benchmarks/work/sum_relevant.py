"""Mean recall of characters in the first 20 results of a run in FOL, line by line, with dictionaries.

    python sum_relevant.py QRELS RUN

No result may share text with another one.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

FIRST = 20


def main(qrels: str, run: str) -> None:
    """Add up the relevant characters of each topic."""
    relevant: dict[str, dict[str, list[tuple[int, int]]]] = defaultdict(dict)
    total: dict[str, int] = {}
    with Path(qrels).open(encoding="utf-8") as file:
        for line in file:
            topic, _, document, size, _, _, *spans = line.split()
            pairs = (span.split(":") for span in spans)
            relevant[topic][document] = [(int(start), int(start) + int(length)) for start, length in pairs]
            total[topic] = total.get(topic, 0) + int(size)
    found, results = dict.fromkeys(total, 0), dict.fromkeys(total, 0)
    with Path(run).open(encoding="utf-8") as file:
        for line in file:
            topic, _, document, _, _, _, start, length = line.split()
            if topic not in found or results[topic] == FIRST:
                continue
            results[topic] += 1
            for begin, end in relevant[topic].get(document, ()):
                shared = min(end, int(start) + int(length)) - max(begin, int(start))
                if shared > 0:
                    found[topic] += shared
    shares = [found[topic] / count for topic, count in total.items() if count]
    print(sum(shares) / len(shares))


if __name__ == "__main__":
    main(*sys.argv[1:])
