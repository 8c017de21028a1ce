"""A study of any size to be looked at in the page, and the page of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from excerpt import Judgments, Notices, Run, Span
from excerpt.render import page
from excerpt.render.report import Report, pack, report

SIZE = 1000
MEASURES = ("MAiP", "iP[0.01]", "charP")


def study(
    runs: int | Sequence[str], topics: int, *, measures: Sequence[str] = MEASURES, seed: int = 1
) -> Report:
    """Runs of falling quality over five documents; every seventh topic has no relevant text."""
    drawn = random.Random(seed)
    names = [f"run-{number}" for number in range(runs)] if isinstance(runs, int) else runs
    marked = {f"T{number:03}": drawn.randrange(0, 900, 100) for number in range(topics)}
    empty = list(marked)[6::7]
    judgments = Judgments.of(
        [(topic, Span("d0", at, at + 80)) for topic, at in marked.items() if topic not in empty],
        irrelevant=[
            *((topic, f"d{k}") for topic in marked for k in range(1, 5)),
            *((topic, "d0") for topic in empty),
        ],
        sizes={f"d{k}": SIZE for k in range(5)},
    )
    made = []
    for place, name in enumerate(names):
        results = []
        for topic, at in marked.items():
            places = drawn.sample([(f"d{k}", start) for k in range(1, 5) for start in range(0, 900, 100)], 4)
            if drawn.random() > place / len(names) / 2:
                places.insert(drawn.randrange(place + 1) % 5, ("d0", at))
            results += [(topic, document, start, start + 90) for document, start in places]
        made.append(Run.of(name, results))
    return report(judgments, made, measures, text=False, title="a study", notices=Notices())


def page_of(seen: Report, change: Callable[[dict[str, Any]], None] = lambda _: None) -> str:
    """The page of a report; `change` may alter what its overview says."""
    parts = dict(seen.parts())
    change(parts["overview"])
    templates = b"".join(part.template() for part in pack(parts.items()))
    return (page.head("a study") + templates + page.tail()).decode()
