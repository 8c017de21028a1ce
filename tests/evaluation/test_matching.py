"""Ids of runs and judgments: joined exactly or by a corpus; what a rule would join is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from excerpt import Corpus, ExcerptError, Judgments, Notices, Run, Span, evaluate, funnel
from excerpt.cli import main
from excerpt.evaluation.matching import check_topics
from excerpt.experiments.curves import curve
from excerpt.experiments.study import Study

JUDGMENTS = Judgments.of([("1", Span(name, 0, 9)) for name in ("12", "13", "14", "15")])
WAYS = '; ids="fold" joins them, ids="exact" keeps them apart'


def of(*documents: str, topic: str = "1") -> Run:
    """A run that returns these documents."""
    return Run.of("r", [(topic, name, 0, 9) for name in documents])


def said(judgments: Any, run: Any, measure: str = "charP", **how: Any) -> list[str]:
    """Warnings of an evaluation."""
    evaluate(judgments, run, measure, notices=(notices := Notices()), **how)
    return list(notices)


@pytest.mark.parametrize(
    ("documents", "rule", "examples"),
    [
        (("12.xml", "13.xml", "99.xml"), "without the ending", "12.xml as 12, 13.xml as 13"),
        (("12.TXT",), "without the ending", "12.TXT as 12"),
        (("13.md.gz",), "without the ending", "13.md.gz as 13"),
        (("corpus/a/13", "corpus/a/7"), "without the folder corpus/a/", "corpus/a/13 as 13"),
        (("c\\14.xml",), "without the ending, without the folder c/", "c\\14.xml as 14"),
        (("0012",), "without leading zeros", "0012 as 12"),
        ((" 12", "13\u00a0"), "without the white space around", " 12 as 12, 13\u00a0 as 13"),
        (("12#page=3",), "without the #fragment", "12#page=3 as 12"),
    ],
)
def test_documents_that_a_rule_would_join(documents: tuple[str, ...], rule: str, examples: str) -> None:
    """An error with the rule, two examples and both ways to go on; both ways work."""
    count = sum(1 for _ in re.finditer(" as ", examples))
    noun = "1 document" if count == 1 else f"{count} documents"
    message = f"r: found {noun} that would match {rule} ({examples}), expected ids of the judgments{WAYS}"
    with pytest.raises(ExcerptError) as caught:
        evaluate(JUDGMENTS, of(*documents))
    assert str(caught.value) == message
    joined = evaluate(JUDGMENTS, of(*documents), "charR", ids="fold", notices=(notices := Notices()))
    assert joined["r"] == {"charR": count / 4}
    forms = "document is joined with a judged one", "documents are joined with judged ones"
    assert any(one.startswith(f"{count} {forms[count > 1]} {rule}") for one in notices)
    with pytest.raises(
        ExcerptError, match="expected documents of the judgments, such as 12, 13, 14 and 1 more"
    ):
        evaluate(JUDGMENTS, of(*documents), ids="exact")


@pytest.mark.parametrize(
    ("name", "judged"),
    [("ABC", "Abc"), ("cafe\u0301", "caf\u00e9"), ("a\u2013b", "a-b"), ("D01", "d01"), ("x/007.txt", "x/7")],
)
def test_other_rules(name: str, judged: str) -> None:
    """Case, Unicode form, dashes, and zeros behind a folder."""
    judgments = Judgments.of([("1", Span(judged, 0, 9))])
    with pytest.raises(ExcerptError, match="found 1 document that would match"):
        evaluate(judgments, of(name))
    assert evaluate(judgments, of(name), "charR", ids="fold", notices=Notices())["r"] == {"charR": 1.0}


def test_nothing_that_a_rule_joins() -> None:
    """Documents of another collection are an error in any case; without results there is none."""
    for ids in (None, "exact", "fold"):
        with pytest.raises(ExcerptError, match="are these judgments for the same collection"):
            evaluate(JUDGMENTS, of("xyz"), ids=ids)
    check_topics(Run.of("r", []), JUDGMENTS)


@pytest.mark.parametrize(
    ("topic", "rule"), [("01", "without leading zeros"), ("1 ", "without the white space around")]
)
def test_topics_that_a_rule_would_join(topic: str, rule: str) -> None:
    """The same for topics."""
    with pytest.raises(ExcerptError) as caught:
        evaluate(JUDGMENTS, of("12", topic=topic))
    assert str(caught.value) == (
        f"r: found 1 topic that would match {rule} ({topic} as 1), expected ids of the judgments{WAYS}"
    )
    assert evaluate(JUDGMENTS, of("12", topic=topic), "charR", ids="fold", notices=Notices())["r"] == {
        "charR": 0.25
    }


def test_every_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the files of both sides, and is the same for curves, studies and funnels."""
    (tmp_path / "q").write_text("1 Q0 A 10 100 0 0:10\n")
    (tmp_path / "r").write_text("1 Q0 A.xml 1 1 r 0 10\n")
    q, r = str(tmp_path / "q"), str(tmp_path / "r")
    for refused in (
        lambda: evaluate(q, r),
        lambda: curve(q, r, "charP"),
        lambda: Study.of(q, r).reach("document"),
        lambda: funnel(q, r, [("1", "A", 0, 5)], notices=Notices()),
    ):
        with pytest.raises(ExcerptError, match="would match without the ending") as caught:
            refused()
        assert str(caught.value).startswith(f"{r}: found 1 document that would match")
        assert f"expected ids of {q}" in str(caught.value)
    for command in (["evaluate"], ["compare", r, "-m", "charP"], ["curve", "-m", "charP"]):
        assert main([command[0], q, r, *command[1:]]) == 2
        assert "--ids fold joins them" in capsys.readouterr().err
    assert main(["evaluate", q, r, "-m", "charR", "--ids", "fold", "--format", "csv"]) == 0
    assert "1.0" in capsys.readouterr().out


def test_from_one_in_twenty_on() -> None:
    """Fewer results, and fewer judged documents, are a warning with their count."""
    judged = Judgments.of([("1", Span(f"J{n}", 0, 9)) for n in range(21)] + [("1", Span("B", 0, 9))])
    others = [f"J{n}" for n in range(21)]
    for length, refused in ((19, True), (20, False)):  # 1 of 20 results, 1 of 21; 1 of 22 judged
        run = of(*others[:length], "b.txt")
        if refused:
            with pytest.raises(
                ExcerptError, match=r"would match without the ending, if case .* \(b.txt as B\)"
            ):
                evaluate(judged, run)
            continue
        (warning,) = said(judged, of(*others, "b.txt"))
        assert warning.startswith(
            "1 result counts as unjudged, since the id of the document only resembles a"
        )
        assert warning.endswith("judged one; ids stay as they are (b.txt, judged: B, of r)")
    judged = Judgments.of([("1", Span(f"J{n}", 0, 9)) for n in range(19)] + [("1", Span("B", 0, 9))])
    with pytest.raises(ExcerptError, match="would match"):  # 1 of 20 judged documents
        evaluate(judged, of(*others[:19], *(f"X{n}" for n in range(99)), "b.txt"))


def test_half_of_the_strange_ids() -> None:
    """A rule that joins fewer than half of both sides is none."""
    judged = Judgments.of([("1", Span(name, 0, 9)) for name in ("A", "P", "Q")])
    with pytest.raises(ExcerptError, match="would match"):
        evaluate(judged, of("P", "A.txt", "B", "C"))  # 1 of 2 judged ones
    judged = Judgments.of([("1", Span(name, 0, 9)) for name in ("A", "P", "Q", "R")])
    assert any("only resembles a judged one" in one for one in said(judged, of("P", "A.txt", "B", "C")))


def test_not_one_to_one() -> None:
    """Pages of one name in several folders stay as they are; a warning only if a score could change."""
    judged = Judgments.of([("1", Span("dependencies/index.md", 0, 9)), ("1", Span("b/index.md", 0, 9))])
    run = of("index.md", "dependencies/index.md", "x.md")
    warned = said(judged, run)
    assert len(warned) == 1
    assert warned[0].startswith("1 result counts as unjudged, since the id of the document only resembles")
    assert "(index.md, judged: b/index.md, of r)" in warned[0]
    second = Judgments.of(
        [("2", Span("a/index.md", 0, 9)), ("1", Span("b/index.md", 0, 9)), ("1", Span("x.md", 0, 9))]
    )
    assert any("only resembles" in one for one in said(second, run))
    other = Judgments.of([("1", Span("x.md", 0, 9)), ("2", Span("b/index.md", 0, 9))])
    assert not any("resembles" in one for one in said(other, run))
    assert not any("resembles" in one for one in said(judged, run, ids="exact"))
    evaluate(judged, of("a.md", "b/index.md"), "charP", notices=Notices())


def test_folding_leaves_ambiguous_ids() -> None:
    """Those of which a side has several stay, and both numbers are said."""
    judged = Judgments.of([("1", Span(name, 0, 9)) for name in ("A", "B", "C", "D")])
    run = of("a.txt", "d.txt", "b", "B.md", "c", "C")
    warned = said(judged, run, "charR", ids="fold")
    joined = "documents are joined with judged ones without the ending, if case is ignored"
    assert f"2 {joined} (first: a.txt as A, d.txt as D of r)" in warned
    assert "3 documents stay as their id would match, but not one to one (first: b, B.md, c of r)" in warned
    assert evaluate(judged, run, "charR", ids="fold", notices=Notices())["r"] == {"charR": 3 / 4}


def test_folding_says_which_ids_stay_if_it_joins_none() -> None:
    """Pages of one name in several folders stay, and their number is said."""
    judged = Judgments.of([("1", Span(name, 0, 9)) for name in ("a/index.md", "b/index.md", "c.md")])
    warned = said(judged, of("index.md", "c.md"), "charR", ids="fold")
    assert "1 document stays as its id would match, but not one to one (index.md of r)" in warned


@pytest.mark.parametrize(
    ("names", "judged"),
    [
        (["train/B.txt"], "test/B.txt"),  # two documents of one name
        (["C", "B7"], "B07"),  # zeros inside of an id
        (["B.xml"], "B"),  # judged for another topic only
        (["a/b/index", "C"], "a/c/index"),
    ],
)
def test_ids_that_are_other_documents(names: list[str], judged: str) -> None:
    """Unjudged documents are normal, and no word is said of them."""
    gold = Judgments.of([("1", Span("A", 0, 10)), ("2", Span(judged, 0, 10))])
    run = [("1", "A", 0, 5), *(("1", name, 0, 5) for name in names)]
    assert not any("ids" in one for one in said(gold, run))


def test_unknown_way_to_compare_ids() -> None:
    """The error lists the two."""
    with pytest.raises(ExcerptError, match=r"unknown ids 'loose'.*exact.*fold"):
        evaluate(JUDGMENTS, of("12"), ids="loose")  # type: ignore[arg-type]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of three documents, each of which has several names."""
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("Some text of ten words or less, all in all.")
    return tmp_path


@pytest.mark.parametrize("name", ["b.txt", "B", "B.TXT", "b.md", "/data/{}/b.txt", "b.txt#intro", " b "])
def test_a_corpus_joins_in_silence(docs: Path, name: str) -> None:
    """One to one, under whatever names run and judgments have."""
    judgments = Judgments.of([("1", Span("a", 0, 9)), ("1", Span("b", 0, 9))])
    expected = evaluate(judgments, of("a", "b", "c"), "charP", corpus=docs, notices=Notices())["r"]
    notices, name = Notices(), name.format(docs.name)
    assert evaluate(judgments, of("a", name, "c.txt"), "charP", corpus=docs, notices=notices)["r"] == expected
    assert list(notices) == []


def test_a_corpus_never_joins_two_documents() -> None:
    """Ids that would be one document of a corpus stay apart, unless they differ in a fragment only."""
    corpus = Corpus(
        {"guide/setup.md": "One two three", "api/ref.md": "Four five six", "Apple": "Seven eight"}
    )
    gold = Judgments.of([("1", Span("v1/guide/setup.md", 0, 5)), ("1", Span("api/ref.md", 0, 4))])
    warned = said(gold, of("v2/guide/setup.md", "api/ref.md"), "charR", corpus=corpus)
    assert any("judged document is not in the corpus (v1/guide/setup.md" in one for one in warned)
    assert any("document of a run is not in the corpus (v2/guide/setup.md" in one for one in warned)
    gold = Judgments.of([("1", Span("Apple", 0, 5))])
    table = evaluate(
        gold, of("APPLE", "Apple", "apple.txt"), "charP@1", corpus=corpus, notices=(n := Notices())
    )
    assert table["r"] == {"charP@1": 0.0}
    doubt = "2 ids would match documents of the corpus that other ids have; they stay as they are"
    assert f"{doubt} (first: APPLE, apple.txt of r)" in list(n)
    joined = evaluate(gold, of("apple.txt#p2", "apple.txt#p3"), "charR", corpus=corpus, notices=Notices())
    assert joined["r"] == {"charR": 1.0}
    both = Judgments.of([("1", Span("Apple#p2", 0, 5)), ("1", Span("Apple#p3", 0, 5))])
    warned = said(both, of("Apple#p2", "Apple#p3"), corpus=corpus)
    assert not any("which are joined" in one for one in warned)  # both were judged, and stay


def test_folders_in_front_of_all_ids_of_a_run() -> None:
    """One constant prefix, if no id is without it."""
    corpus = Corpus({"guide/setup.md": "One two three", "api/ref.md": "Four five six"})
    gold = Judgments.of([("1", Span("guide/setup.md", 0, 5)), ("1", Span("api/ref.md", 0, 4))])
    run = of("data/docs/guide/setup.md", "data/docs/api/ref.md", "data/docs/gone.md")
    table = evaluate(gold, run, "charR", corpus=corpus, notices=(notices := Notices()))
    assert table["r"] == {"charR": 1.0}
    assert list(notices) == ["1 document of a run is not in the corpus (data/docs/gone.md of r)"]


@pytest.mark.parametrize("workers", [1, 2])
def test_folders_of_one_run_mean_nothing_for_another(workers: int) -> None:
    """Scores depend neither on the order of the runs nor on what the corpus was used for."""
    corpus = Corpus({"a": "One two three", "b": "Four five six", "c": "Seven eight"})
    gold = Judgments.of([("1", Span("a", 0, 3)), ("1", Span("b", 0, 3))])
    runs = {"one": of("x/a", "x/c"), "two": of("x/b", "a")}
    for order in (["one", "two"], ["two", "one"]):
        given = {name: runs[name] for name in order}
        table = evaluate(gold, given, "charR", corpus=corpus, workers=workers, notices=Notices())
        assert [table.mean(name, "charR") for name in ("one", "two")] == [0.5, 0.5]
    assert corpus.resolve("x/b") is None


def test_judged_segments_are_documents() -> None:
    """If ids with a fragment were judged, another fragment is another document."""
    gold = b"1 0 doc_1#3 1\n1 0 doc_2#1 0\n"
    run = b"1 Q0 doc_1#5 1 3 r\n1 Q0 doc_2#1 2 2 r\n1 Q0 doc_1#3 3 1 r\n"
    corpus = Corpus({"doc_1": "One two three", "doc_2": "Four five six"})
    table = evaluate(gold, run, ["P@1", "articleAP"], corpus=corpus, notices=Notices())
    assert table["r"] == {"P@1": 0.0, "articleAP": 1 / 3}


def test_the_own_folders_of_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each of its paths, also of `.` and of patterns."""
    for name in ("en/a.txt", "more/b.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("Some text.")
    corpus = Corpus.read(tmp_path / "en", tmp_path / "more")
    assert [corpus.resolve(f"/data/{name}") for name in ("en/a.txt", "more/b.md", "./en/a")] == [
        "a.txt",
        "b.txt",
        "a.txt",
    ]
    monkeypatch.chdir(tmp_path / "en")
    for path in (".", "*.txt", "../en/*"):
        assert Corpus.read(path).resolve("/abs/docs/en/a.md") == "a.txt"


def test_two_ids_of_one_document(docs: Path) -> None:
    """They become one, and that is said."""
    judgments = Judgments.of([("1", Span("a", 0, 9)), ("1", Span("b", 0, 9))])
    notices = said(judgments, of("b", "b.txt", "c.txt"), corpus=docs)
    assert "1 document has two ids in a run, which are joined (b, b.txt of r)" in notices


def test_documents_of_a_corpus_with_similar_ids(docs: Path) -> None:
    """Those that the corpus tells apart are no misspelt ids."""
    (docs / "A.txt").write_text("Another text of more words than that, all in all.")
    judgments = Judgments.of([("1", Span("a.txt", 0, 9))])
    assert said(judgments, of("a.txt", "A.txt"), corpus=docs) == []
    assert any("only resembles" in one for one in said(judgments, of("a.txt", "A.txt")))


QUESTIONS = ["When is it due?", "Who pays?", "Who  signs?"]


def legalbench(**ids: list[str]) -> bytes:
    """A gold file without ids of its questions, unless they are given."""
    tests = [
        {"query": text, "snippets": [{"file_path": "A", "span": [10 * number, 10 * number + 9]}]}
        for number, text in enumerate(QUESTIONS)
    ]
    for key, values in ids.items():
        tests = [{**test, key: value} for test, value in zip(tests, values, strict=True)]
    return json.dumps({"tests": tests}).encode()


def test_a_numbering_that_is_shifted_by_one() -> None:
    """More topics that match give a warning; ids of the file and the words of questions are ids."""

    def run(name: Callable[[int], str]) -> list[tuple[str, str, int, int]]:
        return [(name(number), "A", 10 * number, 10 * number + 9) for number in range(3)]

    shift = (
        "1 run has more topics of the judgments if their numbers are shifted by one "
        "(topic 0 as 1, 3 instead of 2 topics, of run)"
    )
    assert shift in said(legalbench(), run(str))
    back = said(legalbench(), run(lambda number: str(number + 2)))
    assert any("(topic 4 as 3, 3 instead of 2 topics, of run)" in one for one in back)
    for name in (lambda number: str(number + 1), lambda number: " ".join(QUESTIONS[number].split())):
        notices = Notices()
        assert evaluate(legalbench(), run(name), "charP", notices=notices)["run"] == {"charP": 1.0}
        assert list(notices) == []
    kept = evaluate(legalbench(query_id=["x", "y", "z"]), run("xyz".__getitem__), "charP", notices=Notices())
    assert (kept.topics, kept["run"]) == (("x", "y", "z"), {"charP": 1.0})
    with pytest.raises(ExcerptError, match="found topic 0, expected topics of"):
        evaluate(legalbench(), run(str)[:1], "charP")


@pytest.mark.parametrize("ids", ["exact", "fold", None])
def test_questions_are_always_joined_by_their_text(ids: Any) -> None:
    """Also if ids are to stay as they are."""
    run = [(text, "A", 10 * number, 10 * number + 9) for number, text in enumerate(QUESTIONS)]
    assert evaluate(legalbench(), run, "charP", ids=ids, notices=Notices())["run"] == {"charP": 1.0}


def test_the_judgments_as_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same bytes, under one name or two, are an error unless the rows have results as well."""
    rows = b'{"topic": "1", "document": "A", "start": 0, "end": 5}\n'
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(rows)
    message = "found the bytes of the judgments as a run, expected results"
    for run in ("one", "two"):
        assert main(["evaluate", str(tmp_path / "one"), str(tmp_path / run)]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(ExcerptError, match=message):
        evaluate(rows, {"mine": rows})
    both = {"user_input": "When?", "retrieved_contexts": ["In May. Or not"], "reference_contexts": ["In May"]}
    corpus = Corpus({"A": "In May. Or not"})
    (tmp_path / "both").write_text(json.dumps(both) + "\n")
    path = str(tmp_path / "both")
    assert evaluate(path, path, "recall@1", corpus=corpus, notices=Notices()).means().tolist() == [[1.0]]
