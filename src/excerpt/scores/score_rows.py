"""Rows of scores in files of any tool: tables in long or wide form, lines of trec_eval and ir_measures."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import DATASET, Input, is_folder, is_input, read_beginning, read_bytes, read_once

#: Columns of the long form that excerpt writes.
OWN = ("run", "topic", "measure", "score")
#: Beginning of a first line of CSV with what the scores were made with.
COMMENT = "# excerpt made_with "
#: Spellings of these columns: those of excerpt, PyTerrier, ir_measures and gdeval.
_SPELLINGS = (
    ("run", "name", "system", "runid", "run_id"),
    ("topic", "qid", "query_id", "topic_id"),
    ("measure", "metric"),
    ("score", "value"),
)
#: Columns of `evaluate --per-topic` without scores.
_DESCRIBING = {"title", "corpus", "group", "document", "topics"}
#: Columns that data frames write for their index.
_INDEX = re.compile(r"|index|unnamed: \d+|__index_level_\d+__")
#: Columns of results, of gold files and of comparisons, which are no measures.
_OTHERS = {
    *("score", "value", "measure", "metric", "rank", "start", "end", "length", "text", "quote"),
    *("docno", "docid", "doc_id", "passage", "question", "answer", "other", "difference"),
}
#: Ids of topics in lines with means over all topics.
_MEANS = {"all", "amean"}
#: Measures in lines of trec_eval, ir_measures and excerpt.
_MEASURE = (  # compiled when it is used, which few commands do
    r"(?i)(article)?(runid|relstring|num_\w+|num(q|ret|rel)|(gm_|set_)?map(_cut)?|rprec(_mult)?|(gm_)?bpref"
    r"|infap|recip_rank|iprec(_at_recall)?|(set_)?(relative_)?p|(set_)?recall|11pt_avg|utility|bing|g|set_?[fpr]"
    r"|(ideal_|alpha_|s)?dcg|(r|alpha_)?ndcg(_rel|_cut)?|success|setap|yaap|rbp(_resid)?|unj|ap|r|m?rr|n?err\d*"
    r"|(err|ap|p)_ia|judged|accuracy|bpm|compat|ins[tq]|n?nrbp|strec|m?a?ip|m?agp|g[pr]|char[prf]|iou|hit|found)"
    r"(_[\d.,=p-]+)?(\(.*\))?(@[\d.]+|\[[\d.]+\])?"
)
NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")
#: Measures of lines that are no scores: names, strings and numbers of documents.
_NO_SCORES = re.compile(r"runid|relstring(_.*)?|num_\w+|Num(Q|Ret|Rel)(\(.*\))?")


class ScoreRow(NamedTuple):
    """One score as it is written; the run is empty if it is that of the whole file."""

    line: int
    run: str
    topic: str
    measure: str
    score: object


class _ColumnPlaces(NamedTuple):
    """Places of run and topic in a row, and measures by the places of their scores."""

    run: int
    topic: int
    measures: dict[int, str]
    #: Place of the name of the measure in the long form, which has one score a row.
    measure: int | None = None

    @classmethod
    def of(cls, columns: Sequence[str]) -> _ColumnPlaces | None:
        """Return the layout of a table by the names of its columns; None if it is no table of scores."""
        names = [name.strip().lower() for name in columns]
        run, topic, measure, score = (
            next((names.index(spelling) for spelling in spellings if spelling in names), None)
            for spellings in _SPELLINGS
        )
        if run is None or topic is None:
            return None
        if measure is not None and score is not None:
            further = {*names} - {names[place] for place in (run, topic, measure, score)} - _DESCRIBING
            known = all(map(_INDEX.fullmatch, further))
            return cls(run, topic, {score: ""}, measure) if known else None
        limits = {f"{name} {limit}" for name in names for limit in ("low", "high")}
        kept = [place for place in range(len(names)) if names[place] not in _DESCRIBING | limits]
        kept = [place for place in kept if place not in {run, topic} and not _INDEX.fullmatch(names[place])]
        good = kept and _OTHERS.isdisjoint(names[place] for place in kept)
        return cls(run, topic, {place: columns[place].strip() for place in kept}) if good else None

    def rows(self, given: Iterable[tuple[int, Sequence[object]]], width: int) -> Iterator[ScoreRow]:
        """Yield the scores of numbered rows; those of means over all topics are left out."""
        names = list(self.measures.values())
        if twice := [name for name in names if names.count(name) > 1]:
            raise ExcerptError(f"found measure {short(twice[0])} in two columns, expected it once", line=1)
        for line, row in given:
            if len(row) != width:
                found = f"found {plural(len(row), 'column')}"
                raise ExcerptError(f"{found}, expected {width} as in the header", line=line)
            run, topic = _name(row[self.run], line), _name(row[self.topic], line)
            if topic in _MEANS:
                continue
            if self.measure is not None:
                (place,) = self.measures
                yield ScoreRow(line, run, topic, _name(row[self.measure], line), row[place])
            else:
                for place, measure in self.measures.items():
                    yield ScoreRow(line, run, topic, measure, row[place])


def _name(value: object, line: int) -> str:
    """Return the name of a run, topic or measure; numbers are names, too."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ExcerptError(f"found {value!r:.60} as a name, expected text", line=line)
    return str(value)


def table_rows(columns: Sequence[str], rows: Iterable[tuple[int, Sequence[object]]]) -> Iterator[ScoreRow]:
    """Yield the scores of a table with these columns."""
    layout = _ColumnPlaces.of(columns)
    if layout is None:
        raise ExcerptError(
            f"not a table of scores: expected the columns run, topic, measure and score, or run, topic and a "
            f"column for each measure; found {short_list(columns)}",
            line=1,
        )
    return layout.rows(rows, len(columns))


def is_table(frame: Any) -> bool:
    """Return whether a data frame is a table of scores, by its columns."""
    from excerpt.model.run import columns_of

    return _ColumnPlaces.of([str(name) for name in columns_of(frame)]) is not None


def text_rows(text: str) -> Iterator[ScoreRow]:
    """Yield the scores of CSV, TSV, or lines of trec_eval and ir_measures."""
    first = text.partition("\n")[0]
    if _measure_column(first) is not None or _ColumnPlaces.of(_cells(first)) is None:
        yield from _line_rows(text)
        return
    import csv  # a small evaluation does without it

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(first), strict=True)
    try:
        columns = next(reader)
        yield from table_rows(columns, ((reader.line_num, row) for row in reader if row))
    except csv.Error as error:
        raise ExcerptError(f"not a table of scores: {error}", line=reader.line_num) from None


def _delimiter(line: str) -> str:
    return "\t" if "\t" in line else ","


def _cells(line: str) -> list[str]:
    """Return the columns that a first line names."""
    return [cell.strip('" \r') for cell in line.split(_delimiter(line))]


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("\t")] if "\t" in line else line.split()


def _measure_column(text: str) -> int | None:
    """Return the column of the measure in lines of three columns: 0 in trec_eval, 1 in ir_measures."""
    rows = [row for row in map(_fields, text.splitlines()) if len(row) == 3 and NUMBER.fullmatch(row[2])]
    is_measure = re.compile(_MEASURE if rows else "").fullmatch
    counts = [sum(bool(is_measure(row[place])) for row in rows) for place in (0, 1)]
    return max((0, 1), key=counts.__getitem__) if rows and 2 * max(counts) >= len(rows) else None


def _line_rows(text: str) -> Iterator[ScoreRow]:
    """Yield the scores of lines. A run has its lines together, and its `runid` before or after them."""
    place = _measure_column(text)
    name, rows, ended = "", list[ScoreRow](), False
    for line, fields in enumerate(map(_fields, text.splitlines()), 1):
        if (len(fields) == 2 and place == 1) or fields in ([], [""]):  # means of ir_measures
            continue
        if len(fields) != 3 or place is None:
            raise ExcerptError(
                f"found {short(' '.join(fields))!r}, expected scores: a measure, a topic and a number, or a "
                "header with run, topic and measures",
                line=line,
            )
        measure, topic, score = fields[place], fields[1 - place], fields[2]
        of_all = topic in _MEANS
        if (ended and not of_all) or (measure == "runid" and name):
            yield from (row._replace(run=name) for row in rows)
            name, rows = "", []
        ended = of_all
        if measure == "runid":
            name, ended = score, False
        elif not of_all and not _NO_SCORES.fullmatch(measure):
            rows.append(ScoreRow(line, "", topic, measure, None if score.lower() == "nan" else score))
    yield from (row._replace(run=name) for row in rows)


def is_scores(source: Input) -> bool:
    r"""Return whether an input begins like scores; False for inputs that can be read only once.

    >>> [is_scores(text) for text in (b"run,topic,measure,score\n", b"map\t301\t0.25\n", b"1 Q0 A 0 10")]
    [True, True, False]
    """
    dataset = isinstance(source, str) and source.startswith(DATASET)
    if dataset or not is_input(source) or read_once(source) or is_folder(source):
        return False
    head = read_beginning(source)
    if head.startswith(b"PAR1"):  # gold may be Parquet, too
        return _ColumnPlaces.of(_parquet_columns(source)) is not None
    if head.startswith(COMMENT.encode()):
        return True
    if head.lstrip().startswith(b"{"):
        table = rb'\s*\{\s*"measures"\s*:\s*\['  # scores printed with --format json
        return b'"excerpt scores"' in head or re.match(table, head) is not None
    lines = head.decode("utf-8-sig", "replace").split("\n", 20)[:20]
    first = lines[0].rstrip("\r")
    if len(_fields(first)) == 3 and _measure_column("\n".join(lines)) is not None:
        return True
    return _ColumnPlaces.of(_cells(first)) is not None


def _parquet_columns(source: Input) -> list[str]:
    """Return the columns of a Parquet file; none if it is broken, which is reported when it is read."""
    from excerpt.records.objects import import_pyarrow

    arrow, parquet = import_pyarrow()
    try:
        return list(parquet.read_schema(io.BytesIO(read_bytes(source))).names)
    except (ExcerptError, arrow.ArrowException, ValueError, OSError):
        return []
