"""excerpt assess agreement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.judged_campaign import OTHER, RUN, judged_campaign

from .conftest import Excerpt


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with judgments, and two runs next to it."""
    (tmp_path / "one.fol").write_bytes(RUN)
    (tmp_path / "two.fol").write_bytes(OTHER)
    with judged_campaign(tmp_path / "c") as campaign:
        return Path(campaign.folder)


def test_assessors_and_runs(folder: Path, excerpt: Excerpt) -> None:
    """Agreement at every level, then what it does to the runs."""
    runs = [folder.parent / name for name in ("one.fol", "two.fol")]
    done = excerpt("assess", "agreement", folder, *runs, "-m", "MAiP")
    assert (done.status, done.err) == (0, "")
    assert "ann, bob   character          1         0   0.2857" in done.out
    assert "ann, bob   MAiP          1     2  1.0000        0" in done.out
    found = json.loads(excerpt("assess", "agreement", folder, *runs, "--format", "json").out)
    assert [row["measure"] for row in found["rankings"]] == ["MAiP", "iP[0.01]"]
    assert found["rows"][0]["jaccard"] == 10 / 35
    assert found["record"]["seed"] == 1
    table = excerpt("assess", "agreement", folder, "--format", "csv").out
    assert table.startswith("compared,assessors,topic,level,documents,left_out,jaccard,jaccard_low")


def test_runs_that_are_not_there(folder: Path, excerpt: Excerpt) -> None:
    """The agreement is printed, with the reason for the missing ranking."""
    done = excerpt("assess", "agreement", folder, "--samples", "10")
    assert done.status == 0
    assert done.err == (
        "excerpt: warning: runs are not ranked: files of one, two are missing or have changed; "
        "give the runs\n"
    )
    one = excerpt("assess", "agreement", folder, folder.parent / "one.fol")
    assert one.err == "excerpt: found 1 run, expected at least 2 to rank\n"
    assert "--seed: found '-1', expected" in excerpt("assess", "agreement", folder, "--seed", "-1").err


def test_runs_that_break_the_rules(folder: Path, excerpt: Excerpt) -> None:
    """As in evaluate: rejected without a policy."""
    (folder.parent / "two.fol").write_bytes(OTHER + b"8 Q0 b 3 0.1 other 0 9\n")
    runs = [folder.parent / name for name in ("one.fol", "two.fol")]
    done = excerpt("assess", "agreement", folder, *runs)
    assert (done.status, done.out) == (2, "")
    assert "overlapping" in done.err
    assert excerpt("assess", "agreement", folder, *runs, "--overlap", "first").status == 0
