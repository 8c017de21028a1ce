"""Scores as lines that readers of trec_eval know: measure, topic and value, with tabs between them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from excerpt.errors import ExcerptError
from excerpt.model.score_views import ScoreView
from excerpt.model.scores import ScoreTable
from excerpt.render import escape
from excerpt.render.tables import Look


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
