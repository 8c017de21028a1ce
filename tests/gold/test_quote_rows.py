"""Gold of question, document and quote: rows of every kind, placed in the corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Span, read_judgments
from excerpt.cli import main
from excerpt.errors import FormatError

A = "The rent is due in May. Pets are allowed. “It’s fine,” she said."  # noqa: RUF001 - as in print
B = "You may keep a dog. The rent is due in June, as in every year before."
DOCS = {"A": A, "B": B}


def lines(*rows: dict[str, Any]) -> bytes:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def said(gold: Judgments, topic: str) -> list[str]:
    """The relevant text of a question."""
    return [DOCS[span.document][span.start : span.end] for span in gold.highlights(topic)]


def refused(*rows: dict[str, Any], **how: Any) -> str:
    """The error of reading rows."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.read_gold(lines(*rows), DOCS, **how)
    return str(caught.value)


def test_the_shortest_file() -> None:
    """Questions are numbered from 1; rows of one question need all of their quotes."""
    gold = excerpt.read_gold(
        lines(
            {"question": "When?", "document": "A", "quote": "in May"},
            {"question": "Who?", "document": "A", "answerable": False},
            {"question": "When?", "document": "B", "quote": "in June"},
            {"question": "Why?", "quote": []},
        ),
        DOCS,
    )
    assert gold.topics == ("1", "2", "3")
    assert [gold.questions[topic].text for topic in gold.topics] == ["When?", "Who?", "Why?"]
    assert said(gold, "1") == ["in May", "in June"]
    assert gold.has_relevant.tolist() == [True, False, False]
    assert gold.evidence == {"exact": 2, "moved": 0, "folded": 0, "markup": 0, "unplaced": 0, "elsewhere": 0}


@pytest.mark.parametrize("question", ["question", "query", "user_input", "input"])
@pytest.mark.parametrize("document", ["document", "source", "doc_id", "file_path", "file"])
@pytest.mark.parametrize(
    "quote", ["quote", "text", "evidence", "reference", "reference_contexts", "context", "fact"]
)
def test_every_spelling(question: str, document: str, quote: str) -> None:
    """The keys of the tools; ids are kept."""
    for value in ("in May", ["in May"]):
        gold = excerpt.read_gold(lines({question: "When?", document: "A", quote: value}), DOCS)
        assert (gold.topics, said(gold, "1")) == (("1",), ["in May"])


@pytest.mark.parametrize("key", ["question_id", "query_id", "id", "topic"])
def test_ids_are_kept(key: str) -> None:
    """By any of their keys, also without the question."""
    rows = lines(
        {key: "q7", "question": "When?", "document": "A", "quote": "in May"}, {key: 8, "quote": "a dog"}
    )
    gold = excerpt.read_gold(rows, DOCS)
    assert (gold.topics, said(gold, "8")) == (("q7", "8"), ["a dog"])


def test_a_run_may_use_the_questions() -> None:
    """Topics of a run are numbers or questions."""
    gold = lines({"question": "When?", "document": "A", "quote": "in May"})
    for topic in ("1", "When?"):
        table = excerpt.evaluate(gold, [(topic, "A", 0, 23)], ["recall@5"], corpus=DOCS)
        assert table.mean("run", "recall@5") == 1


TABLE: list[dict[str, Any]] = [
    {"question": "When?", "document": "A", "quote": "in May", "start": None},
    {"question": "Pets?", "document": None, "quote": "You may keep a dog.", "start": 3},
]


def test_a_run_may_have_questions() -> None:
    """A result names its question by the key of gold, too, in a file and in memory."""
    gold = lines({"question": "When?", "document": "A", "quote": "in May"})
    for place in ({"start": 0, "end": 23}, {"text": "The rent is due in May."}):
        row = {"question": "When?", "document": "A", **place}
        for run in (lines(row), lines(row, {**row, "title": "x"}), [row]):
            assert excerpt.evaluate(gold, run, ["recall@5"], corpus=DOCS).means()[0, 0] == 1


def test_contradictory_rows() -> None:
    """A question with a quote is answerable."""
    row = {"question": "When?", "document": "A", "quote": "in May"}
    message = refused(row, {"question": "When?", "answerable": False})
    assert ":2: found answerable false next to a quote of the question, expected one of the two" in message


class Dataset:
    """Columns as those of Hugging Face: neither a frame nor rows."""

    def __init__(self) -> None:
        self.column_names = list(TABLE[0])

    def __getitem__(self, name: str) -> list[Any]:
        return [row[name] for row in TABLE]


def test_every_container(tmp_path: Path) -> None:
    """JSON Lines, a list, CSV, TSV, Parquet, dictionaries, a data frame, a Dataset."""
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    frame = pandas.DataFrame(TABLE)
    for end, separator in (("csv", ","), ("tsv", "\t")):
        frame.to_csv(tmp_path / f"gold.{end}", sep=separator, index=False, float_format="%d")
    parquet.write_table(arrow.Table.from_pylist(TABLE), tmp_path / "gold.parquet")
    files = [tmp_path / f"gold.{end}" for end in ("csv", "tsv", "parquet")]
    for given in (lines(*TABLE), json.dumps(TABLE).encode(), *files, TABLE, frame, Dataset()):
        gold = excerpt.read_gold(given, DOCS)
        assert (said(gold, "1"), said(gold, "2")) == (["in May"], ["You may keep a dog."])
        assert [gold.evidence[how] for how in ("exact", "moved")] == [1, 1]
    table = excerpt.evaluate(frame, [("1", "A", 0, 23)], ["recall@5"], corpus=DOCS)
    assert table["run"] == {"recall@5": 0.5}
    assert main(["evaluate", str(files[2]), str(files[2]), "-m", "recall@5"]) == 2  # no saved scores


def test_lists_in_cells() -> None:
    """As JSON, and as Python prints them."""
    data = b'user_input,reference_contexts\nWhen?,"[\'in May\', \'in June\']"\nPets?,"[""a dog""]"\n'
    gold = excerpt.read_gold(data, DOCS)
    assert (said(gold, "1"), said(gold, "2")) == (["in May", "in June"], ["a dog"])


def test_how_quotes_are_found() -> None:
    """Exact, folded, and only with offsets moved; an ellipsis leaves out text."""
    gold = excerpt.read_gold(
        lines(
            {"question": "1", "document": "A", "quote": '"It\'s fine," she said.'},
            {"question": "2", "document": "A", "quote": "in  May."},
            {"question": "3", "document": "A", "quote": "Pets are allowed.", "start": 20, "end": 37},
            {"question": "4", "document": "B", "quote": "The rent ... in every year"},
            {"question": "5", "quote": "You may […] a dog."},
        ),
        DOCS,
    )
    assert said(gold, "1") == [A[42:]]
    assert said(gold, "2") == ["in May."]
    assert said(gold, "3") == ["Pets are allowed."]
    assert said(gold, "4") == ["The rent", "in every year"]
    assert (gold.evidence["moved"], gold.evidence["unplaced"]) == (1, 0)


def test_alternatives() -> None:
    """One of several quotes is enough; several needs are a list."""
    either = {
        "any_of": [{"document": "A", "quote": "Pets are allowed."}, {"document": "B", "quote": "a dog"}]
    }
    gold = lines(
        {"question": "Pets?", **either},
        {"question": "Both?", "evidence": [either, {"document": "A", "quote": "in May"}]},
    )
    judgments = excerpt.read_gold(gold, DOCS)
    assert said(judgments, "1") == ["Pets are allowed.", "a dog"]
    run = [("1", "B", 0, 19), ("2", "B", 0, 19)]
    table = excerpt.evaluate(judgments, run, ["recall@5", "found@5"], corpus=DOCS)
    assert [table.values[0, topic].tolist() for topic in (0, 1)] == [[1, 1], [5 / 11, 0.5]]


def test_alternatives_of_several_parts(tmp_path: Path) -> None:
    """As they are written: a list of parts is one alternative; a text is a quote of the row's document."""
    parts = [{"document": "A", "quote": "in May"}, {"document": "A", "quote": "Pets"}]
    rows = [{"question": "Q", "document": "B", "any_of": [parts, "a dog"]}]
    gold = excerpt.read_gold(rows, DOCS)
    assert gold.alternatives["1"] == (((Span("B", 13, 18),), (Span("A", 16, 22), Span("A", 24, 28))),)
    for corpus in (DOCS, None):
        excerpt.write_judgments(gold, tmp_path / "gold.jsonl", corpus=corpus)
        again = excerpt.read_judgments(tmp_path / "gold.jsonl", corpus=corpus)
        assert (again.alternatives, again.questions) == (gold.alternatives, gold.questions)


def test_questions_without_an_answer_are_written(tmp_path: Path) -> None:
    """With and without a corpus, also if they name no document."""
    rows = [
        {"question": "When?", "document": "A", "quote": "in May"},
        {"question": "Who?", "answerable": False},
    ]
    for corpus in (DOCS, None):
        excerpt.write_judgments(excerpt.read_gold(rows, DOCS), tmp_path / "gold.jsonl", corpus=corpus)
        again = excerpt.read_judgments(tmp_path / "gold.jsonl")
        assert excerpt.evaluate(again, [("Who?", "A", 0, 9)], ["abstained"]).values.tolist()[0][1] == [0.0]


def test_a_table_with_gaps() -> None:
    """Empty cells have no value."""
    table = "question,file,quote,answerable,start,end\nWhen?,A,in May,,,\nWho?,,,no,,\nPets?,A,Pets,,24,28\n"
    gold = excerpt.read_gold(table.encode(), DOCS)
    assert [said(gold, topic) for topic in "123"] == [["in May"], [], ["Pets"]]


def test_offsets_alone() -> None:
    """A question with offsets needs no quote."""
    gold = excerpt.read_gold([{"question": "Pets?", "document": "A", "start": 24, "end": 28}], DOCS)
    assert said(gold, "1") == ["Pets"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"document": "A"},
            "the row has neither a quote nor offsets, expected quote (or start and end); it has",
        ),
        ({"document": "A", "quote": " "}, "the row has neither a quote nor offsets"),
        (
            {"any_of": []},
            "found an empty any_of, expected [{document, quote}, …]; answerable: false marks",
        ),
        ({"any_of": [{"document": "A", "quote": []}]}, "an alternative has no quote, expected one"),
        ({"any_of": [{"document": "A"}]}, "the row has neither a quote nor offsets"),
        ({"any_of": [{"any_of": []}]}, "found any_of inside any_of, expected [{"),
        ({"any_of": [{"document": "A", "quote": 7}]}, "found quote 7, expected text or a list"),
        ({"any_of": "in May"}, 'found any_of "in May", expected [{document, quote}, …]'),
        ({"document": "A", "quote": 5}, "found quote 5, expected text or a list"),
        ({"document": "A", "quote": ["in May", 5]}, "found quote 5, expected text or a list"),
        ({"document": "A", "quote": ["in May", ["due"]]}, "found a list in quote, expected texts"),
        ({"document": "A", "quote": [[]]}, "found a list in quote, expected texts"),
        ({"start": 3, "end": 8}, "key document is missing, expected a name or a number; the object has"),
        ({"document": ["A"], "quote": "in May"}, "found document a list, expected a name or a number"),
        ({"quote": "in May", "answerable": False}, "found a quote next to answerable false"),
        ({"quote": "in May", "answerable": "perhaps"}, 'found answerable "perhaps", expected true or false'),
        (
            {"document": "A", "quote": "in May", "start": 9, "end": 3},
            "found a start at 9 and an end at 3, expected an end",
        ),
        ({"document": "A", "quote": "in May", "start": "x"}, 'found start "x", expected a whole number'),
        (
            {"document": "A", "quote": "in march"},
            "evidence 'in march' of question 2 does not occur in document A; ",
        ),
        (
            {"document": "A", "quote": "IN MAY"},
            "does not occur in document A, only in another case; nearest: line 1 ",
        ),
        ({"document": "A", "quote": "a dog"}, "does not occur in document A, but in document B; correct"),
        (
            {"document": "C", "quote": "in May"},
            "is of document C, which is not in the corpus, but in document A",
        ),
        ({"quote": "in march"}, "evidence 'in march' of question 2 does not occur in any document; correct"),
        ({"quote": "IN MAY"}, "does not occur in any document, only in another case"),
        (
            {"quote": "The rent is due"},
            "names no document and occurs at 2 places, at 0 of document A and at 20 of document B; name the ",
        ),
    ],
)
def test_bad_rows(row: dict[str, Any], message: str) -> None:
    """One line each, with the line of the file, that says what to do."""
    first = {"question": "When?", "document": "A", "quote": "in May"}
    error = refused(first, {"question": "Who?", **row})
    assert error.startswith("<bytes>:2: ")
    assert message in error


def test_no_quote_in_the_first_row() -> None:
    """A question with a document is a row of quotes; judgments call a topic `query`, not `question`."""
    error = refused({"question": "When?", "document": "A"})
    assert error.startswith("<bytes>:1: the row has neither a quote nor offsets, expected quote")
    judged = lines({"query": "7", "document": "A"})
    assert excerpt.read_judgments(judged).topics == ("7",)


def test_ids_with_two_questions() -> None:
    """An id is of one question."""
    row = {"topic": "7", "question": "When?", "document": "A", "quote": "in May"}
    assert "found question 7 again with other words" in refused(row, {**row, "question": "Who?"})
    bare = {"topic": "7", "document": "A", "quote": "in May"}
    said = refused(bare, row, {**row, "question": "Who?"})
    assert said.startswith("<bytes>:3: found question 7 again with other words, expected each id once")


def test_a_question_in_a_later_row_of_its_id() -> None:
    """Rows of one question need not repeat its words and its group."""
    rows = [
        {"id": "7", "document": "A", "quote": "in May"},
        {"id": "7", "question": "When?", "group": "g", "document": "A", "quote": "Pets"},
    ]
    judgments = excerpt.read_gold(lines(*rows), DOCS)
    assert judgments.questions["7"][:3] == ("7", "When?", "g")
    assert len(judgments.highlights("7")) == 2


def test_ids_in_some_rows_only() -> None:
    """A number or words are never taken for another question's; without a collision both may be."""
    by_id = {"id": "1", "question": "When?", "document": "A", "quote": "in May"}
    bare = {"id": "1", "document": "A", "quote": "in May"}
    words = {"question": "Pets?", "document": "A", "quote": "Pets"}
    expected = "in a row with an id, expected ids in all rows or in none"
    found = "found question 'Pets?' without an id, and its"
    for first in (by_id, bare):
        assert refused(first, words).startswith(f"<bytes>:2: {found} number {expected}")
        assert refused(words, {**first, "question": "Pets?"}).startswith(
            f"<bytes>:1: {found} number {expected}"
        )
    again = refused({**by_id, "id": "7"}, {**words, "question": "When?"})
    assert again.startswith(f"<bytes>:2: found question 'When?' without an id, and its words {expected}")
    both = excerpt.read_gold(lines({**by_id, "id": "q7"}, words), DOCS)
    assert {topic: question.text for topic, question in both.questions.items()} == {
        "q7": "When?",
        "1": "Pets?",
    }


def test_one_question_with_two_ids_is_two_questions() -> None:
    """Such as the same words asked about two contracts; a run must name the ids."""
    row = {"id": "1", "question": "When?", "document": "A", "quote": "in May"}
    both = excerpt.read_gold(lines(row, {**row, "id": "2", "quote": "Pets"}), DOCS)
    assert [len(both.highlights(topic)) for topic in ("1", "2")] == [1, 1]


def test_quotes_need_the_documents(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Without a corpus nothing is read, on the command line as in Python."""
    (tmp_path / "gold.jsonl").write_bytes(lines({"question": "When?", "document": "A", "quote": "in May"}))
    with pytest.raises(ExcerptError, match="quotes need the documents: corpus="):
        excerpt.read_gold(tmp_path / "gold.jsonl")
    assert main(["check", str(tmp_path / "gold.jsonl")]) == 2
    assert "gold.jsonl: quotes need the documents: --corpus" in capsys.readouterr().err


LOST: list[dict[str, Any]] = [
    {"question": "When?", "document": "A", "quote": "in May"},
    {"question": "When?", "document": "A", "quote": "in march"},
    {"question": "Pets?", "document": "A", "quote": "PETS"},
    {"question": "Dog?", "document": "A", "quote": "a dog"},
    {"question": "Cat?", "document": "A", "quote": "a cat"},
    {"question": "Who?", "answerable": False},
]


def test_quotes_without_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An error that counts them; or they are left out, and no question becomes one without an answer."""
    assert refused(*LOST).startswith(
        "<bytes>:2: evidence 'in march' of question 1 does not occur in document A (4 of 5 passages cannot "
        "be located: question 1, 2 (only in another case), 3 (but in document B) and 1 more); correct"
    )
    notices = Notices()
    gold = excerpt.read_gold(lines(*LOST), DOCS, unplaced="drop", notices=notices)
    assert (gold.topics, said(gold, "1"), gold.evidence["unplaced"]) == (("1", "5"), ["in May"], 4)
    counts, first = "1 exact, 0 moved, 0 folded, 4 unplaced", "1, 2, 3 and 1 more of <bytes>"
    none = "2, 3, 4 of <bytes>"
    assert list(notices)[:2] == [
        f"4 evidence passages were not found and left out; evidence: {counts} (first: question {first})",
        f"3 questions are left out, since none of their evidence was found (first: question {none})",
    ]
    files = {name: str(tmp_path / name) for name in ("gold.jsonl", "run.jsonl", "docs")}
    Path(files["gold.jsonl"]).write_bytes(lines(*LOST))
    Path(files["run.jsonl"]).write_bytes(
        lines({"topic": "1", "document": "A", "start": 0, "end": 9, "score": 1})
    )
    Path(files["docs"]).mkdir()
    for name, text in DOCS.items():
        (Path(files["docs"]) / f"{name}.txt").write_text(text, encoding="utf-8")
    given = ["evaluate", files["gold.jsonl"], files["run.jsonl"], "-m", "recall@5", "--corpus", files["docs"]]
    assert main([*given, "--format", "json"]) == 2
    capsys.readouterr()
    assert main([*given, "--format", "json", "--unplaced", "drop"]) == 0
    assert json.loads(capsys.readouterr().out)["unplaced"] == 4
    assert main(["check", *given[1:2], *given[-2:], "--unplaced", "drop", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["evidence"]["unplaced"] == 4


def test_copies_of_a_quote_without_a_document() -> None:
    """With copies of any, each place is an alternative."""
    gold = excerpt.read_gold(lines({"question": "When?", "quote": "The rent is due"}), DOCS, copies="any")
    table = excerpt.evaluate(gold, [("1", "B", 20, 40)], ["recall@5"])
    assert (said(gold, "1"), table["run"]["recall@5"]) == (["The rent is due"] * 2, 1)


def test_documents_with_two_names(tmp_path: Path) -> None:
    """The first name of the file is the name of the document, also for quotes that name none."""
    (tmp_path / "a.txt").write_text(A, encoding="utf-8")
    row = {"question": "When?", "quote": "in May"}
    gold = excerpt.read_gold(lines({**row, "document": "a"}, {**row, "document": "a.txt"}, row), tmp_path)
    assert gold.highlights("1") == [Span("a", 16, 22)]


RAGAS: dict[str, Any] = {
    "user_input": "When?",
    "retrieved_contexts": ["You may keep a dog.", "The rent is due in May."],
    "reference_contexts": ["The rent is due in May."],
    "reference": "In May.",
    "response": "In June.",
}
DEEPEVAL: dict[str, Any] = {
    "input": "When?",
    "retrieval_context": RAGAS["retrieved_contexts"],
    "context": ["The rent is due in May."],
    "actual_output": "In June.",
}
LLAMA = {"query": "When?", "reference_contexts": ["The rent is due in May."], "reference_answer": "In May."}
MULTIHOP = {
    "query": "When?",
    "answer": "In May.",
    "evidence_list": [
        {"title": "Rents", "source": "The Verge", "url": "x.y", "fact": "The rent is due in May."}
    ],
}


@pytest.mark.parametrize("data", [lines(RAGAS), json.dumps([RAGAS]).encode(), lines(DEEPEVAL)])
def test_gold_and_run_in_one_file(data: bytes) -> None:
    """RAGAS and DeepEval: the file is given twice."""
    table = excerpt.evaluate(data, [data], ["recall@1", "recall@2", "mrr"], corpus=DOCS)
    assert table.values[0, 0].tolist() == [0, 1, 0.5]


@pytest.mark.parametrize("content", [{"examples": [LLAMA]}, [MULTIHOP], MULTIHOP])
def test_files_of_other_tools(content: Any) -> None:
    """LlamaIndex and MultiHop-RAG, where `source` is no document."""
    gold = excerpt.read_gold(json.dumps(content).encode(), DOCS)
    assert (said(gold, "1"), gold.questions["1"].text) == (["The rent is due in May."], "When?")


def test_retrieved_texts() -> None:
    """They need the documents, in which they occur; the first of several counts."""
    with pytest.raises(ExcerptError, match=r"retrieved texts need the documents: corpus=.*place"):
        excerpt.read_run(lines(RAGAS))
    with pytest.raises(
        FormatError, match=r"<bytes>:1: the text of 1 of 2 results does not occur in any document \('x y'\)"
    ):
        excerpt.read_run(lines({**RAGAS, "retrieved_contexts": ["x y", A]}), corpus=DOCS)
    notices = Notices()
    run = excerpt.read_run(
        lines({**RAGAS, "retrieved_contexts": ["The rent is due"]}), corpus=DOCS, notices=notices
    )
    assert (run[0].document, run[0].start, run[0].end) == ("A", 0, 15)
    assert list(notices) == [
        "1 result has a text that occurs several times; its first place counts (<bytes>:1)"
    ]


def test_retrieved_texts_in_memory_and_in_another_order() -> None:
    """Rows and data frames are runs, too; questions without ids are known by their text."""
    rows = [
        {"user_input": "Pets?", "retrieved_contexts": ["Pets are allowed."]},
        {"user_input": "When?", "retrieved_contexts": ["The rent is due in May.", "Pets are allowed."]},
    ]
    gold = [
        {"question": "When?", "document": "A", "quote": "in May"},
        {"question": "Pets?", "document": "A", "quote": "Pets are allowed."},
    ]
    for run in (rows, {"mine": rows}, pa.Table.from_pylist(rows), lines(*rows)):
        assert excerpt.evaluate(gold, run, ["recall@1"], corpus=DOCS).means().tolist() == [[1.0]]
    with pytest.raises(ExcerptError, match="retrieved texts need the documents"):
        excerpt.evaluate(excerpt.read_gold(gold, DOCS), rows, ["recall@1"])


def test_gold_survives_changes_of_the_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Written with quotes and hashes; read beside changed documents, quotes are found again or gone."""
    gold = excerpt.read_gold(
        lines(
            {"question": "When?", "document": "A", "quote": "in May"},
            {
                "question": "Pets?",
                "any_of": [{"document": "A", "quote": "Pets are allowed."}, {"quote": "a dog"}],
            },
            {"question": "Who?", "answerable": False},
        ),
        DOCS,
    )
    path = tmp_path / "gold.jsonl"
    excerpt.write_judgments(gold, path, corpus=DOCS)
    rows = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    assert rows[0]["quote"] == "in May"
    assert rows[0]["sha256"] == excerpt.Corpus(DOCS).hash("A")
    again = excerpt.read_judgments(path, corpus=DOCS)
    assert (again.topics, again.questions, again.evidence["exact"]) == (gold.topics, gold.questions, 3)
    assert excerpt.evaluate(again, [("2", "B", 0, 19)], ["recall@5"]).values[0, :2].tolist() == [[0], [1]]
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "A.txt").write_text("Preface. " + A.replace("Pets are", "Cats are"), encoding="utf-8")
    (docs / "B.txt").write_text(B, encoding="utf-8")
    assert main(["check", str(path), "--corpus", str(docs)]) == 2
    said_ = capsys.readouterr()
    assert "evidence 'Pets are allowed.' of question 2 does not occur in document A" in said_.out
    assert "1 document has changed since the judgments were written" in said_.err
    assert main(["check", str(path), "--corpus", str(docs), "--unplaced", "drop"]) == 0
    moved = excerpt.read_judgments(path, corpus=docs, unplaced="drop")
    assert moved.highlights("1") == [Span("A", 25, 31)]
    assert (moved.evidence["moved"], moved.evidence["unplaced"]) == (1, 1)
    assert moved.document_sizes.tolist()[0] == len(A) + 9


def test_offsets_without_a_document() -> None:
    """The quote has to be searched for, so that the documents are needed."""
    row = {"question": "When?", "quote": "in May", "start": 16, "end": 22}
    with pytest.raises(ExcerptError, match="quotes need the documents"):
        excerpt.read_gold(lines(row))


def test_faults_come_before_a_missing_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are listed without the documents."""
    (tmp_path / "gold.jsonl").write_bytes(
        lines({"question": "When?", "document": "A", "quote": "in May"}, {"question": "Who?", "quote": 5})
    )
    assert main(["check", str(tmp_path / "gold.jsonl")]) == 2
    assert "gold.jsonl:2: found quote 5, expected text or a list" in capsys.readouterr().out


def test_references_of_chunking_evaluation_in_any_form() -> None:
    """As JSON Lines, a JSON list and Python rows, not only as CSV."""
    reference = {"content": "One two", "start_index": 0, "end_index": 7}
    row = {"question": "What?", "references": [reference], "corpus_id": "A"}
    for gold in (json.dumps(row).encode(), json.dumps([row]).encode(), [row]):
        judgments = read_judgments(gold, corpus={"A": "One two three four."}, notices=Notices())
        assert judgments.highlights("1") == [Span("A", 0, 7)]


def test_grades_of_documents_by_question() -> None:
    """Rows of a question, a document and a grade are judgments of documents, in any form."""
    rows = [{"question": "Who pays?", "document": name, "relevance": int(name == "A")} for name in "AB"]
    table = b"question,document,relevance\nWho pays?,A,1\nWho pays?,B,0\n"
    for gold in (rows, json.dumps(rows).encode(), "\n".join(map(json.dumps, rows)).encode(), table):
        judgments = read_judgments(gold, notices=Notices())
        assert (judgments.topics, judgments.documents) == (("Who pays?",), ("A", "B"))
        assert judgments.grades is not None
        assert judgments.grades.tolist() == [1, 0]
