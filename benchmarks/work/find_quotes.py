"""Find quotes in pages of Markdown as a script does: literally, then without marks; print the counts.

python find_quotes.py GOLD FOLDER
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

MARKS = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`#]|^- ", re.MULTILINE)


def bare(text: str) -> str:
    """A text without marks, all white space alike."""
    return " ".join(MARKS.sub(lambda mark: mark[1] or "", text).split())


def main() -> None:
    """Count the quotes that their document has, and those that it has but for marks."""
    gold, folder = map(Path, sys.argv[1:])
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    without = {name: bare(text) for name, text in texts.items()}
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    exact = sum(row["quote"] in texts[row["document"]] for row in rows)
    found = sum(
        row["quote"] in texts[row["document"]] or bare(row["quote"]) in without[row["document"]]
        for row in rows
    )
    print(exact, found, len(rows))


if __name__ == "__main__":
    main()
