"""The chunkers of the benchmarks, and the ranking of their chunks."""

from __future__ import annotations

import tarfile
from pathlib import Path

import l_chunks
import pytest
from chunkers import SETTINGS, questions_of, rank, texts_of
from inputs import QUICK, Inputs
from l_chunks import plain

import excerpt

TEXTS = {
    "a": "The fox runs. " * 60
    + "\n\nThe hen sleeps at noon, and nobody wakes it.\n\n"
    + "The fox runs. " * 60
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_gives_chunks_that_are_placed(name: str) -> None:
    if SETTINGS[name].__qualname__.startswith("llama_index"):
        pytest.importorskip("tiktoken", reason="LlamaIndex, which needs it, comes with --thorough")
    placed = excerpt.Corpus(TEXTS).place([plain(chunk) for chunk in SETTINGS[name](TEXTS)], name=name)
    assert placed.counts["lost"] == 0
    assert placed.covered == 1


def test_the_chunk_with_the_words_of_the_question_comes_first() -> None:
    ranks = rank(["the fox runs", "the hen sleeps", "a bear"], {"1": "Who sleeps?", "2": "nothing"}, 2)
    assert ranks == {"1": [1, 0], "2": [0, 1]}


def test_questions_are_the_second_column(tmp_path: Path) -> None:
    file = tmp_path / "topics.tsv"
    file.write_text("1\tWho?\tWho was it?\n2\tWhen?\n", encoding="utf-8")
    assert questions_of(file) == {"1": "Who?", "2": "When?"}


def write_collection(folder: Path) -> None:
    """A text, a question, judgments and a run, in the files of the real collection."""
    document = folder / "a.xml"
    document.write_text(f"<a><p>{TEXTS['a']}</p></a>", encoding="utf-8")
    with tarfile.open(folder / "docs.tar.gz", "w:gz") as archive:
        archive.add(document, "docs/a.xml")
    start = TEXTS["a"].index("The hen")
    (folder / "topics.tsv").write_text("1\tWho sleeps at noon?\n", encoding="utf-8")
    (folder / "qrels.fol").write_text(f"1 Q0 a 14 {len(TEXTS['a'])} {start} {start}:14\n", encoding="utf-8")
    (folder / "runs").mkdir()
    (folder / "runs" / "r.fol").write_text(f"1 Q0 a 1 1.0 r {start} 20\n", encoding="utf-8")


def test_the_part_measures_each_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_collection(tmp_path)
    assert texts_of(tmp_path / "docs.tar.gz") == TEXTS
    monkeypatch.setattr(l_chunks, "RAGTEXT", tmp_path)
    part = l_chunks.part(Inputs(tmp_path), QUICK)
    assert [row.note for row in part.rows] == [""] * 3
    told = {figure.what: figure.value for figure in part.figures}
    assert told["chunks lost"] == 0
    assert {f"least CPU: {step}" for step in ("place", "runs", "evaluate", "explain")} <= told.keys()


def test_without_the_texts_the_row_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(l_chunks, "RAGTEXT", tmp_path / "absent")
    assert [row.note for row in l_chunks.part(Inputs(tmp_path), QUICK).rows] == [
        "the texts are not available next to the checkout"
    ]
