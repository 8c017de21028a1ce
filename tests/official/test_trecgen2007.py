"""TREC Genomics by hand: rules of the official program, its warnings, and what it cannot read."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import ExcerptError
from excerpt.official import Printout, genomics

GOLD = b"200\ta\t10\t10\tX|Y\n200\ta\t30\t10\tX\n200\tb\t0\t5\tZ\n"


def run_of(results: str) -> bytes:
    """A run of topic 200, from results `document rank offset length` with semicolons between them."""
    rows = [one.split() for one in results.split(";")]
    return "".join(f"200 {d} {rank} 0.5 {start} {size} tag\n" for d, rank, start, size in rows).encode()


def score(results: str, gold: bytes = GOLD) -> Printout:
    """The printout of one run."""
    return genomics(gold, run_of(results))[0]


def values(printed: Printout) -> list[str]:
    """The four figures of topic 200, as printed."""
    return [line.split("\t")[-1] for line in printed.lines if "\t200\t" in line]


@pytest.mark.parametrize(
    ("results", "figures"),
    [
        ("a 1 5 30", "0.50000000 0.11111111 0.66666667 0.28560350"),
        ("a 1 10 10; a 2 10 10; a 3 12 18", "0.50000000 0.54736842 0.66666667 0.40000000"),
        ("a 1 0 10; b 2 0 5", "1.00000000 0.11111111 0.16666667 0.04429570"),
        ("b 1 0 5; a 1 100 5; a 1 30 10", "1.00000000 0.58333333 0.55555556 0.54409787"),
        (
            "a 1 30 10; c 2 0 9; a 3 32 4; a 4 10 5; b 5 0 5",
            "0.83333333 0.75363495 0.80555556 0.65099091",
        ),
    ],
)
def test_by_hand(results: str, figures: str) -> None:
    """One passage is hit at a time, touching is nothing, ties go by document and offset."""
    assert values(score(results)) == figures.split()


SPAN = st.tuples(st.sampled_from("ab"), st.integers(0, 12), st.integers(0, 6))


@given(st.lists(SPAN, min_size=1, max_size=6), st.lists(SPAN, max_size=8))
def test_passage2_by_characters(
    gold: list[tuple[str, int, int]], results: list[tuple[str, int, int]]
) -> None:
    """Character by character: new relevant ones are found and read, others read, seen ones nothing."""
    relevant = {(document, at) for document, start, size in gold for at in range(start, start + size)}
    if not relevant or not results:
        return
    lines = "".join(f"200\t{document}\t{start}\t{size}\tX\n" for document, start, size in gold)
    listed = ";".join(f"{d} {rank} {start} {size}" for rank, (d, start, size) in enumerate(results))
    found = read = 0
    total, seen = Fraction(0), set[tuple[str, int]]()
    for document, start, size in results:
        for at in range(start, start + size):
            if (document, at) not in relevant:
                read += 1
            elif (document, at) not in seen:
                found, read = found + 1, read + 1
                total += Fraction(found, read)
                seen.add((document, at))
    expected = float(total / len(relevant))
    assert score(listed, lines.encode()).values["PASSAGE2", "200"] == pytest.approx(expected, rel=1e-12)


def test_order_of_topics_and_missing_ones() -> None:
    """Topics are numbers, in numeric order; those without results score 0 and count; others are ignored."""
    gold = b"# made up\n\n0200\ta\t0\t5\tX\textra\n31\ta\t0\t5\tX\n"
    printed = genomics(gold, b"0031 a 1 1 0 5\n\n7 a 1 1 0 5 tag\n")[0]
    assert [line.split("\t")[2:] for line in printed.lines[1:4]] == [
        ["31", "1.00000000"],
        ["200", "0.00000000"],
        ["MAP", "0.50000000"],
    ]
    assert printed.warnings == ()


def test_latin_1_and_names() -> None:
    """Bytes are compared; the run is named by its file up to the first dot."""
    gold = "200\ta\t0\t5\tsjögren\n200\ta\t0\t5\tSJÖGREN\n".encode("latin-1")
    printed = genomics(gold, [b"200 a 1 1 0 5\r\n"])[0]
    assert values(printed)[2] == "0.50000000"
    assert printed.lines[1].startswith("<bytes>\tDOCUMENT\t200\t")


@pytest.mark.parametrize(
    ("results", "gold", "warning"),
    [
        ("9 1 0 5; 10 1 0 5", b"200\t9\t0\t5\tX\n", "2 results of tied ranks are ordered by document"),
        (
            "a 1 5 30",
            GOLD,
            "1 result shares text with several gold passages and counts for the first of them",
        ),
        ("a 1 10 10; a 2 10 10", GOLD, "1 result repeats relevant text, which PASSAGE counts again in full"),
        (
            "a 1 0 5",
            b"200\ta\t0\t5\t\n200\ta\t9\t5\tX\n",
            "1 gold passage has an empty aspect, which ASPECT counts like any other",
        ),
    ],
)
def test_surprises(results: str, gold: bytes, warning: str) -> None:
    """A rule that changes a figure gives one warning, with a count and the first place."""
    [found] = score(results, gold).warnings
    assert found.startswith(warning)
    assert re.search(r"\((first: )?<bytes>:\d\)$", found)


@pytest.mark.parametrize("results", ["a 1 10 10; b 2 0 5", "b 1 0 5; c 1 0 5", "a 1 12 2; a 2 14 2"])
def test_no_surprise_without_an_effect(results: str) -> None:
    """Results of tied ranks in order, and pieces of one passage, give no warning."""
    assert score(results).warnings == ()


@pytest.mark.parametrize(
    ("gold", "run", "message"),
    [
        (
            b"topic\tdoc\toffset\tlength\taspects\n",
            b"200 a 1 1 0 5\n",
            ":1: found topic 'topic', expected a whole",
        ),
        (b"200\ta\t0\tx\tX\n", b"", ":1: found length 'x', expected a whole number"),
        (b"200 a 0 5 X\n", b"", ": found no topic, expected lines of topic, document"),
        (b"200\ta\t0\t0\tX\n", b"", ":1: found only passages of length 0 for topic 200"),
        (GOLD, b"200 a 1 1 0\n", ":1: found 5 columns, expected at least 6"),
        (GOLD, b"\n200 a one 1 0 5\n", ":2: found rank 'one', expected a whole number"),
        (GOLD, b"200 a 1 1 0 -5\n200 a 2 1 10 5\n", ":1: found lengths below 0 that make the text read 0"),
    ],
)
def test_faults(gold: bytes, run: bytes, message: str) -> None:
    """What stops the program is an error with its line."""
    with pytest.raises(ExcerptError, match=re.escape(f"<bytes>{message}")):
        genomics(gold, run)


def test_a_run_without_results() -> None:
    """It scores 0, as by the program, with a warning."""
    for run, what in ((b"", "no result"), (b"7 a 1 1 0 5\n", "no topic of the gold")):
        printed = genomics(GOLD, run)[0]
        assert values(printed) == ["0.00000000"] * 4
        assert printed.warnings == (f"the run has {what} and scores 0 (<bytes>)",)
