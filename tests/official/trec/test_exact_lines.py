"""Every line of trec_eval on generated files, against its rules in exact arithmetic."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.exact_numbers import decimal_of
from support.trec_eval_oracle import ALL, Options, Text, lines

import excerpt
from excerpt.official.trec.names import MEASURES

_NAMES = st.sampled_from("abcdefghijklm")
_TOPICS = st.sampled_from(["1", "2", "10"])
_GRADES = st.dictionaries(_NAMES, st.integers(-1, 4), max_size=9).map(lambda grades: {"q": 0, **grades})
_SCORES = st.dictionaries(_NAMES, st.sampled_from([0.5, 1.0, 2.0, -1.0]), min_size=1)


@settings(max_examples=75)
@given(
    st.dictionaries(_TOPICS, _GRADES, min_size=1),
    st.dictionaries(_TOPICS, _SCORES, min_size=1),
    st.builds(
        Options,
        complete=st.booleans(),
        judged_only=st.booleans(),
        level=st.integers(1, 2),
        most=st.none() | st.integers(1, 6),
        documents=st.integers(0, 50),
    ),
)
def test_lines_are_exact(
    qrels: dict[str, dict[str, int]], scores: dict[str, dict[str, float]], options: Options
) -> None:
    """Names, topics and values are those of the rules; ties are in descending order of ids."""
    if not qrels.keys() & scores.keys():
        return
    judged = "".join(
        f"{topic} 0 {name} {grade}\n" for topic, of in qrels.items() for name, grade in of.items()
    )
    rows = "".join(f"{topic} Q0 {name} 1 {of[name]} r\n" for topic, of in scores.items() for name in of)
    (printed,) = excerpt.trec_eval(
        judged.encode(),
        rows.encode(),
        ALL,
        per_topic=True,
        complete=options.complete,
        judged_only=options.judged_only,
        level=options.level,
        most=options.most,
        documents=options.documents,
    )
    run = {
        topic: sorted(sorted(of, reverse=True), key=lambda name, of=of: -of[name])  # type: ignore[misc]
        for topic, of in scores.items()
    }
    shown = dict(
        zip(map(tuple, (line.split("\t")[:2] for line in printed.lines)), printed.lines, strict=True)
    )
    expected = list(lines(ALL, qrels, run, "r", options))
    assert {(name.rstrip(), topic) for name, topic in shown} == {line[:2] for line in expected}
    for name, topic, value in expected:
        text = shown[f"{name:<22}", topic].split("\t")[2]
        if isinstance(value, Text):
            assert text == value, (name, topic)
        else:
            right = math.nan if value is None else float(decimal_of(value))
            assert float(text) == pytest.approx(right, abs=6e-5, nan_ok=True), (name, topic)


def test_all_measures_are_covered() -> None:
    """The oracle knows each of the measures that excerpt prints."""
    assert set(ALL) == set(MEASURES)
