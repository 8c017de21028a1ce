"""Carry quotes to another version of their documents as a script does: difflib by lines; print the counts.

python carry_by_difflib.py GOLD OLD NEW
"""

from __future__ import annotations

import json
import sys
from difflib import SequenceMatcher
from pathlib import Path


def carried(old: str, new: str) -> dict[int, int]:
    """The starts of lines that both versions have, in the old text and in the new one."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    places = [0]
    for line in before:
        places.append(places[-1] + len(line))
    others = [0]
    for line in after:
        others.append(others[-1] + len(line))
    return {
        places[one + step]: others[other + step]
        for one, other, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        for step in range(size)
    }


def main() -> None:
    """Count the quotes whose line was kept."""
    gold, old, new = map(Path, sys.argv[1:])
    kept = 0
    texts: dict[str, tuple[str, dict[int, int]]] = {}
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        name = row["document"]
        if name not in texts:
            text = (old / name).read_text(encoding="utf-8")
            texts[name] = (text, carried(text, (new / name).read_text(encoding="utf-8")))
        text, lines = texts[name]
        start = text.index(row["quote"])
        kept += text.rfind("\n", 0, start) + 1 in lines
    print(kept, len(rows))


if __name__ == "__main__":
    main()
