"""stability unpooled: scores without a run's own pool, groups of runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from small_study import small_study

import excerpt
from excerpt import ExcerptError, Notices
from excerpt.experiments.outcome import Outcome, Request
from excerpt.experiments.pooling import depth, unpooled
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
    """What was pooled from all runs is what the experiments pool themselves, by either unit."""
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
    """A run that only made the pool contributes; one that did not is told, and loses nothing."""
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
    assert list(notices)[-1] == "run is not in the pool and brings nothing to it (c)"
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
    """As of every other input; a pool that has changed is told."""
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
