"""Where exported judgments come from."""

from __future__ import annotations

import json
from pathlib import Path

from judged_campaign import judged_campaign
from small_campaign import small_campaign

from excerpt import __version__
from excerpt.assess.exporting import exported, write_export
from excerpt.assess.merging import Opinion, Pair
from excerpt.assess.opinions import Opinions
from excerpt.assess.provenance import counts_of


def test_what_stands_beside_the_judgments(tmp_path: Path) -> None:
    """The campaign and its hashes, what was asked for, and who said it."""
    with judged_campaign(tmp_path / "c", title="Rents") as campaign:
        settings = campaign.settings
        export = exported(campaign, merge="majority", command="excerpt assess export c -o qrels.fol")
        write_export(export, tmp_path / "qrels.fol")
    about = json.loads((tmp_path / "qrels.fol.about.json").read_text())
    assert about["excerpt"] == __version__
    assert about["campaign"] == {
        "title": "Rents", "procedure": "inex2007", "created": settings.created, "order": "pool",
        "double": None, "seed": 1,
    }  # fmt: skip
    assert about["sha256"] == {
        "corpus": settings.corpus_sha256,
        "topics": settings.topics_sha256,
        "pool": settings.pool_sha256,
    }
    assert [run["name"] for run in about["runs"]] == ["one", "two"]
    assert (about["format"], about["merge"], about["assessor"]) == ("fol", "majority", None)
    assert about["command"] == "excerpt assess export c -o qrels.fol"
    assert about["assessors"] == {"ann": 3, "bob": 1}
    assert about["machine"]["suggestions"] == 0


def test_the_same_judgments_have_the_same_file(tmp_path: Path) -> None:
    """No clock is in it."""
    with judged_campaign(tmp_path / "c") as campaign:
        for name in ("one", "two"):
            write_export(exported(campaign, merge="union"), tmp_path / f"{name}.fol")
    assert (tmp_path / "one.fol.about.json").read_bytes() == (tmp_path / "two.fol.about.json").read_bytes()


def test_hostile_names_are_data(tmp_path: Path) -> None:
    """Escape sequences in a title do not reach a terminal."""
    with small_campaign(tmp_path / "c", title="x\x9b31my") as campaign:
        write_export(exported(campaign), tmp_path / "q.fol")
    text = (tmp_path / "q.fol.about.json").read_text(encoding="utf-8")
    assert "\x9b" not in text
    assert json.loads(text)["campaign"]["title"] == "x\x9b31my"


def test_counts() -> None:
    """An unfinished document is neither relevant nor irrelevant."""
    pairs = [Pair("1", document) for document in "ABCDE"]
    said = [
        Opinion(pairs[0], ("ann",), highlights=((0, 1),)),
        Opinion(pairs[0], ("bob",)),
        Opinion(pairs[1], ("ann",)),
        Opinion(pairs[2], ("ann",), done=False, highlights=((0, 1),)),
    ]
    opinions = Opinions.collect(pairs, said)
    assert counts_of(opinions, opinions.merged("union", unfinished=True)) == {
        "pool": 5, "exported": 3, "relevant": 1, "irrelevant": 1, "unfinished": 1, "unjudged": 2,
        "several": 1,
    }  # fmt: skip
