"""Offsets inside words: what else they count, and texts of another version."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from excerpt import Corpus, ExcerptError, Judgments, Run
from excerpt.checking.offset_readings import DOUBT, check_judgments, check_run
from excerpt.notices import Notices

#: Paragraphs of words of many lengths, with Windows line ends and double spaces.
PARAGRAPHS = [
    " ".join(f"{word}{'x' * (number * 7 % 11)}" for word in ("alpha", "beta", "gamma", "delta", "epsilon"))
    for number in range(60)
]
TITLE = "A title of some words"
CRLF = "\r\n".join([TITLE, *PARAGRAPHS])
LF = "\n".join([TITLE, *PARAGRAPHS])
SPACED = "  \n\n ".join([TITLE, *PARAGRAPHS])


def spans(text: str) -> list[tuple[int, int]]:
    """The paragraphs of a text, and parts of them up to a blank."""
    found = [match.span() for match in re.finditer(r"alpha\S*( \S+)*", text)]
    return [(start, text.rindex(" ", start, end)) if start % 3 else (start, end) for start, end in found]


def said(text: str, places: list[tuple[int, int]]) -> list[str]:
    """What is said of results at some places."""
    notices = Notices()
    rows = [("1", "A", start, end) for start, end in places]
    check_run(Run.of("r", rows), Corpus({"A": text}), notices)
    return list(notices)


@pytest.mark.parametrize(
    ("made_on", "read_on", "convert", "expected"),
    [
        (CRLF, CRLF, lambda at: len(CRLF[:at].replace("\r\n", "\n")), "CRLF as one character"),
        (LF, LF, lambda at: len(LF[:at].replace("\n", "\r\n")), "CRLF as two characters"),
        (SPACED, SPACED, lambda at: len(" ".join(SPACED[:at].split())), "white space folded"),
        (LF, LF, lambda at: at - len(TITLE) - 1, "without its first line"),
        (LF, LF, lambda at: at + len(TITLE) + 1, "with a title in front"),
    ],
)
def test_readings_are_named(made_on: str, read_on: str, convert: Callable[[int], int], expected: str) -> None:
    """With how to say it; right offsets are silent."""
    places = [(convert(start), convert(end)) for start, end in spans(made_on)]
    with pytest.raises(
        ExcerptError, match=f"inside words, but not if offsets are read as .*{expected}"
    ) as told:
        said(read_on, places)
    assert told.value.hint
    assert said(made_on, spans(made_on)) == []


def test_inclusive_ends() -> None:
    """The end of the last character."""
    places = [(start, end - 1) for start, end in spans(LF)]
    with pytest.raises(ExcerptError, match="read as inclusive ends"):
        said(LF, places)


def test_another_version_is_doubted() -> None:
    """With the count; not if the file knows its version."""
    places = spans(LF)
    edited = LF.replace("alpha", "alphabetical", 40)
    (warning,) = said(edited, places)
    assert DOUBT in warning
    assert re.match(r"\d+ results begin or end inside words \(of 60 compared\)", warning)
    judgments, notices = Judgments.of([("1", "A", start, end) for start, end in places]), Notices()
    check_judgments(judgments, Corpus({"A": edited}), notices)
    assert DOUBT in "".join(notices)


@pytest.mark.parametrize("size", [200, 300, 512, 800])
def test_windows_are_silent(size: int) -> None:
    """They end inside words by design."""
    text = LF * 12
    assert (
        said(text, [(start, min(start + size, len(text))) for start in range(0, len(text), size - 20)]) == []
    )


def test_text_without_borders_is_silent() -> None:
    """Nearly all places of Chinese text are inside words."""
    text = "東京は日本の首都です都市" * 90 + "。"
    assert said(text, [(start, start + 7 + start % 13) for start in range(0, 900, 17)]) == []


def test_borders_of_elements_are_no_words() -> None:
    """Texts of XML have no blank between elements."""
    rows = "".join(f"<p>word{number} and more{'e' * (number % 5)}</p>" for number in range(30))
    corpus = Corpus({"A": "x"})
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "A.xml").write_text(f"<article>{rows}</article>", encoding="utf-8")
        corpus = Corpus.read(folder)
        elements = corpus.document("A").elements or ()
        notices = Notices()
        places = [("1", "A", one.start, one.end) for one in elements if one.tag == "p"]
        check_run(Run.of("r", places), corpus, notices)
    assert list(notices) == []
