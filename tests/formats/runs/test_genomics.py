"""Runs of TREC Genomics: bytes, which a corpus makes characters; and TREC runs that look alike."""

from __future__ import annotations

import pytest

from excerpt import Corpus, ExcerptError, Notices, evaluate, read_run
from excerpt.formats.registry import run_format_of
from excerpt.formats.runs import genomics
from excerpt.formats.source import Source

RUN = b"160\t7\t1\t9\t3\t4\tmine\n160\t8\t2\t8.5\t0\t5\tmine\n161\t7\t1\t1\t0\t3\tmine\n"


def test_bytes_without_a_corpus() -> None:
    """They stay bytes, and it is said; the judgments of the same years are in bytes, too."""
    notices = Notices()
    run = read_run(RUN, notices=notices)
    assert [result[:5] for result in run] == [
        ("160", "7", 3, 7, 9.0),
        ("160", "8", 0, 5, 8.5),
        ("161", "7", 0, 3, 1.0),
    ]
    assert (run.name, run.rank.tolist()) == ("mine", [1, 2, 1])
    assert list(notices) == [
        "offsets are bytes and stay bytes, since there is no corpus to count characters in (<bytes>)"
    ]
    gold = b"160\t7\t3\t8\tRELEVANT\n161\t8\t0\t5\tRELEVANT\n"
    assert evaluate(gold, RUN, ["charR"], notices=Notices()).values[0, :, 0].tolist() == [0.5, 0.0]


def test_bytes_become_characters() -> None:
    """Through the documents of the corpus; the judgments go with them."""
    corpus = Corpus({"7": "é<p>text", "8": "other"})
    assert [result[:4] for result in read_run(RUN, corpus=corpus)] == [
        ("160", "7", 2, 6),
        ("160", "8", 0, 5),
        ("161", "7", 0, 2),
    ]
    gold = b"160\t7\t3\t4\tRELEVANT\n161\t8\t0\t5\tRELEVANT\n"
    table = evaluate(gold, RUN, ["charR"], corpus=corpus, notices=Notices())
    assert table.values[0, :, 0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ééé", "expected bytes at which characters begin and end, up to 6"),
        ("ab", "expected bytes at which characters begin and end, up to 2"),
    ],
)
def test_bytes_of_another_text(text: str, said: str) -> None:
    """Bytes inside of characters, or beyond the end, are of another version."""
    with pytest.raises(ExcerptError) as caught:
        read_run(RUN, corpus=Corpus({"7": text, "8": "other"}))
    assert str(caught.value).startswith(f"<bytes>:1: found bytes 3 to 7 of document 7, {said}")
    with pytest.raises(
        ExcerptError, match="found document 8, expected one of the corpus: its offsets are bytes"
    ):
        read_run(RUN, corpus=Corpus({"7": "0123456789"}))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("160 7 1 9 3 4", "trec-genomics"),
        ("160 7 1 0.5 3 4 mine", "trec-genomics"),
        ("160 Q0 7 1 9 4", "trec"),
        ("160 0 12345 1 100 7", "trec"),
        ("160 Q0 7 1 9 4 3", "bep"),
    ],
)
def test_which_format_it_is(line: str, name: str) -> None:
    """Ranks count from 1 on; those of a TREC run stand elsewhere."""
    assert run_format_of(Source.open(f"{line}\n".encode())).name == name


def test_the_example_and_its_tags() -> None:
    """The first tag is the name; without any the file has it."""
    assert read_run(genomics.EXAMPLE.encode(), notices=Notices()).name == "mine"
    notices = Notices()
    assert read_run(b"160 7 1 9 3 4\n", notices=notices).name == "<bytes>"
    read_run(b"160 7 1 9 3 4 a\n160 7 2 8 9 4 b\n", notices=notices)
    assert "run has 2 tags; the first is its name (<bytes>)" in list(notices)
