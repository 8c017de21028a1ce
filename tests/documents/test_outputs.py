"""Files beside documents that are none: reports, verdicts, tables, figures, runs, judgments."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.document_files import pdf

from excerpt import Corpus, Judgments, Run, collection, evaluate, report, write_judgments, write_run
from excerpt.cli import main
from excerpt.documents.outputs import is_output

TEXTS = {"A.md": "# Rent\n\nIt is due in May.\n", "B.txt": "1 of 2 pages, 3 lines each.\n"}
JUDGED = [("1", "A.md", 8, 12), ("2", "B.txt", 0, 4)]
RUN = [("1", "A.md", 8, 12), ("2", "B.txt", 5, 9)]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents, and what excerpt wrote about them."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    write_judgments(Judgments.of(JUDGED), "gold.jsonl", corpus=folder)
    write_run(Run.of("r", RUN), "run.jsonl", corpus=folder)
    return folder


def wrote(*arguments: str) -> None:
    """Run a command that passes or fails a gate."""
    assert main([*arguments]) in {0, 1, None}


def test_outputs_are_no_documents(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever their endings; they are counted as other files, and written again."""
    before = dict(Corpus.read(docs))
    given = ("gold.jsonl", "run.jsonl", "-m", "charF", "--corpus", "docs")
    outputs = ["report.html", "scores.md", "scores.tex", "gate.md", "figure.pdf", "run.txt", "qrels.txt"]
    for _ in range(2):
        wrote("report", *given, "-o", "docs/report.html")
        wrote("evaluate", *given, "--format", "markdown", "-o", "docs/scores.md")
        wrote("evaluate", *given, "--format", "latex", "-o", "docs/scores.tex")
        wrote("gate", "run.jsonl", *given[1:], "--qrels", "gold.jsonl", "-o", "docs/gate.md")
        wrote("evaluate", *given, "--figure", "docs/figure.pdf")
        (docs / "run.txt").write_text("1 Q0 A.md 1 2.5 r\n1 Q0 B.txt 2 1.5 r\n", encoding="utf-8")
        (docs / "qrels.txt").write_text("1 0 A.md 1\n2 0 B.txt 0\n", encoding="utf-8")
        for name in outputs:
            assert is_output(str(docs / name)), name
        corpus = Corpus.read(docs)
        assert dict(corpus) == before
        assert corpus.left_out == len(outputs)
        assert dict(Corpus.read(f"{docs}/*.*")).keys() == before.keys()
    assert "7 files of other kinds left out" in capsys.readouterr().err


def test_a_named_output_is_a_document(docs: Path) -> None:
    """Of a folder alone they are none."""
    shutil.copy(collection.folder() / "README.md", docs / "read.md")
    (docs / "table.md").write_text("| run | AP |\n| :-- | --: |\n| r | 0.5 |\n", encoding="utf-8")
    assert "table.md" not in Corpus.read(docs)
    assert "read.md" in Corpus.read(docs)
    assert list(Corpus.read(docs / "table.md")) == ["table.md"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", "<!DOCTYPE html>\n<html lang='en'><p>A report.</p></html>"),
        ("a.md", "| run | what it is |\n|---|---|\n| r | one |\n\nText.\n"),
        ("b.md", "**passed: the law** was made in 1900.\n"),
        ("a.tex", "\\documentclass{article}\n\\begin{tabular}{l}\n"),
        ("a.txt", "1 Q0 of 3 4 words, which is no run.\nText follows.\nAnd more.\n"),
        ("a.pdf", pdf(["A figure of excerpt"])),
        ("a.rst", "1 Q0 A 1 2.5 r\n"),
    ],
)
def test_other_files_stay_documents(tmp_path: Path, name: str, content: str | bytes) -> None:
    """However much they look like one."""
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert not is_output(str(path))
    assert not is_output(str(tmp_path / "missing.txt"))


def test_a_report_changes_no_hash(docs: Path) -> None:
    """It is no document of the corpus beside which it lies."""
    table = evaluate("gold.jsonl", ["run.jsonl"], ["charF"], corpus=docs)
    pages = []
    for _ in range(2):
        report("gold.jsonl", "run.jsonl", ["charF"], corpus=docs).save(docs / "report.html")
        pages.append((docs / "report.html").read_bytes())
    assert pages[0] == pages[1]
    assert evaluate("gold.jsonl", ["run.jsonl"], ["charF"], corpus=docs).made_with == table.made_with


def test_a_text_that_cannot_be_read_harms_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not searched for evidence; a question about it says which file it is."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("The rent is due in May.\n", encoding="utf-8")
    (docs / "l.txt").write_bytes(b"caf\xe9")
    gold = tmp_path / "gold.jsonl"
    row = '{"topic": "1", "document": "%s", "quote": "rent is due"}\n'
    gold.write_text(row % "a.md", encoding="utf-8")
    assert main(["check", str(gold), "--corpus", str(docs)]) in {0, None}
    shown = capsys.readouterr()
    assert "evidence: 1 exact" in shown.out
    assert "1 document cannot be read and is not searched" in shown.err
    gold.write_text(row % "l.txt", encoding="utf-8")
    assert main(["check", str(gold), "--corpus", str(docs)]) == 2
    shown = capsys.readouterr()
    assert "l.txt: found 0xe9 at byte 3, expected UTF-8 text" in shown.out + shown.err
    assert "gold.jsonl: found 0xe9" not in shown.out + shown.err
