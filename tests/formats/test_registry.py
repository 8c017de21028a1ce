"""The registry: every format of the two rooms with an example; and which format a file is in."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.gold_files import KINDS

from excerpt.checking.validation import check
from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.formats import judgments_formats, run_formats
from excerpt.formats.reader import judgments_from, run_from
from excerpt.formats.registry import AnyFormat, judgments_format_of, kind_of, run_format_of
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index

Open = Callable[..., Source]
FORMATS: list[AnyFormat] = [*run_formats().values(), *judgments_formats().values()]


def test_all_formats_are_here() -> None:
    """Those of the two rooms and those of apps, each under its name and kind."""
    others = {"citations", "trec-genomics", "trec-rag", "inex-efficiency", "indri", "contexts", "mapping"} | {
        "langfuse",
        "traces",
    }
    others |= {"bioasq", "ikat", "ikat-2025", "kilt"}
    assert set(run_formats()) >= {"fol", "path", "range", "bep", "trec", "inex", "jsonl"} | others
    ours = {"beir", "fol", "mapping", "trec", "inex", "inex-graded", "jsonl", "kilt", "nuggets"}
    assert set(judgments_formats()) >= ours | {kind.name for kind in KINDS}
    for kind, formats in (("run", run_formats()), ("judgments", judgments_formats())):
        assert {name: (kind, name) for name in formats} == {
            name: (format_.kind, format_.name) for name, format_ in formats.items()
        }


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: f"{format_.kind} {format_.name}")
def test_the_example_is_in_that_format_only(opened: Open, format_: AnyFormat) -> None:
    """Every other format of its kind says 0, and the right one reads it without faults."""
    known = run_formats() if format_.kind == "run" else judgments_formats()
    fits = {name: other.recognise(opened(format_.example)) for name, other in known.items()}
    found = {name for name, fit in fits.items() if fit}
    if format_.name == "mapping":  # any object is a line of JSON, to a far lower degree
        assert fits["mapping"] >= 50 * fits["jsonl"]
        found.remove("jsonl")
    assert (len(found), format_.name in found) == (1, not format_.by_name)


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: f"{format_.kind} {format_.name}")
def test_the_example_has_no_faults(format_: AnyFormat, example_index: OffsetIndex) -> None:
    """`check` accepts the examples that users see."""
    name = format_.name if format_.by_name else None
    run, qrels = (name, None) if format_.kind == "run" else (None, name)
    corpus = (
        {"A": "The rent is due in May. No pets."}
        if format_.name in {"contexts", "langfuse", "traces"}
        else None
    )
    found = check(
        format_.example.encode(),
        kind=format_.kind,
        index=None if format_.name == "bioasq" else example_index,  # its documents are sections
        run_format=run,
        qrels_format=qrels,
        corpus=corpus,
    )
    assert found, found
    assert ("a run" if format_.kind == "run" else "judgments") in found.summary


def documents_of(format_: AnyFormat) -> tuple[str, ...]:
    """The documents of a format's example; none if it cannot be read without them."""
    source = Source.open(format_.example.encode())
    try:
        if format_.kind == "run":
            return run_from(source, format_.name).documents
        return judgments_from(source, format_.name).documents
    except ExcerptError:
        return ()


@pytest.fixture(scope="module")
def example_index(tmp_path_factory: pytest.TempPathFactory) -> OffsetIndex:
    """An index of documents that have what the examples name."""
    folder: Path = tmp_path_factory.mktemp("examples")
    (folder / "corpus").mkdir()
    for name in {"A", "B", "1"}.union(*map(documents_of, FORMATS)):
        paragraphs = f"<p>{'x' * 500}</p>" * 4
        (folder / "corpus" / f"{name}.xml").write_text(f"<article>{paragraphs}</article>")
    build_index(folder / "corpus", folder / "index")
    return OffsetIndex.open(folder / "index")


def test_unknown_names(opened: Open) -> None:
    """A format that is not registered."""
    with pytest.raises(UnknownName, match=r"^unknown run format 'trek'; did you mean 'trec'"):
        run_format_of(opened(""), "trek")
    with pytest.raises(UnknownName, match=r"^unknown judgments format 'bep'"):
        judgments_format_of(opened(""), "bep")


def test_xml_that_looks_like_columns(opened: Open) -> None:
    """Lines of eight words inside XML do not make it a run in columns."""
    text = "<a>\n" + "1 Q0 d 1 1.0 t 0 5\n" * 30 + "</a>"
    with pytest.raises(FormatError) as caught:
        run_from(opened(text))
    assert str(caught.value).startswith(
        "f:1: found root element <a>, XML of another kind, expected a run; give run_format=…, one of: "
    )


def test_an_unknown_format_shows_the_first_line(opened: Open) -> None:
    """The first line that is not blank is shown with its number."""
    with pytest.raises(FormatError) as caught:
        judgments_from(opened("\ufeff\n\nwhat is this\n"))
    assert str(caught.value) == (
        "f:3: found 'what is this', expected judgments in a known format; "
        f"give qrels_format=…, one of: {', '.join(judgments_formats())}"
    )


def test_binary_data_is_an_error_not_a_traceback(opened: Open) -> None:
    """Whatever the format, bytes that are not text are refused."""
    for name in (None, *run_formats()):
        with pytest.raises(FormatError):
            run_from(opened(b"\x7fELF\x00\x01\xff"), name)
    for name in (None, *judgments_formats()):
        with pytest.raises(FormatError):
            judgments_from(opened(b"\x89PNG\x00\xff"), name)


def test_the_wrong_format_by_name(opened: Open) -> None:
    """If the user names a wrong format, the error says what does not fit."""
    with pytest.raises(FormatError, match=r"^f:1: found 6 columns, expected 8 "):
        run_from(opened("1 Q0 A 1 1.5 r\n"), "fol")
    with pytest.raises(FormatError, match=r"^f:1: found XML that is broken here"):
        run_from(opened("1 Q0 A 1 1.5 r\n"), "inex")
    with pytest.raises(FormatError, match=r"^f:1: found '1 Q0 A 1 1.5 r', expected one JSON object per line"):
        run_from(opened("1 Q0 A 1 1.5 r\n"), "jsonl")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("1 Q0 A 1 1.5 r 0 5\n", "run"),
        ("1 Q0 A 1 1.5 r /a[1]\n", "run"),
        ("1 Q0 A 1 1.5 r\n", "run"),
        ("1 Q0 A 1 1.5 r 7\n", "run"),
        ("<inex-submission/>", "run"),
        ('{"topic": 1, "document": 2, "rank": 1}', "run"),
        ("1 Q0 A 5 20 0 0:5\n", "judgments"),
        ("1 Q0 A 0 20\n", "judgments"),
        ("1 Q0 A 5 20 0 0:5 7:2 12:1\n", "judgments"),
        ("1 0 A 1\n", "judgments"),
        ("<assessments topic='1'/>", "judgments"),
        ('{"topic": 1, "document": 2, "size": 1}', "judgments"),
        ('{"topic": 1, "document": 2, "start": 1, "end": 4}', "judgments"),
    ],
)
def test_content_decides(opened: Open, content: str, kind: str) -> None:
    """The format that fits is that of a run or of judgments."""
    assert kind_of(opened(content)) == kind


def test_the_user_decides(opened: Open) -> None:
    """The user's kind takes precedence; the name of a format may imply it."""
    assert kind_of(opened("1 0 A 1\n"), kind="run") == "run"
    assert kind_of(opened("1 0 A 1\n"), name="bep") == "run"
    assert kind_of(opened("1 Q0 A 1 1.5 r\n"), name="trec") == "run"
    assert kind_of(opened("1 0 A 1\n"), name="trec") == "judgments"


def test_neither(opened: Open) -> None:
    """Something else is an error that shows it."""
    with pytest.raises(
        FormatError, match=r"^f:1: found 'hello world', expected a run or judgments in a known format"
    ):
        kind_of(opened("hello world\n"))


def test_a_format_that_nobody_knows(opened: Open) -> None:
    """A wrong name is named, not a traceback."""
    with pytest.raises(UnknownName, match=r"^unknown format 'nosuch'; known: beir, bep, "):
        kind_of(opened("1 0 A 1\n"), name="nosuch")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("1 0 A 120\n1 0 B 3000\n", "unknown format"),
        ("1 0 0 A 1\n1 0 1 B 2\n", "found preference judgments of trec_eval"),
    ],
)
def test_columns_of_another_kind(opened: Open, lines: str, said: str) -> None:
    """The number of columns alone makes no format: what is known is named, else the nearest with a reason."""
    with pytest.raises(FormatError) as caught:
        judgments_format_of(opened(lines))
    assert str(caught.value).startswith("f:1: ")
    assert said in str(caught.value)


def test_seven_columns_are_not_always_entry_points(opened: Open) -> None:
    """Questions, answers and labels in seven columns are no run."""
    lines = "Q1 how D1 Glacier_cave D1-0 A 0\n" * 3
    with pytest.raises(FormatError) as caught:
        run_format_of(opened(lines))
    assert str(caught.value).startswith(
        "f:1: unknown format; nearest: bep (topic Q0 document rank score tag offset), but found rank "
        "'Glacier_cave', expected a whole number; give run_format=…, one of: "
    )


def test_few_faults_do_not_hide_a_format(opened: Open) -> None:
    """If half of the first lines fit, the faults of the others are located."""
    good, bad = "1 Q0 A 1 1.5 r 0 5\n", "1 Q0 A x 1.5 r 0 5\n"
    for lines in (good + bad, bad, bad + bad):  # two lines are too few to tell faults from another format
        assert run_format_of(opened(lines)).name == "fol"
        assert kind_of(opened(lines)) == "run"
    with pytest.raises(FormatError, match=r"f:1: unknown format; nearest: fol .* found rank 'x'"):
        run_format_of(opened(bad + bad + good))


@pytest.mark.parametrize(
    ("root", "what"),
    [
        ("<inex_topic topic_id='1'/>", "<inex_topic>, an INEX topic file"),
        ("<top>\n<num>1\n</top>", "<top>, TREC topics"),
        ("<?xml version='1.0'?>\n<!-- x -->\n<article/>", "<article>, a document of a corpus"),
        ("<other:thing xmlns:other='x'/>", "<other:thing>, XML of another kind"),
    ],
)
def test_xml_is_called_by_its_root(opened: Open, root: str, what: str) -> None:
    """The root element says what a file is; its declaration does not."""
    with pytest.raises(FormatError) as caught:
        kind_of(opened(root))
    known = f"known formats: {', '.join(sorted({*run_formats(), *judgments_formats()}))}"
    hint = "excerpt.topics(file) reads and checks topics" if "topic" in what else known
    assert str(caught.value) == f"f:1: found root element {what}, expected a run or judgments; {hint}"


def test_swapped_files(opened: Open) -> None:
    """Judgments given as a run, and a run given as judgments, are recognised as such."""
    with pytest.raises(FormatError) as caught:
        run_format_of(opened("1 Q0 A 5 20 0 0:5\n"))
    assert str(caught.value) == "f: found judgments (fol), expected a run; are judgments and run swapped?"
    with pytest.raises(FormatError, match=r"^f: found judgments \(legalbench-rag\), expected a run; are"):
        run_format_of(opened('{"tests": [{"query": "q", "snippets": []}]}'))
    with pytest.raises(FormatError) as caught:
        judgments_format_of(opened("<inex-submission/>"))
    assert str(caught.value) == "f: found a run (inex), expected judgments; are judgments and run swapped?"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("article[1]/p[2]", "found path 'article[1]/p[2]', expected one such as /article[1]/p[2]"),
        ("63.5 434", "found offset '63.5', expected a whole number"),
        ("63 -", "found length '-', expected a whole number"),
        ("63,434", "nearest: bep .*, but found offset '63,434', expected a whole number"),
        ("63-434", "nearest: bep .*, but found offset '63-434', expected a whole number"),
    ],
)
def test_damaged_places_are_not_left_out(opened: Open, place: str, message: str) -> None:
    """A run whose places are all faulty is not one of whole documents with something more behind it."""
    source = opened(f"1 Q0 A 1 0.5 mine {place}\n" * 5)
    pattern = message if ".*" in message else re.escape(message)
    with pytest.raises(FormatError, match=pattern) as caught:
        run_from(source)
    assert caught.value.line == 1


def test_passages_with_another_sign_are_judgments(opened: Open) -> None:
    """Judgments with offset-length are not called a run."""
    with pytest.raises(FormatError, match="found passage '14-20', expected offset:length"):
        judgments_from(opened("1 Q0 A 20 120 14 14-20\n" * 5))


def test_more_columns_that_are_no_places(opened: Open) -> None:
    """A run of whole documents may have words behind its six columns."""
    assert run_from(opened("1 Q0 A 1 0.5 mine some remark\n" * 2)).kind == "documents"
