"""From chunks as given to places: documents, lost chunks, coverage."""

from __future__ import annotations

import random
import re
import tempfile
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.repeated_text import cut, repeated_text

import excerpt
from excerpt import Corpus, ExcerptError
from excerpt.model import Judgments, Span
from excerpt.model.texts import fold, fold_text
from excerpt.placing import search
from excerpt.placing.chunk_places import Placement, UnplacedChunk
from excerpt.placing.placement import locate
from excerpt.quotes import text_index

CORPUS = Corpus({"A": "One two.  Three.", "B": "Four."})


def test_documents_may_come_in_turns() -> None:
    """Each document has its own order."""
    corpus = Corpus({"A": "x y x", "B": "x z x"})
    given = [("B", "x"), ("A", "x"), ("B", "z"), ("A", "y"), ("A", "x"), ("B", "x")]
    assert [chunk[:2] for chunk in corpus.place(given)] == [
        ("B", 0),
        ("A", 0),
        ("B", 2),
        ("A", 2),
        ("A", 4),
        ("B", 4),
    ]


def test_one_document_needs_no_name() -> None:
    """Texts alone are of the only document."""
    assert Corpus({"A": "x y"}).place(["x", "y"]).documents == ("A",)


def test_the_document_of_all_chunks_or_its_key() -> None:
    """`document` is an id of the corpus, else what the id is called."""
    assert CORPUS.place(["Four."], document="B").documents == ("B",)
    assert CORPUS.place([{"text": "Four.", "file": "B"}], document="file").documents == ("B",)


def test_paths_of_loaders() -> None:
    """A loader gives the path it read, which ends in the one that the corpus knows."""
    corpus = Corpus({"sub/a.txt": "One.", "b.txt": "Two."})
    given = [("/data/me/docs/sub/a.txt", "One."), ("docs\\b.txt", "Two."), ("sub/a.txt", "One.")]
    chunks = corpus.place(given)
    assert chunks.documents == ("sub/a.txt", "b.txt")
    assert chunks.document.tolist() == [0, 1, 0]


def test_pairs_stay_where_they_are() -> None:
    """Offsets without a text are the chunk."""
    chunks = CORPUS.place({"A": [(10, 16), (0, 8)]})
    assert chunks.texts == ["Three.", "One two."]
    assert chunks.counts["exact"] == 2
    assert list(CORPUS.place({"A": np.array([[10, 16], [0, 8]])})) == list(chunks)


def test_lost_chunks_are_dropped() -> None:
    """They are counted, and still known."""
    chunks = CORPUS.place([("A", "Zero."), ("A", "Three.")], lost="drop")
    assert (chunks.texts, chunks.counts["chunks"], chunks.counts["lost"]) == (["Three."], 2, 1)
    assert chunks.left_out is not None
    assert chunks.left_out.texts == ["Zero."]


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (
            [("C", "x")],
            "chunk number 0: found the document 'C', expected a document of the corpus, such as 'A', 'B'",
        ),
        (["x"], "chunk number 0: the chunk names no document, expected a document of the corpus"),
        (
            [("A", "Zero."), ("B", "Four. Five."), ("A", "x"), ("A", "y")],
            (
                "4 of 4 chunks do not occur in their documents (chunk number 0 of 'A': 'Zero.', "
                "5 characters; chunk number 1 of 'B': 'Four. Five.', 11 characters, longer than its document "
                "of 5; chunk number 2 of 'A': 'x', 1 character and 1 more); was another "
            ),
        ),
        ({"A": [(0, 17)]}, "chunk number 0: found the offsets 0 and 17, expected 0 <= start < end <= 16"),
        (
            {"A": [(-1, 3)]},
            "chunk number 0: found (-1, 3) of type tuple, expected a text (text, page_content, content, ",
        ),
        ({"A": [(3, 3)]}, "chunk number 0: found the offsets 3 and 3, expected 0 <= start < end <= 16"),
    ],
)
def test_bad_chunks(chunks: object, message: str) -> None:
    """One sentence each."""
    with pytest.raises(ExcerptError) as caught:
        CORPUS.place(chunks)
    assert str(caught.value).startswith(message)


def test_an_unknown_way_to_treat_lost_chunks() -> None:
    """The known ones are listed."""
    with pytest.raises(
        ExcerptError, match="unknown treatment of lost chunks 'hide'; known: count, drop, error"
    ):
        CORPUS.place([], lost="hide")  # type: ignore[arg-type]


@pytest.mark.parametrize("overlap", [0, 60])
@pytest.mark.parametrize("fold", ["", "lines", "all"])
@pytest.mark.parametrize("claims", ["", "true", "some", "first"])
def test_true_places(overlap: int, fold: str, claims: str) -> None:
    """In texts full of repeats no chunk is lost, and at most 2 of 1,000 are at another copy."""
    texts = {str(seed): repeated_text(seed, 6000) for seed in range(4)}
    cuts = {
        name: [each for size in (90, 300) for each in [cut(text, size, overlap, 1, fold=fold, claims=claims)]]
        for name, text in texts.items()
    }
    corpus = Corpus(texts)
    count = wrong = 0
    for way in (0, 1):
        known = [(name, each) for name, both in cuts.items() for each in both[way]]
        chunks = corpus.place(
            [{"document": name, "text": each.text, "start_index": each.claim} for name, each in known]
        )
        assert chunks.covered == 1
        count += len(chunks)
        for (_, each), chunk in zip(known, chunks, strict=True):
            wrong += (chunk.start, chunk.end) != (each.start, each.end)
    assert wrong <= count // 500


@pytest.mark.parametrize("title", ["The title", "# Annual figures\n\n", "Title: x | "])
def test_titles_in_front(title: str) -> None:
    """A title glued in front is left out, wherever copies of the chunk occur."""
    text = repeated_text(5, 8000)
    cuts = cut(text, 300, 0, 1)
    chunks = Corpus({"A": text}).place([f"{title}\n{each.text}" for each in cuts])
    assert chunks.counts["trimmed"] == len(cuts)
    assert sum((chunk.start, chunk.end) != each[2:] for each, chunk in zip(cuts, chunks, strict=True)) <= 1


def spans(places: list[Placement]) -> list[tuple[int, int, str]]:
    """Places as plain tuples."""
    return [(place.start, place.end, place.how) for place in places]


def test_chunks_in_order_stand_one_after_the_other() -> None:
    """The order of chunks distinguishes repeated text."""
    text = "same. same. other. same."
    chunks = [UnplacedChunk("same."), UnplacedChunk("same. other."), UnplacedChunk("same.", start=0)]
    assert spans(locate(text, chunks)) == [(0, 5, "exact"), (6, 18, "exact"), (19, 24, "moved")]


def test_a_claim_that_verifies_is_not_trusted() -> None:
    """LangChain finds the first copy; the sequence says that it is the second."""
    text = "head AB tail AB end"
    chunks = [
        UnplacedChunk("head AB tail", start=0),
        UnplacedChunk("AB", start=5),
        UnplacedChunk("end", start=16),
    ]
    assert spans(locate(text, chunks))[1] == (13, 15, "moved")


def test_a_claim_decides_where_the_sequence_does_not() -> None:
    """A single chunk may be at each of its copies."""
    assert spans(locate("AB AB AB", [UnplacedChunk("AB", start=3)])) == [(3, 5, "exact")]
    assert spans(locate("AB AB AB", [UnplacedChunk("AB", start=1)])) == [(0, 2, "moved")]
    text = "xy AB xy AB xy AB"
    chunks = [UnplacedChunk("xy", 12), UnplacedChunk("AB", 9), UnplacedChunk("AB", 15)]
    assert spans(locate(text, chunks)) == [(0, 2, "moved"), (9, 11, "exact"), (15, 17, "exact")]


def test_white_space_is_folded() -> None:
    """A chunk with its empty lines collapsed is found, from its first to its last character."""
    text = "one\n\n\n\ntwo\n\nthree"
    assert spans(locate(text, [UnplacedChunk("one\n\ntwo"), UnplacedChunk("three")])) == [
        (0, 10, "folded"),
        (12, 17, "exact"),
    ]


def test_white_space_that_was_put_in() -> None:
    """Sentences joined by spaces are found where there were no spaces, rather than in part."""
    text = "One.Two. Three.\nOne."
    chunks = [UnplacedChunk("One. Two. Three."), UnplacedChunk("One.", 0)]
    assert spans(locate(text, chunks)) == [(0, 15, "folded"), (16, 20, "moved")]


def test_a_literal_chunk_keeps_its_white_space() -> None:
    """Borders stay as they are; of two copies that would do, the literal one is taken."""
    text = "one  two\none two"
    assert spans(locate(text, [UnplacedChunk("one two"), UnplacedChunk("zero")])) == [
        (9, 16, "exact"),
        (-1, -1, "lost"),
    ]
    assert spans(locate("a \n b a", [UnplacedChunk("a", 6), UnplacedChunk(" b ", 0)])) == [
        (0, 1, "moved"),
        (3, 6, "moved"),
    ]


def test_white_space_alone_has_a_place() -> None:
    """Between its neighbours, or none."""
    text = "a\n\nb\n\nc"
    chunks = [
        UnplacedChunk("a"),
        UnplacedChunk("b"),
        UnplacedChunk("\n\n"),
        UnplacedChunk("c"),
        UnplacedChunk("\t"),
    ]
    assert spans(locate(text, chunks))[2:] == [(4, 6, "exact"), (6, 7, "exact"), (-1, -1, "lost")]


def test_a_chunk_that_stands_nowhere_is_lost() -> None:
    """The others are placed all the same."""
    assert spans(locate("one two", [UnplacedChunk("one"), UnplacedChunk("zero"), UnplacedChunk("two")])) == [
        (0, 3, "exact"),
        (-1, -1, "lost"),
        (4, 7, "exact"),
    ]


def test_chunks_out_of_order_and_given_twice() -> None:
    """If starts cannot rise, each chunk is still next to the one before."""
    text = "one two three two four"
    chunks = [
        UnplacedChunk("four"),
        UnplacedChunk("one"),
        UnplacedChunk("one"),
        UnplacedChunk("two"),
        UnplacedChunk("three"),
    ]
    assert [place.start for place in locate(text, chunks)] == [18, 0, 0, 4, 8]


def test_fixed_chunks_stay() -> None:
    """Offsets without a text are exact, and show where the others are."""
    text = "AB AB AB AB"
    chunks = [
        UnplacedChunk("AB", 3, 5, fixed=True),
        UnplacedChunk("AB"),
        UnplacedChunk("AB", 0, 2, fixed=True),
    ]
    assert [place.start for place in locate(text, chunks)] == [3, 6, 0]


def occurrences(text: str, chunk: str) -> set[tuple[int, int]]:
    """Every occurrence of a chunk, literally or ignoring whitespace, one by one."""
    found = {(start, start + len(chunk)) for start in range(len(text)) if text.startswith(chunk, start)}
    folded = fold_text(chunk)
    if not folded:
        return found
    literal = {solid(text, start) for start, _ in found}
    for start in range(len(text)):
        if not text[start].isspace() and solid(text, start) not in literal:
            ends = (end for end in range(start + 1, len(text) + 1) if fold_text(text[start:end]) == folded)
            found |= {(start, end) for end in list(ends)[:1]}
    return found


def solid(text: str, end: int) -> int:
    """Number of characters other than whitespace at the beginning of a text."""
    return sum(not character.isspace() for character in text[:end])


def cost(text: str, places: list[tuple[int, int]]) -> tuple[int, int]:
    """Number of starts that do not rise, and the sum of all steps, by definition."""
    ends = [0, *(solid(text, end) for _, end in places)]
    starts = [*(solid(text, start) for start, _ in places), solid(text, len(text))]
    steps = sum(abs(start - end) for start, end in zip(starts, ends, strict=True))
    last = [-1, *(start for start, _ in places)]
    return sum(start <= before for (start, _), before in zip(places, last, strict=False)), steps


def check(text: str, chunks: list[UnplacedChunk]) -> None:
    """Every chunk is at an occurrence, if there is one, and no assignment costs less."""
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


#: Characters, each with the one that it is read as; others have examples, since a chunk may begin inside.
FOLDED = {"\u2019": "'", "\u201e": '"', "\u2014": "-", "\uff21": "A", "\u212b": "\u00c5"}


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[UnplacedChunk]]:
    """A text of few letters, and parts of it, perhaps with other whitespace and wrong offsets."""
    odd, plain = draw(st.sampled_from([("", ""), *FOLDED.items()]))
    text = draw(st.text(alphabet="ab \n" + odd + plain, min_size=1, max_size=12))
    chunks = []
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text) - 1))
        part = text[start : draw(st.integers(start + 1, len(text)))]
        changed = draw(st.sampled_from([part, part, part.strip(), fold(part), part.replace(" ", "\n")]))
        changed = draw(st.sampled_from([changed, changed.replace(odd, plain) if odd else changed]))
        chunks.append(UnplacedChunk(changed or part, draw(st.none() | st.integers(0, 12))))
    return text, chunks


@settings(max_examples=300)
@given(cases())
def test_no_assignment_costs_less(case: tuple[str, list[UnplacedChunk]]) -> None:
    """Against all assignments of all occurrences, found one by one."""
    check(*case)


@pytest.mark.parametrize("setting", ["few", "none kept", "by hash"])
def test_no_assignment_costs_less_whatever_the_way(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short ways, costs that are found again, and the index give the same."""
    if setting == "few":
        monkeypatch.setattr(search, "_MANY", 0)
    elif setting == "none kept":
        monkeypatch.setattr(search, "_MOST", 0)
    else:
        monkeypatch.setattr(text_index, "_WORK", -1)
    rng = random.Random(7)
    words = ["abcdefghijkl", "abcdefghijkl", "mnopqrst", "\n\n", " "]
    for _ in range(60):
        text = "".join(rng.choices(words, k=7))
        cuts = [sorted(rng.sample(range(len(text) + 1), 2)) for _ in range(4)]
        parts = [text[low:high] for low, high in sorted(cuts)]
        parts = [rng.choice([part, part.strip(), fold(part)]) for part in parts]
        check(text, [UnplacedChunk(part, rng.choice([None, 0, 12])) for part in parts if part])


#: Words that occur in no text, as those of a context.
OWN = ["Title:", "zz", "yy-yy", "the"]


@settings(max_examples=200)
@given(st.data())
def test_contexts_against_the_definition(data: st.DataObject) -> None:
    """One chunk with own words at one side is at its only place, and lost if nothing says where it is."""
    words = data.draw(
        st.lists(st.sampled_from(["river", "rose", "by noon", "Nobody", "was hurt"]), min_size=4, max_size=30)
    )
    text = data.draw(st.sampled_from([" ", "\n", "  \n"])).join(words)
    low = data.draw(st.integers(0, len(words) - 1))
    part = " ".join(words[low : data.draw(st.integers(low + 1, len(words)))])
    own = " ".join(data.draw(st.lists(st.sampled_from(OWN), min_size=1, max_size=20)))
    front = data.draw(st.booleans())
    chunk = f"{own}\n\n{part}" if front else f"{part}\n\n{own}"
    [place] = locate(text, [UnplacedChunk(chunk)])
    places = sorted(occurrences(text, part))
    enough = len(part.replace(" ", "")) >= 20 and len(places) == 1
    half = 2 * len(fold(part)) >= len(fold(chunk))
    fills = front and fold(part) == fold(text)  # all of the text that no other chunk has
    if enough or half or fills:
        assert place.how == "trimmed"
        assert (place.start, place.end) in places
    else:
        assert place.how == "lost"


def test_blanks_at_the_border_of_a_part_do_not_count() -> None:
    """A part of 23 characters in a chunk of 47 is less than half of it, whatever blank follows."""
    text = "river river river was hurt was hurt river"
    [place] = locate(text, [UnplacedChunk("river was hurt was hurt\n\nTitle: Title: Title: zz")])
    assert place.how == "lost"
    [place] = locate(text, [UnplacedChunk("river was hurt was hurt\n\nTitle: Title: Title: z")])
    assert (place.how, place.start, place.end) == ("trimmed", 12, 35)


WORDS = [f"w{number}{'abcdefgh'[number % 8] * (number % 5 + 1)}" for number in range(60)]


@pytest.mark.parametrize("overlap", [0, 3])
@pytest.mark.parametrize("own", ["shared", "each", "behind", "shared and behind"])
def test_text_of_their_own(own: str, overlap: int) -> None:
    """Chunks are placed as without titles and contexts, whatever their share, and none is lost."""
    rng = random.Random(own)
    words = rng.choices(WORDS, k=900)
    text = "".join(word + rng.choice([" ", " ", "\n", "\n\n", ". "]) for word in words)
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    plain = []
    for first in range(0, len(ends) - 12, 9):
        start = 0 if first <= overlap else re.compile(r"\s*").match(text, ends[first - overlap - 1]).end()  # type: ignore[union-attr]
        plain.append(text[start : ends[first + 8]])

    def context() -> str:
        return "Title: " + " ".join(f"x{rng.randrange(999)}" for _ in range(30))

    shared = context()
    front = [shared if own.startswith("shared") else context() for _ in plain]
    after = ["\n\n" + context() if own.endswith("behind") else "" for _ in plain]
    front = ["" if own == "behind" else one + "\n\n" for one in front]
    chunks = [UnplacedChunk("".join(parts)) for parts in zip(front, plain, after, strict=True)]
    found = locate(text, chunks)
    assert {place.how for place in found} == {"trimmed"}
    base = locate(text, [UnplacedChunk(part) for part in plain])
    assert [place[:2] for place in found] == [place[:2] for place in base]


@pytest.mark.parametrize("overlap", [0, 20])
@pytest.mark.parametrize(
    ("word", "own"), [("the", "about the\n\n"), ("t", "about t\n"), (".", "on page 7. ")]
)
def test_words_shared_by_chance(word: str, own: str, overlap: int) -> None:
    """The last word or stop of a context is no part of the chunk, although the text has it there, too."""
    rng = random.Random(4)
    text = "Text " + " ".join(f"{word} {rng.randrange(10**6)}" for _ in range(400))
    starts = [match.end() for match in re.finditer(rf"{re.escape(word)} ", text)][::9]
    plain = [text[start : end + overlap].rstrip() for start, end in pairwise([*starts, len(text)])]
    chunks = [UnplacedChunk(f"Context {rng.random()} {own}{part}") for part in plain]
    found = locate(text, chunks)
    assert [place[:2] for place in found] == [
        (start, start + len(part)) for start, part in zip(starts, plain, strict=True)
    ]
    assert {place.how for place in found} == {"trimmed"}


def test_short_chunks_behind_a_shared_title() -> None:
    """What all chunks share is set aside, so a few letters are enough; a word that chunks share stays."""
    text = "The one. The two. The three."
    chunks = [
        UnplacedChunk(f"A long title of a file\n\n{part}") for part in ("The one.", "The two.", "The three.")
    ]
    assert spans(locate(text, chunks)) == [(0, 8, "trimmed"), (9, 17, "trimmed"), (18, 28, "trimmed")]


@pytest.mark.parametrize("short", ["Ends.", "B 2.", "Long dash \u2014."])
def test_short_chunks_behind_contexts(short: str) -> None:
    """A short chunk has its place if it is all of the text between its neighbours, and else none."""
    first, last = "The first sentence of the document is long.", "The last sentence of it is long, too."
    text = f"{first}\n\n{short}\n\n{last}"
    chunks = [
        f"About the beginning: {first}",
        "A short remark: " + short.replace("\u2014", "-"),
        f"How it ends: {last}",
    ]
    placed = locate(text, [UnplacedChunk(one) for one in chunks])
    assert [text[one.start : one.end] for one in placed] == [first, short, last]
    assert {one.how for one in placed} == {"trimmed"}
    remarks = {
        "A context alone.": "lost",
        f"{short} And a remark.": "trimmed",
        f"A remark before{short}": "lost",
    }
    for own, how in remarks.items():
        placed = locate(text, [UnplacedChunk(one) for one in (chunks[0], own, chunks[2])])
        assert [one.how for one in placed] == ["trimmed", how, "trimmed"]


def test_chunks_share_text_of_the_document() -> None:
    """Contexts that begin alike, and lines that end alike: the lines are complete."""
    lines = [f"Line {number} of a form that is filled in again and again by hand." for number in range(9)]
    chunks = [
        UnplacedChunk(f"Context number {7 * at}, its own thing.\n\n{line}") for at, line in enumerate(lines)
    ]
    text = "\n".join(lines)
    assert [text[start:end] for start, end, _ in locate(text, chunks)] == lines


def test_the_copy_that_continues_the_sequence() -> None:
    """An end that is not half of its chunk and occurs twice is taken if it continues the sequence."""
    line = "A sentence of the contract. "
    text = f"Begin here with many words. {line}Middle of it all, so far. {line}End of all."
    own = "some context that a model wrote for this chunk, longer than the chunk itself: "
    parts = ["Begin here with many words.", line.strip(), "Middle of it all, so far.", line.strip()]
    chunks = [UnplacedChunk(own + str(number) + "\n" + part) for number, part in enumerate(parts)]
    assert [place.start for place in locate(text, chunks)] == [0, 28, 56, 82]
    assert locate(text, [chunks[1]])[0].how == "lost"  # nothing says which of the two is meant
    assert locate(text, [chunks[2]])[0][:2] == (56, 81)  # it occurs once
    assert locate(text, [UnplacedChunk("My title:\n" + line)])[0].how == "trimmed"  # at least half


@pytest.mark.parametrize("count", [19, 20])
@pytest.mark.parametrize("form", ["{own}\n\n{part}", "{part}\n\n{own}"])
def test_twenty_characters_are_enough(count: int, form: str) -> None:
    """At the end or at the beginning of a chunk; blanks do not count."""
    part = "ab cde fghij klmno pqrstuv"[: count + 4]
    assert len(part.replace(" ", "")) == count
    text = "Something else comes first. " * 9 + part + ". And then."
    found = locate(text, [UnplacedChunk(form.format(own="My own words: " * 9, part=part))])
    assert spans(found) == ([(252, 252 + len(part), "trimmed")] if count == 20 else [(-1, -1, "lost")])


@pytest.mark.parametrize(("part", "difference"), [("THE RENT", "case"), ("CO2", "Unicode form")])
def test_case_and_unicode_form_are_not_trimmed(part: str, difference: str) -> None:
    """A chunk that differs only so is lost with the reason, whatever else of it occurs."""
    corpus = Corpus(
        {"A": "The rent is paid in full on the first of May. CO\u2082 is paid in full on the second."}
    )
    chunk = f"{part} is paid in full on the {'first' if part == 'THE RENT' else 'second'}"
    with pytest.raises(ExcerptError, match=f"occurs only in another {difference}") as caught:
        corpus.place([("A", chunk)])
    assert "\n" not in str(caught.value)
    assert corpus.place([("A", chunk)], lost="count")[0].how == "lost"


@pytest.mark.parametrize(
    ("text", "chunk", "place"),
    [
        ("It\u2019s \u201ctrue\u201d. End.", 'It\'s "true".', (0, 12, "folded")),
        ("a hy\u00adphen\u00adated word", "hyphenated", (2, 14, "folded")),
        ("the ﬁrst ofﬁce", "first office", (4, 14, "folded")),
        ("so\u2026 cafe\u0301 noir", "so... café", (0, 9, "folded")),
        ("so... café noir", "so\u2026 cafe\u0301", (0, 10, "folded")),
        ("\uff21\uff22 C", "AB C", (0, 4, "folded")),
        ("no cafe\u0301 here", "no cafe", (0, 7, "exact")),
    ],
)
def test_characters_are_folded(text: str, chunk: str, place: tuple[int, int, str]) -> None:
    """Places count characters of the document, where lengths change, too; literal text stays exact."""
    assert spans(locate(text, [UnplacedChunk(chunk), UnplacedChunk(text[:3], 0)][:1])) == [place]


def test_what_is_read_costs() -> None:
    """Own text counts as read, the text in front first, from memory and from files."""
    text = "a" * 60 + " " + "b" * 60 + " " + "c" * 60
    corpus = Corpus({"A": text})
    context = "This is the context of chunk {}, with words that are not in it.\n\n"
    parts = [context.format(1) + "a" * 60, context.format(2) + "b" * 60, "c" * 60]
    chunks = corpus.place({"A": parts})
    lead = len(context.format(1))
    assert chunks.lead.tolist() == [lead, lead, 0]
    assert str(chunks).endswith(f", {round(200 * lead / (2 * lead + 180))} % of it their own")
    gold = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("A", 61, 121))])
    names = ["read@2", "read", f"recall(budget={lead})", f"recall(budget={lead + 30})", "precision@1"]
    expected = [2 * lead + 120, 2 * lead + 180, 0, 0.25, 60 / (lead + 60)]
    run = chunks.run({"1": [0, 1, 2]})
    assert excerpt.evaluate(gold, run, names, corpus=corpus).means().tolist() == [expected]
    with tempfile.TemporaryDirectory() as folder:
        excerpt.write_run(run, f"{folder}/run.jsonl")
        again = excerpt.evaluate(gold, f"{folder}/run.jsonl", names, corpus=corpus)
        assert again.means().tolist() == [expected]
        chunks.write(f"{folder}/placed.jsonl")
        for read in (
            excerpt.Chunks.read(f"{folder}/placed.jsonl"),
            excerpt.Chunks.read(f"{folder}/placed.jsonl", corpus),
        ):
            run = read.run({"1": [0, 1, 2]})
            assert excerpt.evaluate(gold, run, names, corpus=corpus).means().tolist() == [expected]
