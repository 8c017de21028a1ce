"""Pool files: reading and writing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any, cast
from urllib.parse import quote, unquote

import numpy as np

from excerpt.errors import ExcerptError, FormatError, UnknownName, plural, short
from excerpt.files import Input, display_name, keep_content, read_beginning, writing
from excerpt.formats.source import Source
from excerpt.model.dictionaries import MOST, written_probability
from excerpt.model.run import encode
from excerpt.model.spans import MAX_OFFSET, UNKNOWN, BoolArray, IntArray, distinct
from excerpt.notices import Faults
from excerpt.pooling.byte_rows import Column, Pieces, digits, in_words, join_rows
from excerpt.pooling.pools import GIVEN, UNITS, Pool, PoolInput, PoolUnit

MARK = "#"
FIRST = "# excerpt pool 1"
#: Cell without a value; an empty cell would be lost between blanks.
NOTHING = "-"
_SPECIAL = re.compile("[%,\\s\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_COUNTS = re.compile(r"(?a)\d{1,10}(\*\d{1,7})?( \d{1,10}(\*\d{1,7})?)*")
_MOST_RUNS = 100_000


def escape_name(name: str) -> str:
    """Escape a name as one word: commas, blanks and % are percent-encoded.

    >>> escape_name("r (a, b.fol)"), escape_name("-"), escape_name("")
    ('r%20(a%2C%20b.fol)', '%2D', '-')
    """
    if name == NOTHING:
        return "%2D"
    return _SPECIAL.sub(lambda match: quote(match[0], safe="", errors="surrogatepass"), name) or NOTHING


def unescape_name(text: str) -> str:
    """Undo `escape_name`.

    >>> unescape_name(escape_name("r (a, b.fol)")), unescape_name("-")
    ('r (a, b.fol)', '')
    """
    try:
        return "" if text == NOTHING else unquote(text, errors="surrogatepass")
    except UnicodeDecodeError:  # %ff is no code of a character
        return text


def write_head(pool: Pool) -> Iterator[str]:
    """Lines of the head of a pool file."""
    yield FIRST
    yield f"{MARK} unit {pool.unit}"
    for key, value in pool.settings.items():
        if key != "unit":
            yield f"{MARK} {key} {value}"
    for given in pool.inputs:
        yield f"{MARK} run {given.sha256 or NOTHING} {escape_name(given.name)} {escape_name(given.path)}"
    results = [] if pool.results is None else pool.results.tolist()
    for topic, counts in zip(pool.topics, results, strict=False):
        if counts and UNKNOWN not in counts:  # a pool written by hand may name no run
            # Equal neighbours are written once, with their count: `1500*62`.
            pairs = [(count, sum(1 for _ in same)) for count, same in groupby(counts)]
            listed = (f"{count}*{times}" if times > 1 else str(count) for count, times in pairs)
            yield f"{MARK} results {escape_name(topic)} {' '.join(listed)}"


@dataclass
class Head:
    """Head of a pool file."""

    unit: str = "document"
    settings: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, PoolInput] = field(default_factory=dict)
    #: Numbers of results by topic, a number per run.
    results: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def read(cls, lines: Sequence[str], path: str) -> tuple[Head, int]:
        """Read the head, whose lines begin with `#`; also return its number of lines."""
        head = cls()
        for number, line in enumerate(lines):
            if not line.startswith(MARK) and line.strip():
                return head, number
            try:
                head._add(line)
            except ValueError as error:
                raise FormatError(str(error), path=path, line=number + 1) from None
        message = "the line with the names of the columns is missing, expected at least topic and document"
        raise FormatError(message, path=path, line=len(lines))

    def _add(self, line: str) -> None:
        match line.removeprefix(MARK).split():
            case ["excerpt", "pool", version]:
                if version != "1":
                    raise ValueError(f"found version {short(version)} of the format, expected 1")
            case ["run", *words]:
                self._add_run(words)
            case ["results", topic, *counts]:
                self._add_results(unescape_name(topic), " ".join(counts))
            case ["unit", *words]:
                if " ".join(words) not in UNITS:
                    raise ValueError(f"found unit {short(' '.join(words))!r}, expected {' or '.join(UNITS)}")
                self.unit = words[0]
            case [key, *words]:
                self.settings[key] = " ".join(words)

    def _add_run(self, words: list[str]) -> None:
        if len(words) != 3:
            raise ValueError(f"found {plural(len(words), 'word')} on a run, expected digest, name and file")
        digest, name, path = words[0], unescape_name(words[1]), unescape_name(words[2])
        if digest != NOTHING and not _DIGEST.fullmatch(digest):
            raise ValueError(f"found digest {short(digest)!r}, expected 64 digits of a SHA-256, or -")
        if name in self.inputs:
            raise ValueError(f"found run {short(name)} again, expected it once")
        self.inputs[name] = PoolInput(name, path, "" if digest == NOTHING else digest)

    def _add_results(self, topic: str, counts: str) -> None:
        numbers: list[int] = []
        if not _COUNTS.fullmatch(counts):
            raise ValueError(f"found results {short(counts)!r}, expected a number for each run")
        for part in counts.split():
            count, _, times = part.partition("*")
            if int(count) > MAX_OFFSET or len(numbers) + int(times or 1) > _MOST_RUNS:
                raise ValueError(f"found results {short(part)!r}, expected a number for each run")
            numbers += [int(count)] * int(times or 1)
        if len(numbers) != len(self.inputs):
            runs = plural(len(self.inputs), "run")
            message = f"found {plural(len(numbers), 'number')} of results, expected one for each of {runs}"
            raise ValueError(message)
        if topic in self.results:
            raise ValueError(f"found the results of topic {short(topic)} again, expected them once")
        self.results[topic] = numbers

    def counts(self, topics: Sequence[str], runs: int) -> IntArray:
        """Numbers of results by topic and run, -1 if the head does not list them."""
        unknown = [UNKNOWN] * runs
        rows = [self.results.get(topic, unknown) for topic in topics]
        return np.array(rows, np.int64).reshape(len(topics), runs)


def require_plain_names(names: Sequence[str], column: str) -> None:
    """Raise an error for a name that a column cannot contain: empty, or with a TAB or a line end."""
    for name in names:
        if not name or re.search("[\t\n\r\0\ud800-\udfff]", name):
            raise ExcerptError(
                f"found {column} {short(name)!r}, which a pool file cannot contain, "
                "expected text without TAB and line end"
            )


COLUMNS = ("topic", "document", "order", "stratum", "probability", "runs", "passages")
_RESULT = r"(?:[1-9]\d{0,9}:(?:\d{1,10}-\d{1,10})?)"
_GROUP = rf"(?:{_RESULT}(?:;{_RESULT})*)?"
_PASSAGES = re.compile(rf"(?a){_GROUP}(?:,{_GROUP})*")
_CHANCE = re.compile(r"(?a)\d{1,20}/\d{1,20}|\d{0,20}\.?\d{1,30}(?:[eE][+-]?\d{1,3})?|\d{1,20}\.")
_BARE = re.compile(rb":(?=[;,\n])")
_EMPTY = re.compile(rb"(?<=[,\n])(?=[,\n])")
_SEPARATORS = bytes.maketrans(b":-;,\n", b"     ")
#: Placeholder for a missing offset while parsing; for a missing rank it is 0, which no file has.
_NO_OFFSET = 9_999_999_999


@dataclass(frozen=True)
class PoolRows:
    """Cells of a pool file by column, and the line of each row."""

    cells: dict[str, list[str]]
    line: IntArray
    faults: Faults

    @classmethod
    def read(cls, lines: list[str], at: int, faults: Faults) -> PoolRows:
        """Read the rows below the line with the names of the columns."""
        names = lines[at].split("\t")
        _check_columns(names, at + 1, faults)
        filled = [number for number in range(at + 1, len(lines)) if lines[number]]
        rows = [lines[number] for number in filled]
        for number, row in zip(filled, rows, strict=True):
            if row.count("\t") + 1 != len(names):
                columns = plural(row.count("\t") + 1, "column")
                faults.add(number + 1, f"found {columns}, expected {len(names)} ({' '.join(names)})")
        if not rows:
            faults.add(at + 1, "rows are missing, expected a topic and a document in each")
        faults.settle()
        cells = "\t".join(rows).split("\t")
        by_column = {name: cells[index :: len(names)] for index, name in enumerate(names)}
        return cls(by_column, np.array(filled, np.int64) + 1, faults)

    def pool(self, head: Head) -> Pool:
        topics, topic = self._names("topic")
        documents, document = self._names("document")
        strata, stratum = self._names("stratum", GIVEN)
        probabilities, probability = self._probabilities()
        order = self._orders(topic)
        inputs, results = self._results(head)
        if head.unit == "document":
            self._need_distinct(topic, document, lambda row: f"document {short(self.cells['document'][row])}")
        self._need_distinct(topic, order, lambda row: f"order {order[row]}")
        self.faults.settle()
        return Pool(
            *(inputs, topics, documents, strata, probabilities),
            *(topic, document, order, stratum, probability),
            **results,
            unit=cast("PoolUnit", head.unit),
            settings=head.settings,
            results=head.counts(topics, len(inputs)),
        ).arranged(order)

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
        """Order in the topic; by default that of the rows."""
        cells = self.cells.get("order")
        if cells is None:
            by_topic = np.argsort(topic, kind="stable")
            sorted_ = topic[by_topic]
            order = np.empty(len(topic), np.int64)
            order[by_topic] = np.arange(len(topic)) - np.searchsorted(sorted_, sorted_) + 1
            return order
        valid = [cell.isascii() and cell.isdecimal() and len(cell) < 11 for cell in cells]
        values = np.array(
            [int(cell) if is_valid else 0 for cell, is_valid in zip(cells, valid, strict=True)], np.int64
        )
        wrong = np.flatnonzero((values < 1) | (values > MAX_OFFSET))
        self.faults.add_all(
            self.line[wrong],
            lambda n: f"found order {short(cells[wrong[n]])!r}, expected a whole number of at least 1",
        )
        self.faults.settle()
        return values

    def _need_distinct(self, topic: IntArray, other: IntArray, name: Any) -> None:
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
        values = [parse_probability(text) for text in texts]
        for code, value in enumerate(values):
            if value is not None and not 0 < value <= 1:
                message = (
                    f"found probability {short(texts[code])!r}, expected a number above 0 and up to 1, or -"
                )
                self.faults.add(int(self.line[codes == code][0]), message)
        return tuple(values), codes

    def _results(self, head: Head) -> tuple[tuple[PoolInput, ...], dict[str, Any]]:
        """Runs, and the columns of results: row, run, rank, start and end of each."""
        rows = len(self.line)
        cells, code = encode(self.cells.get("runs", [NOTHING] * rows))
        named = [
            list(map(unescape_name, cell.split(","))) if cell not in ("", NOTHING) else [] for cell in cells
        ]
        inputs = self._inputs(named, code, head)
        size = np.array([len(names) for names in named], np.int64)[code]
        passages = self._passages(size)
        self.faults.settle()
        numbers = {name: number for number, name in enumerate(inputs)}
        flat = np.array([numbers[name] for names in named for name in names], np.int64)
        begin = np.cumsum([0, *map(len, named)])[code]
        # The runs of all rows, one after the other.
        run = flat[np.arange(size.sum()) + np.repeat(begin - (np.cumsum(size) - size), size)]
        group, columns = _parse([cell for cell, runs in zip(passages, size.tolist(), strict=True) if runs])
        results = {"item": np.repeat(np.arange(rows), size)[group], "run": run[group], **columns}
        self._check(results)
        return tuple(inputs.values()), results

    def _passages(self, runs: IntArray) -> list[str]:
        """Cells of passages, with a group for each run; groups may be empty."""
        cells = self.cells.get("passages", [NOTHING] * len(self.line))
        fits, completed = _PASSAGES.fullmatch, list(cells)
        for row, (cell, size) in enumerate(zip(cells, runs.tolist(), strict=True)):
            if cell in ("", NOTHING):
                completed[row] = "," * (size - 1)
            elif not fits(cell):
                expected = "rank:start-end;…, with a comma between runs"
                self._fault(row, f"found passages {short(cell)!r}, expected {expected}")
            elif cell.count(",") + 1 != size:
                groups = plural(cell.count(",") + 1, "group")
                self._fault(row, f"found {groups} of passages, expected one for each of {size} runs")
        return completed

    def _inputs(self, named: list[list[str]], code: IntArray, head: Head) -> dict[str, PoolInput]:
        """Runs of the head, or of the rows if it has none; `code` is the list of each row."""
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

    def _check(self, results: dict[str, IntArray]) -> None:
        rank, start, end = results["rank"], results["start"], results["end"]
        wrong = (start > end) | (end > 2 * MAX_OFFSET) | (rank > MAX_OFFSET) | (rank < 0)
        rows = np.flatnonzero(wrong)
        self.faults.add_all(
            self.line[results["item"][rows]],
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
        hint = "columns are separated by TABs" if "\t" not in "\t".join(names) else ""
        faults.add(line, f"found columns {shown!r}, expected topic and document among them", hint)
    elif len(set(names)) < len(names):
        faults.add(line, "found a column twice, expected it once")
    faults.settle()


def parse_probability(text: str) -> Fraction | None:
    """Parse a probability: `-`, a fraction, or a decimal as the fraction it abbreviates; 0 if invalid.

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
    small = not near and value.denominator < 10**20  # as many digits as can be written
    return value if "/" in text or small else near


def _parse(cells: list[str]) -> tuple[IntArray, dict[str, IntArray]]:
    """Group of each result, its rank and offsets; a group without results has rank 0."""
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


_BLOCK = 1 << 16


def write_pool(pool: Pool, target: str | os.PathLike[str], blocks: Iterable[Pool] = ()) -> int:
    """Write a pool file, completely or not at all; `-` is standard output. Return the number of items.

    `blocks` are pools of some topics each; only the head is that of the pool then.
    """
    items = 0
    with writing(target) as stream:
        stream.write(_beginning(pool))
        for block, documents in _with_names(blocks or (pool,)):
            items += len(block)
            stream.writelines(_rows(block, documents))
    return items


def encode_pool(pool: Pool) -> Iterator[bytes]:
    """Yield a pool file: its head, then its rows."""
    yield _beginning(pool)
    for block, documents in _with_names((pool,)):
        yield from _rows(block, documents)


def _beginning(pool: Pool) -> bytes:
    """Head of a pool file and the names of its columns; names are checked."""
    require_plain_names(pool.topics, "topic")
    require_plain_names(pool.strata, "stratum")
    require_plain_names([pool.documents[code] for code in np.unique(pool.document).tolist()], "document")
    return "".join(f"{line}\n" for line in (*write_head(pool), "\t".join(COLUMNS))).encode()


def _with_names(blocks: Iterable[Pool]) -> Iterator[tuple[Pool, Pieces]]:
    """Blocks and the names of their documents, which are encoded once if blocks share them."""
    documents: tuple[str, ...] = ()
    pieces = Pieces.of(documents)
    for block in blocks:
        if block.documents is not documents:
            documents = block.documents
            pieces = Pieces.of(f"\t{name}\t" for name in documents)
        yield block, pieces


def _rows(pool: Pool, documents: Pieces) -> Iterator[bytes]:
    for first in range(0, len(pool), _BLOCK):
        yield _text(pool, documents, first, min(first + _BLOCK, len(pool)))


def probability_text(value: Fraction | None) -> str:
    """Write a probability as a decimal that reads back as the same fraction, or else as a fraction.

    >>> probability_text(Fraction(1)), probability_text(Fraction(3, 67)), probability_text(None)
    ('1', '0.04477611940298507', '-')
    """
    if value is None:
        return NOTHING
    return str(written_probability(value))


def _text(pool: Pool, documents: Pieces, first: int, last: int) -> bytes:
    """Rows of the items from `first` to before `last`."""
    low, high = np.searchsorted(pool.item, (first, last))
    item, run = pool.item[low:high] - first, pool.run[low:high]
    begins = np.diff(item, prepend=-1) > 0  # the first result of an item
    opens = begins | (np.diff(run, prepend=-1) != 0)  # and of a run
    names = [escape_name(given.name) for given in pool.inputs]
    runs = Pieces.of((*names, *(f",{name}" for name in names)))
    middles = Pieces.of(
        f"\t{stratum}\t{probability_text(chance)}\t"
        for stratum in pool.strata
        for chance in pool.probabilities
    )
    middle = pool.stratum[first:last] * len(pool.probabilities) + pool.probability[first:last]
    every = np.arange(last - first)
    without = np.flatnonzero(np.bincount(item, minlength=len(every)) == 0)
    columns = (
        Column(Pieces.of(pool.topics), pool.topic[first:last], every),
        Column(documents, pool.document[first:last], every),
        Column(Pieces.of_rows(in_words(digits(pool.order[first:last]))), every, every),
        Column(middles, middle, every),
        Column(runs, (run + len(names) * ~begins)[opens], item[opens]),
        Column(_passages(pool, slice(low, high), begins, opens), np.arange(len(item)), item),
        Column(Pieces.of([f"{NOTHING}\t{NOTHING}\n"]), np.zeros_like(without), without),
    )
    return join_rows(columns, len(every))


def _passages(pool: Pool, rows: slice, begins: BoolArray, opens: BoolArray) -> Pieces:
    """Text of each result: after a TAB, comma or semicolon, and before the end of the row."""
    rank, start, end = pool.rank[rows], pool.start[rows], pool.end[rows]
    ends = np.append(begins, True)[1:]
    cells = {
        "mark": np.where(begins, ord("\t"), np.where(opens, ord(","), ord(";"))),
        "rank": digits(rank),
        "colon": np.where(rank > 0, ord(":"), np.where(begins & ends, ord(NOTHING), 0)),
        "start": digits(start),
        "dash": np.full(len(rank), ord("-")),
        "end": digits(end),
        "last": np.where(ends, ord("\n"), 0),
    }
    cells["rank"][rank <= 0] = 0
    for name in ("start", "dash", "end"):
        cells[name][(rank <= 0) | (start < 0)] = 0
    return Pieces.of_rows(in_words(*cells.values()))


def find_pool(given: Iterable[Input]) -> tuple[Input | None, list[Input]]:
    """Find the pool file among files; return it, or None, and the other files. Streams are read."""
    pools: list[Input] = []
    others: list[Input] = []
    for item in map(keep_content, given):
        (pools if _is_pool(item) else others).append(item)
    if len(pools) > 1:
        raise ExcerptError("found a second pool file, expected one", path=display_name(pools[1]))
    return (pools[0] if pools else None), others


def _is_pool(given: Input) -> bool:
    """Return whether an input begins as a pool file: an optional head, then topic and document."""
    data = read_beginning(given)
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.startswith(FIRST.rsplit(maxsplit=1)[0]):
        return True
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith(MARK))
    return {"topic", "document"} <= set(next(lines, "").split("\t"))


def read_pool(source: Input) -> Pool:
    """Read a pool file, by its path, its bytes or as an open file.

    >>> pool = read_pool(b"topic\\tdocument\\n1\\tA\\n1\\tB\\n")
    >>> [item.document for item in pool.items], pool.items[1].order, pool.items[1].probability
    (['A', 'B'], 2, None)
    """
    return pool_of(Source.open(source, expected="a pool"))


def pool_of(opened: Source) -> Pool:
    """Read a pool file that is open."""
    try:
        lines = opened.text.decode().split("\n")
        head, at = Head.read(lines, opened.name)
        return PoolRows.read(lines, at, opened.faults).pool(head)
    except FormatError as error:
        error.hint = error.hint or "excerpt pool writes such files"
        raise
