"""Compare judgments as a script does, by json.loads and dictionaries; print one number.

python agree.py grades FILE FILE | highlights FILE | Annotations FILE
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any


def rows(path: str) -> list[dict[str, Any]]:
    """The objects of JSON Lines."""
    return [json.loads(line) for line in Path(path).read_bytes().splitlines()]


def grades(one: str, other: str) -> float:
    """Cohen's kappa."""
    first, second = (
        {(row["topic"], row["document"]): row["relevance"] for row in rows(path)} for path in (one, other)
    )
    pairs = [(grade, second[key]) for key, grade in first.items() if key in second]
    observed = sum(a == b for a, b in pairs) / len(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(left[grade] * right[grade] for grade in left) / len(pairs) ** 2
    return float((observed - expected) / (1 - expected))


def highlights(path: str) -> float:
    """Mean overlap of the characters of each pair of people."""
    marked: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for row in rows(path):
        marked[row["topic"], row["document"]][row["assessors"][0]].update(range(row["start"], row["end"]))
    shares = [
        len(one & other) / len(one | other)
        for people in marked.values()
        for one, other in combinations(people.values(), 2)
    ]
    return sum(shares) / len(shares)


def spans(path: str) -> float:
    """The number of spans, by topic and document."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in rows(path):
        place = row["target"]["selector"][0]
        found[row["body"][0]["value"], row["target"]["source"]].append((place["start"], place["end"]))
    return sum(map(len, found.values()))


if __name__ == "__main__":
    task, *files = sys.argv[1:]
    tasks: dict[str, Callable[..., float]] = {
        "grades": grades,
        "highlights": highlights,
        "Annotations": spans,
    }
    print(tasks[task](*files))
