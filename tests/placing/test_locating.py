"""The chunks of one document: by hand, and against every assignment of every occurrence."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.model.texts import fold
from excerpt.placing import assigning, searched, searching
from excerpt.placing.locating import locate
from excerpt.placing.places import Place, Wanted


def spans(places: list[Place]) -> list[tuple[int, int, str]]:
    """Places as plain tuples."""
    return [(place.start, place.end, place.how) for place in places]


def test_chunks_in_order_stand_one_after_the_other() -> None:
    """Repeated text is told apart by the order of chunks."""
    text = "same. same. other. same."
    chunks = [Wanted("same."), Wanted("same. other."), Wanted("same.", start=0)]
    assert spans(locate(text, chunks)) == [(0, 5, "exact"), (6, 18, "exact"), (19, 24, "moved")]


def test_a_claim_that_verifies_is_not_trusted() -> None:
    """LangChain finds the first copy; the sequence says that it is the second."""
    text = "head AB tail AB end"
    chunks = [Wanted("head AB tail", start=0), Wanted("AB", start=5), Wanted("end", start=16)]
    assert spans(locate(text, chunks))[1] == (13, 15, "moved")


def test_a_claim_decides_where_the_sequence_does_not() -> None:
    """A single chunk may stand at each of its copies."""
    assert spans(locate("AB AB AB", [Wanted("AB", start=3)])) == [(3, 5, "exact")]
    assert spans(locate("AB AB AB", [Wanted("AB", start=1)])) == [(0, 2, "moved")]
    text = "xy AB xy AB xy AB"
    chunks = [Wanted("xy", 12), Wanted("AB", 9), Wanted("AB", 15)]
    assert spans(locate(text, chunks)) == [(0, 2, "moved"), (9, 11, "exact"), (15, 17, "exact")]


def test_white_space_is_folded() -> None:
    """A chunk with its empty lines collapsed is found, from its first to its last character."""
    text = "one\n\n\n\ntwo\n\nthree"
    assert spans(locate(text, [Wanted("one\n\ntwo"), Wanted("three")])) == [
        (0, 10, "folded"),
        (12, 17, "exact"),
    ]


def test_white_space_that_was_put_in() -> None:
    """Sentences that were joined by spaces stand where there were none; rather so than in part."""
    text = "One.Two. Three.\nOne."
    chunks = [Wanted("One. Two. Three."), Wanted("One.", 0)]
    assert spans(locate(text, chunks)) == [(0, 15, "folded"), (16, 20, "moved")]


def test_a_literal_chunk_keeps_its_white_space() -> None:
    """Borders stay as they are; of two copies that would do, the literal one is taken."""
    text = "one  two\none two"
    assert spans(locate(text, [Wanted("one two"), Wanted("zero")])) == [(9, 16, "exact"), (-1, -1, "lost")]
    assert spans(locate("a \n b a", [Wanted("a", 6), Wanted(" b ", 0)])) == [(0, 1, "moved"), (3, 6, "moved")]


def test_white_space_alone_has_a_place() -> None:
    """Between its neighbours, or none."""
    text = "a\n\nb\n\nc"
    chunks = [Wanted("a"), Wanted("b"), Wanted("\n\n"), Wanted("c"), Wanted("\t")]
    assert spans(locate(text, chunks))[2:] == [(4, 6, "exact"), (6, 7, "exact"), (-1, -1, "lost")]


def test_a_chunk_that_stands_nowhere_is_lost() -> None:
    """The others are placed all the same."""
    assert spans(locate("one two", [Wanted("one"), Wanted("zero"), Wanted("two")])) == [
        (0, 3, "exact"),
        (-1, -1, "lost"),
        (4, 7, "exact"),
    ]


def test_chunks_out_of_order_and_given_twice() -> None:
    """Where starts cannot rise, all the same each chunk stands next to the one before."""
    text = "one two three two four"
    chunks = [Wanted("four"), Wanted("one"), Wanted("one"), Wanted("two"), Wanted("three")]
    assert [place.start for place in locate(text, chunks)] == [18, 0, 0, 4, 8]


def test_fixed_chunks_stay() -> None:
    """Offsets without a text are no question, and tell where the others are."""
    text = "AB AB AB AB"
    chunks = [Wanted("AB", 3, 5, fixed=True), Wanted("AB"), Wanted("AB", 0, 2, fixed=True)]
    assert [place.start for place in locate(text, chunks)] == [3, 6, 0]


def occurrences(text: str, chunk: str) -> set[tuple[int, int]]:
    """Every place of a chunk, literally or but for its white space, one by one."""
    found = {(start, start + len(chunk)) for start in range(len(text)) if text.startswith(chunk, start)}
    folded = fold(chunk)
    if not folded:
        return found
    literal = {solid(text, start) for start, _ in found}
    for start in range(len(text)):
        if not text[start].isspace() and solid(text, start) not in literal:
            ends = (end for end in range(start + 1, len(text) + 1) if fold(text[start:end]) == folded)
            found |= {(start, end) for end in list(ends)[:1]}
    return found


def solid(text: str, end: int) -> int:
    """How many characters of the beginning of a text are no white space."""
    return sum(not character.isspace() for character in text[:end])


def cost(text: str, places: list[tuple[int, int]]) -> tuple[int, int]:
    """How many starts do not rise, and the sum of all steps, by its definition."""
    ends = [0, *(solid(text, end) for _, end in places)]
    starts = [*(solid(text, start) for start, _ in places), solid(text, len(text))]
    steps = sum(abs(start - end) for start, end in zip(starts, ends, strict=True))
    last = [-1, *(start for start, _ in places)]
    return sum(start <= before for (start, _), before in zip(places, last, strict=False)), steps


def check(text: str, chunks: list[Wanted]) -> None:
    """Every chunk stands at an occurrence, if there is one, and no assignment costs less."""
    every = [occurrences(text, chunk.text) for chunk in chunks]
    found = locate(text, chunks)
    for chunk, places, place in zip(chunks, every, found, strict=True):
        if place.how not in {"trimmed", "lost"}:
            assert (place.start, place.end) in places
            assert (place.how == "folded") == (text[place.start : place.end] != chunk.text)
        else:
            assert not places
    there = [place for place in found if place.how not in {"trimmed", "lost"}]
    if len(there) < len(found):
        return
    size = solid(text, len(text))
    costs = [cost(text, list(places)) for places in product(*every)]
    rising = [steps for back, steps in costs if not back]
    least = min(rising) if rising else min(steps + back * size for back, steps in costs)
    back, steps = cost(text, [(place.start, place.end) for place in found])
    assert steps + back * size == least
    assert bool(back) == (not rising)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[Wanted]]:
    """A text of few letters, and parts of it, perhaps with other white space and wrong claims."""
    text = draw(st.text(alphabet="ab \n", min_size=1, max_size=12))
    chunks = []
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text) - 1))
        part = text[start : draw(st.integers(start + 1, len(text)))]
        changed = draw(st.sampled_from([part, part, part.strip(), fold(part), part.replace(" ", "\n")]))
        chunks.append(Wanted(changed or part, draw(st.none() | st.integers(0, 12))))
    return text, chunks


@settings(max_examples=300)
@given(cases())
def test_no_assignment_costs_less(case: tuple[str, list[Wanted]]) -> None:
    """Against all assignments of all occurrences, found one by one."""
    check(*case)


@pytest.mark.parametrize("setting", ["few", "none kept", "by hash"])
def test_no_assignment_costs_less_whatever_the_way(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short ways, costs that are found again, and the index give the same."""
    if setting == "few":
        monkeypatch.setattr(searching, "_MANY", 0)
    elif setting == "none kept":
        monkeypatch.setattr(assigning, "_MOST", 0)
    else:
        monkeypatch.setattr(searched, "_WORK", -1)
    rng = random.Random(7)
    words = ["abcdefghijkl", "abcdefghijkl", "mnopqrst", "\n\n", " "]
    for _ in range(60):
        text = "".join(rng.choices(words, k=7))
        cuts = [sorted(rng.sample(range(len(text) + 1), 2)) for _ in range(4)]
        parts = [text[low:high] for low, high in sorted(cuts)]
        parts = [rng.choice([part, part.strip(), fold(part)]) for part in parts]
        check(text, [Wanted(part, rng.choice([None, 0, 12])) for part in parts if part])


def test_hashes_that_collide_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found by hashes is compared; if it is something else, it is looked for without them."""
    from excerpt.placing.grams import Hashes

    monkeypatch.setattr(searched, "_WORK", -1)
    monkeypatch.setattr("excerpt.placing.grams.FEW", 0)
    monkeypatch.setattr(Hashes, "of", lambda self, start, length: start * 0)
    text = "the first line of it and the first line of all and the first line of them"
    chunks = [Wanted("the first line of them"), Wanted("the first line\nof all")]
    assert [place.start for place in locate(text, chunks)] == [51, 25]
