"""Painted text of a report agrees with sets of characters, for any judgments and results."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.browsing import Pages, address, go, painted_characters, text_of
from support.span_sets import Spans, painting_of, spans_of

import excerpt
from excerpt import Corpus, Judgments, Policy, Run

TEXT = "Line 😀 says something of rent, é, \u05e9\u05dc\u05d5\u05dd.\r\n" * 15
SPAN = st.tuples(st.integers(0, 300), st.integers(1, 120)).map(lambda pair: [pair[0], pair[0] + pair[1]])


@settings(max_examples=6, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(
    marked=st.sets(st.integers(0, 300), max_size=150),
    runs=st.lists(st.lists(SPAN, max_size=6), min_size=2, max_size=9),
)
def test_painted_characters_agree_with_sets(
    open_page: Pages, tmp_path: Path, marked: set[int], runs: list[Spans]
) -> None:
    """For one run and for all, in a judged document and in an unjudged one."""
    relevant = spans_of(marked)
    judgments = Judgments.of(
        [("t", "a", start, end) for start, end in relevant] + [("t", "c", 0, 1)],
        irrelevant=[("t", "a")] if not relevant else [],
        sizes={"a": len(TEXT), "c": len(TEXT)},
    )
    names = [f"run, {number}" for number in range(len(runs))]
    results = [[*map(list, dict.fromkeys(map(tuple, spans))), [500, 510]] for spans in runs]
    found = [
        Run.of(name, [("t", document, *span) for document in "abc" for span in spans])
        for name, spans in zip(names, results, strict=True)
    ]
    path = tmp_path / "generated.html"
    corpus = Corpus(dict.fromkeys("abc", TEXT))
    excerpt.report(judgments, found, ["charP"], corpus=corpus, policy=Policy(overlap="allow")).save(path)
    page = open_page(path)
    for document, judged in (("a", True), ("b", False)):
        for chosen in (range(1), range(len(runs))):
            go(page, address(topic="t", runs=[names[number] for number in chosen], doc=document))
            assert text_of(page) == TEXT
            assert painted_characters(page) == painting_of(
                relevant if judged else [], [results[number] for number in chosen], judged=judged
            )
    open_page.leave(page)
