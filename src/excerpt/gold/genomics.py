"""TREC Genomics 2006 and 2007: passages of articles, in bytes of their HTML.

`topic article start length aspects`, or with a word at the end that says how relevant a passage is: `NOT` and
`NOT_RELEVANT` passages were judged, all others are relevant.
"""

from __future__ import annotations

from collections.abc import Iterator

from excerpt.errors import short
from excerpt.gold.content import Gold, Kind
from excerpt.gold.file import GoldFile, Item
from excerpt.model.judgments import Question
from excerpt.model.spans import MAX_OFFSET

LAYOUT = "topic article start length aspects or relevance, with tabs"
EXAMPLE = "1\t12345678\t120\t100\tRELEVANT\n1\t12345679\t0\t80\tNOT_RELEVANT\n"
_IRRELEVANT = {"NOT", "NOT_RELEVANT"}
_HEAD = 20


def read(file: GoldFile) -> Gold:
    """The passages of a file; their questions have no text."""
    gold = Gold(file, unit="byte")
    for line, row in _rows(file):
        item = Item(file, {}, (), line)
        if len(row) < 5:
            item.fault(f"found {len(row)} columns, expected at least 5 ({LAYOUT})")
            continue
        topic, document, start, length = row[:4]
        if not _is_offset(start) or not _is_offset(length) or not int(length):
            item.fault(
                f"found start {short(start)!r} and length {short(length)!r}, expected numbers of bytes"
            )
            continue
        gold.questions.setdefault(topic, Question(topic))
        gold.judged.append((topic, document))
        if row[-1].upper() not in _IRRELEVANT:
            gold.add(item, topic, document, int(start), int(start) + int(length))
    return gold


def _rows(file: GoldFile) -> Iterator[tuple[int, list[str]]]:
    """Lines that are neither blank nor comments."""
    for line, text in enumerate(file.text.split("\n"), 1):
        if text.strip() and not text.startswith("#"):
            row = text.rstrip().split("\t") if "\t" in text else text.split()
            yield line, [cell.strip() for cell in row]


def _is_offset(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 11 and int(text) <= MAX_OFFSET


class _Columns(Kind):
    """Known by its columns."""

    def recognise(self, file: GoldFile) -> bool:
        """Whether most of the first lines are four numbers with words behind them."""
        rows = [row for (_, row), _ in zip(_rows(_head(file)), range(_HEAD), strict=False)]
        return bool(rows) and 2 * sum(map(_is_passage, rows)) > len(rows)


def _head(file: GoldFile) -> GoldFile:
    return GoldFile(file.name, file.head, file.faults)


def _is_passage(row: list[str]) -> bool:
    numbers = all(cell.isdecimal() for cell in row[:4])
    return len(row) >= 5 and numbers and not row[4].replace(".", "", 1).isdecimal()


KIND = _Columns(
    "trec-genomics",
    LAYOUT,
    "passages in bytes of HTML (TREC Genomics 2006, 2007)",
    EXAMPLE,
    read,
    lambda _value: False,
)
