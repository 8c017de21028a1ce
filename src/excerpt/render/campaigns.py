"""A campaign on a terminal: how far it is, and how far its assessors agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from excerpt.assess.agreement import SEEN, Agreement
from excerpt.assess.progress import Progress
from excerpt.errors import plural
from excerpt.render import escape
from excerpt.render.tables import PLAIN, Look, Table, render


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
    lines = [f"{escape.plain(found['title'])} ({found['procedure']})", ""]
    lines.append(
        f"{documents['done']} of {plural(documents['total'], 'document')} done, {documents['open']} open"
        f"{_stale(documents['stale'])}, {documents['todo']} to do; "
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


def _stale(count: int) -> str:
    return f" ({count} for over a day)" if count else ""


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
