"""Trials as text, Markdown and HTML: the table, the effects, the sentences, what nothing finds, the curve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from excerpt.render import layout
from excerpt.render.layout import wrap
from excerpt.render.tables import PLAIN, Look, Table, html, render
from excerpt.scores.score_views import Estimate

if TYPE_CHECKING:
    from excerpt.experiments.curves import Curve
    from excerpt.trials.trial import Trial

#: Digits of columns that are no scores.
_DIGITS = {"read": 0, "seconds": 2}
_SHARES = {"lost"}
_HEADS = {"lost": "lost text", "ceiling": "ceiling", "read": "text read"}


def _settings(trial: Trial, digits: int = 3) -> Table:
    """The table of the settings, every cell as text."""
    heading, rows = trial.listed()
    recall = f"recall at {trial.budget:,}"
    names = tuple(recall if name == "recall" else _HEADS.get(name, name) for name in heading)
    return Table(
        names, tuple(tuple(_cell(n, c, digits) for n, c in zip(heading, r, strict=True)) for r in rows)
    )


def _cell(name: str, value: Any, digits: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, Estimate):
        if math.isnan(value.low):
            return f"{value.value:.{digits}f}"
        return f"{value.value:.{digits}f} [{value.low:.{digits}f}, {value.high:.{digits}f}]"
    if name in _SHARES:
        return f"{100 * value:.1f} %"
    if isinstance(value, float):
        return f"{value:,.{_DIGITS.get(name, digits)}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _effects(trial: Trial, digits: int = 3) -> Table:
    """The table of the factors' levels."""
    rows = []
    for row in trial.effects:
        estimate = Estimate(row["effect"], row["low"], row["high"])
        effect = _cell("effect", estimate, digits)
        verdict = "yes" if row["significant"] else "no"
        rows.append((row["factor"], row["level"], effect, float(row["adjusted"]), verdict))
    return Table(("factor", "level", "effect", "adjusted", "significant"), tuple(rows))


def _examples(trial: Trial) -> list[list[str]]:
    """Each example as lines: the question, its evidence, what was returned first."""
    return [
        [
            f"{one.question} ({one.topic})",
            f"evidence in {one.document}: {one.passage}",
            f"{one.run} returned {one.returned_document}: {one.returned}"
            if one.returned_document
            else f"{one.run} returned nothing",
        ]
        for one in trial.missed
    ]


def text(trial: Trial, look: Look = PLAIN) -> str:
    """The trial as the command line prints it."""
    parts = [render(_settings(trial), "table", look)]
    if trial.effects:
        parts += ["\n", render(_effects(trial), "table", look)]
    lines = [*trial.sentences]
    for note in trial.details["notes"]:
        lines += [note] if "left out" in note else []
    shown = [_wrapped(line, look) for line in lines]
    parts += ["\n", *(f"{line}\n" for line in shown)]
    examples = _examples(trial)
    if examples:
        parts += ["\nnothing finds\n"]
        for example in examples:
            question, *rest = (layout.plain(line) for line in example)
            parts += [f"  {question}\n", *(f"    {line}\n" for line in rest)]
    return "".join(parts)


def _wrapped(line: str, look: Look) -> str:
    plain = layout.plain(line)
    return plain if look.width is None else "\n".join(wrap(plain, look.width))


def markdown(trial: Trial, look: Look = PLAIN) -> str:
    """The trial as Markdown."""
    parts = [render(_settings(trial), "markdown", look)]
    if trial.effects:
        parts.append(render(_effects(trial), "markdown", look))
    parts.append("\n".join(f"- {layout.markdown(line)}" for line in trial.sentences) + "\n")
    parts += ["\n".join(f"- {layout.markdown(line)}" for line in one) + "\n" for one in _examples(trial)]
    return "\n".join(parts)


def notebook(trial: Trial, look: Look = PLAIN) -> str:
    """The trial as the HTML that a notebook shows."""
    parts = [html(_settings(trial), look)]
    parts += [html(_effects(trial), look)] if trial.effects else []
    parts.append(_list(trial.sentences))
    return "".join(parts)


def _list(lines: Iterable[str]) -> str:
    return "<ul>\n" + "".join(f"<li>{layout.html(line)}</li>\n" for line in lines) + "</ul>\n"


def page(trial: Trial) -> str:
    """A page of its own: no script, nothing from elsewhere."""
    options = trial.record.options
    docs, gold = ", ".join(filter(None, options["documents"])) or "documents", options["gold"] or "questions"
    notes = [*trial.details["notes"], *(f"warning: {warning}" for warning in trial.warnings)]
    sections = [
        f"<h1>Chunkers and retrievers on {layout.html(docs)}</h1>",
        _introduction(trial, gold),
        "<h2>What it says</h2>",
        _list(trial.sentences),
        "<h2>Settings</h2>",
        _scrolling(html(_settings(trial)), "Settings"),
    ]
    curve = trial.curve
    if curve is not None:
        sections += [
            "<h2>Recall by characters read</h2>",
            figure(curve, trial.budget),
            _scrolling(_key(curve), "Key"),
        ]
    if trial.effects:
        sections += [
            "<h2>Effects of the factors</h2>",
            _scrolling(html(_effects(trial)), "Effects of the factors"),
        ]
    if trial.missed:
        sections += ["<h2>What nothing finds</h2>"]
        for question, *rest in _examples(trial):
            sections += [f"<h3>{layout.html(question)}</h3>", _list(rest)]
    if notes:
        sections += ["<h2>Notes</h2>", _list(notes)]
    return _PAGE.format(
        title=layout.html(f"excerpt try: {docs}"), body="\n".join(sections), version=trial.record.version
    )


def _introduction(trial: Trial, gold: str) -> str:
    return (
        f"<p>{trial.details['questions']} questions of {layout.html(gold)}; recall is the share of the "
        f"evidence in the first {trial.budget:,} characters that a model reads, with 95 % intervals over "
        "questions. The ceiling is what the best possible retriever reaches with these chunks.</p>"
    )


def _scrolling(content: str, label: str) -> str:
    return f'<div class="wide" role="region" aria-label="{label}" tabindex="0">{content}</div>'


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 360, 48, 40, 12, 44
#: Colours that differ in hue and in lightness; further runs have dashes.
_COLOURS = ("#0b6bcb", "#c4500a", "#0f7b5f", "#a0338a", "#6d5c00", "#5a50c8", "#b3261e", "#4b6472")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")
_TICKS = 5


def figure(curve: Curve, budget: int) -> str:
    """The curves of all settings as SVG; numbers in the key name them."""
    most = float(curve.x[-1])
    inner, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def across(x: float) -> float:
        return _LEFT + inner * x / most

    def down(y: float) -> float:
        return _TOP + high * (1 - y)

    parts = []
    for step in range(_TICKS + 1):
        x, y = most * step / _TICKS, step / _TICKS
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{down(y):.1f}" y2="{down(y):.1f}"/>'
        )
        parts.append(f'<text x="{_LEFT - 6}" y="{down(y) + 4:.1f}" text-anchor="end">{y:.1f}</text>')
        parts.append(
            f'<text x="{across(x):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{x:,.0f}</text>'
        )
    at = across(budget)
    parts.append(f'<line class="budget" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>')
    ends = _apart([down(float(values[-1])) for values in curve.values])
    for number, values in enumerate(curve.values.tolist()):
        points = " ".join(
            f"{across(x):.1f},{down(y):.1f}"
            for x, y in zip([0, *curve.x.tolist()], [0.0, *values], strict=True)
            if y == y  # noqa: PLR0124 - not NaN
        )
        colour, dash = _look_of(number)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}>'
            f"<title>{layout.html(curve.runs[number])}</title></polyline>"
        )
        parts.append(
            f'<text x="{_WIDTH - _RIGHT + 5}" y="{ends[number] + 4:.1f}" fill="{colour}">{number + 1}</text>'
        )
    middle = _LEFT + inner / 2
    parts.append(
        f'<text x="{middle:.0f}" y="{_HEIGHT - 6}" text-anchor="middle">{layout.html(curve.x_label)}</text>'
    )
    runs = len(curve.runs)
    label = f"Recall by characters read of {runs} settings; the dotted line is the budget of {budget:,}"
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _look_of(number: int) -> tuple[str, str]:
    dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    return _COLOURS[number % len(_COLOURS)], f' stroke-dasharray="{dash}"' if dash else ""


def _apart(places: Sequence[float], least: float = 13.0) -> list[float]:
    """Places of labels moved down so that no two overlap."""
    moved, last = list(places), -math.inf
    for at in sorted(range(len(places)), key=lambda at: places[at]):
        last = moved[at] = max(places[at], last + least) if not math.isnan(places[at]) else last + least
    beyond = max([last - (_HEIGHT - _BOTTOM), 0.0]) if places else 0.0
    return [place - beyond for place in moved]


def _key(curve: Curve) -> str:
    """The names of the lines, with recall at some numbers of characters."""
    steps = max(1, len(curve.x) // 8)
    shown = [*range(steps - 1, len(curve.x), steps)]
    rows = []
    for number, (run, values) in enumerate(zip(curve.runs, curve.values.tolist(), strict=True), start=1):
        rows.append((str(number), run, *(f"{values[at]:.3f}" for at in shown)))
    return html(Table(("line", "run", *(f"{int(curve.x[at]):,}" for at in shown)), tuple(rows)))


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
svg {{ background: #fff; color: #1b1f23; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.15rem; margin-top: 2rem; }} h3 {{ font-size: 1rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }}
th, td {{ padding: .3rem .7rem .3rem 0; border-bottom: 1px solid #8889; white-space: nowrap; }}
.wide {{ overflow-x: auto; }}
svg {{ width: 100%; height: auto; font: 12px system-ui, sans-serif; }}
svg text:not([fill]) {{ fill: currentColor; }}
.grid {{ stroke: #d4d8dd; }} .budget {{ stroke: #586069; stroke-dasharray: 2 3; }}
footer {{ margin-top: 3rem; }}
@media print {{ body {{ margin: 0; }} th, td {{ white-space: normal; }} }}
</style>
</head>
<body>
<main>
{body}
</main>
<footer>excerpt {version}</footer>
</body>
</html>
"""
