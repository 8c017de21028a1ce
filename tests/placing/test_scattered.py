"""Chunks of splitters that change the order of words, and why a chunk is lost.

The chunks are those of LangChain 1.1.3 (`HTMLHeaderTextSplitter`, `HTMLSemanticPreservingSplitter`) and of
docling 2.143 (`HybridChunker`) for the page of `tests/data/chunks`.
"""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus, ExcerptError, place
from excerpt.placing.chunks import Chunks
from excerpt.placing.dense_words import densest
from excerpt.placing.lost_reasons import why_lost
from excerpt.placing.scattered import ScatteredWords, are_words_of

DATA = json.loads((Path(__file__).parents[1] / "data" / "chunks" / "lease.json").read_text(encoding="utf-8"))
PAGE, MARKDOWN, TRIPLETS = DATA["page"], DATA["markdown"], DATA["triplets"]
BY_HEADERS, SEMANTIC, HYBRID = DATA["by_headers"], DATA["semantic"], DATA["hybrid"]
HEADING = "The lease of a garden\n"
#: What a reader sees of the parts of the page, as its chunks should have them.
LEASE = (
    "A lease of a garden runs for two years, and it is renewed unless the tenant says in writing that he "
    "leaves."
)
RENT = "The rent is due on the first day of each month, as the table of rents below says."
WATER = "Water is paid by the metre, in the month after it was used."
TOOLS = "Tools of the society are free, but broken ones are paid for."
DOES = "The society keeps the paths, the gates and the fences, and opens the gates at seven in the morning."


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A folder with the page."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "lease.html").write_text(PAGE, encoding="utf-8")
    return tmp_path / "docs"


def placed(folder: Path, texts: list[str], parser: str | None = None) -> tuple[list[str], Chunks]:
    """The text at the places of chunks of the page, with white space folded."""
    corpus = Corpus.read(folder, parser=parser)
    chunks = place(corpus, {"lease.html": texts}, lost="count")
    text = corpus["lease.html"]
    return [" ".join(text[one.start : one.end].split()) for one in chunks], chunks


def test_words_behind_their_paragraph(page: Path) -> None:
    """Of the visible text each chunk has its paragraph, from its first to its last word."""
    found, chunks = placed(page, BY_HEADERS)
    assert chunks.counts["lost"] == 0
    table = (
        "Size of garden Rent each month Water each month small 20 crowns 2 crowns middle 35 crowns 4 crowns"
    )
    assert found == [
        "The lease of a garden",
        LEASE[:-1],
        "What the tenant pays",
        f"{RENT} {table} large 60 crowns 7 crowns",
        "Water and tools",
        f"{WATER} {TOOLS[:-1]}",
        "What the society does",
        DOES[:-1],
    ]


def test_words_in_front_of_their_paragraph(page: Path) -> None:
    """As the splitter that keeps tables has them; also in the file as it is, between its tags."""
    found, chunks = placed(page, SEMANTIC)
    assert [one.how for one in chunks] == ["trimmed"] * 4
    assert (found[0], found[3]) == (LEASE, DOES)
    assert found[1].startswith(RENT)
    assert found[1].endswith("7 crowns")
    raw, chunks = placed(page, SEMANTIC, "source")
    assert chunks.counts["lost"] == 0
    assert raw[0].startswith("A lease of a garden runs for <em>two years</em>")
    assert raw[3].endswith("the gates at seven in the morning.")


@pytest.mark.parametrize("front", ["", HEADING])
def test_chunks_of_docling(front: str) -> None:
    """Lines that the chunker breaks, with a heading that `contextualize` puts in front: the paragraph."""
    chunks = place({"lease.md": MARKDOWN}, {"lease.md": [front + text for text in HYBRID]})
    begins = ["A lease", "The `rent`", "- Water is", "- Tools of", "The **society**"]
    ends = ["that he leaves.", "below says.", "was used.", "paid for](/tools) .", "the morning."]
    for one, begin, end in zip(chunks, begins, ends, strict=True):
        low, high = MARKDOWN.index(begin), MARKDOWN.index(end) + len(end)
        least = MARKDOWN.index(HEADING) if front and begin == "A lease" else low
        assert least <= one.start
        assert one.end <= high
        assert one.end - max(one.start, low) >= 0.8 * (high - low)
        assert front or (one.start, one.end) == (low, high)


def test_placed_chunks_are_read_again(page: Path, tmp_path: Path) -> None:
    """Their texts are verified by their words; those of another place are not."""
    _, chunks = placed(page, SEMANTIC)
    chunks.write(tmp_path / "placed.jsonl")
    corpus = Corpus.read(page)
    again = Chunks.read(tmp_path / "placed.jsonl", corpus)
    assert [one[:4] for one in again] == [one[:4] for one in chunks]
    text = (tmp_path / "placed.jsonl").read_text(encoding="utf-8").splitlines()
    start = chunks[0].start
    moved = (
        text[0].replace(f'"start": {start}', '"start": 500').replace(f'"end": {chunks[0].end}', '"end": 600')
    )
    (tmp_path / "placed.jsonl").write_text(moved + "\n", encoding="utf-8")
    with pytest.raises(ExcerptError, match="1 of 1 chunk is not at its position"):
        Chunks.read(tmp_path / "placed.jsonl", corpus)


def test_other_text_is_lost() -> None:
    """However many words it has in common."""
    words = [f"w{number}" for number in range(300)]
    rng = random.Random(3)
    text = " ".join(rng.choices(words, k=2000))
    other = [" ".join(rng.choices(words, k=40)) for _ in range(50)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chunks = place({"A": text}, {"A": other}, lost="count")
    assert {one.how for one in chunks} == {"lost"}


@given(st.data())
def test_shuffled_words_are_found_where_they_stand(data: st.DataObject) -> None:
    """Words of a stretch in any order of its clauses: the stretch itself."""
    text = [f"word{number}" for number in range(60)]
    low = data.draw(st.integers(0, 40))
    high = low + data.draw(st.integers(12, 19))
    cuts = sorted(data.draw(st.sets(st.integers(low + 1, high - 1), max_size=3)))
    clauses = [text[one:two] for one, two in zip([low, *cuts], [*cuts, high], strict=True)]
    chunk = " ".join(word for clause in data.draw(st.permutations(clauses)) for word in clause)
    if all(len(clause) == 1 for clause in clauses):
        return
    joined = " ".join(text)
    found = ScatteredWords(joined).find(chunk)
    assert found is not None
    assert joined[found.start : found.end].split() == text[low:high]


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=6),
    st.lists(st.sampled_from("abcdxy"), max_size=12),
)
def test_the_densest_stretch(asked: list[str], given_: list[str]) -> None:
    """By its definition: of all stretches that are not too long, one with most words of those asked."""
    width = len(asked) + max(2, len(asked) // 4)

    def count(words: list[str]) -> int:
        return sum(min(words.count(word), asked.count(word)) for word in set(asked))

    low, high, most = densest(asked, given_)
    every = [
        count(given_[one:two])
        for one in range(len(given_))
        for two in range(one + 1, min(one + width, len(given_)) + 1)
    ]
    assert most == max(every, default=0)
    if most:
        assert count(given_[low : high + 1]) == most
        assert high - low < width


def test_words_of_a_passage() -> None:
    """Most of the passage, and enough of the chunk."""
    assert are_words_of("one two three four", "four three two")
    assert not are_words_of("one two three four", "one two")
    assert not are_words_of("one two three four", "one two three four five six")


@pytest.mark.parametrize(
    ("chunk", "why"),
    [
        ("a lease of A GARDEN runs", "it occurs only in another case"),
        (TRIPLETS, "it is a table, each cell with the names of its row and column (triplets)"),
        (
            "Water and tools\nThe lease of a garden",
            "its 2 lines occur, but apart, as where headings are joined",
        ),
        (
            "The rent is due on each new moon then",
            'nearest: line 7 "The `rent` is due on" (56 % of its words are there)',
        ),
        ("Nobody mentions elephants", "none of its words stands beside another one of them there"),
        ("Elephants", ""),
    ],
)
def test_reasons(chunk: str, why: str) -> None:
    """What a user can do something about comes first."""
    assert why_lost(MARKDOWN, chunk, "lease.md") == why


def test_reasons_are_shown(tmp_path: Path) -> None:
    """In the error, in the rows that are written, and in the counts."""
    given_ = {"lease.md": ["Nobody mentions elephants", HYBRID[0]]}
    with pytest.raises(ExcerptError, match="25 characters, none of its words stands beside another"):
        place({"lease.md": MARKDOWN}, given_)
    why = "none of its words stands beside another one of them there"
    with pytest.warns(UserWarning, match="1 chunk does not occur"):
        chunks = place({"lease.md": MARKDOWN}, given_, lost="count")
    assert chunks.to_dict()["missing"] == [
        {"document": "lease.md", "text": given_["lease.md"][0], "why": why}
    ]
    chunks.write(tmp_path / "placed.jsonl")
    assert f'"how": "lost", "why": "{why}"' in (tmp_path / "placed.jsonl").read_text(encoding="utf-8")
    with pytest.warns(UserWarning, match="1 chunk does not occur"):
        dropped = place({"lease.md": MARKDOWN}, given_, lost="drop")
    assert (len(dropped), dropped.missing) == (1, chunks.missing)
