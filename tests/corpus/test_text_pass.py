"""A command reads each text once, and looks at each file once."""

from __future__ import annotations

import gc
import json
import os
import pickle
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from corpus.conftest import Write
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus, ExcerptError, evaluate
from excerpt.cli import main
from excerpt.corpus import text_pass
from excerpt.corpus.records import JsonLines
from excerpt.documents import storage

ODD: list[Any] = [
    {"id": "a", "text": "plain"},
    {"_id": 7, "text": "a number"},
    {"id": "b", "text": 'esc\u00e4ped \n "q" \\', "title": "T", "metadata": {"source": "z"}},
    {"id": "c", "page_content": "of a framework", "metadata": {"source": "d"}},
    {"id": "e", "contents": "x", "extra": [1, {"y": None}]},
    {"text": "the id comes last", "id": "f"},
    {"id": "g", "title": "a title", "body": "\U0001f600 wide"},
]


@given(st.lists(st.sampled_from(ODD), unique_by=json.dumps), st.data())
def test_lines_read_in_one_go_or_one_by_one(records: list[Any], data: st.DataObject) -> None:
    """The same texts, with lines of any shape, asked for in any order, twice or unknown."""
    path = Path(tempfile.gettempdir()) / f"lines-{os.getpid()}.jsonl"
    lines = [json.dumps(one, ensure_ascii=data.draw(st.booleans())) for one in records]
    path.write_text("\n".join([*lines, json.dumps({"id": "last", "text": "."})]))
    single = Corpus.read(path)
    names = data.draw(st.lists(st.sampled_from([*single, "nothing"])))
    found = list(Corpus.read(path).texts(names))
    assert sorted(found) == [(place, single[name]) for place, name in enumerate(names) if name in single]
    order = [list(single).index(names[place]) for place, _ in found]
    assert order == sorted(order)  # as in the file
    again = Corpus.read(path)
    texts = again.one_pass()
    assert [(again[name], texts)[0] for name in again] == list(single.values())
    list(again.named_texts())
    assert [*map(again.document, again)] == [*map(single.document, single)]
    path.unlink()


def test_each_file_is_looked_at_once(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of four runs with their texts, over a folder: each document is opened once."""
    folder = write({f"{name}.txt": f"The text of {name} is here." for name in "abcdef"})
    rows = [
        {"topic": "1", "document": name, "start": 4, "end": 8, "score": 1, "text": "text"} for name in "abcde"
    ]
    runs = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for run in runs:
        run.write_text("".join(json.dumps(row) + "\n" for row in rows))
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"topic": "1", "document": "a", "start": 4, "end": 8}) + "\n")
    opened: list[int] = []
    read = storage.FolderFiles.read

    def count(files: storage.FolderFiles, number: int, *place: int) -> bytes:
        opened.append(number)
        return read(files, number, *place)

    monkeypatch.setattr(storage.FolderFiles, "read", count)
    table = evaluate(gold, runs, "recall@5", corpus=Corpus.read(folder))
    assert table.values[:, 0, 0].tolist() == [1.0] * 4
    assert sorted(opened) == list(range(5))


def test_texts_stay_as_long_as_the_pass(write: Write) -> None:
    """Then a changed file is noticed again; a server ends the pass."""
    folder = write({"a.txt": "one", "b.txt": "two"})
    corpus = Corpus.read(folder)
    texts = corpus.one_pass()
    assert (corpus["a"], corpus.one_pass() is texts) == ("one", True)
    (folder / "a.txt").write_text("three")
    assert corpus["a"] == "one"
    del texts
    gc.collect()
    with pytest.raises(ExcerptError, match="has changed since the corpus was opened"):
        corpus["a"]
    texts = corpus.one_pass()
    assert (corpus["b"], texts.get(1)) == ("two", "two")
    (folder / "b.txt").unlink()
    corpus.end_pass()
    with pytest.raises(ExcerptError, match="no such file"):
        corpus["b"]


def test_what_cannot_be_read(write: Write) -> None:
    """An error, or None for a view that shows the others; unknown ids are left out."""
    folder = write({"a.txt": "one", "b.txt": "two", "c.txt": "three"})
    corpus = Corpus.read(folder)
    (folder / "b.txt").unlink()
    names = ["c", "b", "nothing", "a"]
    assert list(corpus.texts(names, strict=False)) == [(3, "one"), (1, None), (0, "three")]
    with pytest.raises(ExcerptError, match="no such file"):
        list(corpus.texts(names))


def test_room(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit is read again, with the same text."""
    monkeypatch.setattr(text_pass.TextPass.__init__, "__defaults__", (120,))
    corpus = Corpus.read(write({f"{name}.txt": name * 40 for name in "abcd"}))
    texts = corpus.one_pass()
    for _ in range(2):
        assert [text for _, text in corpus.named_texts()] == [name * 40 for name in "abcd"]
    assert texts.get(0) == "a" * 40
    assert texts.get(3) is None


def test_a_pass_travels_with_its_corpus(write: Write) -> None:
    """A worker begins its own."""
    corpus = Corpus.read(write({"a.txt": "one"}))
    other = pickle.loads(pickle.dumps(corpus.one_pass()))
    assert dict(other.corpus) == {"a.txt": "one"}


@pytest.mark.parametrize("command", ["place", "chunks", "citations", "align", "check", "evaluate"])
def test_each_document_is_read_once_by_a_command(
    command: str, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever it wants of it, and its file is looked at once before that."""
    texts = {name: f"The text of {name} is here. Then more of {name}." for name in "abcdef"}
    folder = write({f"{name}.txt": text for name, text in texts.items()})
    files: dict[str, list[dict[str, object]]] = {
        "gold": [{"topic": name, "document": name, "start": 4, "end": 13} for name in "abcde"],
        "run": [
            {"topic": "a", "document": name, "start": 4, "end": 8, "score": 1, "text": "text"}
            for name in texts
        ],
        "chunks": [{"document": name, "text": text[:26]} for name, text in texts.items()],
        "placed": [
            {"document": name, "text": text[:26], "start": 0, "end": 26, "how": "exact"}
            for name, text in texts.items()
        ],
        "answers": [
            {"question": name, "citations": [{"document": name, "quote": f"text of {name}"}]}
            for name in texts
        ],
    }
    paths = {name: tmp_path / f"{name}.jsonl" for name in files}
    for name, rows in files.items():
        paths[name].write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = ["--corpus", str(folder)]
    words = {
        "place": [str(folder), str(paths["chunks"]), "-o", str(tmp_path / "out.jsonl")],
        "chunks": [str(paths["gold"]), str(paths["placed"]), *corpus],
        "citations": [str(paths["answers"]), *corpus],
        "align": [
            str(paths["gold"]),
            "--from",
            str(folder),
            "--to",
            str(folder),
            "-o",
            str(tmp_path / "out.jsonl"),
        ],
        "check": [str(paths["gold"]), str(paths["run"]), *corpus],
        "evaluate": [str(paths["gold"]), str(paths["run"]), "-m", "rag", *corpus],
    }
    opened: list[int] = []
    read = storage.FolderFiles.read

    def count(files: storage.FolderFiles, number: int, *place: int) -> bytes:
        opened.append(number)
        return read(files, number, *place)

    monkeypatch.setattr(storage.FolderFiles, "read", count)
    assert main([command, *words[command]]) == 0
    each = 2 if command == "align" else 1  # from the old and from the new text
    assert set(Counter(opened).values()) == {each}


@pytest.mark.parametrize("command", ["evaluate", "place", "citations"])
def test_a_corpus_that_changes_while_it_is_read(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It is an error in one line, and nothing is written."""
    corpus, given, out = (tmp_path / name for name in ("docs.jsonl", "given.jsonl", "out"))
    names = [f"d{number}" for number in range(50)]
    lines = [json.dumps({"_id": name, "text": f"The text of {name} is here."}) + "\n" for name in names]
    corpus.write_text("".join(lines))
    rows: dict[str, list[dict[str, object]]] = {
        "evaluate": [
            {"topic": "1", "document": name, "start": 4, "end": 8, "score": 1, "text": "text"}
            for name in names
        ],
        "place": [{"document": name, "text": f"The text of {name}"} for name in names],
        "citations": [{"question": "1", "citations": [{"quote": f"text of {name}"} for name in names]}],
    }
    given.write_text("".join(json.dumps(row) + "\n" for row in rows[command]))
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"topic": "1", "document": "d0", "start": 4, "end": 8}) + "\n")
    blocks = JsonLines._blocks

    def change(source: JsonLines, numbers: Any) -> Any:
        for block in blocks(source, numbers):
            with corpus.open("a") as file:
                file.write(lines[0].replace("d0", "more"))
            yield block

    monkeypatch.setattr(JsonLines, "_blocks", change)
    words = {
        "evaluate": [str(gold), str(given), "-m", "recall@5", "--corpus", str(corpus), "--save", str(out)],
        "place": [str(corpus), str(given), "-o", str(out)],
        "citations": [str(given), "--corpus", str(corpus), "-o", str(out)],
    }
    assert main([command, *words[command]]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1:] == [
        f"excerpt: {corpus}: has changed since the corpus was opened; open the corpus again"
    ]
    assert not out.exists()
