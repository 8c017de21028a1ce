"""BioASQ task B, phase A by hand: rules of the official program, its warnings, and what it cannot read."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

from excerpt.errors import ExcerptError
from excerpt.official import Printout, bioasq


def snippet(text: str) -> dict[str, Any]:
    """A snippet of `[document] [section] begin end`; by default of the abstract of u/1."""
    *names, begin, end = text.split()
    document, section = (
        (names[0], names[1]) if len(names) == 2 else ("u/1", names[0] if names else "abstract")
    )
    if names and "/" in names[0] and len(names) == 1:
        document, section = names[0], "abstract"
    sections = {"beginSection": section, "endSection": section}
    offsets = {"offsetInBeginSection": int(begin), "offsetInEndSection": int(end)}
    return {"document": document, **sections, **offsets, "text": ""}


def question(name: str = "1", snippets: str = "", **lists: list[Any]) -> dict[str, Any]:
    """A question; snippets have semicolons between them."""
    return {"id": name, "snippets": [snippet(one) for one in snippets.split(";") if one.strip()], **lists}


def file(*questions: dict[str, Any]) -> bytes:
    """A file of questions."""
    return json.dumps({"questions": questions}).encode()


def figures(printed: Printout, kind: str) -> list[float]:
    """The five figures of a kind."""
    return [printed.values[name, kind] for name in ("MPrec", "MRec", "MF1", "MAP", "GMAP")]


def score(gold: bytes, system: bytes, version: int = 8) -> Printout:
    """The printout of one system."""
    return bioasq(gold, system, version=version)[0]


def test_documents() -> None:
    """Repeats are removed; average precision is divided by 10, or by what there is."""
    gold, system = (
        file(question(documents=["u/1", "u/2", "u/3"])),
        file(question(documents=["u/1", "u/9", "u/2", "u/1"])),
    )
    assert figures(score(gold, system), "documents") == [
        2 / 3,
        2 / 3,
        2 / 3,
        0.5555555555555555,
        0.5555655555555554,
    ]
    assert score(gold, system, 5).values["MAP", "documents"] == 0.16666666666666666
    assert score(gold, system, 2).values["MAP", "documents"] == 0.5555555555555555


@pytest.mark.parametrize(
    ("gold", "answer", "version", "expected"),
    [
        ("0 9; 20 29", "5 24; title 0 9", 8, "0.3333333333333333 0.5 0.4 0.41666666666666663"),
        ("0 9; 20 29", "5 24; title 0 9", 5, "0.3333333333333333 0.5 0.4 0.08333333333333333"),
        ("0 99", "0 9; 9 19; 20 29", 8, "1.0 0.3 0.4615384615384615 2.0 2.00001"),
        ("0 9", "0 9; 50 59", 8, "0.5 1.0 0.6666666666666666 1.5 1.50001"),
        (
            "a/1 0 9",
            "b/1/ 0 9; a/1 0 4",
            8,
            "1.0 1.5 1.2 0.3333333333333333 0.3333433333333333",
        ),
    ],
)
def test_snippets(gold: str, answer: str, version: int, expected: str) -> None:
    """Characters with both ends included; pieces that touch are merged, others count each."""
    printed = score(file(question(snippets=gold)), file(question(snippets=answer)), version)
    given = [float(text) for text in expected.split()]
    assert figures(printed, "snippets")[: len(given)] == pytest.approx(given, rel=1e-14)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (8, [0.25, 0.5, 0.3333333333333333, 0.25, 0.7071138522190044]),
        (3, [0.25, 0.5, 0.3333333333333333, 0.025, 7.071774883294858e-4]),
        (9, [0.5, 1.0, 0.6666666666666666, 0.5, 0.50001]),
    ],
)
def test_questions_without_gold_snippets(version: int, expected: list[float]) -> None:
    """An undefined average precision counts as 1 in the geometric mean; -e 9 leaves the question out."""
    gold = file(question("1"), question("2", "0 9"))
    system = file(question("1", "0 9"), question("2", "0 19"))
    assert figures(score(gold, system, version), "snippets") == pytest.approx(expected, rel=1e-14)


def test_triples_and_concepts() -> None:
    """Wrong triples are removed before precision; concepts count where both files have some."""
    one = [{"s": "a"}, {"s": "b"}]
    answer = [{"s": "a", "p": "", "o": None}, {"s": "x"}, {"s": "z"}]
    gold = file(question(triples=one, concepts=["c1", "c2"]), question("2", concepts=["c1"]))
    system = file(question(triples=answer, concepts=["c3", "c1"]), question("2"))
    printed = score(gold, system)
    assert figures(printed, "triples") == [1.0, 0.5, 0.6666666666666666, 0.5, 0.50001]
    assert figures(printed, "concepts") == [0.5, 0.5, 0.5, 0.25, 0.25001]


def test_no_question() -> None:
    """Without answered questions some figures are undefined."""
    printed = score(file(question("1", documents=["u/1"])), file())
    numbers = printed.lines[0].split()
    assert numbers == ["0.0"] * 7 + ["NaN"] * 7 + ["0.0"] * 6
    assert printed.warnings[0].startswith("1 question is not answered and left out of the means")


def test_verbose() -> None:
    """Twenty further lines have the names."""
    printed = bioasq(file(question(documents=["u/1"])), file(question(documents=["u/1"])), verbose=True)[0]
    assert len(printed.lines) == 21
    assert printed.lines[1] == "MPrec concepts: 0.0"
    assert printed.lines[6] == "MPrec documents: 1.0"


TWELVE = [f"u/{number}" for number in range(12)]


@pytest.mark.parametrize(
    ("gold", "answer", "warning"),
    [
        (
            question("1", documents=["u/1"]),
            [question("1"), question("1", documents=["u/1"])],
            "answered again",
        ),
        (question("1", documents=TWELVE), [question("1", documents=TWELVE)], "more right items than average"),
        (
            question("1", triples=[{"s": "a"}]),
            [question("1", triples=[{"s": "a"}, {"s": "b"}])],
            "right and wrong triples",
        ),
        (question("1", "0 9"), [question("1", "5 19")], "the end of a snippet counts as a character"),
        (question("1", "0 9"), [question("1", "sections.0 0 9")], "section 0 of an answer is the abstract"),
        (question("1", "0 9"), [question("1", "0 9; u/1/ 5 9")], "written in two ways are not merged"),
        (question("1", "0 9"), [question("1", "u/1/ 0 9")], "average precision compares documents as whole"),
        (question("1", "0 9"), [question("1", "0 9; 50 59")], "snippets count in average precision by their"),
        (question("1", "0 99"), [question("1", "0 9; 20 29; 40 49")], "more snippets of right documents"),
    ],
)
def test_surprises(gold: dict[str, Any], answer: list[dict[str, Any]], warning: str) -> None:
    """A rule that changes a figure gives one warning, with a count and the first question."""
    found = [one for one in score(file(gold), file(*answer)).warnings if warning in one]
    assert len(found) == 1
    assert re.match(r"1 question (is|has) .*\(question 1 of <bytes>\)$", found[0])


def test_undefined_average_precision_is_noted() -> None:
    """Not if all are undefined, since then there is no geometric mean."""
    gold, system = [question("1"), question("2", "0 9")], [question("1", "0 9"), question("2", "0 9")]
    text = "1 question has an undefined average precision of snippets, which counts as 1 in"
    assert any(one.startswith(text) for one in score(file(*gold), file(*system)).warnings)
    assert not any("undefined" in one for one in score(file(gold[0]), file(system[0])).warnings)


def test_no_surprise_without_an_effect() -> None:
    """Perfect answers of everyday files give no warning."""
    one = question("1", "0 9; 20 29", documents=["u/1", "u/2"], concepts=["c"], triples=[{"s": "a"}])
    assert score(file(one), file(one)).warnings == ()
    assert score(file(one, question("2")), file(one)).warnings[0].startswith("1 question is not answered")


def test_unknown_keys_of_snippets() -> None:
    """They stop the program, and are ignored here."""
    odd = question("1", "0 9")
    odd["snippets"][0]["score"] = 1
    [warning] = [one for one in score(file(question("1", "0 9")), file(odd)).warnings if "keys" in one]
    assert warning == "1 snippet has unknown keys, which stop the official program (score in <bytes>:1)"
    assert score(file(odd), file(question("1"))).warnings[0] == warning


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        ({"questions": [{"body": "?"}]}, {}, "key id is missing"),
        ({"questions": [{"id": "1"}, {"id": "1"}]}, {}, "found question 1 again"),
        ({"questions": [{"id": "1", "documents": None}]}, {}, "key documents is missing, expected a list"),
        (
            {"questions": [{"id": "1", "snippets": [{"offsetInBeginSection": "x"}]}]},
            {},
            'BeginSection "x", exp',
        ),
        ({"question": []}, {}, "key questions is missing"),
        ({"questions": []}, [], "found other JSON"),
    ],
)
def test_faults(gold: object, system: object, message: str) -> None:
    """What stops the program is an error with its place."""
    with pytest.raises(ExcerptError, match=message) as raised:
        bioasq(json.dumps(gold).encode(), json.dumps(system).encode())
    assert str(raised.value).startswith("<bytes>:1: ")


def test_versions() -> None:
    """Other versions would have average precisions of 0; without one a warning names 8."""
    assert bioasq(file(), file())[0].warnings[0].endswith("since 2020 it is -e 8")
    with pytest.raises(ExcerptError, match="found version 4, expected one of: 2, 3, 5, 8, 9"):
        bioasq(file(), file(), version=4)


def test_weird_snippets() -> None:
    """A snippet that ends before it begins has size 0 or less, and 0/0 spoils average precision."""
    printed = score(file(question("1", "0 9")), file(question("1", "20 19; 0 9")))
    assert printed.values["MPrec", "snippets"] == 1.0
    assert math.isnan(json.loads(printed.lines[0].split()[13])) or printed.values["MAP", "snippets"] == 0
