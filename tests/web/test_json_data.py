"""Tests of JSON answers: caching, errors, threads."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from excerpt import Judgments, Result, Run, Span
from excerpt.render.report import open_world
from excerpt.view import World
from excerpt.web.app import Answers, parse_spans
from excerpt.web.campaign_routes import Documents, read_json, read_object
from excerpt.web.guards import RequestError


def test_answers_are_the_data(world: World) -> None:
    """Data arrives unchanged, with characters of every plane and line ends."""
    answers = Answers(world)
    assert json.loads(answers.answer("overview")) == world.overview()
    assert json.loads(answers.answer("topic", "ä/?&")) == {"number": 1}
    assert json.loads(answers.answer("document", "A"))["text"] == "a😀b\r\n</script>"
    assert json.loads(answers.answer("texts", "A", "0-2,1-2,3-3")) == {"texts": ["a😀", "😀", ""]}
    assert json.loads(answers.answer("texts", "A", "")) == {"texts": []}


def test_documents_of_a_run_are_answered() -> None:
    """By its name; an unknown one is refused."""
    world = three_runs()
    answers = Answers(world)
    run = json.loads(answers.answer("run", world.table.runs[0]))
    assert run == {name: column.tolist() for name, column in world.run_documents(0).items()}
    assert json.loads(answers.answer("documents"))["ids"] == list(world.document_names)
    with pytest.raises(RequestError, match="unknown run 'nobody'"):
        answers.answer("run", "nobody")


def test_large_answers_are_made_once(world: Any) -> None:
    """Answers that every page needs are cached."""
    answers = Answers(world)
    for _ in range(3):
        answers.answer("overview")
        answers.answer("passages")
    assert sorted(world.asked) == ["overview", "passages"]


def three_runs(**how: Any) -> World:
    """Three runs on three topics."""
    texts = {name: f"The text of {name}. " * 9 for name in "AB"}
    judgments = Judgments.of([(topic, Span("A", 0, 40)) for topic in "123"])
    runs = [
        Run.of(f"run{n}", [Result(topic, "A", 10 * n, 30 + n * int(topic)) for topic in "123"])
        for n in range(3)
    ]
    return open_world(judgments, runs, ["charP", "charR", "charF"], corpus=texts, lazy=True, **how)


def test_the_overview_travels_in_parts() -> None:
    """First without the comparisons of later measures, which come when asked for: the same as all at once."""
    world = three_runs()
    answers, whole = Answers(world), json.loads(json.dumps(world.overview()))
    first = json.loads(answers.answer("overview"))
    for name in ("intervals", "comparisons", "verdicts"):
        assert first[name] == [whole[name][0], None, None]
    for place, measure in enumerate(world.table.measures):
        for name, value in json.loads(answers.answer("comparison", measure)).items():
            first[name][place] = value
    assert first == whole
    with pytest.raises(RequestError, match="unknown measure 'charQ'"):
        answers.answer("comparison", "charQ")


def test_progress_is_told_during_a_comparison() -> None:
    """Without waiting for the thread that computes."""
    world, seen = three_runs(), []
    answers = Answers(world)
    assert json.loads(answers.answer("progress")) == {"pairs": 3, "topics": 3, "done": 0.0}
    note = answers._note

    def watch(finished: int, total: int) -> None:
        note(finished, total)
        thread = threading.Thread(target=lambda: seen.append(json.loads(answers.answer("progress"))["done"]))
        thread.start()
        thread.join(10)

    answers._note = watch  # type: ignore[method-assign]
    answers.answer("overview")
    assert seen == [0.5, 1.0]


def test_the_overview_is_computed_before_it_is_asked_for(app: Any, world: Any) -> None:
    """Making the application starts the work."""
    assert app is not None
    until = time.monotonic() + 10
    while not world.asked and time.monotonic() < until:
        time.sleep(0.01)
    assert world.asked == ["overview"]


@pytest.mark.parametrize(
    ("kind", "name", "status", "sentence"),
    [
        ("topic", "9", 404, "This evaluation has no topic “9”."),
        ("document", "B", 404, "unknown document 'B'; known: A"),
        ("document", "changed", 409, "docs/changed.txt: has changed since the corpus was opened"),
    ],
)
def test_refusals_are_sentences(world: World, kind: str, name: str, status: int, sentence: str) -> None:
    """Unknown and changed documents are errors."""
    with pytest.raises(RequestError, match=sentence) as refused:
        Answers(world).answer(kind, name)
    assert refused.value.status == status


@pytest.mark.parametrize(
    "given", ["1", "-1-2", "1-2,", "a-b", "1-2-3", "1 - 2", "٣-٤", "1-99999999999", "1-2;3-4"]
)
def test_spans_that_are_none(given: str) -> None:
    """Only pairs of positions are accepted as spans."""
    with pytest.raises(RequestError, match="expected start-end,start-end"):
        parse_spans(given)


def test_many_spans_are_refused() -> None:
    """The number of spans in a request is limited."""
    with pytest.raises(RequestError, match="found 5001 spans, expected at most 5000"):
        parse_spans(",".join(["0-1"] * 5001))
    with pytest.raises(RequestError, match="expected at most 10000000"):
        parse_spans("0-9000000,1-9000000")


@pytest.mark.parametrize("kind", ["topic", "document"])
def test_threads_ask_one_at_a_time(world: Any, kind: str) -> None:
    """The evaluation is used by one thread at a time, and so are the documents."""
    inside, most = 0, 0

    def slowly(_: object) -> dict[str, Any]:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.005)
        inside -= 1
        return {}

    setattr(world, kind, slowly)
    answers = Answers(world)
    threads = [threading.Thread(target=answers.answer, args=(kind, "1")) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_documents_do_not_wait_for_the_overview(world: Any) -> None:
    """A document and its texts are answered while the overview is computed."""
    started, answered = threading.Event(), threading.Event()

    def wait(*_: Any) -> dict[str, Any]:
        started.set()
        assert answered.wait(30)
        return {"late": True}

    world.overview = wait
    answers, late = Answers(world), list[bytes]()
    thread = threading.Thread(target=lambda: late.append(answers.answer("overview")))
    thread.start()
    assert started.wait(30)
    assert json.loads(answers.answer("document", "A"))["text"]
    assert json.loads(answers.answer("texts", "A", "0-1")) == {"texts": ["a"]}
    answered.set()
    thread.join()
    assert late == [b'{"late":true}']


def test_a_million_characters_are_answered(tmp_path: Path) -> None:
    """A large document is one answer, for XML and plain text."""
    paragraph = "<p>some words <i>of</i> a paragraph</p>"
    text = re.sub("<[^>]+>", "", paragraph) * 41_000
    (tmp_path / "A.xml").write_text(f"<article>{paragraph * 41_000}</article>", encoding="utf-8")
    (tmp_path / "B.txt").write_text(text, encoding="utf-8")
    judgments = Judgments.of([("1", Span(name, 0, 40)) for name in "AB"])
    run = Run.of("run", [Result("1", name, 20, 60) for name in "AB"])
    answers = Answers(open_world(judgments, [run], ["charP"], corpus=tmp_path, lazy=True))
    for name in "AB":
        assert json.loads(answers.answer("document", name))["text"] == text
        assert len(text) > 1_000_000


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "the body is not JSON"),
        (b"{", "the body is not JSON"),
        (b"\xff", "not UTF-8"),
        (b"\xef\xbb\xbf{}", "the body is not JSON"),
        (b'{"a": NaN}', "found NaN, expected a number"),
        (b"[Infinity]", "found Infinity"),
        (b"[-Infinity]", "found -Infinity"),
        (b"[1e999]", "found 1e999, expected a smaller number"),
        (b'{"a": 1, "b": 2, "a": 3}', "found “a” twice"),
        (b'{"b": {"a": 1, "a": 1}}', "found “a” twice"),
        # Names are looked up, not compared with each other: that would take minutes.
        (b"{" + b"".join(b'"%d":0,' % name for name in range(100_000)) + b'"7":1}', "found “7” twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[" + b"9" * 10_000 + b"]", "a number with too many digits"),
        (b"{} {}", "the body is not JSON"),
        (b"{'a': 1}", "the body is not JSON"),
        (b'{"a": "\x00"}', "the body is not JSON"),
    ],
)
def test_what_is_no_json_is_refused(body: bytes, sentence: str) -> None:
    """Invalid JSON is an error of one line."""
    with pytest.raises(RequestError, match=sentence) as refused:
        read_json(body)
    assert refused.value.status == 400
    assert "\n" not in refused.value.sentence
    assert len(refused.value.sentence) < 200


@pytest.mark.parametrize("body", [b"[]", b"1", b'"x"', b"null", b"{}"])
def test_an_object_has_its_names(body: bytes) -> None:
    """Other JSON is rejected with its type."""
    with pytest.raises(RequestError, match=r"expected an object|topic is missing") as refused:
        read_object(body, "topic")
    assert refused.value.status == 422


def test_json_is_what_it_says() -> None:
    """Integers and characters of every plane are read exactly."""
    assert read_json('{"a": [1, 2.5, "😀", null, true, 12345678901234567890]}'.encode()) == {
        "a": [1, 2.5, "😀", None, True, 12345678901234567890]
    }


def _document(name: str, version: int = 0, text: str = "a😀") -> dict[str, Any]:
    return {
        "id": name,
        "text": text,
        "sha256": f"hash of {text}",
        "state": {"version": version},
        "seconds": 1,
    }


def test_everybody_gets_all_of_it() -> None:
    """The common part of a document is encoded once; the state is that of the assessor."""
    made: list[str] = []
    documents = Documents(lambda name: made.append(name) or [["text", 0, 0, 2]])  # type: ignore[func-returns-value]
    for version in range(3):
        found = json.loads(documents.encode(_document("A", version)))
        assert found == {**_document("A", version), "blocks": [["text", 0, 0, 2]]}
    assert made == ["A"]
    assert json.loads(documents.encode(_document("A", text="b")))["text"] == "b"


def test_not_all_are_kept() -> None:
    """The oldest documents leave a full cache."""
    made: list[str] = []
    documents = Documents(lambda name: made.append(name) or [], most=5000)  # type: ignore[func-returns-value]
    for name in ("A", "B", "A", "C", "A", "B"):
        assert json.loads(documents.encode(_document(name, text="x" * 1000)))["id"] == name
    assert made == ["A", "B", "C", "B"]


def test_one_that_is_too_large_is_given_all_the_same() -> None:
    """A document larger than the cache is encoded each time."""
    documents = Documents(lambda _: [], most=10)
    for _ in range(2):
        assert json.loads(documents.encode(_document("A")))["text"] == "a😀"
