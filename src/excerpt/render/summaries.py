"""Text summaries of campaigns, pools, gates, and trec_eval lines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from excerpt.assess.adjudication import Adjudication
from excerpt.assess.agreement import SEEN, Agreement
from excerpt.assess.progress import CampaignProgress
from excerpt.errors import ExcerptError, plural, short
from excerpt.experiments.gate import Gate
from excerpt.judging.judge_comparison import JudgesCompared
from excerpt.pooling.statistics import PoolInfo
from excerpt.render import layout as escape
from excerpt.render.tables import PLAIN, Look, Table, html, render
from excerpt.scores.score_table import ScoreTable
from excerpt.scores.score_views import ScoreView

_NUMBERS = ("jaccard", "f", "kappa", "alpha")  # coefficients of agreement, each with its interval
_MOST_CONFUSIONS = 3  # most tables of grades
_MOST_TAGS = 20  # most tags of a table
_MOST = 100  # most characters of a question


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], look: Look) -> str:
    return render(Table(tuple(columns), tuple(map(tuple, rows)), title), "table", look)


def duration(seconds: float | None) -> str:
    """Duration in seconds, minutes or hours.

    >>> duration(42.4), duration(272), duration(8000), duration(None)
    ('42 s', '4:32 min', '2:13 h', '-')
    """
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{round(seconds)} s"
    total = round(seconds)
    if total < 3600:
        return f"{total // 60}:{total % 60:02} min"
    return f"{total // 3600}:{total % 3600 // 60:02} h"


def status_text(progress: CampaignProgress, look: Look = PLAIN) -> str:
    """Text of the progress of a campaign."""
    found = progress.found
    documents = found["documents"]
    stale = f" ({documents['stale']} for over a day)" if documents["stale"] else ""
    seconds = found["seconds_per_document"]
    pace = "" if seconds is None else f"; {duration(seconds)} per document without pauses"
    lines = [f"{escape.plain(found['title'])} ({found['procedure']})", ""]
    lines.append(
        f"{documents['done']} of {plural(documents['total'], 'document')} finished, "
        f"{documents['open']} in progress{stale}, {documents['todo']} to do{pace}"
    )
    if found["finish"]:
        lines.append(f"at this pace all documents will be finished on {found['finish']}")
    lines += [f"warning: {escape.plain(caution)}" for caution in found["cautions"]]
    keys = ("total", "done", "open", "todo", "owed")
    states = ("total", "finished", "in progress", "to do", "missing")
    topics = [(row["id"], row["title"], *map(row.get, keys)) for row in found["topics"]]
    people = [
        (row["name"], *map(row.get, keys), duration(row["seconds_per_document"]), row["last"] or "-")
        for row in found["assessors"]
    ]
    by_topic = _table("by topic", ("topic", "title", *states), topics, look)
    columns = ("assessor", *states, "per document", "last seen")
    return "\n".join([*lines, "", by_topic, _table("by assessor", columns, people, look)])


def adjudication_text(found: Adjudication, look: Look = PLAIN) -> str:
    """Text of the documents to decide, and of how many are decided."""
    counts = found.counts
    text = (
        f"{plural(counts['undecided'], 'document')} to decide; {counts['decided']} decided, "
        f"all agree on {counts['agreed']}, {counts['single']} of one assessor\n"
    )
    if not found.documents:
        return text
    columns, rows = found.listed()
    cells = [["-" if value is None else value for value in row] for row in rows]
    return f"{text}\n{_table('by weight', columns, cells, look)}"


def agreement_text(agreement: Agreement, look: Look = PLAIN) -> str:
    """Text of the agreement between assessors, its effect on the rankings of runs, and with a machine."""
    head = ("level", "documents", "left_out")
    pairs = plural(agreement.pairs, "document")
    parts = [f"{pairs} finished by two or more assessors; 95 % bootstrap intervals\n"]
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
    further = {"without one assessor": agreement.leave_one_out, "over time": agreement.over_time}
    further["by document, worst first"] = agreement.documents or ()
    for title, rows in further.items():
        if rows:
            cells = [[_in_text(value) for value in row.values()] for row in rows]
            parts.append(_table(title, tuple(rows[0]), cells, look))
    return "\n".join(parts)


def _in_text(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(value)
    return str(value) if isinstance(value, int) else value


def judges_text(result: JudgesCompared, look: Look = PLAIN) -> str:
    """Text of the agreement of judges: how strict each is, all together, every two, grades, topics."""
    found = result.found
    strict = [(name, *values.values()) for name, values in found["judges"].items()]
    heading = ("judge", "documents", "mean grade", "share relevant")
    parts = [_table("judges, on all that each judged", heading, strict, look)]
    sections = zip([found, *found["topics"]], result.documents, strict=True)
    rows = [_agreed(section, count, look) for section, count in sections]
    columns = ("documents", "alpha", "interval", "ordinal", "interval", "jaccard", "f", "alpha_u")
    title = "agreement on documents with two or more judges; 95 % bootstrap intervals"
    parts.append(_table(title, columns, [rows[0][1:]], look))
    kappas = [
        (", ".join(pair["judges"]), pair["documents"], *pair["kappa"].values()) for pair in found["pairs"]
    ]
    parts.append(
        _table("kappa of two judges", ("judges", "documents", "plain", "linear", "quadratic"), kappas, look)
    )
    parts += [_confused(pair, look) for pair in found["pairs"][:_MOST_CONFUSIONS]]
    if len(rows) > 1:
        parts.append(_table("by topic", ("topic", *columns), rows[1:], look))
    return "\n".join(parts)


def _agreed(section: Mapping[str, Any], documents: int, look: Look) -> tuple[Any, ...]:
    """Cells of all judges together on some topics."""
    cells: list[Any] = [section.get("topic", "all"), documents]
    for scale, value in section["alpha"].items():
        low, high = section["alpha_interval"][scale] or (None, None)
        cells += [value, _interval({"_low": low, "_high": high}, "", look)]
    return (*cells, *section["characters"].values())


def _confused(pair: Mapping[str, Any], look: Look) -> str:
    one, two = pair["judges"]
    columns = list(pair["confusion"])
    rows = [(grade, *row.values()) for grade, row in pair["confusion"].items()]
    return _table(f"grades of {one} (rows) and {two} (columns)", ("", *columns), rows, look)


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
    cells = []
    for row in rows:  # with the first pairs whose order differs, in the order of the first assessor
        shown, more = [f"{better} > {worse}" for better, worse in row["pairs"][:3]], len(row["pairs"]) - 3
        turned = "; ".join([*shown, *([f"and {more} more"] if more > 0 else [])]) or "-"
        cells.append((*(row[name] for name in columns), turned))
    heading = (*columns[:-1], "swapped", "pairs of runs in another order")
    return _table("rankings of the runs by the judgments of each assessor", heading, cells, look)


def pages(info: PoolInfo, look: Look = PLAIN) -> str:
    """Tables of topics, of runs with their items, unique items and judged proportion, and of overlap."""
    tables = [_topics(info)]
    if info.runs:
        rows = tuple((run, str(items), str(unique), judged) for run, items, unique, judged in info.rows())
        columns = ("run", f"{info.unit}s", "unique", f"judged@{info.depth}")
        tables += [Table(columns, rows), _overlap(info)]
    return "\n".join(render(table, "table", look) for table in tables)


def _topics(info: PoolInfo) -> Table:
    """Table with a row per topic: its items, in total and by stratum; of passages also the documents."""
    items = (f"{info.unit}s",) if info.documents is None else ("passages", "documents")
    strata = info.strata if len(info.strata) > 1 else ()
    documents = () if info.documents is None else (np.array(info.documents, np.int64),)
    counts = np.column_stack((info.sizes.sum(axis=1), *documents, info.sizes[:, : len(strata)]))
    counts = np.vstack((counts, counts.sum(axis=0)))
    rows = [
        (topic, *((info.titles.get(topic, ""),) if info.titles else ()), *map(str, row))
        for topic, row in zip((*info.topics, "all"), counts.tolist(), strict=True)
    ]
    made = ", ".join(f"{name} {value}" for name, value in info.settings.items())
    title = f"{plural(info.items, info.unit)} on {plural(len(info.topics), 'topic')}"
    titled = ("title",) if info.titles else ()
    return Table(("topic", *titled, *items, *strata), tuple(rows), title + (f" ({made})" if made else ""))


def _overlap(info: PoolInfo) -> Table:
    """Table of the items that two runs both contributed to the pool; columns are numbers of runs."""
    pooled = np.flatnonzero(np.diag(info.overlap))  # the others share nothing
    places = tuple(str(place + 1) for place in pooled.tolist())
    rows = tuple(
        (place, info.runs[number], *map(str, info.overlap[number, pooled].tolist()))
        for place, number in zip(places, pooled.tolist(), strict=True)
    )
    return Table(("", f"{info.unit}s in common", *places), rows)


def statistics_text(found: Mapping[str, Any], look: Look = PLAIN) -> str:
    """Tables of the statistics of judgments: counts, grades, and completely highlighted elements by tag."""
    spread = ("least", "median", "most")
    rows = [
        (
            name.replace("_", " "),
            str(found[name]),
            *(
                "" if count is None else str(count)
                for count in map(found["per_topic"].get(name, {}).get, spread)
            ),
        )
        for name in ("topics", "documents", "relevant_documents", "passages", "characters", "elements")
        # Files with grades alone have no highlighted text.
        if found[name] or not found["grades"] or name not in {"passages", "characters"}
    ]
    tables = [_table("", ("", "total", *spread), rows, look)]
    if grades := found["grades"]:
        levels = [found["article_level"], found["below_article_level"]]
        columns = ("grade", "all", *(("article level", "below") if any(levels) else ()))
        counts = [grades, *(levels if any(levels) else ())]
        cells = [(grade, *(str(level.get(grade, 0)) for level in counts)) for grade in grades]
        cells.append(("all", *(str(sum(level.values())) for level in counts)))
        tables.append(_table("", columns, cells, look))
    if (exact := found["exact_below_article_level"]) is not None:
        tables.append(
            f"proportion of the exact elements that are below article level: {exact:.{look.digits}f}\n"
        )
    if tags := found["fully_highlighted"]:
        total = sum(tags.values())
        shown = dict(list(tags.items())[:_MOST_TAGS])
        if rest := total - sum(shown.values()):
            shown["(others)"] = rest
        cells = [(tag, str(count), count / total) for tag, count in (*shown.items(), ("all", total))]
        tables.append(_table("", ("tag", "fully highlighted", "proportion"), cells, look))
    return "\n".join(tables)


def text(gate: Gate, look: Look = PLAIN) -> str:
    """Text of a gate: scores, verdict, notes, and the questions that lost and won most."""
    parts = [render(_rows(gate), "table", look)]
    warned = (f"warning: {warning}" for warning in gate.warnings)
    parts += ["".join(f"{escape.plain(line)}\n" for line in (_said(gate), *gate.notes(), *warned))]
    parts += [render(table, "table", look) for table in _questions(gate)]
    return "\n".join(parts)


def markdown(gate: Gate, look: Look = PLAIN) -> str:
    """Markdown of a gate: verdict first, questions folded."""
    parts = [f"**{escape.markdown(_said(gate))}**\n", render(_rows(gate), "markdown", look)]
    if notes := (*gate.notes(), *(f"warning: {warning}" for warning in gate.warnings)):
        parts.append("".join(f"- {escape.markdown(note)}\n" for note in notes))
    for table in _questions(gate):
        parts.append(f"<details>\n<summary>{escape.html(table.title)}</summary>\n")  # HTML, not Markdown
        parts.append(render(table, "markdown", look) + "\n</details>\n")
    return "\n".join(parts)


def notebook(gate: Gate, look: Look = PLAIN) -> str:
    """HTML of a gate, with its warnings."""
    lines = (*gate.notes(), *(f"warning: {warning}" for warning in gate.warnings))
    parts = [f"<p><b>{escape.html(_said(gate))}</b></p>\n", html(_rows(gate), look)]
    parts += [html(table, look) for table in _questions(gate)]
    return "".join([*parts, *(f"<p>{escape.html(line)}</p>\n" for line in lines)])


def _said(gate: Gate) -> str:
    """The verdict, and what it rests on."""
    return f"{gate.verdict}: {gate.summary}"


def _rows(gate: Gate) -> Table:
    columns, rows = gate.listed()
    return Table(columns, tuple(rows))


def _questions(gate: Gate) -> list[Table]:
    """Tables of the questions that lost and won most, with their texts if known."""
    tables = []
    for title, changes in gate.changes():
        with_text = any(change.question for change in changes)
        rows = tuple(
            (
                change.topic,
                *((short(change.question, _MOST),) if with_text else ()),
                *(change.before, change.after, change.difference),
            )
            for change in changes
        )
        columns = ("topic", *(("question",) if with_text else ()), "before", "after", "difference")
        tables.append(Table(columns, rows, title))
    return tables


def lines(shown: ScoreView | ScoreTable, look: Look) -> str:
    """Lines of trec_eval with the scores of every run: none for undefined scores, `nan` for such means."""
    view = shown if isinstance(shown, ScoreView) else ScoreView(shown)
    if view.by is not None or view.interval is not None:
        what = "means of groups" if view.by is not None else "intervals"
        raise ExcerptError(
            f"lines of trec_eval cannot show {what}",
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
