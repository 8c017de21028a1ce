"""excerpt assess new: what it makes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import old_campaigns

from excerpt.assess.campaign import Campaign
from excerpt.assess.procedures import PROCEDURES
from excerpt.cli import command_of

from .conftest import Excerpt

DOCUMENTS = {"A": "Alpha 😀 beta", "B": "gamma"}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Documents, topics and a pool, in the current folder."""
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": name, "text": text}) + "\n" for name, text in DOCUMENTS.items()]
    Path("docs.jsonl").write_text("".join(lines), encoding="utf-8")
    Path("topics.tsv").write_text("1\tgreek\n2\tother\n", encoding="utf-8")
    Path("pool.tsv").write_text("topic\tdocument\n1\tA\n1\tB\n2\tB\n", encoding="utf-8")
    return ["--corpus", "docs.jsonl", "--topics", "topics.tsv", "--pool", "pool.tsv"]


def test_a_campaign_is_made(inputs: list[str], excerpt: Excerpt) -> None:
    """The contents are printed on standard output, and the next step as a note."""
    done = excerpt("assess", "new", "mine", *inputs)
    assert done.status == 0, done.err
    assert done.out == ("campaign   mine\nprocedure  inex2007\ntopics     2\ndocuments  2\nto judge   3\n")
    assert done.err == "excerpt: next: excerpt assess people mine add NAME…\n"
    with Campaign.open("mine") as campaign:
        assert [topic.id for topic in campaign.topics] == ["1", "2"]
        assert campaign.settings.port > 0


@pytest.mark.parametrize("choice", [("--only", "2"), ("--exclude", "1"), ("--only", "1-2", "--exclude", "1")])
def test_some_topics(inputs: list[str], excerpt: Excerpt, choice: tuple[str, ...]) -> None:
    """Of topics, pool and earlier judgments; these may lack a topic."""
    Path("qrels").write_text("1 Q0 A 5 12 0 0:5\n", encoding="utf-8")
    done = excerpt("assess", "new", "mine", *inputs, *choice, "--qrels", "qrels")
    assert done.status == 0, done.err
    with Campaign.open("mine") as campaign:
        assert [topic.id for topic in campaign.topics] == ["2"]
        assert list(campaign.contents.pairs) == [("2", "B")]
        assert list(campaign.judged()) == []
    done = excerpt("assess", "new", "other", *inputs, "--only", "3")
    assert (done.status, Path("other").exists()) == (2, False)
    assert "unknown topic '3'; did you mean '2'? known: 1, 2" in done.err


def test_settings_are_passed_on(inputs: list[str], excerpt: Excerpt) -> None:
    """Each option is a setting of the campaign."""
    options = ["--procedure", "evidence", "--label", "yes", "--label", "no", "--double", "0.5"]
    options += ["--order", "random", "--seed", "7", "--control", "0.25", "--title", "T <b>"]
    suggested = {"topic": "1", "document": "A", "start": 0, "end": 5, "model": "m", "prompt": "0"}
    Path("machine.jsonl").write_text(json.dumps(suggested) + "\n", encoding="utf-8")
    options += ["--suggestions", "machine.jsonl"]
    assert excerpt("assess", "new", "mine", *inputs, *options).status == 0
    with Campaign.open("mine") as campaign:
        found = campaign.settings
    assert (found.procedure, found.labels, found.double) == ("evidence", ("yes", "no"), 0.5)
    assert (found.order, found.seed, found.control, found.title) == ("random", 7, 0.25, "T <b>")


def test_earlier_judgments_are_taken_over(inputs: list[str], excerpt: Excerpt) -> None:
    """Earlier judgments belong to the assessor named by --qrels-as."""
    Path("qrels").write_text("1 Q0 A 5 12 0 0:5\n", encoding="utf-8")
    options = ["--qrels", "qrels", "--qrels-as", "old", "--qrels-format", "fol"]
    done = excerpt("assess", "new", "mine", *inputs, *options)
    assert done.status == 0, done.err
    with Campaign.open("mine") as campaign:
        assert [(each.assessor, each.document) for each in campaign.judged()] == [("old", "A")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--procedure", "inex2077"], "inex2077"),
        (["--double", "x"], "argument --double: found 'x', expected a number"),
        (["--double", "2"], "double"),
        (["--order", "odd"], "odd"),
        (["--pool", "nowhere.tsv"], "nowhere.tsv"),
        (["--qrels", "nowhere"], "nowhere"),
        (["--qrels-as", "ann"], "--qrels-as needs --qrels"),
        (["--qrels-format", "fol"], "--qrels-format needs --qrels"),
        (["--suggestions", "nowhere"], "nowhere"),
        (["--control", "0.5"], "--control needs --suggestions"),
        (["--label", "a"], "--label needs --procedure evidence, found inex2007"),
        (["--seed", "1.5"], "argument --seed: found '1.5', expected a whole number of at least 0"),
    ],
)
def test_refusals_are_one_line(inputs: list[str], excerpt: Excerpt, options: list[str], message: str) -> None:
    """And nothing is left behind."""
    done = excerpt("assess", "new", "mine", *inputs, *options)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not Path("mine").exists()
    assert sorted(path.name for path in Path().iterdir()) == ["docs.jsonl", "pool.tsv", "topics.tsv"]


def test_procedures_are_listed(excerpt: Excerpt) -> None:
    """By the option alone, and in the help: one line each."""
    listed = excerpt("assess", "new", "--procedure")
    assert (listed.status, listed.err) == (0, "")
    lines = listed.out.splitlines()
    assert [line.split()[0] for line in lines] == list(PROCEDURES)
    shown = command_of("assess new").help().splitlines()
    assert [line for line in shown if line[2:] in lines] == [f"  {line}" for line in lines]
    assert [line for line in lines if len(line) > 76] == []


@pytest.mark.parametrize(("command", "more"), [("status", []), ("agreement", []), ("people", ["list"])])
def test_a_procedure_with_another_name_is_said_once(
    excerpt: Excerpt, command: str, more: list[str], tmp_path: Path
) -> None:
    """Campaigns of inex2006 without entry points go on as `highlight`."""
    folder = old_campaigns.unpack("first-inex2006", tmp_path / "first")
    done = excerpt("assess", command, str(folder), *more)
    note = "excerpt: procedure inex2006 of this campaign is now called highlight; its rules stay\n"
    assert (done.status, done.err.count(note)) == (0, 1)


@pytest.mark.parametrize(("left_out", "option"), [(0, "--corpus"), (2, "--topics")])
def test_documents_and_topics_are_needed(
    inputs: list[str], excerpt: Excerpt, left_out: int, option: str
) -> None:
    """It says which is missing."""
    given = inputs[:left_out] + inputs[left_out + 2 :]
    done = excerpt("assess", "new", "mine", *given)
    assert done.status == 2
    assert f"the following arguments are required: {option}" in done.err


def test_a_folder_with_something_in_it_is_left_alone(inputs: list[str], excerpt: Excerpt) -> None:
    """Also a campaign."""
    assert excerpt("assess", "new", "mine", *inputs).status == 0
    before = Path("mine/campaign.toml").read_bytes()
    done = excerpt("assess", "new", "mine", *inputs)
    assert done.status == 2
    assert done.err.startswith("excerpt: mine: ")
    assert Path("mine/campaign.toml").read_bytes() == before


def test_files_of_the_corpus_are_read_as_the_project_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt
) -> None:
    """Code that a pattern includes and another encoding, also later, from elsewhere and with another path."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.txt").write_bytes(b"caf\xe9")
    Path("docs/b.py").write_text("pass", encoding="utf-8")
    Path("topics.tsv").write_text("1\tWhat?\n", encoding="utf-8")
    text = "[corpus]\ninclude = ['*.py']\nencoding = 'cp1252'\n"
    Path("excerpt.toml").write_text(text, encoding="utf-8")
    monkeypatch.delenv("EXCERPT_CONFIG")
    done = excerpt("assess", "new", "camp", "--corpus", "docs", "--topics", "topics.tsv")
    assert (done.status, "documents  2" in done.out) == (0, True), done.out + done.err
    Path("excerpt.toml").unlink()
    with Campaign.open("camp") as campaign:
        assert dict(campaign.corpus) == {"a.txt": "café", "b.py": "pass"}
    Path("docs").rename("moved")
    with Campaign.open("camp", corpus="moved") as campaign:
        assert dict(campaign.corpus) == {"a.txt": "café", "b.py": "pass"}
    assert excerpt("assess", "rebuild", "camp", "--corpus", "moved").status == 0


def test_a_corpus_with_a_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt) -> None:
    """It is found again with its parser."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.html").write_text("<p>One <b>two</b></p>", encoding="utf-8")
    Path("topics.tsv").write_text("1\tWhat?\n", encoding="utf-8")
    done = excerpt("assess", "new", "camp", "--corpus", "docs@source", "--topics", "topics.tsv")
    assert done.status == 0, done.err
    with Campaign.open("camp") as campaign:
        assert campaign.corpus["a.html"] == "<p>One <b>two</b></p>"
