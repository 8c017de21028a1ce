"""The verdict of a gate for people: on a terminal, in a comment on a change, in a notebook."""

from __future__ import annotations

from excerpt.errors import short
from excerpt.experiments.gate import Gate
from excerpt.render import escape
from excerpt.render.tables import PLAIN, Look, Table, html, render

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
