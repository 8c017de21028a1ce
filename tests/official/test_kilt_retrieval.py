"""KILT by hand: evidence sets, texts, options, warnings and what the official program cannot read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from excerpt.errors import ExcerptError
from excerpt.official import Printout, kilt


def pages(ids: str) -> list[dict[str, Any]]:
    """Provenance of pages, a letter each."""
    return [{"wikipedia_id": one} for one in ids]


def gold(*outputs: str, **more: Any) -> bytes:
    """A question whose outputs have these pages."""
    given = [{"provenance": pages(one)} for one in outputs]
    return json.dumps({"id": 1, "input": "Who?", "output": given, **more}).encode()


def guess(ids: str, **more: Any) -> bytes:
    """A guess of pages."""
    return json.dumps({"id": "1", "output": [{"provenance": pages(ids)}], **more}).encode()


def values(printed: Printout, *names: str) -> list[float]:
    """Some scores."""
    return [printed.values[name, "all"] for name in names]


def test_evidence_sets() -> None:
    """A page has an entry for each set that needs it; an empty set is never found."""
    printed = kilt(gold("ab", "c"), guess("xacb"), ks=(2, 3))[0]
    names = ("Rprec", "precision@2", "recall@2", "precision@3", "recall@3")
    assert values(printed, *names) == [0.5, 0.5, 0.5, 2 / 3, 1.0]
    printed = kilt(gold("a", ""), guess("a"), ks=(1, 2))[0]
    assert values(printed, "Rprec", "precision@1", "recall@2") == [1.0, 1.0, 0.5]
    printed = kilt(gold("ab", "a"), guess("ab"), ks=(2, 3))[0]
    assert values(printed, "precision@2", "precision@3", "recall@2") == [1.0, 2 / 3, 1.0]
    printed = kilt(gold("a"), guess("xxa"), ks=[2])[0]
    assert values(printed, "Rprec", "precision@2", "recall@2") == [0.0, 0.5, 1.0]


def test_texts() -> None:
    """Normal forms are compared: lower case, without punctuation and articles."""
    output = [{"answer": "An  Apple!", "provenance": [{"wikipedia_id": "a", "title": "Paris"}]}]
    asked = {"id": "1", "input": "Is The Paris nice?", "output": output}
    texts = [{"wikipedia_id": "b", "text": "pineapple pie"}, {"text": "in PARIS, the apple"}]
    given = {"id": "1", "output": [{"answer": "?"}, {"provenance": texts}]}
    printed = kilt(json.dumps(asked).encode(), json.dumps(given).encode(), ks=(1, 2))[0]
    assert values(printed, "entity_in_input", "answer_in_context@1", "entity_in_context@1") == [1.0, 1.0, 0.0]
    both = ("answer_in_context@2", "entity_in_context@2", "answer_and_ent_in_context@2")
    assert values(printed, *both) == [1.0, 1.0, 1.0]


def test_lines() -> None:
    """An ordered dictionary as Python prints it; rank 1 has no recall; the sizes are said first."""
    printed = kilt(gold("a"), guess("a") + b"\n" + guess("b").replace(b'"1"', b'"2"'), ks=[1])[0]
    assert str(printed).splitlines() == [
        "WARNING: DIFFERENT SIZE gold: 1 guess: 2",
        "OrderedDict([   ('Rprec', 1.0),",
        "                ('entity_in_input', 0.0),",
        "                ('precision@1', 1.0),",
        "                ('answer_in_context@1', 0.0),",
        "                ('answer_and_ent_in_context@1', 0.0),",
        "                ('entity_in_context@1', 0.0)])",
    ]
    assert printed.warnings == ()


def test_keys_of_a_page() -> None:
    """A guess needs all keys, the gold has those that are there."""
    of_gold = json.dumps(
        {"id": 1, "input": "?", "output": [{"provenance": [{"wikipedia_id": 7, "section": " a "}]}]}
    ).encode()
    given = [{"wikipedia_id": "7"}, {"wikipedia_id": " 7", "section": "a"}]
    of_guess = json.dumps({"id": 1, "output": [{"provenance": given}]}).encode()
    printed = kilt(of_gold, of_guess, ks=[2], rank_keys=["wikipedia_id", "section"])[0]
    assert values(printed, "Rprec", "precision@2") == [1.0, 0.5]


@pytest.mark.parametrize(
    ("given", "answer", "warning"),
    [
        (gold("a", ""), guess("a"), "evidence that no guess can find"),
        (gold("ab", "c"), guess("xacb"), "a page has an entry for each evidence set"),
        (
            gold(output=[{"answer": "The", "provenance": pages("a")}]),
            guess("", output=[{"provenance": [{"text": "x"}]}]),
            "without letters, such as The, is in every text",
        ),
    ],
)
def test_surprises(given: bytes, answer: bytes, warning: str) -> None:
    """A rule that changes a score gives one warning, with a count and the first question."""
    [found] = kilt(given, answer, ks=(2, 3))[0].warnings
    assert found.startswith("1 question has ")
    assert warning in found
    assert found.endswith(" (question 1 of <bytes>)")


@pytest.mark.parametrize(
    ("given", "answer", "message"),
    [
        (gold(), guess("a"), ":1: found no output for question 1"),
        (b'{"id": 1, "output": [{}]}', guess("a"), ":1: key input is missing"),
        (gold("a") + b"\n" + gold("b"), guess("a"), ":2: found question 1 again"),
        (gold("a") + b"\n\n", guess("a"), ":2: found an empty line"),
        (gold("a"), guess("a") + b"\n" + guess("b"), ":2: found question 1 again"),
        (gold("a"), guess("a").replace(b'"1"', b'"2"'), ": found no guess for question 1"),
        (gold("a"), b'{"id": 1, "output": []}', ":1: found 0 outputs with provenance, expected one"),
        (gold("a"), b"", ": the file is empty"),
        (gold("a"), b"[]", ":1: found '[]', expected lines of JSON"),
    ],
)
def test_faults(given: bytes, answer: bytes, message: str) -> None:
    """What stops the program is an error with its line."""
    with pytest.raises(ExcerptError, match=re.escape(f"<bytes>{message}")):
        kilt(given, answer)


@pytest.mark.parametrize(
    ("ks", "message"), [((0,), "cut-off 0,"), ((5, 5), "5 twice"), (("x",), "'x'"), ((), "no")]
)
def test_cut_offs(ks: tuple[Any, ...], message: str) -> None:
    """Whole numbers of at least 1, each once."""
    with pytest.raises(ExcerptError, match=message):
        kilt(gold("a"), guess("a"), ks=ks)
