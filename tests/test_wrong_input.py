"""Input that would give a wrong number: each mistake is refused, or said with its count."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.report_parts import as_read

import excerpt
from excerpt import Corpus, ExcerptError, Judgments, Notices, Run, Span, check, evaluate, funnel
from excerpt.answers.citations import CITATIONS_EXAMPLE
from excerpt.checking.offset_readings import check_run
from excerpt.cli import main
from excerpt.formats import read_run

GOLD = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("B", 0, 10)), ("2", Span("A", 5, 25))])
TEXTS = {"A": "a" * 100, "B": "b" * 100, "C": "c" * 100}


def said(gold: Any, run: Any, measure: str = "charP", **how: Any) -> list[str]:
    """Warnings of an evaluation."""
    notices = Notices()
    evaluate(gold, run, measure, notices=notices, **how)
    return list(notices)


def jsonl(*rows: dict[str, Any]) -> bytes:
    """A file of JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


_CONTRADICT = "scores contradict the ranks"
_EFFECT = "ordered by score, as trec_eval does; --order rank takes the ranks"
TREC = "1 Q0 {} 1 {} r\n1 Q0 {} 2 {} r\n2 Q0 A 1 3 r\n2 Q0 B 2 2 r\n"


@pytest.mark.parametrize(
    ("first", "second", "contradicts"),
    [
        (("A", 0.1), ("B", 0.4), True),  # distances
        (("A", 1), ("B", 1), True),  # a constant, which puts B first
        (("B", 1), ("A", 1), False),  # a constant that keeps the order of the ranks
        (("A", 2), ("B", 1), False),
    ],
)
def test_scores_against_ranks(first: tuple[str, float], second: tuple[str, float], contradicts: bool) -> None:
    """The same warning from evaluate and check; none if an order is given."""
    data = TREC.format(*first, *second).encode()
    expected = [f"1 topic where {_CONTRADICT} is {_EFFECT} (topic 1 of <bytes>)"] * contradicts
    assert [one for one in said(GOLD, data, "articleAP") if _CONTRADICT in one] == expected
    assert list(check(data).warnings) == expected
    for order in ("rank", "score"):
        assert not any(_CONTRADICT in one for one in said(GOLD, data, "articleAP", order=order))


def test_scores_against_ranks_in_any_order_of_lines() -> None:
    """Lines may come in any order, ranks may be equal, and some ties are no contradiction."""
    fine = b"1 Q0 B 2 1 r\n1 Q0 A 1 2 r\n1 Q0 C 3 1 r\n2 Q0 A 0 1 r\n2 Q0 B 0 2 r\n"
    assert list(check(fine).warnings) == []
    wrong = b"1 Q0 B 2 3 r\n1 Q0 A 1 2 r\n2 Q0 C 1 1 r\n2 Q0 A 2 7 r\n"
    assert check(wrong).warnings[0].startswith(f"2 topics where {_CONTRADICT} are {_EFFECT} (first: topic 1")


def test_trec_eval_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The official tool orders by score without a word."""
    (tmp_path / "q").write_text("1 0 A 1\n1 0 B 0\n")
    (tmp_path / "r").write_text("1 Q0 A 1 0.1 r\n1 Q0 B 2 0.4 r\n")
    assert main(["trec_eval", str(tmp_path / "q"), str(tmp_path / "r")]) in (0, None)
    assert capsys.readouterr().err == ""


def test_results_of_length_0() -> None:
    """Some are counted, all are refused, and check names each; entry points and elements are not meant."""
    some = b"1 Q0 A 1 2 r 0 5\n1 Q0 B 2 1 r 7 0\n"
    assert said(GOLD, some)[0] == "1 result has length 0 and contains no text (<bytes>:2)"
    assert str(check(some)) == "<bytes>:2: found a result of length 0 at 7, expected text"
    for run in (b"1 Q0 A 1 2 r 0 0\n", [("1", "A", 3, 3), ("1", "B", 0, 0)]):
        with pytest.raises(ExcerptError, match="every result has length 0, but charP needs text"):
            evaluate(GOLD, run, "charP")
    assert not any("length 0" in one for one in check(b"1 Q0 A 1 2 r 7\n").warnings)
    points = Run.of("r", [("1", "A", 3, 3)], kind="entry points")
    assert not any("length 0" in one for one in said(GOLD, points, "articleAP"))


ROWS = [{"topic": "1", "document": "A", "start": 0, "end": 9}]


@pytest.mark.parametrize(("key", "value"), [("score", 0.5), ("rank", 1), ("run", "mine")])
def test_judgments_that_are_results(key: str, value: object) -> None:
    """Rows of a run are no judgments; None is no value, and grades of documents may be called scores."""
    with pytest.raises(ExcerptError, match=f"found a row with {key}, expected judgments; are judgments and"):
        evaluate([{**ROWS[0], key: value}], ROWS, "charP")
    assert evaluate([{**ROWS[0], key: None}], ROWS, "charP")["run"] == {"charP": 1.0}
    if key != "score":
        with pytest.raises(ExcerptError, match=f"found a row with {key}"):
            Judgments.of([{"topic": "1", "document": "A", "relevance": 1, key: value}])
    assert Judgments.of({"1": {"A": 1}}).scale == "documents"


def test_funnel_with_citations_second(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Saved answers are what was cited, never what was retrieved."""
    gold, read, cited = tmp_path / "gold.jsonl", tmp_path / "read.jsonl", tmp_path / "cited.jsonl"
    gold.write_bytes(jsonl(*ROWS))
    read.write_bytes(jsonl({**ROWS[0], "score": 1}))
    cited.write_text(CITATIONS_EXAMPLE)
    message = "found saved answers as the retrieved run, expected a run of the text that the model read"
    assert main(["funnel", str(gold), str(cited), str(read)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "the order is judgments, retrieved, cited" in error
    with pytest.raises(ExcerptError, match=message):
        funnel(gold, {"mine": cited.read_bytes()}, read)


def test_whole_numbers_written_as_decimals() -> None:
    """They are numbers, other decimals are refused; two numbers at the end are never a TREC run."""
    plain, decimals = b"1 Q0 A 1 2 r 6363 434\n", b"1 Q0 A 1.0 2 r 6363.0 434.0\n"
    run, other = read_run(plain), read_run(decimals)
    assert (other.kind, other.start.tolist(), other.end.tolist()) == ("spans", [6363], [6797])
    assert other.end.tolist() == run.end.tolist()
    assert read_run(b"1 Q0 A 1 2 r 6363.0\n").kind == "entry points"
    for line in (b"1 Q0 A 1 2 r 6363.5 434.0\n", b"1 Q0 A 1 2 r 0.5 0.25\n", b"1 Q0 A 1 2 r 1e3 7.5\n"):
        with pytest.raises(ExcerptError, match="expected a whole number"):
            read_run(line * 5)
    assert read_run(b"1 Q0 A 1 2 r 0.5 0.25\n", format="trec", notices=Notices()).kind == "documents"
    gold = excerpt.read_judgments(b"1 Q0 A 20 100 0 5.0:20.0\n")
    assert gold.highlights("1") == [Span("A", 5, 25)]


def test_json_lines_without_any_place() -> None:
    """A note says that the results are whole documents."""
    data = jsonl({"topic": "1", "document": "A", "score": 1}, {"topic": "1", "document": "B", "score": 0})
    note = "2 results have no offsets and no paths, and are whole documents (first: <bytes>)"
    assert note in said(GOLD, data, "articleAP")
    assert check(data).warnings == (note,)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of texts: a corpus that knows `A` and `A.txt` as one document."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


NAMED = [("1", "A.txt", 0, 20), ("1", "A", 20, 25), ("1", "C.txt", 0, 5), ("2", "A.txt", 5, 15)]
EXACT = [("1", "A", 0, 20), ("1", "A", 20, 25), ("1", "C", 0, 5), ("2", "A", 5, 15)]


def test_documents_are_joined_through_the_corpus(docs: Path) -> None:
    """Evaluate, explain, funnel, show and reports see one document under both of its ids."""
    same = said(GOLD, NAMED, corpus=docs)
    assert same[0] == "1 document has two ids in a run, which are joined (A.txt, A of run)"
    names = ["charP", "charR", "MAiP", "articleAP"]
    quiet: dict[str, Any] = {"corpus": docs, "notices": Notices()}
    assert evaluate(GOLD, NAMED, names, **quiet)["run"] == evaluate(GOLD, EXACT, names, **quiet)["run"]
    explained = [excerpt.explain(GOLD, run, **quiet).to_dict() for run in (NAMED, EXACT)]
    assert explained[0]["reasons"] == explained[1]["reasons"]
    assert [one["missed"] for one in explained[0]["questions"]] == [
        one["missed"] for one in explained[1]["questions"]
    ]
    flows = [funnel(GOLD, *runs, **quiet).all for runs in ((NAMED, EXACT), (EXACT, NAMED), (EXACT, EXACT))]
    assert flows[0] == flows[1] == flows[2]
    assert flows[0].shares["never_retrieved"] == 0
    shown = [excerpt.show(GOLD, Run.of("r", run), "1", **quiet).to_dict() for run in (NAMED, EXACT)]
    assert json.loads(json.dumps(shown[0]["documents"]).replace("C.txt", "C")) == shown[1]["documents"]
    assert shown[0]["scores"] == shown[1]["scores"]
    worlds = [_world(docs, run) for run in (NAMED, EXACT)]
    one, two = (as_read(world.topic(0)) for world in worlds)
    assert json.loads(json.dumps(one).replace("C.txt", "C")) == two


def _world(docs: Path, run: Any) -> Any:
    from excerpt.view.world import World

    return World.of(GOLD, run, "charP", corpus=Corpus.read(docs), cited=run, notices=Notices())


def test_exact_ids_are_not_joined(docs: Path) -> None:
    """The corpus joins nothing then."""
    scores = evaluate(GOLD, NAMED, "charR", corpus=docs, ids="exact", notices=Notices())
    assert scores["run"]["charR"] == 0.0


@pytest.mark.parametrize("given", ["file", "rows"])
def test_texts_beside_offsets(given: str) -> None:
    """Without a corpus the lengths are compared; a stripped text and a trimmed chunk are fine."""
    row = {"topic": "1", "document": "A", "score": 1}
    wrong = {**row, "start": 0, "end": 5, "text": "é" * 3 + '"'}
    bytes_ = {**row, "start": 0, "end": 6, "text": "é" * 3}
    fine = [
        {**row, "start": 10, "end": 13, "text": "abc"},
        {**row, "start": 20, "end": 23, "text": " abc "},
        {**row, "start": 30, "end": 31, "text": "abc", "how": "trimmed"},
        {**row, "start": 40, "end": 43},
    ]
    where = "<bytes>:5" if given == "file" else "run"
    expected = "1 result has a text of another length than its offsets say; the offsets count "
    for odd, note in (
        (wrong, "4 characters of text, 5 by its offsets"),
        (bytes_, "3 characters of text, 6 by its offsets: bytes?"),
    ):
        rows = [*fine, odd]
        warned = said(GOLD, jsonl(*rows) if given == "file" else rows, "charR")
        assert f"{expected}({note}; {where})" in warned
        assert not any("another length" in one for one in said(GOLD, jsonl(*fine), "charR"))


def test_ids_of_questions_in_other_gold_files() -> None:
    """Tables of chunking_evaluation and HiCBench have them too."""
    reference = '"[{""content"": ""x"", ""start_index"": 0, ""end_index"": 1}]"'
    table = f"question,references,corpus_id,query_id\nWhen?,{reference},A,q7\n"
    assert excerpt.read_gold(table.encode()).topics == ("q7",)
    record = {"_id": "A", "qid": 9, "input": "When?", "answers": [], "facts": [], "evidences": ["a"]}
    assert excerpt.read_gold(jsonl(record), {"A": "a"}, notices=Notices()).topics == ("9",)


def test_all_results_beyond_their_documents(docs: Path) -> None:
    """One that begins inside is enough to go on; check says the same."""
    data = b"1 Q0 A 1 2 r 100 5\n1 Q0 B 2 1 r 200 5\n"
    message = "<bytes>:1: all 2 results begin after the end of their documents"
    with pytest.raises(ExcerptError, match=message):
        evaluate(GOLD, data, "charP", corpus=docs)
    with pytest.raises(ExcerptError, match=message):
        check(data, corpus=docs)
    assert any("beyond the end" in one for one in said(GOLD, data + b"1 Q0 B 3 1 r 99 5\n", corpus=docs))


def test_a_result_of_an_empty_document(docs: Path) -> None:
    """Begins at its end, not after it."""
    (docs / "E.txt").write_text("")
    assert any("beyond the end" in one for one in said(GOLD, b"1 Q0 E 1 2 r 0 5\n", corpus=docs))


def test_results_of_documents_that_the_corpus_does_not_have(docs: Path) -> None:
    """Their ends are not known, so that not all results are beyond them."""
    data = b"1 Q0 A 1 2 r 100 5\n1 Q0 elsewhere 2 1 r 0 5\n"
    assert any("beyond the end" in one for one in said(GOLD, data, corpus=docs))


SENTENCES = [
    "Größe 𝄞 zählt über alles, naïve Éloge.",
    "Plain words follow here, nothing else.",
    "Ça 𝄞 déjà vu 𝄞 là.",
]
LONG = " ".join(SENTENCES * 8)
SPANS = [match.span() for match in re.finditer(r"\S[^.]+\.", LONG)]


def _units(encoding: str, width: int) -> Callable[[int], int]:
    return lambda at: len(LONG[:at].encode(encoding)) // width


@pytest.mark.parametrize(
    ("convert", "noun"),
    [
        ((_units("utf-8", 1),) * 2, "bytes"),
        ((_units("utf-16-le", 2),) * 2, "UTF-16 code units"),
        ((lambda at: at + 1,) * 2, "1-based"),
        ((lambda at: at + 1, lambda at: at), "1-based"),
        ((lambda at: at,) * 2, ""),
    ],
)
def test_offsets_inside_words(convert: tuple[Callable[[int], int], Callable[[int], int]], noun: str) -> None:
    """The reading that puts starts and ends between words is named, by evaluate and by check."""
    spans = [(convert[0](start), convert[1](end)) for start, end in SPANS]
    rows = [("1", "L", start, end) for start, end in spans]
    gold = Judgments.of([("1", Span("L", 0, 50))])
    lines = "".join(f"1 Q0 L 1 1 r {start} {end - start}\n" for start, end in spans).encode()
    if not noun:
        assert not any("inside words" in one for one in said(gold, rows, corpus={"L": LONG}))
        assert not any("inside words" in one for one in check(lines, corpus={"L": LONG}).warnings)
        return
    with pytest.raises(ExcerptError, match=f"inside words, but not if offsets are read as {noun}"):
        evaluate(gold, [Run.of("r", rows)], "charP", corpus={"L": LONG})
    with pytest.raises(ExcerptError, match=f"inside words, but not if offsets are read as {noun}"):
        check(lines, corpus={"L": LONG})


@pytest.mark.parametrize("size", [1, 7, 40, 100])
@pytest.mark.parametrize("text", [LONG, LONG * 20, "東京は日本の首都です。" * 60, "abcdef ghij " * 90])
def test_windows_end_inside_words_by_design(text: str, size: int) -> None:
    """Windows of a fixed size give no alarm, nor do first characters of words."""
    corpus, notices = Corpus({"L": text}), Notices()
    windows = [("1", "L", start, start + size) for start in range(0, len(text) - size, size)]
    check_run(Run.of("r", windows), corpus, notices)
    firsts = [("1", "L", match.start(), match.start() + 1) for match in re.finditer(r"\b\w", text)]
    check_run(Run.of("r", firsts), corpus, notices)
    assert list(notices) == []


def test_pool_of_runs_without_a_common_topic() -> None:
    """Runs that share no topic with another are counted."""
    rows = {"a": [("1", "A", 0, 5)], "b": [("1", "B", 0, 5)], "c": [("0", "C", 0, 5)]}
    end = "no topic in common with the other runs; do they number the topics alike?"
    assert excerpt.pool(rows, depth=5, notices=Notices()).warnings == (f"1 run has {end} (c)",)
    del rows["b"]
    assert excerpt.pool(rows, depth=5, notices=Notices()).warnings == (f"2 runs have {end} (first: a)",)
    assert excerpt.pool({"c": rows["c"]}, depth=5, notices=Notices()).warnings == ()
