"""Every line of inex_eval on generated files, against its rules in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.inex_eval_oracle import Options, Rejected, lines

import excerpt

_SPANS = st.tuples(st.integers(0, 20), st.integers(0, 12))
#: rsize is right (None) or any number; size; columns after it: none, an entry point, or passages as well.
_ARTICLE = st.tuples(
    st.none() | st.integers(-1, 30), st.integers(0, 40), st.integers(-1, 40), st.lists(_SPANS, max_size=3)
)
_JUDGED = st.dictionaries(
    st.tuples(st.sampled_from(["1", "2", "10"]), st.sampled_from("abc")), _ARTICLE, min_size=1, max_size=6
)
_ROWS = st.lists(
    st.tuples(st.sampled_from(["1", "2", "10", "9"]), st.sampled_from("abcz"), st.integers(0, 9), _SPANS),
    max_size=9,
)


def _qrels(judged: dict[tuple[str, str], tuple[int | None, int, int, list[tuple[int, int]]]]) -> str:
    written = []
    for (topic, article), (rsize, size, bep, pairs) in judged.items():
        total = sum(length for _, length in pairs) if rsize is None else rsize
        rest = "".join(f" {start}:{length}" for start, length in pairs)
        written.append(f"{topic} Q0 {article} {total} {size} {bep}{rest}\n")
    return "".join(written)


def _run(rows: list[tuple[str, str, int, tuple[int, int]]]) -> str:
    """Topics in blocks, since the tool miscounts others; every tenth passage has no place."""
    return "".join(
        f"{topic} Q0 {article} 1 1 id {'X' if odd == 9 else start} {length}\n"
        for topic, article, odd, (start, length) in sorted(rows, key=lambda row: row[0])
    )


@settings(max_examples=150)
@given(_JUDGED, _ROWS, st.sampled_from("tfrbi"), st.booleans())
def test_lines_are_exact(
    judged: dict[tuple[str, str], tuple[int | None, int, int, list[tuple[int, int]]]],
    rows: list[tuple[str, str, int, tuple[int, int]]],
    task: str,
    complete: bool,
) -> None:
    """Names, topics and values are those of the rules; a run is rejected where the rules say so."""
    qrels, run = _qrels(judged), _run(rows)
    options = Options(task, complete, n=15, beta=Fraction(1, 2), irrelevant=7)
    (printed,) = excerpt.inex_eval(
        qrels.encode(),
        run.encode(),
        task,  # type: ignore[arg-type]
        per_topic=True,
        complete=complete,
        n=15,
        beta=0.5,
        irrelevant=7,
    )
    try:
        expected = list(lines(qrels, run, options, per_topic=True))
    except Rejected:
        assert printed.fault
        return
    assert not printed.fault
    assert printed.values.keys() == {line[:2] for line in expected}
    for name, topic, value in expected:
        found = printed.values[name, topic]
        right = math.nan if value is None else float(Fraction(value))
        assert found == pytest.approx(right, rel=1e-12, abs=0, nan_ok=True), (name, topic)
