"""excerpt index: what it prints, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt import Corpus

from .conftest import Excerpt, parser_of


def test_a_wrong_corpus_is_not_a_hundred_lines(excerpt: Excerpt, files: Path) -> None:
    """The first broken documents are named, the others counted; the index lists all of them."""
    folder = files / "many"
    folder.mkdir()
    for number in range(100):
        (folder / f"{number:03}.xml").write_text("<a>" if number else "<a/>")
    done = excerpt("index", folder, "-o", "many.index")
    lines = done.err.splitlines()
    assert (done.status, len(lines)) == (0, 6)
    assert lines[0].endswith("001.xml:1: no element found")
    assert lines[5] == ("excerpt: left out: 94 more; excerpt index --info many.index --format json lists all")
    told = json.loads(excerpt("index", "--info", "many.index", "--format", "json").out)
    assert (told["broken"], len(told["broken documents"])) == (99, 99)
    assert told["broken documents"][0]["document"] == "001"


def test_no_index_is_one_line(excerpt: Excerpt, files: Path) -> None:
    """Something else in place of an index is said once."""
    (files / "other").mkdir()
    done = excerpt("index", "--info", "other")
    assert (done.status, len(done.err.splitlines())) == (2, 1)
    assert "other: found a folder of another kind, expected the folder of an index" in done.err


def test_the_old_name_of_shares(capsys: pytest.CaptureFixture[str]) -> None:
    """--shard means --share, and help does not speak of it."""
    assert parser_of("index").parse(["corpus", "-o", "index", "--shard", "2/3"]).share == (2, 3)
    assert parser_of("index").parse(["corpus", "-o", "index", "--share", "2/3"]).share == (2, 3)
    assert "--shard" not in parser_of("index").format_help()
    assert capsys.readouterr().out == ""


def test_index_and_paths(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Index a folder, look at it, and evaluate a run of paths with it."""
    done = excerpt("index", corpus, "-o", "idx", "--format", "json")
    assert done.status == 0
    assert json.loads(done.out) == {
        "index": "idx",
        "documents": 2,
        "elements": 9,
        "characters": 30,
        "broken": 1,
    }
    assert f"left out: {corpus / 'bad.xml'}:2: " in done.err
    info = json.loads(excerpt("index", "--info", "idx", "--format", "json").out)
    assert (info["documents"], info["elements"], info["broken"], info["unit"]) == (2, 9, 1, "char")
    assert info["tags"] == {"p": 4, "article": 2, "name": 1, "bdy": 1, "b": 1}
    assert "mean depth" in excerpt("index", "--info", "idx").out
    (files / "qrels").write_text("1 Q0 A 9 22 11 11:9\n")
    (files / "paths").write_text(
        "1 Q0 A 1 9 mine /article[1]/bdy[1]/p[1]/b[1]\n"
        "1 Q0 A 2 8 mine /article[1]/bdy[1]/p[2] /article[1]/bdy[1]/p[2]\n"
        "1 Q0 B 3 7 mine /article[1]/p[9]\n"
    )
    scores = excerpt(
        "evaluate", "qrels", "paths", "--index", "idx", "-m", "charP[1]", "-m", "charP", "--format", "json"
    )
    assert json.loads(scores.out)["runs"][0]["scores"] == {"charP[1]": 1.0, "charP": 3 / (3 + 1 + 18)}
    assert "is not in its document or the index" in scores.err
    strict = excerpt("evaluate", "qrels", "paths", "--index", "idx", "--unknown", "error")
    assert (strict.status, strict.err.startswith("excerpt: paths:3: ")) == (2, True)


def test_index_mistakes(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Strict stops at a broken document; nothing is left behind."""
    done = excerpt("index", corpus, "-o", "idx", "--stop-at-fault")
    assert done.status == 2
    assert done.err.startswith(f"excerpt: {corpus / 'bad.xml'}:2: ")
    assert not (files / "idx").exists()
    assert excerpt("index", corpus).err.startswith("excerpt: CORPUS and -o INDEX are required")
    assert excerpt("index", "missing", "-o", "idx").status == 2
    assert excerpt("index", "--info", "qrels").status == 2
    assert excerpt("index", corpus, "-o", "qrels").status == 2
    assert (files / "qrels").is_file()


def test_building_and_describing_are_two_things(files: Path, excerpt: Excerpt) -> None:
    """Options of the one are refused with the other."""
    (files / "corpus").mkdir()
    (files / "corpus" / "a.xml").write_text("<a>x</a>")
    assert excerpt("index", "corpus", "-o", "x.index").status == 0
    for given, found in (
        (("corpus", "--info", "x.index"), "CORPUS"),
        (("--info", "x.index", "-o", "y.index"), "--output"),
        (("--info", "x.index", "--share", "1/2"), "--share"),
        (("--info", "x.index", "--keep-text"), "--keep-text"),
    ):
        done = excerpt("index", *given)
        assert (done.status, done.out) == (2, "")
        assert done.err == f"excerpt: {found} and --info cannot be combined: --info only describes an index\n"
    done = excerpt("index", "corpus", "-o", "y.index", "--tags", "5")
    assert (done.status, "--tags needs --info INDEX" in done.err) == (2, True)
    assert not (files / "y.index").exists()


def test_keeping_the_text(corpus: Path, excerpt: Excerpt) -> None:
    """The index says whether it has the text."""
    assert excerpt("index", corpus, "-o", "plain").status == 0
    assert excerpt("index", corpus, "-o", "kept", "--keep-text").status == 0
    assert "text            not kept\n" in excerpt("index", "--info", "plain").out
    assert json.loads(excerpt("index", "--info", "kept", "--format", "json").out)["text"] == "kept"
    assert "".join(Corpus.read("kept")["A"].split()) == "A&bHellobigworldx"


def test_shares_keep_the_text(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Text is kept if all commands have --keep-text."""
    assert excerpt("index", corpus, "-o", "idx", "--keep-text", "--share", "1/1").status == 0
    assert excerpt("index", corpus, "-o", "idx", "--keep-text").status == 0
    assert len(Corpus.read("idx")) == 2
    assert not (files / "idx.parts").exists()


@pytest.mark.parametrize(("given", "workers"), [((), None), (("--workers", "1"), 1), (("--workers", "2"), 2)])
def test_workers_are_those_that_pay_unless_they_are_given(
    corpus: Path,
    excerpt: Excerpt,
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    workers: int | None,
) -> None:
    """In Python there is one."""
    from excerpt.errors import ExcerptError
    from excerpt.indexing import builder

    asked: dict[str, object] = {}

    def stop(*_: object, **how: object) -> None:
        asked.update(how)
        raise ExcerptError("stop")

    monkeypatch.setattr(builder, "build_index", stop)
    assert excerpt("index", corpus, "-o", "index", *given).status == 2
    assert asked["workers"] == workers
