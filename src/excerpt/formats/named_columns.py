"""Text in columns that the user names: `columns:topic,-,document,rank,score,start,length`.

A name that begins with `columns:` is a format of its own, for runs and for judgments. Columns are `topic`,
`document`, `start` (or `offset`), `end` or `length`, `path`, `rank`, `score`, `tag`, `relevance`; `-` is one
that is not read. Without offsets or paths, results and judgments are of whole documents.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.formats.judgments.qrels import judge_documents, reject_repeats
from excerpt.formats.reader import NameColumn, ResultTable
from excerpt.formats.registry import Format, recognise_nothing
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.model.judgments import Judgments, collect_judgments
from excerpt.model.run import Order, ResultKind, Run
from excerpt.model.spans import UNKNOWN, IntArray

PREFIX = "columns:"
_KNOWN = ("topic", "document", "start", "end", "length", "path", "rank", "score", "tag", "relevance", "-")
_SAME = {"offset": "start", "begin": "start", "docno": "document", "grade": "relevance", "xpath": "path"}
_OF_RUNS = ("path", "rank", "score", "tag")


class NamedColumns(NamedTuple):
    """The names of the columns of a file, in their order."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, name: str) -> NamedColumns:
        """Parse the columns that a user names; raise if a name is unknown, repeated, or missing.

        >>> NamedColumns.of("columns:topic,-,docno,offset,length").names
        ('topic', '-', 'document', 'start', 'length')
        """
        given = [part.strip().lower() for part in name.removeprefix(PREFIX).split(",")]
        names = tuple(_SAME.get(part, part) for part in given)
        for part in names:
            if part not in _KNOWN:
                raise ExcerptError(f"found column {short(part)!r}, expected one of: {', '.join(_KNOWN)}")
        twice = [part for part in dict.fromkeys(names) if part != "-" and names.count(part) > 1]
        missing = [part for part in ("topic", "document") if part not in names]
        if missing:
            raise ExcerptError(f"column {missing[0]} is missing, expected topic and document")
        if twice:
            raise ExcerptError(f"found column {twice[0]} twice, expected each column once")
        if "end" in names and "length" in names:
            raise ExcerptError("columns end and length cannot be combined")
        if ("end" in names or "length" in names) and "start" not in names:
            raise ExcerptError(f"column {'end' if 'end' in names else 'length'} needs column start")
        return cls(names)

    def kind(self) -> Literal["run", "judgments"] | None:
        """Return the kind of file that has these columns; None if both kinds may have them."""
        if "relevance" in self.names:
            return "judgments"
        return "run" if any(name in self.names for name in _OF_RUNS) else None

    def has(self, name: str) -> bool:
        """Return whether there is a column of this name."""
        return name in self.names

    def open(self, source: Source, excluded: tuple[str, ...]) -> Columns:
        """Cut a file into these columns; raise if one of them is `excluded` for this kind of file."""
        wrong = [name for name in excluded if name in self.names]
        if wrong:
            raise ExcerptError(f"found column {wrong[0]}, which this kind of file does not have")
        layout = " ".join(self.names)
        return Columns.of(source).expect_width(range(len(self.names), len(self.names) + 1), layout)

    def whole(self, columns: Columns, name: str) -> IntArray:
        """Return a column of whole numbers; -1 in every line if the column is missing."""
        if name not in self.names:
            return np.full(len(columns), UNKNOWN, np.int64)
        return columns.integers(self.names.index(name), name)

    def texts(self, columns: Columns, name: str) -> NameColumn:
        """Return a column of names."""
        return NameColumn(*columns.names(self.names.index(name)))

    def spans(self, columns: Columns) -> tuple[IntArray, IntArray]:
        """Return start and end of each line; both are the same if there is only a start."""
        start = self.whole(columns, "start")
        if self.has("length"):
            return start, start + self.whole(columns, "length")
        end = self.whole(columns, "end") if self.has("end") else start.copy()
        message = "found an end before the start, expected it after the start"
        columns.faults.add_all(columns.line[end < start], lambda _: message)
        return start, end

    def read_run(self, source: Source) -> Run:
        """Read a run."""
        columns = self.open(source, ("relevance",))
        start, end = self.spans(columns)
        score = np.full(len(columns), np.nan)
        if self.has("score"):
            score = columns.floats(self.names.index("score"), "score")
        rank = self.whole(columns, "rank")
        none = np.full(len(columns), UNKNOWN, np.int64)
        paths = self.texts(columns, "path") if self.has("path") else NameColumn((), none)
        topics, documents = self.texts(columns, "topic"), self.texts(columns, "document")
        tags = self.texts(columns, "tag").distinct if self.has("tag") else ()
        source.faults.settle()
        kind: ResultKind | None = "spans" if self.has("end") or self.has("length") else "entry points"
        if not self.has("start"):
            kind = None if self.has("path") else "documents"
        if kind == "documents":
            start, end = np.zeros_like(start), np.ones_like(end)
        has_span = np.full(len(columns), self.has("start"))
        results = ResultTable(topics, documents, paths, start, end, has_span, rank, score, columns.line)
        return results.to_run(source, tags[0] if tags else source.name, kind)

    def read_judgments(self, source: Source) -> Judgments:
        """Read judgments: grades of documents, or passages, of which only those above 0 are relevant."""
        columns = self.open(source, _OF_RUNS)
        topics, documents = self.texts(columns, "topic"), self.texts(columns, "document")
        grade = np.ones(len(columns))
        if self.has("relevance"):
            grade = columns.grades(self.names.index("relevance"), "relevance")
        start, end = self.spans(columns)
        if not self.has("start"):
            reject_repeats(source, columns, self.names.index("document"), self.names.index("topic"))
            source.faults.settle()
            if not self.has("relevance"):
                raise ExcerptError(
                    f"found columns {short_list(self.names)}, expected relevance or start for judgments",
                    path=source.name,
                )
            return judge_documents(source, topics, documents, grade)
        source.faults.settle()
        marked = grade > 0
        return collect_judgments(
            topics.distinct,
            documents.distinct,
            topics.code,
            documents.code,
            np.where(marked, start, 0),
            np.where(marked, end, 0),
            source=source.name,
        )


def run_format(name: str) -> Format[Run]:
    """Return the format of runs in these columns."""
    columns = NamedColumns.of(name)
    order: Order = "score" if columns.has("score") and not columns.has("start") else "file"
    about = " ".join(columns.names), "columns named by the user", columns.read_run, recognise_nothing
    return Format(name, "run", *about, order=order, by_name=True)


def judgments_format(name: str) -> Format[Judgments]:
    """Return the format of judgments in these columns."""
    columns = NamedColumns.of(name)
    about = " ".join(columns.names), "columns named by the user", columns.read_judgments, recognise_nothing
    return Format(name, "judgments", *about, by_name=True)
