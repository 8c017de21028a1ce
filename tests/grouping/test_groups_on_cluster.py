"""Groups of topics on a Dask cluster: the same bytes, and little is handed over."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from support.cluster_use import output
from support.loopback import Loopback

from excerpt.cluster import dask_cluster
from excerpt.engine import pack
from excerpt.evaluation import scoring
from excerpt.grouping import line_groups

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
# What Dask's own threads and sockets do at their end is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("scattered", [False, True])
def test_a_run_is_shared_by_workers(
    cluster: Loopback,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    scattered: bool,
) -> None:
    """Scores and warnings are those of one process; lines are not sent if their place is known."""
    rng = random.Random(1)
    rows = [
        f"t{topic} Q0 D{rng.randrange(50)} {rank} {rng.choice([9, 90 - rank])} tag\n"
        for topic in range(300)
        for rank in range(1, 41)
    ]
    if scattered:
        rng.shuffle(rows)
    judged = [f"t{topic} 0 D{document} 1\n" for topic in range(2, 305) for document in range(topic % 7)]
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(judged))
    Path("run").write_text("".join(rows))
    command = ["evaluate", "qrels", "run", "-m", "trec", "--per-topic", "--workers", "1"]
    expected = output(capsys, *command)
    assert "topics are not in the judgments" in expected[2]
    sent: list[tuple[object, int]] = []

    def counted(value: object, dumps: Any) -> bytes:
        packed = pack(value, dumps)
        sent.append((value, len(packed)))
        return packed

    monkeypatch.setattr(dask_cluster, "pack", counted)
    monkeypatch.setattr(line_groups, "GROUP_BYTES", 20_000)
    monkeypatch.setattr(scoring, "GROUPED_BYTES", 1)
    assert output(capsys, *command[:-2], "--cluster", cluster.address) == expected
    groups = [size for value, size in sent if isinstance(value, line_groups.LineGroup)]
    assert len(groups) > 10
    assert len(sent) == len(groups) + 1  # the judgments once
    if scattered:
        assert len("".join(rows)) < sum(groups) < 2 * len("".join(rows))
    else:
        assert max(groups) < 200
