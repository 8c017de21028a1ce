"""Trials in Python: rows, scores, failing settings, order, cache, advice."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError
from excerpt.trials.chunker_settings import Chunker
from excerpt.trials.retriever_settings import Retriever
from excerpt.trials.trial_cells import Rendering, grid

from .conftest import DOCUMENTS, GOLD

ROWS = [{"question": one, "document": two, "quote": three} for one, two, three in GOLD]


def by_lines(text: str) -> list[str]:
    """A chunker of the user."""
    return [line for line in text.splitlines() if line.strip()]


def first_ones(question: str, texts: list[str]) -> list[int]:
    """A retriever of the user, which does not read the question."""
    return list(range(min(3, len(texts))))


def test_scores_are_those_of_evaluate(world: Path) -> None:
    """Recall, intervals and found of every row are those of the written runs; so are the saved scores."""
    trial = excerpt.try_out("docs", "gold.jsonl", budget=60, output="tried")
    runs = {row["run"]: f"tried/runs/{row['run']}.jsonl" for row in trial.rows}
    measures = ["recall(budget=60)", "found(budget=60)"]
    table = excerpt.evaluate("gold.jsonl", runs, measures, corpus="docs")
    limits = table.intervals()
    for row in trial.rows:
        assert table[row["run"]] == {measures[0]: row["recall"], measures[1]: row["found"]}
        assert limits[row["run"]][measures[0]] == (row["low"], row["high"])
    saved = excerpt.load_scores("tried/scores.json")
    assert saved.values.tolist() == [table.values[table.runs.index(run)].tolist() for run in saved.runs]
    recalls = [row["recall"] for row in trial.rows]
    assert recalls == sorted(recalls, reverse=True)
    assert len(trial.rows) == 8
    assert 1 <= len(trial.sentences) <= 4


def test_amounts_of_a_row() -> None:
    """Chunks, text that no chunk has, text read and ceiling, counted by hand."""
    docs = {"A": "One two. Three."}
    gold = [{"question": "Three?", "document": "A", "quote": "One two. Three."}]
    trial = excerpt.try_out(
        docs, gold, chunkers={"part": lambda _: ["Three."]}, retrievers=first_ones, budget=4
    )
    (row,) = trial.rows
    assert row["run"] == "part-first_ones"
    assert (row["chunks"], row["read"], row["recall"]) == (1, 4.0, 4 / 15)
    assert row["lost"] == 7 / 13  # of the characters that are no white space
    assert row["ceiling"] == 4 / 15


def test_settings_that_fail_stand_in_the_table() -> None:
    """Each with its reason, and the others go on."""

    def raises(_: str) -> list[str]:
        raise ValueError("two\nlines")

    chunkers: dict[str, Any] = {
        "raises": raises,
        "nothing": lambda _: [],
        "none": lambda _: None,
        "other": lambda _: ["text that is nowhere"],
        "numbers": lambda _: [1, 2],
        "good": by_lines,
        "langchain": "langchain:NoSplitter(chunk_size=3)",
    }
    trial = excerpt.try_out(DOCUMENTS, ROWS, chunkers=chunkers)
    errors = {row["chunker"]: row["error"] for row in trial.rows}
    assert trial.rows[0]["chunker"] == "good"
    assert errors.pop("good") == ""
    assert "ValueError: two lines" in errors["raises"]
    assert "returned nothing" in errors["nothing"]
    assert "returned None" in errors["none"]
    assert "not occur in" in errors["other"]
    assert "returned 1" in errors["numbers"]
    assert "NoSplitter" in errors["langchain"]
    assert all(row["recall"] is None for row in trial.rows[1:])
    searches: dict[str, Any] = {
        "unknown": lambda _, __: ["no chunk"],
        "beyond": lambda _, __: [10**6],
        "empty": lambda _, __: [],
        "texts": lambda _, texts: texts[:2],
        "model": "sentence-transformers:./no-model",
    }
    trial = excerpt.try_out(DOCUMENTS, ROWS, chunkers="paragraphs", retrievers=searches)
    errors = {row["retriever"]: row["error"] for row in trial.rows}
    assert errors.pop("texts") == ""
    assert "no chunk" in errors["unknown"]
    assert "1000000" in errors["beyond"]
    assert "nothing for any question" in errors["empty"]
    assert errors["model"]


def test_nothing_scored_is_an_error(world: Path) -> None:
    """In one line, and nothing is written."""
    with pytest.raises(ExcerptError, match="none of 1 setting could be scored"):
        excerpt.try_out("docs", "gold.jsonl", chunkers={"a": lambda _: ["x y z"]}, output="tried")
    assert not Path("tried").exists()


def test_a_chunker_with_titles_in_front_is_placed() -> None:
    """Contextual chunks are no failure; what is read counts their own text."""
    docs = {"A": "The tenant pays the rent in May. Nobody else pays."}
    gold = [{"question": "Who pays the rent?", "document": "A", "quote": "The tenant pays the rent in May."}]
    trial = excerpt.try_out(docs, gold, chunkers={"titled": lambda text: [f"A title: {text}"]}, budget=20)
    (row,) = trial.rows
    assert (row["error"], row["recall"], row["read"]) == ("", 11 / 32, 20.0)


def sides(documents: int, chunkers: int, retrievers: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Levels of three factors."""
    corpus = Corpus({"A": "x"})
    return (
        [Rendering(f"d{at}", corpus, None) for at in range(documents)],  # type: ignore[arg-type]
        [Chunker.of(by_lines, f"c{at}") for at in range(chunkers)],
        [Retriever.of(first_ones, f"r{at}") for at in range(retrievers)],
    )


@pytest.mark.parametrize(("one", "two", "three"), [*itertools.product((1, 2, 3), (1, 4, 5), (1, 2, 6))])
def test_order_is_fair(one: int, two: int, three: int) -> None:
    """All combinations once; until every level was tried, each next cell has one that was not."""
    levels = sides(one, two, three)
    cells = grid(*levels, 10)
    assert len({cell.run for cell in cells}) == len(cells) == one * two * three
    tried: set[str] = set()
    every = one + two + three
    for cell in cells:
        names = {cell.rendering.name, cell.chunker.name, cell.retriever.name}
        assert len(tried) == every or names - tried
        tried |= names


def test_seconds_stop_between_settings(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was left out is said; a second call goes on with it, and gives in the end what one call gives."""
    clock = itertools.count(0, 10)
    with monkeypatch.context() as patched:
        patched.setattr("excerpt.trials.trial.time.monotonic", lambda: next(clock))
        first = excerpt.try_out("docs", "gold.jsonl", seconds=25, output="tried")
    assert 0 < len(first.rows) < 8
    assert len(first.rows) + len(first.details["left_out"]) == 8
    assert "left out" in " ".join(first.notes())
    assert "left out" in str(first)
    last = excerpt.try_out("docs", "gold.jsonl", output="tried")
    assert len(last.rows) == 8
    seconds = {row["run"]: row["seconds"] for row in last.rows}
    assert all(seconds[row["run"]] == row["seconds"] for row in first.rows)


def test_second_call_computes_only_what_changed(world: Path) -> None:
    """A function of the user is called again only if its file changed; else the bytes are the same."""
    calls = Path("calls")
    code = "def cut(text):\n    with open('calls', 'a') as file:\n        file.write('x')\n"
    code += "    return text.split('\\n\\n'){}\n"
    Path("my.py").write_text(code.format(""))
    how: dict[str, Any] = {"chunkers": ["my.py:cut", "headings"], "output": "tried"}
    excerpt.try_out("docs", "gold.jsonl", **how)
    made = {file: file.read_bytes() for file in Path("tried").rglob("*") if file.is_file()}
    before = calls.read_text()
    again = excerpt.try_out("docs", "gold.jsonl", **how)
    assert calls.read_text() == before
    assert {file: file.read_bytes() for file in Path("tried").rglob("*") if file.is_file()} == made
    assert again.rows == excerpt.try_out("docs", "gold.jsonl", **how).rows
    Path("tried/report.html").unlink()
    excerpt.try_out("docs", "gold.jsonl", **how)
    assert calls.read_text() == before
    assert {file: file.read_bytes() for file in Path("tried").rglob("*") if file.is_file()} == made
    Path("my.py").write_text(code.format("[:9]"))
    excerpt.try_out("docs", "gold.jsonl", **how)
    assert len(calls.read_text()) == len(before) + 3
    Path("docs/end.md").write_text(DOCUMENTS["end.md"] + "\nMore.\n")
    excerpt.try_out("docs", "gold.jsonl", **how)
    assert len(calls.read_text()) == len(before) + 6


def test_renderings_are_a_factor(world: Path) -> None:
    """A quote that a parser loses is a miss; the table has a column, and the factor its rows."""
    Path("parse.py").write_text("def short(path):\n    return path.read_text()[:40]\n")
    docs = ["docs", "docs@parse.py:short"]
    trial = excerpt.try_out(docs, "gold.jsonl", chunkers=["paragraphs", "headings"], output="tried")
    assert len(trial.rows) == 4
    assert {row["documents"] for row in trial.rows} == set(docs)
    assert {row["factor"] for row in trial.effects} == {"chunker", "documents"}
    best = {name: max(row["recall"] for row in trial.rows if row["documents"] == name) for name in docs}
    assert best[docs[0]] > best[docs[1]]
    assert trial.curve is not None
    assert len(trial.curve.runs) == 4


def test_effects_and_sentences_hold(world: Path) -> None:
    """Better is said only of what the tests found."""
    trial = excerpt.try_out("docs", "gold.jsonl", retrievers=["bm25", "hybrid(bm25,bm25)"])
    factors = [row["factor"] for row in trial.effects]
    assert list(dict.fromkeys(factors)) == ["chunker", "size", "retriever"]
    significant = any(row["significant"] for row in trial.effects)
    said = any("better" in sentence for sentence in trial.sentences)
    assert said <= (significant or "Tukey" in trial.sentences[0])


def test_better_is_said_where_it_is_certain() -> None:
    """A retriever that finds everything, and one that finds nothing, on enough questions."""
    names = [f"w{at}x" for at in range(30)]
    docs = {name: f"The {name} is here.\n\nNothing else at all in this one." for name in names}
    gold = [
        {"question": f"Where is {name}?", "document": name, "quote": f"The {name} is here."} for name in names
    ]

    def last(_: str, texts: list[str]) -> list[int]:
        return [at for at, text in enumerate(texts) if "Nothing" in text][:1]

    searches: dict[str, Any] = {"bm25": "bm25", "last": last}
    trial = excerpt.try_out(docs, gold, chunkers="paragraphs", retrievers=searches, budget=50)
    assert [row["recall"] for row in trial.rows] == [1.0, 0.0]
    assert "paragraphs-bm25 is better than paragraphs-last by 1.000" in trial.sentences[0]
    assert "the retriever bm25 is better than the mean of its factor by 0.500" in trial.sentences[0]
    assert not any("do not tell" in sentence for sentence in trial.sentences)


def test_what_nothing_finds_is_shown() -> None:
    """With the passage, and what was returned instead."""
    docs = {"A": "Alpha beta.\n\nGamma delta is the answer."}
    gold = [
        {"question": "alpha?", "document": "A", "quote": "Gamma delta is the answer."},
        {"question": "beta alpha?", "document": "A", "quote": "Alpha beta."},
    ]
    trial = excerpt.try_out(docs, gold, chunkers="paragraphs", budget=11)
    (missed,) = trial.missed
    assert (missed.question, missed.passage, missed.returned) == (
        "alpha?",
        "Gamma delta is the answer.",
        "Alpha beta.",
    )
    assert "1 of 2 questions has evidence that no setting finds" in " ".join(trial.sentences)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chunkers": "nosuch"}, "unknown chunker 'nosuch'"),
        ({"chunkers": "my.py:cut"}, "there is no file my.py"),
        ({"chunkers": "langchain:Splitter(800)"}, "expected a class with named values"),
        ({"chunkers": []}, "no chunker given"),
        ({"chunkers": 3}, "found 3 as chunkers"),
        ({"retrievers": "bm26"}, "unknown retriever 'bm26'"),
        ({"retrievers": "hybrid(bm25)"}, "expected two retrievers"),
        ({"budget": 0}, "expected a whole number"),
        ({"seconds": -1}, "expected a number above 0"),
        ({"gold": [{"question": "q", "document": "Z", "quote": "x"}]}, "Z"),
    ],
)
def test_wrong_settings(change: dict[str, Any], message: str) -> None:
    """Each stops before any work, in one line."""
    how: dict[str, Any] = {"docs": DOCUMENTS, "gold": ROWS, **change}
    with pytest.raises(ExcerptError) as caught:
        excerpt.try_out(**how)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_gold_of_other_documents_is_named(world: Path) -> None:
    """Gold with offsets, none of whose documents is there."""
    Path("gold.jsonl").write_text('{"topic": "1", "question": "q?", "document": "Z", "start": 0, "end": 4}\n')
    with pytest.raises(ExcerptError, match="Z"):
        excerpt.try_out("docs", "gold.jsonl")
    Path("gold.fol").write_text("1 Q0 rent.md 10 86 0 0:10\n")
    with pytest.raises(ExcerptError, match="has no questions"):
        excerpt.try_out("docs", "gold.fol")


def test_folders(world: Path) -> None:
    """Other files, another version, one in use, a file: each is an error, and nothing is changed."""
    Path("other").mkdir()
    Path("other/notes.txt").write_text("mine")

    def call(output: str) -> Any:
        return excerpt.try_out("docs", "gold.jsonl", chunkers="headings", output=output)

    with pytest.raises(ExcerptError, match="other files"):
        call("other")
    with pytest.raises(ExcerptError, match="is a file"):
        call("gold.jsonl")
    with pytest.raises(ExcerptError, match="does not exist"):
        call("no/where")
    call("tried")
    version = Path("tried/cache/version.json")
    known = version.read_text()
    version.write_text(json.dumps({**json.loads(known), "excerpt": "0.1.0"}))
    with pytest.raises(ExcerptError, match=r"written by excerpt 0\.1\.0"):
        call("tried")
    version.write_text(known)
    from excerpt.trials.trial_folder import TrialFolder

    with TrialFolder("tried"), pytest.raises(ExcerptError, match="in use"):
        call("tried")
    call("tried")
    for file in Path("tried/cache").glob("*.jsonl"):
        file.write_text("damaged")
    assert call("tried").rows[0]["recall"] is not None


def test_libraries_of_chunkers() -> None:
    """What is installed is used by its own names."""
    chunkers = [
        "langchain:RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0)",
        "chonkie:TokenChunker(tokenizer='character', chunk_size=40)",
        "semchunk:40",
    ]
    trial = excerpt.try_out(DOCUMENTS, ROWS, chunkers=chunkers)
    assert [row["error"] for row in trial.rows] == ["", "", ""]
    assert {row["run"] for row in trial.rows} == {
        "langchain-RecursiveCharacterTextSplitter-chunk_size-40-chunk_overlap-0-bm25",
        "chonkie-TokenChunker-tokenizer-character-chunk_size-40-bm25",
        "semchunk-40-bm25",
    }


def test_notebooks_and_text_show_the_same(world: Path) -> None:
    """Table, effects and sentences; content of files is text."""
    docs = {"<b>A</b>": "Alpha <script>beta</script>.\n\nGamma."}
    gold = [{"question": "<i>alpha</i>?", "document": "<b>A</b>", "quote": "Gamma."}]
    trial = excerpt.try_out(docs, gold, chunkers="paragraphs", budget=20, output="tried")
    page = Path("tried/report.html").read_text()
    assert "<i>" not in page
    assert "<script" not in page
    assert "&lt;i&gt;alpha" in page
    assert "paragraphs-bm25" in trial._repr_html_()
    assert trial.sentences[0] in str(trial)
    assert trial.to_markdown().startswith("| run ")
    assert "default-src 'none'" in page
