"""The rows of a pool file, read a column at a time; every fault has its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np

from excerpt.errors import UnknownName, plural, short
from excerpt.formats.source import Faults
from excerpt.model.run import encode
from excerpt.model.spans import MAX_OFFSET, IntArray, distinct
from excerpt.pooling.pool_head import NOTHING, Head, name_of
from excerpt.pooling.pools import GIVEN, Pool, PoolInput, Unit

#: A decimal of 17 digits tells apart all fractions with denominators up to this.
MOST = 10_000_000
COLUMNS = ("topic", "document", "order", "stratum", "probability", "runs", "passages")
_RESULT = r"(?:[1-9]\d{0,9}:(?:\d{1,10}-\d{1,10})?)"
_GROUP = rf"(?:{_RESULT}(?:;{_RESULT})*)?"
_PASSAGES = re.compile(rf"{_GROUP}(?:,{_GROUP})*")
_CHANCE = re.compile(r"\d{1,20}/\d{1,20}|\d{0,20}\.?\d{1,30}(?:[eE][+-]?\d{1,3})?|\d{1,20}\.")
_BARE = re.compile(rb":(?=[;,\n])")
_EMPTY = re.compile(rb"(?<=[,\n])(?=[,\n])")
_SEPARATORS = bytes.maketrans(b":-;,\n", b"     ")
#: Stands for no offset in what is read all at once; for no rank 0 does, which no file has.
_NO_OFFSET = 9_999_999_999


@dataclass(frozen=True)
class Rows:
    """The cells of a file by the name of their column, and the line of each row."""

    cells: dict[str, list[str]]
    line: IntArray
    faults: Faults

    @classmethod
    def read(cls, lines: list[str], at: int, faults: Faults) -> Rows:
        """The rows below the line with the names of the columns."""
        names = lines[at].split("\t")
        _check_columns(names, at + 1, faults)
        filled = [number for number in range(at + 1, len(lines)) if lines[number]]
        rows = [lines[number] for number in filled]
        for number, row in zip(filled, rows, strict=True):
            if row.count("\t") + 1 != len(names):
                found = plural(row.count("\t") + 1, "column")
                faults.add(number + 1, f"found {found}, expected {len(names)} ({' '.join(names)})")
        if not rows:
            faults.add(at + 1, "found no rows, expected a topic and a document in each")
        faults.settle()
        cells = "\t".join(rows).split("\t")
        columns = {name: cells[place :: len(names)] for place, name in enumerate(names)}
        return cls(columns, np.array(filled, np.int64) + 1, faults)

    def pool(self, head: Head) -> Pool:
        """The pool that the rows make with their head."""
        topics, topic = self._names("topic")
        documents, document = self._names("document")
        strata, stratum = self._names("stratum", GIVEN)
        probabilities, probability = self._probabilities()
        order = self._orders(topic)
        inputs, results = self._results(head)
        if head.unit == "document":
            self._refuse_again(topic, document, lambda row: f"document {short(self.cells['document'][row])}")
        self._refuse_again(topic, order, lambda row: f"order {order[row]}")
        self.faults.settle()
        places = np.lexsort((order, topic))
        moved = np.empty_like(places)
        moved[places] = np.arange(len(places))
        item = moved[results.pop("item")]
        by_item = np.lexsort((results["rank"], results["run"], item))
        return Pool(
            inputs=inputs,
            topics=topics,
            documents=documents,
            strata=strata,
            probabilities=probabilities,
            topic=topic[places],
            document=document[places],
            order=order[places],
            stratum=stratum[places],
            probability=probability[places],
            item=item[by_item],
            run=results["run"][by_item],
            rank=results["rank"][by_item],
            start=results["start"][by_item],
            end=results["end"][by_item],
            unit=cast("Unit", head.unit),
            settings=head.settings,
        )

    def _names(self, column: str, missing: str = "") -> tuple[tuple[str, ...], IntArray]:
        cells = self.cells.get(column)
        if cells is None:
            return (missing,), np.zeros(len(self.line), np.int64)
        names, codes = encode(cells)
        if "" in names:
            wrong = codes == names.index("")
            self.faults.add_all(self.line[wrong], lambda _: f"found an empty {column}, expected a name")
        return names, codes

    def _orders(self, topic: IntArray) -> IntArray:
        """The order in a topic, that of the rows where the file does not say."""
        cells = self.cells.get("order")
        if cells is None:
            by_topic = np.argsort(topic, kind="stable")
            sorted_ = topic[by_topic]
            order = np.empty(len(topic), np.int64)
            order[by_topic] = np.arange(len(topic)) - np.searchsorted(sorted_, sorted_) + 1
            return order
        good = [cell.isascii() and cell.isdecimal() and len(cell) < 11 for cell in cells]
        values = np.array(
            [int(cell) if fine else 0 for cell, fine in zip(cells, good, strict=True)], np.int64
        )
        wrong = np.flatnonzero((values < 1) | (values > MAX_OFFSET))
        self.faults.add_all(
            self.line[wrong],
            lambda n: f"found order {short(cells[wrong[n]])!r}, expected a whole number of at least 1",
        )
        self.faults.settle()
        return values

    def _refuse_again(self, topic: IntArray, other: IntArray, name: Any) -> None:
        first, codes = distinct(topic, other)
        again = np.ones(len(topic), np.bool_)
        again[first] = False
        rows = np.flatnonzero(again)
        self.faults.add_all(
            self.line[rows],
            lambda n: (
                f"found {name(rows[n])} of topic {short(self.cells['topic'][rows[n]])} again, "
                f"first in line {self.line[first[codes[rows[n]]]]}, expected it once"
            ),
        )

    def _probabilities(self) -> tuple[tuple[Fraction | None, ...], IntArray]:
        texts, codes = encode(self.cells.get("probability", [NOTHING] * len(self.line)))
        found = [parse_probability(text) for text in texts]
        for code, value in enumerate(found):
            if value is not None and not 0 < value <= 1:
                said = (
                    f"found probability {short(texts[code])!r}, expected a number above 0 and up to 1, or -"
                )
                self.faults.add(int(self.line[codes == code][0]), said)
        return tuple(found), codes

    def _results(self, head: Head) -> tuple[tuple[PoolInput, ...], dict[str, IntArray]]:
        """Runs, and the columns of results: the row, the run, rank, start and end of each."""
        rows = len(self.line)
        cells, code = encode(self.cells.get("runs", [NOTHING] * rows))
        named = [_listed(cell) for cell in cells]
        inputs = self._inputs(named, code, head)
        size = np.array([len(names) for names in named], np.int64)[code]
        passages = self._passages(size)
        self.faults.settle()
        places = {name: number for number, name in enumerate(inputs)}
        flat = np.array([places[name] for names in named for name in names], np.int64)
        begin = np.cumsum([0, *map(len, named)])[code]
        # The runs of all rows, one after the other, and the rows that they are of.
        run = flat[np.arange(size.sum()) + np.repeat(begin - (np.cumsum(size) - size), size)]
        group, columns = _parse([cell for cell, runs in zip(passages, size.tolist(), strict=True) if runs])
        found = {"item": np.repeat(np.arange(rows), size)[group], "run": run[group], **columns}
        self._check(found)
        return tuple(inputs.values()), found

    def _passages(self, runs: IntArray) -> list[str]:
        """The cells of passages, with a group for each run; groups may be empty."""
        cells = self.cells.get("passages", [NOTHING] * len(self.line))
        fits, found = _PASSAGES.fullmatch, list(cells)
        for row, (cell, size) in enumerate(zip(cells, runs.tolist(), strict=True)):
            if cell in ("", NOTHING):
                found[row] = "," * (size - 1)
            elif not fits(cell):
                self._fault(row, f"found passages {short(cell)!r}, expected rank:start-end, ; and , between")
            elif cell.count(",") + 1 != size:
                groups = plural(cell.count(",") + 1, "group")
                self._fault(row, f"found {groups} of passages, expected one for each of {size} runs")
        return found

    def _inputs(self, named: list[list[str]], code: IntArray, head: Head) -> dict[str, PoolInput]:
        """The runs of the head; where it has none, those of the rows. `code` is the list of each row."""
        inputs = dict(head.inputs)
        for number, names in enumerate(named):
            fault = ""
            if len(set(names)) < len(names):
                fault = "found a run twice in a row, expected it once"
            for name in names:
                if name not in inputs and head.inputs:
                    fault = f"found run {short(name)}, expected one of those in the head"
                elif name not in inputs:
                    inputs[name] = PoolInput(name)
            if fault:
                self._fault(int(np.argmax(code == number)), fault)
        return inputs

    def _check(self, found: dict[str, IntArray]) -> None:
        rank, start, end = found["rank"], found["start"], found["end"]
        wrong = (start > end) | (end > 2 * MAX_OFFSET) | (rank > MAX_OFFSET) | (rank < 0)
        rows = np.flatnonzero(wrong)
        self.faults.add_all(
            self.line[found["item"][rows]],
            lambda n: (
                f"found passage {rank[rows[n]]}:{start[rows[n]]}-{end[rows[n]]}, expected a rank "
                f"from 1 and 0 <= start <= end <= {2 * MAX_OFFSET}"
            ),
        )

    def _fault(self, row: int, message: str) -> None:
        self.faults.add(int(self.line[row]), message)


def _check_columns(names: list[str], line: int, faults: Faults) -> None:
    unknown = [name for name in names if name not in COLUMNS]
    missing = [name for name in COLUMNS[:2] if name not in names]
    if unknown and not missing:
        error = UnknownName("column", unknown[0], COLUMNS)
        faults.add(line, error.message, error.hint)
    elif missing:
        shown = short(" ".join(names))
        hint = "a TAB stands between columns" if "\t" not in "\t".join(names) else ""
        faults.add(line, f"found columns {shown!r}, expected topic and document among them", hint)
    elif len(set(names)) < len(names):
        faults.add(line, "found a column twice, expected it once")
    faults.settle()


def parse_probability(text: str) -> Fraction | None:
    """A probability: `-`, a decimal as the fraction that it is short for, or a fraction; 0 for all else.

    >>> parse_probability("0.04477611940298507"), parse_probability("1e-9"), parse_probability("half")
    (Fraction(3, 67), Fraction(1, 1000000000), Fraction(0, 1))
    """
    if text in ("", NOTHING):
        return None
    if not _CHANCE.fullmatch(text):
        return Fraction(0)
    try:
        value = Fraction(text)
    except ZeroDivisionError:
        return Fraction(0)
    near = value.limit_denominator(MOST)
    small = not near and value.denominator < 10**20  # that is how many digits can be written
    return value if "/" in text or small else near


def _listed(cell: str) -> list[str]:
    """The names of runs in a cell."""
    return [] if cell in ("", NOTHING) else [name_of(word) for word in cell.split(",")]


def _parse(cells: list[str]) -> tuple[IntArray, dict[str, IntArray]]:
    """Which group each result stands in, and ranks and offsets; a group without results has rank 0."""
    text = b"".join((b"\n", "\n".join(cells).encode(), b"\n")) if cells else b""
    if any(pair in text for pair in (b",,", b"\n,", b",\n", b"\n\n")):
        text = _EMPTY.sub(b"0:", text)
    if any(pair in text for pair in (b":,", b":;", b":\n")):
        text = _BARE.sub(b":%d-%d" % (_NO_OFFSET, _NO_OFFSET), text)
    text = text[1:-1]
    values = np.fromstring(text.translate(_SEPARATORS).decode(), np.int64, sep=" ").reshape(-1, 3)
    codes = np.frombuffer(text, np.uint8)
    between = codes[(codes == ord(";")) | (codes == ord(",")) | (codes == ord("\n"))]
    group = np.concatenate(([0], np.cumsum(between != ord(";"))))[: len(values)].astype(np.int64)
    rank, start, end = (np.ascontiguousarray(column) for column in values.T)
    bare = start == _NO_OFFSET
    return group, {"rank": rank, "start": np.where(bare, -1, start), "end": np.where(bare, -1, end)}
