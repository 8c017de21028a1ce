"""excerpt chunks: chunkers from files to numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt import Corpus

from .conftest import Excerpt

TEXT = "Rain fell. The river rose."


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A document, judgments of two questions, and the chunks of two chunkers."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.txt").write_text(TEXT, encoding="utf-8")
    rows = [("1", 0, 10), ("2", 15, 26)]
    lines = [{"topic": topic, "document": "a.txt", "start": start, "end": end} for topic, start, end in rows]
    Path("gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    corpus = Corpus.read("docs")
    for name, texts in {"sentences": ["Rain fell.", "The river rose."], "words": TEXT.split()}.items():
        corpus.place([{"document": "a.txt", "text": text} for text in texts]).write(f"{name}.jsonl")
    return tmp_path


@pytest.mark.usefixtures("world")
def test_numbers_of_each_chunker(excerpt: Excerpt) -> None:
    done = excerpt("chunks", "gold.jsonl", "sentences.jsonl", "words.jsonl", "--corpus", "docs")
    assert done.status == 0
    assert done.err == ""
    assert [line.split() for line in done.out.splitlines() if not line.startswith("-")] == [
        ["run", "ceiling", "cut", "omega"],
        ["sentences", "1.0000", "0.0000", "0.8667"],
        ["words", "0.9045", "1.0000", "0.9045"],
    ]


@pytest.mark.usefixtures("world")
def test_json_has_every_question(excerpt: Excerpt) -> None:
    given = ("chunks", "gold.jsonl", "words.jsonl", "--corpus", "docs", "--per-topic", "--format", "json")
    found = json.loads(excerpt(*given, "-m", "cut", "-m", "omega(legacy=true)").out)
    assert found["measures"] == ["cut", "omega(legacy=true)"]
    (run,) = found["runs"]
    assert (run["name"], run["file"]) == ("words", "words.jsonl")
    assert run["topics"]["1"] == {"cut": 1, "omega(legacy=true)": 9 / 10}
    assert run["scores"]["cut"] == 1
    assert found["warnings"] == []


@pytest.mark.usefixtures("world")
def test_without_a_corpus_it_says_what_counts(excerpt: Excerpt) -> None:
    done = excerpt("chunks", "gold.jsonl", "words.jsonl")
    assert done.status == 0
    assert done.err.startswith("excerpt: warning: whitespace counts as text under cut")


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("gold.jsonl",), "the following arguments are required: CHUNKS"),
        (("gold.jsonl", "gold.jsonl"), "gold.jsonl:1: key how is missing"),
        (("gold.jsonl", "words.jsonl", "-m", "recal@5"), "unknown measure of chunkers 'recal@5'"),
        (("gold.jsonl", "words.jsonl", "--corpus", "nowhere"), "nowhere: "),
    ],
)
def test_mistakes_have_one_line(excerpt: Excerpt, given: tuple[str, ...], message: str) -> None:
    done = excerpt("chunks", *given)
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert message in done.err


@pytest.mark.usefixtures("world")
def test_a_figure_with_its_data(excerpt: Excerpt) -> None:
    """Scores of chunkers are drawn as those of runs are."""
    pytest.importorskip("matplotlib")
    given = ("chunks", "gold.jsonl", "sentences.jsonl", "words.jsonl", "--corpus", "docs", "-m", "omega")
    done = excerpt(*given, "--figure", "omega.svg", "--width", "3.3in", "--data", "omega.csv")
    assert done.status == 0
    instead = "excerpt render, or [render] width in excerpt.toml"
    assert done.err == f"excerpt: excerpt chunks takes --width in this version only; instead: {instead}\n"
    assert ">sentences</text>" in Path("omega.svg").read_text(encoding="utf-8")
    assert len(Path("omega.csv").read_text(encoding="utf-8").splitlines()) == 3
    assert excerpt(*given, "--grey").err == ("excerpt: --grey needs --figure FILE\n")


@pytest.mark.usefixtures("world")
def test_lines_of_measure_topic_and_value(excerpt: Excerpt) -> None:
    """The lines of trec_eval, as `evaluate` prints them."""
    given = ("chunks", "gold.jsonl", "words.jsonl", "--corpus", "docs", "--format", "trec", "--per-topic")
    done = excerpt(*given, "-m", "cut", "-m", "omega")
    assert done.status == 0
    assert done.out.splitlines() == [
        "cut\t1\t1.0000",
        "omega\t1\t0.9000",
        "cut\t2\t1.0000",
        "omega\t2\t0.9091",
        "cut\tall\t1.0000",
        "omega\tall\t0.9045",
    ]
