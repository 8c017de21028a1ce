"""Reports in Python: the page, its place to start, notebooks."""

from __future__ import annotations

import errno
import hashlib
import html
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.report_parts import parts_of
from support.small_world import JUDGMENTS, RUNS, SENTENCE, TEXTS

import excerpt
from excerpt import Corpus, ExcerptError, Judgments, Notices, Policy, Run, Span, __version__
from excerpt.corpus.records import JsonLines
from excerpt.files import keep_content
from excerpt.render import page as shell
from excerpt.render import report
from excerpt.render.report import Report, base_name, corpus_input, folder_of, inputs, save, versions

HOSTILE = ("</template><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a'b&c<!--")


def small_report(**how: Any) -> Report:
    """The small world as a report."""
    given = {"corpus": TEXTS, "policy": Policy(overlap="first"), "notices": Notices(), **how}
    return excerpt.report(JUDGMENTS, RUNS, ["charP", "MAiP"], **given)


def test_a_report_has_all_parts() -> None:
    """The data of the evaluation, unpacked again."""
    report = small_report()
    parts = parts_of(report.html())
    world = report.world
    assert parts["overview"] == json.loads(json.dumps(world.overview()))
    assert [parts[f"topic/{number}"]["id"] for number in range(3)] == ["1", "2", "3"]
    assert parts["documents"]["ids"] == ["a", "b", "c", "z"]
    assert parts["document/0"]["text"] == TEXTS["a"]
    assert parts["passages"]["relevant"]["elsewhere"] == [2, 0, 0]
    assert repr(report) == "<Report '': <ScoreTable: 2 runs, 3 topics, charP, MAiP>>"


@pytest.mark.parametrize("text", [True, False])
def test_each_document_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bool) -> None:
    """One pass gives all parts, the same as one by one; judged documents are read before it, too."""
    texts = [f"Document {number}. " + f"word{number} " * 20 for number in range(40)]
    passage = "The same sentence, long enough to count wherever it occurs."
    for number in (0, 7, 30):
        texts[number] += passage.replace(" ", "\n" if number == 7 else " ")
    lines = [json.dumps({"_id": f"d{number}", "text": some}) for number, some in enumerate(texts)]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    at = texts[0].index(passage)
    judged = [("1", "d0", at, at + len(passage)), ("2", "d1", 0, 60), ("3", "d2", 10, 50)]
    rows = [(topic, f"d{number}", 0, 400) for topic in "123" for number in range(39, -1, -1)]
    given = Judgments.of(judged), [Run.of("all", rows), Run.of("few", rows[:20])], ["charR@20"]
    monkeypatch.setattr("excerpt.corpus.corpus._ROOM", 4 * 2000)  # about four documents
    read: list[int] = []
    stored, together = JsonLines.stored, JsonLines.texts

    def note(own: JsonLines, number: int) -> bytes:
        read.append(number)
        return stored(own, number)

    def note_all(own: JsonLines, numbers: Sequence[int]) -> Iterator[str | ExcerptError]:
        read.extend(numbers)
        return together(own, numbers)

    monkeypatch.setattr(JsonLines, "stored", note)
    monkeypatch.setattr(JsonLines, "texts", note_all)
    how: dict[str, Any] = {"corpus": tmp_path / "docs.jsonl", "text": text}
    one, other = (excerpt.report(*given, **how, notices=Notices()) for _ in range(2))
    read.clear()
    parts = parts_of(one.html())
    counts = Counter(read)
    assert [number for number in range(40) if counts[number] != 1] == [0, 1, 2]
    assert max(counts.values()) <= 5
    assert list(parts)[:3] == ["overview", "passages", "documents"]
    world = other.world
    pages = {name: getattr(world, name)() for name in ("overview", "passages", "documents")}
    pages |= {f"topic/{number}": world.topic(number) for number in range(3)}
    assert {name: parts[name] for name in pages} == json.loads(shell.encode(pages))
    assert pages["overview"]["tables"][0]["rows"] == [["all", 3, 3, 0, 0, 0], ["few", 3, 0, 1, 0, 2]]
    documents = [json.loads(shell.encode(page)) for page in world.each_document()]
    assert documents == [parts[f"document/{number}"] for number in range(40 if text else 0)]


def test_documents_wait_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They follow all other parts, the same bytes from memory and from a file; a full disk is said."""
    made = small_report()
    expected = made.html()
    monkeypatch.setattr(report, "LIMIT", 100)
    assert made.html() == expected
    assert small_report().html() == expected

    def full(**_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(ExcerptError, match=r"x: cannot be written: .*; nothing was left behind"):
        small_report().save(tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the output is called and wherever one works."""
    folders = [tmp_path / "one", tmp_path / "two"]
    pages = []
    for number, folder in enumerate(folders):
        folder.mkdir()
        (folder / "q.fol").write_text("1 Q0 A 60 200 10 10:40 100:20\n2 Q0 A 0 200\n3 Q0 A 20 200 10 10:20\n")
        (folder / "r.fol").write_text("1 Q0 A 1 1 r 0 50\n3 Q0 A 1 1 r 0 50\n9 Q0 A 1 1 r 0 50\n")
        (folder / "A.txt").write_text("x" * 200)
        monkeypatch.chdir(folder)
        here = folder if number else Path()
        made = excerpt.report(
            here / "q.fol", here / "r.fol", ["charP"], corpus=here / "A.txt", notices=Notices()
        )
        made.save(folder / f"out{number}.html")
        pages.append((folder / f"out{number}.html").read_bytes())
    assert pages[0] == pages[1]
    assert b"out0" not in pages[0]
    assert str(tmp_path) not in json.dumps(parts_of(pages[0]))


def test_names_and_texts_are_inert_in_the_bytes() -> None:
    """Hostile topics, documents, runs, titles and texts are data, never markup."""
    for name in HOSTILE:
        judgments = Judgments.of([(name, Span(name, 0, 5))])
        run = Run.of(name, [(name, name, 0, 9)])
        report = excerpt.report(
            judgments, [run], ["charP"], corpus={name: name * 3}, title=name, notices=Notices()
        )
        page = report.html().decode()
        assert "<script>alert" not in page
        assert "<img" not in page
        assert page.count("<template") == page.count("</template>") == 6
        assert parts_of(page.encode())["overview"]["topics"][0]["id"] == name
        shown = report._repr_html_()
        assert shown.count("<iframe") == 1
        assert "<img" not in shown
        assert "<script" not in shown


def test_without_text_there_is_none_anywhere() -> None:
    """Not in documents, nor in passages, nor in what is said about them."""
    report = small_report(text=False)
    said = json.dumps(parts_of(report.html()))
    assert SENTENCE not in said
    assert "Nothing of interest" not in said
    assert report.world.overview()["text"] is False
    assert small_report(text=False, corpus=None).html()


def test_documents_that_nobody_returned_or_marked_are_left_out() -> None:
    """Their text is not in the file."""
    report = small_report(corpus={**TEXTS, "q": "Left out of the report."})
    assert "Left out" not in json.dumps(parts_of(report.html()))


def test_text_needs_a_corpus() -> None:
    """One line says what to do."""
    with pytest.raises(ExcerptError, match=r"no corpus given; .*; give corpus=.*, or .*: text=False"):
        small_report(corpus=None)


def test_a_keyword_that_nobody_knows_is_refused() -> None:
    """Before all else, as Python does it."""
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'corpora'"):
        small_report(corpus="nowhere", corpora="x")


def test_a_corpus_may_be_a_path_or_a_mapping(tmp_path: Path) -> None:
    """Or an opened one."""
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    for corpus in (tmp_path, Corpus(TEXTS), TEXTS):
        assert small_report(corpus=corpus).world.texts("a", [(0, 3)]) == ["One"]


def test_a_view_starts_at_its_place() -> None:
    """The address is that of the page."""
    report = small_report()
    view = report.show("1", "a", runs=["one", "two"], measure="charP")
    assert view.address == "topic=1&runs=one,two&m=charP&doc=a"
    assert b'data-start="#topic=1&amp;runs=one,two&amp;m=charP&amp;doc=a"' in view.html()
    assert "topic=1&amp;amp;runs" in view._repr_html_()
    assert repr(view).startswith("<topic=1&runs=one,two&m=charP&doc=a of <Report")
    assert b"data-start" not in report.html()
    for wrong in ({"topic": "9"}, {"topic": "1", "document": "q"}, {"runs": ["x"]}, {"measure": "iP"}):
        with pytest.raises(ExcerptError, match="unknown"):
            report.show(**wrong)


def test_names_in_addresses_are_escaped() -> None:
    """As the page reads them."""
    judgments = Judgments.of([("a,b&c é", Span("d#1", 0, 5))])
    run = Run.of("r", [("a,b&c é", "d#1", 0, 9)])
    report = excerpt.report(judgments, [run], ["charP"], corpus={"d#1": "0123456789"}, notices=Notices())
    assert report.show("a,b&c é", "d#1").address == "topic=a%2Cb%26c%20%C3%A9&doc=d%231"


def test_a_cell_is_an_iframe_that_touches_nothing() -> None:
    """The page is inside, escaped once, without the origin of the notebook."""
    report = small_report(title="a & b")
    shown = report._repr_html_()
    assert shown.startswith('<iframe title="excerpt: a &amp; b" sandbox="allow-scripts" width="100%"')
    inside = re.search(r'srcdoc="([^"]*)"', shown)
    assert inside is not None
    assert html.unescape(inside[1]).encode() == report.html()
    assert shown.isascii()


def test_a_cell_holds_no_more_than_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to do instead; the page can still be had."""
    monkeypatch.setattr("excerpt.render.report.LIMIT", 1000)
    report = small_report()
    for shown in (report._repr_html_(), report.show("1")._repr_html_()):
        assert "<iframe" not in shown
        assert ".save(" in shown
        assert "excerpt.explore(" in shown
    assert parts_of(report.html())["document/0"]["text"] == TEXTS["a"]


def test_how_it_was_made() -> None:
    """A call for Python, versions and inputs."""
    made = small_report().world.overview()["made"]
    assert made["command"] == "excerpt.report('<Judgments>', ['one', 'two'], ['charP', 'MAiP'], …)"
    assert made["versions"]["excerpt"] == made["version"] == excerpt.__version__
    assert made["settings"]["overlap"] == "first"
    assert made["seed"] == 1


def test_the_report_of_the_embedded_collection_is_small() -> None:
    """14 runs, 41 topics, 40 contracts: at most 1.2 MB."""
    from excerpt import collection

    files = [run.path for run in collection.runs()]
    measures = ["MAiP", "iP[0.01]", "charP", "charR", "articleAP"]
    report = excerpt.report(
        collection.qrels(),
        files,
        measures,
        corpus=collection.corpus(),
        topics=collection.folder() / "topics.xml",
        policy=Policy(overlap="penalise"),
        notices=Notices(),
    )
    page = report.html()
    assert len(page) <= 1_200_000
    assert parts_of(page)["overview"]["topics"][0]["title"] == "Document Name"


def test_a_report_beside_its_documents_has_the_same_bytes_again(tmp_path: Path) -> None:
    """It is no document of the corpus, so it changes no hash."""
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    pages = []
    for _ in range(2):
        small_report(corpus=tmp_path).save(tmp_path / "report.html")
        pages.append((tmp_path / "report.html").read_bytes())
    assert pages[0] == pages[1]


def test_without_text_no_word_of_a_document_is_in_the_report(tmp_path: Path) -> None:
    """Titles are text, too."""
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.xml").write_text(f"<article><title>SECRET</title><p>{text}</p></article>")
    parts = parts_of(small_report(corpus=tmp_path, text=False).html())
    assert "SECRET" not in json.dumps(parts)
    assert "SECRET" in json.dumps(parts_of(small_report(corpus=tmp_path).html()))


def test_documents_that_change_before_a_report_is_written_are_said(tmp_path: Path) -> None:
    """To the caller's notices, else as warnings of Python; once."""
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    reports = [small_report(corpus=tmp_path), small_report(corpus=tmp_path, notices=(notices := Notices()))]
    (tmp_path / "a.txt").write_text("Other words.")
    (tmp_path / "c.txt").unlink()
    said = "2 documents cannot be read: their texts are missing (first: a, c)"
    with pytest.warns(excerpt.ExcerptWarning) as caught:
        Report(reports[0].world).save(tmp_path / "x.html")
    assert [str(warning.message) for warning in caught] == [said]
    assert said not in list(notices)
    for _ in range(2):
        reports[1].save(tmp_path / "x.html")
    assert list(notices).count(said) == list(reports[1].world.warnings).count(said) == 1


def test_blocks_of_a_corpus_are_those_of_the_report(tmp_path: Path) -> None:
    """Blocks that are given go before them."""
    (tmp_path / "a.xml").write_text("<article><clause>Some text.</clause><p>More.</p></article>")
    judgments, run = Judgments.of([("1", Span("a", 0, 5))]), Run.of("r", [("1", "a", 0, 5)])
    corpus = Corpus.read(tmp_path, blocks={"clause": "code"})
    kinds = []
    for blocks in (None, {"clause": "quote"}):
        report = excerpt.report(judgments, run, "charP", corpus=corpus, blocks=blocks, notices=Notices())
        kinds.append(report.world.document("a")["blocks"][0][0])
    assert kinds == ["code", "quote"]


def test_files_have_their_hash(tmp_path: Path) -> None:
    """Of the bytes as they lie on the disk."""
    (tmp_path / "q.fol").write_bytes(b"1 Q0 A")
    assert inputs([tmp_path / "q.fol", None]) == [
        {"name": "q.fol", "sha256": hashlib.sha256(b"1 Q0 A").hexdigest()}
    ]


def test_folders_have_a_hash_of_names_and_files(tmp_path: Path) -> None:
    """Another name or another byte is another hash; where the folder lies is not."""
    hashes = []
    for place, name, text in (("1", "a", "x"), ("2", "a", "x"), ("3", "b", "x"), ("4", "a", "y")):
        folder = tmp_path / place / "docs"
        folder.mkdir(parents=True)
        (folder / name).write_text(text)
        hashes.append(inputs([folder])[0]["sha256"])
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_what_is_no_file_has_a_name() -> None:
    """Content has a hash, values of Python have none."""
    given = [b"1 Q0 A", keep_content(io.BytesIO(b"1 Q0 A")), Run.of("mine", [])]
    first, second, third = inputs(given)
    assert first["sha256"] == second["sha256"] == hashlib.sha256(b"1 Q0 A").hexdigest()
    assert third == {"name": "mine", "sha256": ""}
    assert base_name(Run.of("mine", [])) == "mine"
    assert [base_name("."), base_name("./")] == [".", "./"]


def test_large_inputs_and_patterns_have_no_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing a library would take longer than the report."""
    (tmp_path / "a").write_text("text")
    monkeypatch.setattr(report, "_MOST", 3)
    assert inputs([tmp_path / "a", f"{tmp_path}/*.xml"])[0]["sha256"] == ""
    assert inputs([f"{tmp_path}/*.xml"]) == [{"name": "*.xml", "sha256": ""}]


def test_unreadable_files_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere."""
    (tmp_path / "a").write_text("text")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ExcerptError, match="cannot be read: permission denied"):
        inputs([tmp_path / "a"])


def test_versions() -> None:
    """Ours, and the one whose random numbers are used."""
    assert versions()["excerpt"] == __version__
    assert versions().keys() == {"excerpt", "numpy"}


def test_a_corpus_has_the_hash_of_its_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other files in its folder, such as the report itself, are no part of it."""
    (tmp_path / "a.txt").write_text("text")
    corpus = Corpus.read(tmp_path)
    found = corpus_input(tmp_path, corpus)
    assert found == [{"name": tmp_path.name, "sha256": corpus.fingerprint()}]
    (tmp_path / "report.html").write_text("<!DOCTYPE html>")
    assert corpus_input(tmp_path, Corpus.read(tmp_path)) == found
    pattern = f"{tmp_path}/*.txt"
    assert corpus_input(pattern, Corpus.read(pattern))[0]["sha256"] == found[0]["sha256"]
    assert corpus_input(corpus, corpus)[0]["sha256"] == found[0]["sha256"]
    assert corpus_input({"a": "text"}, Corpus({"a": "text"}))[0]["sha256"]
    assert corpus_input(None, None) == []
    monkeypatch.setattr(report, "_MOST", 3)
    assert corpus_input(tmp_path, corpus)[0]["sha256"] == ""


def test_a_corpus_that_cannot_be_read_has_no_hash(tmp_path: Path) -> None:
    """A report is made all the same."""
    (tmp_path / "a.txt").write_text("text")
    corpus = Corpus.read(tmp_path)
    (tmp_path / "a.txt").unlink()
    assert corpus_input(tmp_path, corpus) == [{"name": tmp_path.name, "sha256": ""}]


PARTS = [
    ("overview", {"a": 1}),
    ("documents", {"ids": []}),
    ("topic/0", {"b": "x" * 50}),
    ("document/0", {"text": "y"}),
]


def test_one_file(tmp_path: Path) -> None:
    """All parts are inside, and the size is printed."""
    saved = save(tmp_path / "x.html", "X", PARTS)
    page = (tmp_path / "x.html").read_bytes()
    assert (saved.path, saved.size, saved.folder) == (str(tmp_path / "x.html"), len(page), False)
    assert re.findall(rb'<template data-part="([^"]*)">', page) == [name.encode() for name, _ in PARTS]
    assert [path.name for path in tmp_path.iterdir()] == ["x.html"]


def test_beyond_the_limit_a_folder(tmp_path: Path) -> None:
    """The page has what it shows first; every other part is a script that hands it over."""
    saved = save(tmp_path / "x.html", "X", PARTS, limit=100)
    folder = tmp_path / "x"
    assert (saved.path, saved.folder) == (str(folder), True)
    assert sorted(path.name for path in folder.rglob("*.*")) == ["document-0.js", "index.html", "topic-0.js"]
    page = (folder / "index.html").read_text()
    assert 'data-source="folder"' in page
    assert "'self'; style-src" in page
    assert "trusted-types excerpt-parts" in page
    script = (folder / "data" / "topic-0.js").read_text()
    assert re.fullmatch(r'excerptPart\("topic/0","[A-Za-z0-9+/=]+"\);\n', script)
    assert saved.size == sum(path.stat().st_size for path in folder.rglob("*.*"))
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_report_replaces_a_report_but_nothing_else(tmp_path: Path) -> None:
    """A folder of the user's is never touched."""
    save(tmp_path / "x.html", "X", PARTS, limit=100)
    save(tmp_path / "x.html", "X", PARTS[:3], limit=100)
    assert sorted(path.name for path in (tmp_path / "x").rglob("*.*")) == ["index.html", "topic-0.js"]
    (tmp_path / "x" / "notes.txt").write_text("mine")
    with pytest.raises(ExcerptError, match="exists and is not a report; a large report needs a folder"):
        save(tmp_path / "x.html", "X", PARTS, limit=100)
    assert (tmp_path / "x" / "notes.txt").read_text() == "mine"
    (tmp_path / "y").write_text("a file")
    with pytest.raises(ExcerptError, match="exists and is not a report"):
        save(tmp_path / "y.html", "Y", PARTS, limit=100)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "y"]


def test_a_report_leaves_no_older_one_in_the_other_form(tmp_path: Path) -> None:
    """It grows into a folder and shrinks into a file; what is not a report stays."""
    for limit, left in ((10**9, "x.html"), (100, "x"), (10**9, "x.html")):
        save(tmp_path / "x.html", "X", PARTS, limit=limit)
        assert [path.name for path in tmp_path.iterdir()] == [left]
    (tmp_path / "y.html").write_text("<!DOCTYPE html><p>mine")
    save(tmp_path / "y.html", "Y", PARTS, limit=100)
    assert (tmp_path / "y.html").read_text() == "<!DOCTYPE html><p>mine"
    (tmp_path / "y" / "notes.txt").write_text("mine")
    save(tmp_path / "y.html", "Y", PARTS)
    assert (tmp_path / "y" / "notes.txt").read_text() == "mine"


def test_an_older_report_that_cannot_be_removed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the name of the new one."""
    save(tmp_path / "x.html", "X", PARTS, limit=100)

    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(ExcerptError, match=r"is an older report and cannot be removed: permission denied; "):
        save(tmp_path / "x.html", "X", PARTS)
    assert (tmp_path / "x.html").is_file()


def test_what_cannot_be_looked_at_is_an_error_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder in the place of the page is no report; a folder that may not be read is said."""
    for name in ("index.html", "data"):
        (tmp_path / "x" / name).mkdir(parents=True)
    with pytest.raises(ExcerptError, match="exists and is not a report"):
        save(tmp_path / "x.html", "X", PARTS, limit=100)

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(ExcerptError, match="cannot be written: permission denied"):
        save(tmp_path / "x.html", "X", PARTS, limit=100)
    save(tmp_path / "x.html", "X", PARTS)
    assert (tmp_path / "x" / "data").is_dir()


@pytest.mark.parametrize("limit", [10**9, 100])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """One line, and what was there stays."""
    (tmp_path / "x.html").write_text("before")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        ExcerptError, match=r"cannot be written: no space left on device; nothing was left behind"
    ):
        save(tmp_path / "x.html", "X", PARTS, limit=limit)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x.html", "before")]


def test_a_failure_while_parts_are_made_leaves_nothing(tmp_path: Path) -> None:
    """The old report keeps its place."""
    save(tmp_path / "x.html", "X", PARTS, limit=100)
    before = (tmp_path / "x" / "index.html").read_bytes()

    def parts() -> Any:
        yield from PARTS
        raise ExcerptError("a file changed")

    with pytest.raises(ExcerptError, match="a file changed"):
        save(tmp_path / "x.html", "X", parts(), limit=100)
    assert (tmp_path / "x" / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_standard_output_takes_one_file(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """A folder has no place there."""
    save("-", "X", PARTS)
    assert capsysbinary.readouterr().out.startswith(b"<!DOCTYPE html>")
    with pytest.raises(ExcerptError, match="too large for one file"):
        save("-", "X", PARTS, limit=100)


def test_the_limit_is_of_the_file() -> None:
    """25 MB."""
    assert report.LIMIT == 25_000_000
    assert folder_of("x.HTM") == Path("x")
    assert len(shell.head("X")) < report.LIMIT


@pytest.mark.parametrize("limit", [10**9, 100])
def test_no_report_is_compressed(tmp_path: Path, limit: int) -> None:
    """Its data is; and the folder of a large one is called by the name of a page."""
    with pytest.raises(ExcerptError, match=r"found extension \.gz, expected \.html or \.htm; "):
        save(tmp_path / "x.html.gz", "X", PARTS, limit=limit)
    assert not list(tmp_path.iterdir())
