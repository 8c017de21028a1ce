"""The head of a pool file: its settings, the runs that went into it with their digests, how long they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import quote, unquote

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural, short
from excerpt.model.spans import MAX_OFFSET, UNKNOWN, IntArray
from excerpt.pooling.pools import UNITS, Pool, PoolInput

MARK = "#"
FIRST = "# excerpt pool 1"
#: Where there is nothing: an empty cell would vanish between blanks.
NOTHING = "-"
_SPECIAL = re.compile("[%,\\s\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_COUNTS = re.compile(r"\d{1,10}(\*\d{1,7})?( \d{1,10}(\*\d{1,7})?)*")
_MOST_RUNS = 100_000


def word(name: str) -> str:
    """A name as one word without a comma: these, blanks and % are written as in addresses.

    >>> word("r (a, b.fol)"), word("-"), word("")
    ('r%20(a%2C%20b.fol)', '%2D', '-')
    """
    if name == NOTHING:
        return "%2D"
    return _SPECIAL.sub(lambda match: quote(match[0], safe="", errors="surrogatepass"), name) or NOTHING


def name_of(text: str) -> str:
    """The name that `word` wrote.

    >>> name_of(word("r (a, b.fol)")), name_of("-")
    ('r (a, b.fol)', '')
    """
    return "" if text == NOTHING else unquote(text, errors="surrogatepass")


def write_head(pool: Pool) -> Iterator[str]:
    """The lines of a pool's head."""
    yield FIRST
    yield f"{MARK} unit {pool.unit}"
    for key, value in pool.settings.items():
        if key != "unit":
            yield f"{MARK} {key} {value}"
    for given in pool.inputs:
        yield f"{MARK} run {given.sha256 or NOTHING} {word(given.name)} {word(given.path)}"
    for topic, counts in zip(
        pool.topics, [] if pool.results is None else pool.results.tolist(), strict=False
    ):
        if counts and UNKNOWN not in counts:  # a pool by hand may name no run
            yield f"{MARK} results {word(topic)} {_shorter(counts)}"


def _shorter(counts: list[int]) -> str:
    """Numbers with blanks between them; a row of equal ones is written once: `1500*62`."""
    pairs = [(count, sum(1 for _ in same)) for count, same in groupby(counts)]
    return " ".join(f"{count}*{times}" if times > 1 else str(count) for count, times in pairs)


@dataclass
class Head:
    """What the head of a pool file says."""

    unit: str = "document"
    settings: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, PoolInput] = field(default_factory=dict)
    #: Numbers of results by topic, a number per run.
    results: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def read(cls, lines: Sequence[str], path: str) -> tuple[Head, int]:
        """The head, and how many lines it has; lines of the head begin with `#`."""
        head = cls()
        for number, line in enumerate(lines):
            if not line.startswith(MARK) and line.strip():
                return head, number
            try:
                head._add(line)
            except ValueError as error:
                raise FormatError(str(error), path=path, line=number + 1) from None
        raise FormatError(
            "found no line with the names of the columns, expected topic and document, and perhaps others",
            path=path,
            line=len(lines),
        )

    def _add(self, line: str) -> None:
        match line.removeprefix(MARK).split():
            case ["excerpt", "pool", version]:
                if version != "1":
                    raise ValueError(f"found version {short(version)} of the format, expected 1")
            case ["run", *words]:
                self._add_run(words)
            case ["results", topic, *counts]:
                self._add_results(name_of(topic), " ".join(counts))
            case ["unit", *words]:
                if " ".join(words) not in UNITS:
                    raise ValueError(f"found unit {short(' '.join(words))!r}, expected {' or '.join(UNITS)}")
                self.unit = words[0]
            case [key, *words]:
                self.settings[key] = " ".join(words)

    def _add_run(self, words: list[str]) -> None:
        if len(words) != 3:
            raise ValueError(f"found {plural(len(words), 'word')} on a run, expected digest, name and file")
        digest, name, path = words[0], name_of(words[1]), name_of(words[2])
        if digest != NOTHING and not _DIGEST.fullmatch(digest):
            raise ValueError(f"found digest {short(digest)!r}, expected 64 digits of a SHA-256, or -")
        if name in self.inputs:
            raise ValueError(f"found run {short(name)} again, expected it once")
        self.inputs[name] = PoolInput(name, path, "" if digest == NOTHING else digest)

    def _add_results(self, topic: str, counts: str) -> None:
        found: list[int] = []
        if not _COUNTS.fullmatch(counts):
            raise ValueError(f"found results {short(counts)!r}, expected a number for each run")
        for part in counts.split():
            count, _, times = part.partition("*")
            if int(count) > MAX_OFFSET or len(found) + int(times or 1) > _MOST_RUNS:
                raise ValueError(f"found results {short(part)!r}, expected a number for each run")
            found += [int(count)] * int(times or 1)
        if len(found) != len(self.inputs):
            runs = plural(len(self.inputs), "run")
            raise ValueError(
                f"found {plural(len(found), 'number')} of results, expected one for each of {runs}"
            )
        if topic in self.results:
            raise ValueError(f"found the results of topic {short(topic)} again, expected them once")
        self.results[topic] = found

    def counts(self, topics: Sequence[str], runs: int) -> IntArray:
        """Numbers of results by topic and run, -1 where the head does not tell."""
        unknown = [UNKNOWN] * runs
        found = [self.results.get(topic, unknown) for topic in topics]
        return np.array(found, np.int64).reshape(len(topics), runs)


def need_plain(names: Sequence[str], what: str) -> None:
    """An error where a name cannot stand in a column: it is empty, or has a TAB or a line end."""
    for name in names:
        if not name or re.search("[\t\n\r\0\ud800-\udfff]", name):
            raise ExcerptError(
                f"found {what} {short(name)!r}, which a line of a pool file cannot hold, "
                "expected text without TAB and line end"
            )
