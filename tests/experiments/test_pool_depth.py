"""stability unpooled: scores without a run's own pool, groups of runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.small_study import small_study

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Result, Run, Span, pool
from excerpt.experiments.outcome import Outcome, Request
from excerpt.experiments.pool_depth import ContributionRanks, depth, read_reach, unpooled
from excerpt.experiments.study import NEVER, Pooled
from excerpt.pooling import Pool, PoolItem
from excerpt.pooling.returned import read_groups


def test_what_a_run_loses() -> None:
    """Without its own pool run `a` keeps what others found; with its whole group even less."""
    rows = {row["run"]: row for row in unpooled(*small_study(), depth=10, unit="passage").rows}
    assert rows["a"]["score"] == pytest.approx((21 / 30 + 1) / 2)
    assert rows["a"]["unpooled_score"] == pytest.approx((1 / 10 + 0) / 2)
    assert (rows["b"]["change"], rows["b"]["rank_change"]) == (0.0, 0)
    with pytest.raises(ExcerptError, match="found a single run or group"):
        unpooled(*small_study(), groups=dict.fromkeys("abc", "g"))
    with pytest.raises(ExcerptError, match="unknown run in the groups 'd'"):
        unpooled(*small_study(), groups={"d": "g"})
    grouped = unpooled(*small_study(), depth=10, unit="passage", groups={"a": "g", "b": "g"}).rows
    assert {row["run"]: row["unpooled_score"] for row in grouped} == {"a": 0.0, "b": 0.0, "c": 0.0}


def test_groups_of_a_file() -> None:
    """Lines of run and group; blank lines are nothing."""
    assert read_groups(b"a g\n\n  b\tg  \n") == {"a": "g", "b": "g"}
    rows = unpooled(*small_study(), depth=10, unit="passage", groups=b"a g\nb g\n").rows
    assert {row["group"] for row in rows} == {"g", "c"}


def test_a_group_of_an_unknown_run_is_located(tmp_path: Path) -> None:
    """A file of groups that names no run, or leaves one group, is named in the message."""
    file = tmp_path / "groups"
    for text, message in (
        ("d g\n", "unknown run in the groups 'd'"),
        ("a g\nb g\nc g\n", "found a single run or"),
    ):
        file.write_text(text)
        with pytest.raises(ExcerptError) as caught:
            unpooled(*small_study(), groups=str(file))
        assert str(caught.value).startswith(f"{file}: {message}")


def test_deeper_pools() -> None:
    """A deeper pool has more passages; the deepest ranks as the full judgments do."""
    rows = depth(*small_study(), depths=(1, 2, 3), unit="passage").rows
    assert [(row["depth"], row["passages"]) for row in rows] == [(1, 2), (2, 4), (3, 4)]
    assert rows[-1]["tau_b"] == 1.0


@pytest.mark.parametrize("experiment", [depth, unpooled])
def test_runs_that_can_be_read_once(experiment: Callable[..., Outcome]) -> None:
    """Pools look at every run twice, open files give the rows of their content."""
    content = [b"1 Q0 x 1 2 a 0 10\n1 Q0 y 2 1 a 5 6\n", b"1 Q0 y 1 2 b 0 10\n2 Q0 z 2 1 b 5 9\n"]
    judgments, _, measures = small_study()
    assert (
        experiment(judgments, map(io.BytesIO, content), measures).rows
        == experiment(judgments, content, measures).rows
    )


def test_a_pool_of_the_same_runs_changes_nothing() -> None:
    """A pool of all runs is the one that the experiments simulate, by either unit."""
    judgments, runs, measures = small_study()
    units: tuple[Any, ...] = ("document", "passage")
    for unit in units:
        made = excerpt.pool(runs, depth=2)
        how: dict[str, Any] = {"unit": unit, "depths": (1, 2)}
        assert depth(judgments, runs, measures, pool=made, **how).rows == depth(*small_study(), **how).rows
        of_pool = unpooled(judgments, runs, measures, pool=made, unit=unit, depth=2).rows
        assert of_pool == unpooled(*small_study(), unit=unit, depth=2).rows
        whole = unpooled(judgments, runs, measures, pool=made, unit=unit).rows
        assert [{**row, "depth": 2} for row in whole] == list(of_pool)
        assert {row["depth"] for row in whole} == {None}


def test_runs_of_the_pool_and_others() -> None:
    """A run of the pool contributes, evaluated or not; an unpooled run causes a warning and loses nothing."""
    judgments, (a, b, c), measures = small_study()
    made = excerpt.pool([a, b], depth=9)
    notices = Notices()
    rows = {
        row["run"]: row
        for row in unpooled(
            judgments, (b, c), measures, pool=made, unit="passage", depth=9, notices=notices
        ).rows
    }
    assert (rows["b"]["change"], rows["c"]["change"]) == (0.0, 0.0)
    assert list(notices)[-1] == "1 run is not in the pool and contributes nothing (c)"
    grouped = unpooled(
        judgments, (b, c), measures, pool=made, groups={"c": "g", "a": "g"}, unit="passage", depth=9,
        notices=Notices(),
    ).rows  # fmt: skip
    assert next(row for row in grouped if row["run"] == "c")["unpooled_score"] == 0.0
    shallow = depth(judgments, (b, c), measures, pool=made, depths=(1, 9), notices=Notices()).rows
    assert [row["passages"] for row in shallow] == [4, 4]


def test_what_was_sampled_stays() -> None:
    """Sampled documents are in no pool of a depth, but in every one without a run."""
    judgments, runs, measures = small_study()
    items = [
        PoolItem("1", "x", 1, "depth", Fraction(1), ("a",), (((1, 0, 10),),)),
        PoolItem("1", "y", 2, "sample", Fraction(1, 2), ("a",), (((3, 5, 6),),)),
        PoolItem("2", "z", 1, "depth", Fraction(1), ("c",), (((1, 50, 60),),)),
    ]
    made = Pool.of(items)
    how: dict[str, Any] = {"pool": made, "notices": Notices()}
    assert [row["passages"] for row in depth(judgments, runs, measures, depths=(9,), **how).rows] == [3]
    rows = {row["run"]: row for row in unpooled(judgments, runs, measures, **how).rows}
    assert rows["a"]["unpooled_score"] == pytest.approx((1 / 10 + 1) / 2)
    with pytest.raises(ExcerptError, match="unknown run in the groups 'd'"):
        unpooled(judgments, runs, measures, groups={"d": "g"}, **how)


def test_records_keep_the_digest_of_the_pool(tmp_path: Path) -> None:
    """As of every other input; a changed pool is an error."""
    import hashlib

    (tmp_path / "q").write_text("1 Q0 x 20 100 0 0:10 20:10\n")
    for name in "ab":
        (tmp_path / name).write_text(f"1 Q0 x 1 1 {name} 0 10\n")
    files = [str(tmp_path / name) for name in "ab"]
    pooled = tmp_path / "pool.tsv"
    excerpt.pool(files).write(pooled)
    asked = {"qrels": str(tmp_path / "q"), "runs": files, "measures": ["charR"], "pool": str(pooled)}
    for experiment in ("stability depth", "stability unpooled"):
        record = Request.of(experiment, asked).record()
        digests = {item.path: item.sha256 for item in record.inputs}
        assert digests[str(pooled)] == hashlib.sha256(pooled.read_bytes()).hexdigest()


SPANS = [("1", Span("x", 0, 10)), ("1", Span("x", 20, 30)), ("1", Span("y", 0, 10)), ("2", Span("z", 5, 9))]
JUDGMENTS = Judgments.of(SPANS, irrelevant=[("2", "x")])


@st.composite
def items(draw: st.DrawFn) -> list[PoolItem]:
    """Items of judged and other documents, some sampled, some without runs, some results without offsets."""
    found = []
    pairs = st.sets(st.tuples(st.sampled_from("123"), st.sampled_from("xyzw")), min_size=1)
    for order, (topic, document) in enumerate(sorted(draw(pairs)), 1):
        runs = draw(st.sets(st.sampled_from("ab")).map(sorted))
        spans = st.sampled_from([(-1, -1), (0, 5), (8, 25), (12, 15), (30, 40), (0, 99)])
        passages = [
            tuple((rank, *draw(spans)) for rank in sorted(draw(st.sets(st.integers(1, 9), max_size=2))))
            for _ in runs
        ]
        stratum = draw(st.sampled_from(["depth", "sample"]))
        found.append(PoolItem(topic, document, order, stratum, Fraction(1), tuple(runs), tuple(passages)))
    return found


@given(items(), st.sampled_from(["document", "passage"]))
def test_reach_is_what_the_rows_say(given_items: list[PoolItem], unit: Pooled) -> None:
    """Each passage at the best rank of a result in its document, or that overlaps it."""
    made = Pool.of(given_items)
    judged = {(topic, span.document) for topic, span in SPANS} | {("2", "x")}
    if not any((item.topic, item.document) in judged for item in given_items):
        with pytest.raises(ExcerptError, match="no document of the pool is judged"):
            read_reach(made, JUDGMENTS, unit, Notices())
        return
    reach = read_reach(made, JUDGMENTS, unit, Notices())
    ranks = {name: [NEVER] * len(SPANS) for name in reach.runs}
    anyway = [False] * len(SPANS)
    for place, (topic, span) in enumerate(SPANS):
        for item in given_items:
            if (item.topic, item.document) != (topic, span.document):
                continue
            anyway[place] |= not item.runs
            for name, group in zip(item.runs, item.passages, strict=True):
                for rank, start, end in group or ((0, -1, -1),):
                    if unit == "document" or start < 0 or (start < span.end and span.start < end):
                        if item.stratum == "sample":
                            anyway[place] = True
                        else:
                            ranks[name][place] = min(rank, ranks[name][place])
    assert {name: row.tolist() for name, row in zip(reach.runs, reach.ranks, strict=True)} == ranks
    assert reach.anyway.tolist() == anyway


def test_warning_if_passages_count_as_documents() -> None:
    """A pool of passages asked about documents says so."""
    notices = Notices()
    made = pool([Run.of("a", [Result("1", "x", 0, 5)])], unit="passage")
    read_reach(made, JUDGMENTS, "document", notices)
    assert list(notices) == [
        "the pool is of passages, but all text of their documents counts (unit document)"
    ]


def test_files_of_other_judgments_are_named() -> None:
    """With their place."""
    with pytest.raises(ExcerptError, match="<bytes>: no document of the pool is judged, expected the pool"):
        read_reach(b"topic\tdocument\n9\tx\n", JUDGMENTS, "document", Notices())


def test_without_some_runs() -> None:
    """Passages that the other runs contribute."""
    reach = ContributionRanks(("a", "b"), np.array([[1, 5, NEVER], [NEVER, 2, NEVER]]), np.zeros(3, np.bool_))
    assert reach.within(None).tolist() == [True, True, False]
    assert reach.within(4).tolist() == [True, True, False]
    assert reach.within(4, np.array([False, True])).tolist() == [True, False, False]
