"""stability unpooled: scores without a run's own pool, groups of runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from small_study import small_study

from excerpt import ExcerptError
from excerpt.experiments.outcome import Outcome
from excerpt.experiments.pooling import depth, read_groups, unpooled


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\n\na\n", ":3: found 1 column, expected run and group"),
        (b"a g\n\nb g h\n", ":3: found 3 columns, expected run and group"),
        (b"a g\n\nb g\na h\n", ":4: found run a again, expected it once"),
    ],
)
def test_lines_that_are_wrong(text: bytes, message: str) -> None:
    """The message names the line as an editor counts it."""
    with pytest.raises(ExcerptError, match=message):
        read_groups(text)


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
