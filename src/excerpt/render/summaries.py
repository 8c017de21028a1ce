"""Summaries of campaigns, pools, gates and trec_eval as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from excerpt.assess.agreement import SEEN, Agreement
from excerpt.assess.progress import Progress
from excerpt.errors import ExcerptError, plural, short
from excerpt.experiments.gate import Gate
from excerpt.model.score_views import ScoreView
from excerpt.model.scores import ScoreTable
from excerpt.pooling.statistics import PoolInfo
from excerpt.render import layout as escape
from excerpt.render.tables import PLAIN, Look, Table, html, render


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], look: Look) -> str:
    return render(Table(tuple(columns), tuple(map(tuple, rows)), title), "table", look)


def duration(seconds: float | None) -> str:
    """Roughly how long, for a column.

    >>> duration(42.4), duration(272), duration(8000), duration(None)
    ('42 s', '4:32 min', '2:13 h', '-')
    """
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{round(seconds)} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"


def status_text(progress: Progress, look: Look = PLAIN) -> str:
    """The progress of a campaign."""
    found = progress.found
    documents = found["documents"]
    stale = f" ({documents['stale']} for over a day)" if documents["stale"] else ""
    lines = [f"{escape.plain(found['title'])} ({found['procedure']})", ""]
    lines.append(
        f"{documents['done']} of {plural(documents['total'], 'document')} done, {documents['open']} open"
        f"{stale}, {documents['todo']} to do; "
        f"{duration(found['seconds_per_document'])} per document without pauses"
    )
    if found["finish"]:
        lines.append(f"at this pace all will be done on {found['finish']}")
    lines += [f"caution: {escape.plain(caution)}" for caution in found["cautions"]]
    states = ("total", "done", "open", "to do", "owed")
    counts = [name.replace(" ", "") for name in states]
    topics = [(row["id"], row["title"], *map(row.get, counts)) for row in found["topics"]]
    people = [
        (row["name"], *map(row.get, counts), duration(row["seconds_per_document"]), row["last"] or "-")
        for row in found["assessors"]
    ]
    by_topic = _table("by topic", ("topic", "title", *states), topics, look)
    columns = ("assessor", *states, "per document", "last seen")
    return "\n".join([*lines, "", by_topic, _table("by assessor", columns, people, look)])


#: What is measured, with its interval.
_NUMBERS = ("jaccard", "f", "kappa")


def agreement_text(agreement: Agreement, look: Look = PLAIN) -> str:
    """How far assessors agree with each other, what that does to the runs, and with the machine."""
    head = ("level", "documents", "left_out")
    pairs = plural(agreement.pairs, "document")
    parts = [f"{pairs} finished by two or more assessors; intervals hold 95 of 100 resamples\n"]
    if agreement.rows:
        parts.append(_numbers("assessors", ("assessors", *head), agreement.rows, look))
    if agreement.rankings:
        parts.append(_rankings(agreement.rankings, look))
    if agreement.machine:
        columns = ("assessor", "model", "seen", *head)
        parts.append(_numbers("assessors and machine", columns, agreement.machine, look))
        seen = dict.fromkeys(row["seen"] for row in agreement.machine)
        parts.append("".join(f"{name}: {SEEN[name]}\n" for name in seen))
    if agreement.topics:
        parts.append(_numbers("by topic", ("topic", *head), agreement.topics, look))
    return "\n".join(parts)


def _numbers(title: str, head: Sequence[str], rows: Sequence[Mapping[str, Any]], look: Look) -> str:
    columns = [name.replace("_", " ") for name in head]
    columns += [column for name in _NUMBERS for column in (name, "interval")]
    cells = [
        (
            *(row[name] for name in head),
            *(cell for name in _NUMBERS for cell in (row[name], _interval(row, name, look))),
            row["exact"],
        )
        for row in rows
    ]
    return _table(title, (*columns, "exact"), cells, look)


def _interval(row: Mapping[str, Any], name: str, look: Look) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "-" if low is None else f"{low:.{look.digits}f} to {high:.{look.digits}f}"


def _rankings(rows: Sequence[Mapping[str, Any]], look: Look) -> str:
    columns = ("assessors", "measure", "topics", "runs", "tau", "turned")
    cells = [(*(row[name] for name in columns), _turned(row)) for row in rows]
    heading = (*columns, "pairs of runs that turn")
    return _table("rankings of the runs by either's judgments", heading, cells, look)


def _turned(row: Mapping[str, Any]) -> str:
    """The first pairs of runs that turn, the first assessor's better one first."""
    shown = [f"{better} > {worse}" for better, worse in row["pairs"][:3]]
    more = len(row["pairs"]) - len(shown)
    return "; ".join([*shown, *([f"and {more} more"] if more else [])]) or "-"


def pages(info: PoolInfo, look: Look = PLAIN) -> str:
    """Topics; runs with their items, those of them alone and their judged share; and what runs share."""
    tables = [_topics(info)]
    if info.runs:
        rows = tuple((run, str(items), str(unique), judged) for run, items, unique, judged in info.rows())
        columns = ("run", f"{info.unit}s", "unique", f"judged@{info.depth}")
        tables += [Table(columns, rows), _overlap(info)]
    return "\n".join(render(table, "table", look) for table in tables)


def _topics(info: PoolInfo) -> Table:
    """A row per topic, the items of each stratum beside all of them."""
    items = f"{info.unit}s"
    strata = info.strata if len(info.strata) > 1 else ()
    rows = [
        (topic, *_title(info, topic), str(sum(counts)), *(map(str, counts) if strata else ()))
        for topic, counts in zip(info.topics, info.sizes.tolist(), strict=True)
    ]
    sums = info.sizes.sum(axis=0).tolist()
    rows.append(("all", *_title(info, "all"), str(info.items), *(map(str, sums) if strata else ())))
    made = ", ".join(f"{name} {value}" for name, value in info.settings.items())
    whole = f"{plural(info.items, info.unit)} on {plural(len(info.topics), 'topic')}"
    titled = ("title",) if info.titles else ()
    return Table(("topic", *titled, items, *strata), tuple(rows), whole + (f" ({made})" if made else ""))


def _title(info: PoolInfo, topic: str) -> tuple[str, ...]:
    """The title of a topic, where titles are known."""
    return (info.titles.get(topic, ""),) if info.titles else ()


def _overlap(info: PoolInfo) -> Table:
    """A row and a column per run: the items that both put into the pool; columns have the places of runs."""
    pooled = np.flatnonzero(np.diag(info.overlap))  # the others share nothing
    places = tuple(str(place + 1) for place in pooled.tolist())
    rows = tuple(
        (place, info.runs[number], *map(str, info.overlap[number, pooled].tolist()))
        for place, number in zip(places, pooled.tolist(), strict=True)
    )
    return Table(("", f"{info.unit}s in common", *places), rows)


#: Characters of a question that are shown.
_MOST = 100


def text(gate: Gate, look: Look = PLAIN) -> str:
    """Rows, verdict, notes, then the questions that lost and won most."""
    parts = [render(_rows(gate), "table", look)]
    parts += ["".join(f"{escape.plain(line)}\n" for line in (gate.said, *gate.notes()))]
    parts += [render(table, "table", look) for table in _questions(gate)]
    return "\n".join(parts)


def markdown(gate: Gate, look: Look = PLAIN) -> str:
    """The same for a comment on a change: the verdict first, questions folded away."""
    parts = [f"**{escape.markdown(gate.said)}**\n", render(_rows(gate), "markdown", look)]
    if gate.notes():
        parts.append("".join(f"- {escape.markdown(note)}\n" for note in gate.notes()))
    for table in _questions(gate):
        parts.append(f"<details>\n<summary>{escape.html(table.title)}</summary>\n")  # where Markdown is text
        parts.append(render(table, "markdown", look) + "\n</details>\n")
    return "\n".join(parts)


def notebook(gate: Gate, look: Look = PLAIN) -> str:
    """The same as HTML, with the warnings below it."""
    said = (*gate.notes(), *(f"warning: {warning}" for warning in gate.warnings))
    parts = [f"<p><b>{escape.html(gate.said)}</b></p>\n", html(_rows(gate), look)]
    parts += [html(table, look) for table in _questions(gate)]
    return "".join([*parts, *(f"<p>{escape.html(line)}</p>\n" for line in said)])


def _rows(gate: Gate) -> Table:
    columns, rows = gate.listed()
    return Table(columns, tuple(rows))


def _questions(gate: Gate) -> list[Table]:
    """What lost and won most, each with its text where it is known."""
    found = []
    for title, changes in gate.changes():
        told = any(change.question for change in changes)
        rows = tuple(
            (
                change.topic,
                *((short(change.question, _MOST),) if told else ()),
                *(change.before, change.after, change.difference),
            )
            for change in changes
        )
        columns = ("topic", *(("question",) if told else ()), "before", "after", "difference")
        found.append(Table(columns, rows, title))
    return found


def lines(shown: ScoreView | ScoreTable, look: Look) -> str:
    """The scores of every run, one after the other; `all` is the mean.

    Topics that a measure does not count have no line, as in trec_eval; a mean that is not defined is `nan`.
    Where there are several runs, each begins with its `runid`.
    """
    view = shown if isinstance(shown, ScoreView) else ScoreView(shown)
    if view.by is not None or view.interval is not None:
        what = "means of groups" if view.by is not None else "intervals"
        raise ExcerptError(
            f"found {what} to be printed as lines of trec_eval, which have no place for them",
            hint="leave out ⟨by⟩ and ⟨interval⟩, or try ⟨output_format=csv⟩",
        )
    return "".join(f"{line}\n" for line in _lines(view, look.digits))


def _lines(view: ScoreView, digits: int) -> Iterator[str]:
    table, means = view.table, view.means()
    names = [escape.plain(name) for name in table.measures]
    for run, name in enumerate(table.runs):
        if len(table.runs) > 1:
            yield f"runid\tall\t{escape.plain(name)}"
        for place, topic in enumerate(table.topics if view.per_topic else ()):
            for measure, score in zip(names, table.values[run, place].tolist(), strict=True):
                if not math.isnan(score):
                    yield f"{measure}\t{escape.plain(topic)}\t{score:.{digits}f}"
        for measure, score in zip(names, means[run].tolist(), strict=True):
            yield f"{measure}\tall\t{score:.{digits}f}"
