"""excerpt convert: from one format to another, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from .conftest import Excerpt


def test_convert(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Paths to spans to JSON Lines and back; judgments to TREC."""
    excerpt("index", corpus, "-o", "idx")
    (files / "paths").write_text("1 Q0 A 1 9 mine /article[1]/bdy[1]/p[1]/b[1]\n")
    assert excerpt("convert", "paths", "spans.fol", "--to", "fol", "--index", "idx").status == 0
    assert (files / "spans.fol").read_text() == "1 Q0 A 1 9 mine 11 3\n"
    assert excerpt("convert", "spans.fol", "-", "--to", "jsonl").out.startswith(
        '{"topic": "1", "document": "A", "start": 11'
    )
    assert excerpt("convert", "qrels", "-", "--to", "trec").out.splitlines()[:3] == [
        "1 0 A 1",
        "1 0 B 1",
        "1 0 C 0",
    ]
    lost = excerpt("convert", "paths", "other.fol", "--to", "fol")
    assert lost.status == 2
    assert "needs text spans; the run has element paths; give --index INDEX" in lost.err
    assert not (files / "other.fol").exists()
    assert excerpt("convert", "run", "x", "--to", "folx").err.startswith(
        "excerpt: unknown format 'folx'; did you mean 'fol'?"
    )
    assert excerpt("convert", "run", "x", "--to", "path").status == 2
    (files / "mixed").write_text(
        '{"topic": "1", "document": "A", "path": "/a[1]", "start": 0, "end": 1}\n'
        '{"topic": "1", "document": "A", "start": 0, "end": 1}\n'
    )
    half = excerpt("convert", "mixed", "-", "--to", "path")
    assert (half.status, half.out) == (2, "")
    (files / "x.xml").write_text(
        '<assessments topic="1"><file name="A"><passage start="/a[1]" end="/a[1]" size="3"/>'
        '<element path="/a[1]" exhaustivity="2" size="3" rsize="3"/></file></assessments>'
    )
    lost = excerpt("convert", "x.xml", "-", "--to", "trec")
    assert (lost.status, lost.out) == (2, "")
    assert "needs highlighted text, which cannot be read without an index; give --index INDEX" in lost.err
    assert not (files / "x").exists()


def test_convert_a_folder_of_judgments(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Assessments with one file per topic become one file of qrels."""
    excerpt("index", corpus, "-o", "idx")
    (files / "topics").mkdir()
    for topic, path in (("7", "/article[1]/name[1]"), ("8", "/article[1]/bdy[1]/p[2]")):
        passage = f'<passage start="{path}" end="{path}" size="1"/>'
        text = f'<assessments topic="{topic}"><file name="A">{passage}</file></assessments>'
        (files / "topics" / f"{topic}.xml").write_text(text)
    done = excerpt("convert", "topics", "-", "--to", "fol", "--index", "idx")
    assert done.out == "7 Q0 A 5 22 -1 0:5\n8 Q0 A 1 22 -1 21:1\n"


def test_convert_between_all_written_formats(files: Path, excerpt: Excerpt) -> None:
    """A focused run survives every format that can hold it."""
    for name in ("fol", "jsonl", "inex"):
        assert excerpt("convert", "run", f"run.{name}", "--to", name).status == 0
        assert excerpt("convert", f"run.{name}", "back", "--to", "fol").status == 0
        assert (files / "back").read_text() == (files / "run").read_text()
    for name in ("fol", "jsonl"):
        assert excerpt("convert", "qrels", f"qrels.{name}", "--to", name).status == 0
        assert excerpt("convert", f"qrels.{name}", "back", "--to", "fol", "--kind", "judgments").status == 0
        assert (files / "back").read_text() == (files / "qrels").read_text()


def test_unknown_formats(files: Path, excerpt: Excerpt) -> None:
    """A name that is no format is one line, wherever it is given."""
    for option in (("--to", "nosuch"), ("--to", "fol", "--from", "nosuch")):
        done = excerpt("convert", "run", "x", *option)
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith("excerpt: unknown format 'nosuch'; known: ")
        assert done.err.count("\n") == 1


def test_compressed_output(files: Path, excerpt: Excerpt) -> None:
    """Every format can be written compressed in every way."""
    for name in ("fol", "jsonl", "inex", "trec", "bep"):
        for suffix in ("gz", "bz2", "xz", "zst"):
            assert excerpt("convert", "run", f"x.{name}.{suffix}", "--to", name).err == ""
            assert excerpt("check", f"x.{name}.{suffix}").status == 0


def test_hints_are_options(files: Path, excerpt: Excerpt) -> None:
    """Hints name options of the command line."""
    (files / "odd").write_text('{"topic": "a b", "document": "A", "start": 0, "end": 1, "score": 1}\n')
    assert excerpt("convert", "odd", "-", "--to", "fol").err.endswith("; try --to jsonl\n")
    assert excerpt("convert", "odd", "-", "--to", "fol", "--order", "rank").err.endswith(
        "; try --order file or --order score\n"
    )
