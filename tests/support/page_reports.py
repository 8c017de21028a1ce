"""A report for tests of the page: few topics, runs that differ, names and texts that want to be markup."""

from __future__ import annotations

from typing import Any

from excerpt import Judgments, Notices, Policy, Run, Span, report
from excerpt.render.report import Report

HOSTILE = '"><img src=x onerror=alert(1)>'
AWKWARD = "a,b&c #% 😀"
TEXTS = {name: "".join(f"{name} 😀 sentence {at:04d}. " for at in range(60)) for name in ("D1", "D2", "D3")}
TEXTS["</template><script>alert(2)</script>"] = "Nobody judged <b>this</b>. " * 20
UNJUDGED = "</template><script>alert(2)</script>"
#: Topic, document, start, end.
RELEVANT = [
    *(("T1", "D1", 0, 40), ("T1", "D1", 100, 160), ("T1", "D2", 20, 30), ("T1", "D2", 500, 900)),
    *(("T2", "D2", 0, 50), ("T2", "D3", 700, 720), (f"T3 {HOSTILE}", "D3", 5, 25)),
]
RESULTS = {
    "alpha": [
        ("T1", "D1", 0, 50),
        ("T1", "D2", 400, 700),
        ("T2", "D3", 0, 90),
        (f"T3 {HOSTILE}", "D3", 0, 30),
    ],
    "beta": [("T1", "D2", 0, 60), ("T1", "D1", 110, 120), ("T2", "D2", 10, 60), ("T2", "D3", 710, 715)],
    HOSTILE: [("T1", UNJUDGED, 0, 20), ("T1", "D1", 20, 60), ("T2", UNJUDGED, 5, 9)],
    AWKWARD: [("T1", "D1", 0, 10), ("T1", "D1", 0, 30), ("T2", "D2", 0, 9)],
}
TITLES = {"T1": "First question", "T2": "Second question", f"T3 {HOSTILE}": f"<i>third</i> {HOSTILE}"}


def hostile_report(**how: Any) -> Report:
    """The report; results overlap, which is penalised."""
    judgments = Judgments.of(
        [(topic, Span(name, start, end)) for topic, name, start, end in RELEVANT],
        irrelevant=[("T2", "D1")],
        sizes={name: len(text) for name, text in TEXTS.items() if name != UNJUDGED},
    )
    runs = [Run.of(name, results) for name, results in RESULTS.items()]
    given: dict[str, Any] = {
        "corpus": TEXTS,
        "topics": TITLES,
        "title": HOSTILE,
        "policy": Policy(overlap="penalise"),
        "notices": Notices(),
    }
    return report(judgments, runs, ["MAiP", "charF"], **given | how)
