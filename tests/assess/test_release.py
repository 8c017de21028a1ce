"""Tests of releases: one archive with everything, the same bytes each time."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support.judged_campaign import OTHER, RUN, judged_campaign
from support.small_campaign import small_campaign

from excerpt import evaluate, read_judgments
from excerpt.assess.campaign import Campaign
from excerpt.assess.procedures import PROCEDURES
from excerpt.assess.release import released
from excerpt.errors import ExcerptError
from excerpt.model.judgments import Judgments
from excerpt.notices import Notices
from excerpt.pooling import read_pool
from excerpt.queries import read_topics


def files_of(campaign: Campaign, **how: Any) -> dict[str, bytes]:
    """The files of a release, by name."""
    with zipfile.ZipFile(io.BytesIO(released(campaign, **how)[0])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pairs_of(judgments: Judgments) -> list[tuple[str, str]]:
    """The judged pairs."""
    codes = zip(judgments.pair_topic.tolist(), judgments.pair_document.tolist(), strict=True)
    return [(judgments.topics[topic], judgments.documents[document]) for topic, document in codes]


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_a_release_has_everything(tmp_path: Path, procedure: str) -> None:
    """Every format gives the same judgments as far as it can, and the checksums are right."""
    with judged_campaign(tmp_path / "c", procedure) as campaign:
        files = files_of(campaign)
        assert released(campaign) == released(campaign)
    formats = {"qrels.xml", "qrels.jsonl", "qrels.trec"} | (
        {"qrels.fol"} if PROCEDURES[procedure].marks else set()
    )
    others = {"topics.jsonl", "pool.tsv", "about.json", "README.md", "SHA256SUMS"}
    assert files.keys() == formats | others
    sums = files.pop("SHA256SUMS").decode().splitlines()
    assert sums == [f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files)]
    assert list(read_topics(files["topics.jsonl"])) == ["7", "8"]
    judged = {
        name: read_judgments(files[name], notices=Notices(), format="trec" if "trec" in name else None)
        for name in formats
    }
    assert len({frozenset(pairs_of(one)) for one in judged.values()}) == 1
    if "qrels.fol" in judged:
        assert judged["qrels.fol"].highlights("7") == judged["qrels.jsonl"].highlights("7")


def test_evaluate_takes_the_archive(tmp_path: Path) -> None:
    """With the scores of the exported FOL file; a changed archive is refused."""
    with judged_campaign(tmp_path / "c") as campaign:
        notices = Notices()
        data, _ = released(campaign, merge="majority", notices=notices)
        assert "the intersection was taken" in str(next(iter(notices)))
        (tmp_path / "bundle.zip").write_bytes(data)
        (tmp_path / "qrels.fol").write_bytes(files_of(campaign, merge="majority")["qrels.fol"])
    tables = [
        evaluate(tmp_path / name, [RUN, OTHER], ["MAiP", "iP[0.01]", "BEPD(L=100)"], notices=Notices())
        for name in ("bundle.zip", "qrels.fol")
    ]
    assert (tables[0].means() == tables[1].means()).all()
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("SHA256SUMS", "")
        archive.writestr("qrels.jsonl", files_of(Campaign.open(tmp_path / "c"))["qrels.jsonl"])
    with pytest.raises(ExcerptError, match="differs from its checksum"):
        read_judgments(tmp_path / "odd.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(ExcerptError, match="ZIP archive without released judgments"):
        read_judgments(tmp_path / "other.zip")
    with pytest.raises(ExcerptError, match="ZIP archive without released judgments"):
        read_judgments(data[:200])


def test_anonymous_releases_have_letters(tmp_path: Path) -> None:
    """No file contains a name of an assessor, nor their notes."""
    with judged_campaign(tmp_path / "c", "evidence") as campaign:
        names = {item.assessor for item in campaign.judged()}
        open_files, files = files_of(campaign), files_of(campaign, anonymous=True)
    assert len(names) > 1
    for name in names:
        assert any(f'"{name}"'.encode() in data for data in open_files.values())
        assert not any(name.encode() in data for data in files.values())
    about = json.loads(files["about.json"])
    assert set(about["assessors"]) == {"A", "B"}
    assert about["anonymous"] is True


def test_some_topics_are_released(tmp_path: Path) -> None:
    """Topics, pool and judgments have these alone; an unknown topic is an error."""
    with judged_campaign(tmp_path / "c") as campaign:
        files = files_of(campaign, only="7")
        with pytest.raises(ExcerptError, match="unknown topic '99'"):
            released(campaign, only="99")
    assert list(read_topics(files["topics.jsonl"])) == ["7"]
    assert read_pool(files["pool.tsv"]).topics == ("7",)
    assert read_judgments(files["qrels.jsonl"], notices=Notices()).topics == ("7",)


def test_nothing_finished_is_no_release(tmp_path: Path) -> None:
    """One sentence."""
    with (
        small_campaign(tmp_path / "c") as campaign,
        pytest.raises(ExcerptError, match="no document is finished"),
    ):
        released(campaign)


def test_guidelines_and_passages_are_released(tmp_path: Path) -> None:
    """Guidelines as they were given, and a pool of passages as such."""
    from support.small_campaign import do, small_pool

    pool = small_pool(("a", "b"), "passage")
    how: dict[str, Any] = {"pool": pool, "guidelines": b"# Read *all*", "title": "a <b> | `c`"}
    with small_campaign(tmp_path / "c", procedure="inex2004", **how) as campaign:
        do(campaign, "ann", "grade", path="/article[1]", grade=[0, 0], document="b")
        for path in [node.path for node in campaign.material("b").structure.nodes]:
            do(campaign, "ann", "grade", path=path, grade=[0, 0], document="b")
        assert do(campaign, "ann", "done", document="b")["done"]
        files = files_of(campaign)
    assert files["guidelines.md"] == b"# Read *all*"
    assert b"# Judgments: a \\<b\\> \\| \\`c\\`\n" in files["README.md"]
    made = read_pool(files["pool.tsv"])
    assert made.unit == "passage"
    assert [item.passages for item in made.by_topic["7"]] == [item.passages for item in pool.by_topic["7"]]


def test_a_release_says_how_it_may_be_used_and_cited(tmp_path: Path) -> None:
    """In README, where marks of Markdown are text, and in about.json; without them in neither."""
    with judged_campaign(tmp_path / "c", "inex2007") as campaign:
        plain = files_of(campaign)
        files = files_of(campaign, licence="CC-BY-4.0", citation="Ann *et al.*: <Judgments>, 2026")
    about = json.loads(files["about.json"])
    assert (about["licence"], about["citation"]) == ("CC-BY-4.0", "Ann *et al.*: <Judgments>, 2026")
    readme = files["README.md"].decode()
    assert "## Licence\n\nCC-BY-4.0\n" in readme
    assert r"Ann \*et al.\*: \<Judgments\>, 2026" in readme
    assert "Licence" not in plain["README.md"].decode()
    assert "licence" not in json.loads(plain["about.json"])
