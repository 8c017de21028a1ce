"""excerpt assess export: qrels that evaluate runs as they are; nothing of the campaign is written over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.judged_campaign import RUN, judged_campaign
from support.served_campaign import Served, make_campaign
from support.small_campaign import small_campaign

from excerpt.assess.campaign import Campaign

from .conftest import Excerpt

FOL = "7 Q0 a 35 154 5 5:25 60:10\n7 Q0 b 0 26\n8 Q0 b 5 26 0 0:5\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign with judgments."""
    with judged_campaign(tmp_path / "c") as campaign:
        return Path(campaign.folder)


def test_judgments_and_where_they_come_from(folder: Path, excerpt: Excerpt) -> None:
    """Documents left out are printed; the file can be used to evaluate a run."""
    out = folder.parent / "qrels.fol"
    done = excerpt("assess", "export", folder, "-o", out, "--merge", "union")
    assert (done.status, out.read_text()) == (0, FOL)
    assert done.out == f"{out}: 3 of 8 documents, 2 relevant\n"
    assert done.err == (
        "excerpt: 4 of 8 documents are unjudged and left out\n"
        "excerpt: 1 of 8 documents is in progress and left out\n"
    )
    about = json.loads((folder.parent / "qrels.fol.about.json").read_text())
    assert about["command"] == f"excerpt assess export {folder.name} --merge union"
    (folder.parent / "run").write_bytes(RUN)
    scores = excerpt("evaluate", out, folder.parent / "run", "-m", "MAiP", "--format", "json")
    assert scores.status == 0
    assert scores.err.count("\n") == scores.err.count("has no fingerprints")  # the run has none
    assert json.loads(scores.out)["runs"][0]["scores"]["MAiP"] > 0


@pytest.mark.parametrize(
    ("name", "options", "start"),
    [
        ("q.xml", (), '<?xml version="1.0"'),
        ("q.jsonl.gz", (), None),
        ("q.trec", (), "7 0 a 1\n"),
        ("q.txt", (), "7 Q0 a"),
        ("q.fol", ("--to", "trec"), "7 0 a 1\n"),
    ],
)
def test_the_ending_says_the_format(
    folder: Path, excerpt: Excerpt, name: str, options: tuple[str, ...], start: str | None
) -> None:
    """Unless the format is given; compressed files are compressed."""
    out = folder.parent / name
    done = excerpt("assess", "export", folder, "-o", out, "--merge", "majority", *options)
    assert done.status == 0, done.err
    if start is None:
        assert out.read_bytes()[:2] == b"\x1f\x8b"
    else:
        assert out.read_text().startswith(start)


def test_what_was_written_as_json(folder: Path, excerpt: Excerpt) -> None:
    """For scripts: where, in which format, how many of which kind."""
    out = folder.parent / "q.jsonl"
    done = excerpt("assess", "export", folder, "-o", out, "--merge", "union", "--format", "json")
    about = json.loads((folder.parent / "q.jsonl.about.json").read_text())
    assert json.loads(done.out) == {"path": str(out), "format": "jsonl", **about["counts"]}


def test_a_folder_of_topics(folder: Path, excerpt: Excerpt) -> None:
    """A folder with a file per topic can be evaluated as one file."""
    out = folder.parent / "qrels"
    assert excerpt("assess", "export", folder, "-o", out, "--to", "inex", "--merge", "union").status == 0
    assert sorted(path.name for path in out.iterdir()) == ["7.xml", "8.xml"]
    (folder.parent / "run").write_bytes(RUN)
    assert excerpt("evaluate", out, folder.parent / "run").status == 0


def test_standard_output(folder: Path, excerpt: Excerpt) -> None:
    """Standard output has only the judgments; a note says that there is no second file."""
    done = excerpt("assess", "export", folder, "-o", "-", "--assessor", "bob")
    assert (done.status, done.out) == (0, "7 Q0 a 20 154 10 10:20\n")
    assert done.err.splitlines()[-1] == (
        "excerpt: OUT.about.json, the origin of the judgments, is not written to standard output"
    )


def test_several_assessors_are_an_error(folder: Path, excerpt: Excerpt) -> None:
    """One line that names them and what to give; nothing is written."""
    done = excerpt("assess", "export", folder, "-o", folder.parent / "q.fol")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "excerpt: 1 document has several assessors: topic 7 document a (ann, bob); choose --merge union, "
        "--merge majority or --merge intersection, or one --assessor NAME\n"
    )
    assert not list(folder.parent.glob("q.fol*"))


def test_nothing_finished(tmp_path: Path, excerpt: Excerpt) -> None:
    """Is no error."""
    small_campaign(tmp_path / "c").close()
    done = excerpt("assess", "export", tmp_path / "c", "-o", tmp_path / "q.fol")
    assert (done.status, (tmp_path / "q.fol").read_bytes()) == (0, b"")
    assert done.err == "excerpt: 8 of 8 documents are unjudged and left out\n"


@pytest.mark.parametrize(
    "name", ["judgments.sqlite", "campaign.toml", "journal.jsonl", "backups/x.fol", "new.fol", "."]
)
def test_the_campaign_is_not_written_over(folder: Path, excerpt: Excerpt, name: str) -> None:
    """Its own files are no outputs, nor is anything else in its folder."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = excerpt("assess", "export", folder, "-o", folder / name, "--to", "inex", "--merge", "union")
    assert done.status == 2
    assert "is an input; choose another name for the output" in done.err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_mistakes(folder: Path, excerpt: Excerpt) -> None:
    """Names that are not known, and folders that are no campaigns."""
    unknown = excerpt("assess", "export", folder, "-o", "-", "--assessor", "bo")
    assert unknown.err.startswith("excerpt: unknown assessor 'bo'; did you mean 'bob'?")
    nothing = excerpt("assess", "export", folder.parent, "-o", "-")
    assert (nothing.status, nothing.err.count("\n")) == (2, 1)
    assert excerpt("assess", "export", folder).err.startswith("excerpt: the following arguments are required")


def test_while_it_is_served(tmp_path: Path, excerpt: Excerpt) -> None:
    """Judgments come out of a campaign that people work in, from the command line and over HTTP."""
    folder = make_campaign(tmp_path)
    with Served(folder) as served:
        token = served.add("ann")["ann"]
        event = {"topic": "1", "document": "B", "base": 0, "kind": "done", "id": "x"}
        assert served.ask("/api/events", token, json.dumps(event).encode()).status == 200
        done = excerpt("assess", "export", folder, "-o", "-")
        assert (done.status, done.out) == (0, "1 Q0 B 0 19\n")
        assert served.ask("/api/export?to=fol", served.organiser).body.decode() == done.out
        status = served.ask("/api/status", served.organiser).json
        assert (status["documents"]["done"], status["export"]["done"]) == (1, 1)
        shown = excerpt("assess", "status", folder, "--format", "json")
        assert json.loads(shown.out)["documents"] == status["documents"]
    with Campaign.open(folder) as campaign:
        assert len(campaign.judged()) == 1
