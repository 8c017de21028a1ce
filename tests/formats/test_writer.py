"""Writing: what is written reads back the same, in every format; the file is whole or not there."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judgments_said import said

from excerpt import Corpus, ExcerptWarning, Notices
from excerpt.bridges.tools import TOOLS
from excerpt.errors import ExcerptError, UnknownName
from excerpt.formats import (
    judgments_formats,
    read_judgments,
    read_run,
    run_formats,
    write_judgments,
    write_run,
)
from excerpt.formats.source import Source
from excerpt.formats.writer import write_number
from excerpt.model import Judgments, Result, Run, Span
from excerpt.model.run import ResultKind
from excerpt.model.spans import MAX_OFFSET

Open = Callable[..., Source]

# A byte order mark at the very beginning of a file is not part of a name; the rest is anything but blanks.
_CHARACTERS = st.characters(min_codepoint=0x21, codec="utf-8", exclude_characters="\ufeff\ufffe\uffff")
_WORDS = st.text(_CHARACTERS, min_size=1, max_size=12)
_FEW = st.one_of(
    _WORDS, st.sampled_from(("1", "A", "2009001", "tc/2001/t0111", "&<>\"'", "{", "<a", "X", "-1"))
)
_NAMES = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=10)
_SCORES = st.one_of(
    st.floats(allow_nan=False),
    st.sampled_from((1e-320, -1e308, float("inf"), float("-inf"), 1e15, -3.0, 0.1)),
)
_OFFSETS = st.one_of(st.integers(0, 60), st.integers(0, MAX_OFFSET))
_SPANS = st.tuples(_OFFSETS, _OFFSETS).map(lambda pair: (min(pair), max(pair)))
_UNKNOWN = st.just((-1, -1))
_STEP = st.from_regex(r"/[a-z]{1,5}\[[1-9][0-9]?\]", fullmatch=True)
_PATHS = st.lists(_STEP, min_size=1, max_size=3).map("".join)
_PAIRS = st.tuples(_PATHS, _PATHS).map(" ".join)
_NO_PATH: st.SearchStrategy[str | None] = st.none()
_RANKS = st.one_of(st.integers(0, 2000), st.just(MAX_OFFSET))


def same(found: Run, expected: Run) -> None:
    """Two runs are equal in all that a file says."""
    assert list(found) == list(expected)
    assert found.rank.tolist() == expected.rank.tolist()
    assert (found.kind, found.topics, found.documents) == (expected.kind, expected.topics, expected.documents)
    if len(expected):
        assert found.name == expected.name


@st.composite
def runs(
    draw: st.DrawFn,
    places: st.SearchStrategy[tuple[int, int]],
    paths: st.SearchStrategy[str | None] = _NO_PATH,
    *,
    kind: ResultKind = "spans",
    complete: bool = True,
) -> Run:
    """A run; `complete` ones have a rank and a score for every result."""
    scores = _SCORES if complete else st.one_of(_SCORES, st.none())
    rows = st.builds(
        lambda topic, document, place, score, path: Result(topic, document, place[0], place[1], score, path),
        st.sampled_from(draw(st.lists(_FEW, min_size=1, max_size=3))),
        st.sampled_from(draw(st.lists(_FEW, min_size=1, max_size=3))),
        places,
        scores,
        paths,
    )
    run = Run.of(draw(_NAMES), draw(st.lists(rows, max_size=8)), kind=kind)
    # The order of documents in the vocabulary is that of the file, which has the topics one by one.
    run = Run.of(run.name, list(run), kind=kind)
    ranks = _RANKS if complete else st.one_of(_RANKS, st.just(-1))
    return replace(run, rank=np.array(draw(st.lists(ranks, min_size=len(run), max_size=len(run))), np.int64))


def round_trip(opened: Open, run: Run, name: str) -> Run:
    """The run, written in a format and read again."""
    known = run_formats()[name]
    assert known.write is not None
    stream = io.BytesIO()
    known.write(run, stream)
    again = io.BytesIO()
    known.write(run, again)
    assert stream.getvalue() == again.getvalue()
    return known.read(opened(stream.getvalue()))


@given(runs(st.one_of(_SPANS, _UNKNOWN)))
def test_fol_runs(opened: Open, run: Run) -> None:
    """Spans, unknown results, ranks and scores to the last bit."""
    same(round_trip(opened, run, "fol"), run)


@given(runs(_OFFSETS.map(lambda offset: (offset, offset)), kind="entry points"))
def test_bep_runs(opened: Open, run: Run) -> None:
    """Entry points."""
    same(round_trip(opened, run, "bep"), run)


@given(runs(_UNKNOWN, st.one_of(_PATHS, _PAIRS), kind="elements"), st.sampled_from(("path", "range")))
def test_path_runs(opened: Open, run: Run, name: str) -> None:
    """Paths and ranges."""
    if len(run):
        same(round_trip(opened, run, name), run)


@given(runs(st.just((0, 1)), kind="documents"))
def test_trec_runs(opened: Open, run: Run) -> None:
    """Each document once, ranks counted anew, in an order that sorting by score does not change."""
    found = round_trip(opened, run, "trec")
    first: dict[tuple[str, str], Result] = {}
    for result in run:
        first.setdefault((result.topic, result.document), result)
    for read in (found, found.ordered("score")):
        assert [(result.topic, result.document) for result in read] == list(first)
    for topic in range(len(found.topics)):
        ranks = found.rank[found.topic_code == topic].tolist()
        assert ranks == list(range(1, len(ranks) + 1))


@given(
    st.one_of(
        runs(st.one_of(_SPANS, _UNKNOWN), complete=False),
        runs(_UNKNOWN, st.one_of(_PATHS, _PAIRS), kind="elements", complete=False),
    )
)
def test_inex_runs(opened: Open, run: Run) -> None:
    """Spans, elements and passages, with or without ranks and scores, ids escaped."""
    if len(run):
        same(round_trip(opened, run, "inex"), run)


@given(
    st.one_of(
        runs(st.one_of(_SPANS, _UNKNOWN), st.one_of(st.none(), _PATHS, _PAIRS), complete=False),
        runs(_UNKNOWN, st.one_of(_PATHS, _PAIRS), kind="elements", complete=False),
        runs(st.just((0, 1)), kind="documents", complete=False),
    )
)
def test_jsonl_runs(opened: Open, run: Run) -> None:
    """All kinds but entry points."""
    if len(run):
        same(round_trip(opened, run, "jsonl"), run)


@st.composite
def judged(draw: st.DrawFn, *, sizes: bool) -> Judgments:
    """Judgments with sizes and entry points; entry points only where there is relevant text."""
    topics = st.sampled_from(draw(st.lists(_FEW, min_size=1, max_size=3)))
    documents = draw(st.lists(_FEW, min_size=1, max_size=3))
    marked = draw(
        st.lists(
            st.tuples(topics, st.builds(Span, st.sampled_from(documents), st.just(0), st.just(0)), _SPANS),
            max_size=6,
        )
    )
    highlights = [(topic, Span(span.document, *place)) for topic, span, place in marked]
    irrelevant = draw(st.lists(st.tuples(topics, st.sampled_from(documents)), max_size=4))
    relevant = sorted({(topic, span.document) for topic, span in highlights if span.length})
    entries = draw(st.dictionaries(st.sampled_from(relevant), _OFFSETS)) if relevant else {}
    known = (
        draw(st.fixed_dictionaries(dict.fromkeys(documents, _OFFSETS)))
        if sizes or draw(st.booleans())
        else {}
    )
    return Judgments.of(highlights, irrelevant=irrelevant, sizes=known, entries=entries)


@given(judged(sizes=True))
def test_fol_judgments(opened: Open, judgments: Judgments) -> None:
    """Passages, sizes and entry points."""
    stream = io.BytesIO()
    write = judgments_formats()["fol"].write
    assert write is not None
    write(judgments, stream)
    assert said(judgments_formats()["fol"].read(opened(stream.getvalue()))) == said(judgments)


@given(judged(sizes=False))
def test_jsonl_judgments(opened: Open, judgments: Judgments) -> None:
    """Spans, sizes and entry points, each as far as it is known."""
    stream = io.BytesIO()
    write = judgments_formats()["jsonl"].write
    assert write is not None
    write(judgments, stream)
    assert said(judgments_formats()["jsonl"].read(opened(stream.getvalue()))) == said(judgments)


@given(judged(sizes=True))
def test_trec_judgments(opened: Open, judgments: Judgments) -> None:
    """Documents with relevant text have grade 1."""
    stream = io.BytesIO()
    write = judgments_formats()["trec"].write
    assert write is not None
    write(judgments, stream)
    found = said(judgments_formats()["trec"].read(opened(stream.getvalue())))
    assert {pair: bool(spans) for pair, (_, _, spans) in found.items()} == {
        pair: bool(spans) for pair, (_, _, spans) in said(judgments).items()
    }


def test_every_written_format_is_tested_here() -> None:
    """A new format that writes needs its round trip above."""
    written = {name for name, known in run_formats().items() if known.write}
    assert written == {"fol", "bep", "path", "range", "trec", "inex", "jsonl"}
    # Those in XML have theirs in judgments/test_inex_writing.py.
    written = {name for name, known in judgments_formats().items() if known.write}
    # Those of annotation tools have theirs in bridges/test_round_trips.py.
    assert written == {"fol", "trec", "jsonl", "inex", "inex-graded", *TOOLS}


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("name", ["fol", "inex", "jsonl"])
def test_files_are_recognised_again(tmp_path: Path, name: str, suffix: str) -> None:
    """Files that were written, compressed or not, are read without naming their format."""
    run = Run.of(
        "r", [Result("1", "A", 0, 5, 2.0), Result("1", "B", 3, 9, 1.5), Result("2", "A", 7, 8, 0.25)]
    )
    file = tmp_path / f"run{suffix}"
    write_run(run, file, name)
    assert list(read_run(file)) == list(run)


@pytest.mark.parametrize("name", ["fol", "jsonl"])
def test_judgments_files_are_recognised_again(tmp_path: Path, name: str) -> None:
    """Also a folder of them, one topic per file."""
    for topic in ("1", "2"):
        judgments = Judgments.of(
            [(topic, Span("A", 3, 9))], irrelevant=[(topic, "B")], sizes={"A": 20, "B": 4}
        )
        write_judgments(judgments, tmp_path / topic, name)
        assert said(read_judgments(tmp_path / topic)) == said(judgments)
    together = read_judgments(tmp_path)
    assert together.topics == ("1", "2")
    assert said(together)["2", "A"] == (20, -1, [(3, 9)])


def test_formats_that_are_not_written(tmp_path: Path) -> None:
    """The error lists those that are, and no file appears."""
    with pytest.raises(UnknownName) as caught:
        write_run(Run.of("r", []), tmp_path / "x", "foll")
    assert str(caught.value) == (
        "unknown run format to write 'foll'; did you mean 'fol'? "
        "known: bep, fol, inex, jsonl, path, range, trec"
    )
    with pytest.raises(
        UnknownName,
        match=r"^unknown judgments format to write 'bep'; known: brat, doccano, fira, fol, inex, ",
    ):
        write_judgments(Judgments.of([]), tmp_path / "x", "bep")
    assert list(tmp_path.iterdir()) == []


@given(st.floats(allow_nan=False))
def test_numbers_read_back(score: float) -> None:
    """A score is written so that it is the same number again."""
    assert float(write_number(score)) == score


@pytest.mark.parametrize(("name", "word"), [("a b\tc", "a_b_c"), ("", "run"), (" ", "run"), ("x", "x")])
def test_tag_is_one_word(name: str, word: str, tmp_path: Path) -> None:
    """Blanks in the name of a run would be columns."""
    write_run(Run.of(name, [("1", "A", 0, 5)]), tmp_path / "x.fol")
    assert (tmp_path / "x.fol").read_text().split()[5] == word


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """Something else in the place of a run or judgments is an error, before a file is made."""
    with pytest.raises(ExcerptError, match="found 3, expected a Run"):
        write_run(3, tmp_path / "x")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="found 3, expected Judgments"):
        write_judgments(3, tmp_path / "x")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="found 3 as name of a file to write, expected a path"):
        write_run(Run.of("r", [("1", "A", 0, 10)]), 3)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def lossy(name: str = "r") -> Run:
    """Return a run with a chunk that is not in its document, and with the cost of its results."""
    corpus = Corpus({"A": "hello world. more text"})
    given = [{"document": "A", "text": text} for text in ("hello world.", "not there")]
    run = corpus.place(given, lost="count", notices=Notices()).run({"1": [0, 1]}, name=name)
    return replace(run, costs={"tokens": np.array([3, 2])})


@pytest.mark.parametrize("name", ["run.jsonl", "run.JSONL.gz", "run.fol", "run"])
def test_the_ending_of_a_name_tells_the_format(tmp_path: Path, name: str) -> None:
    """JSON Lines keep what the others have no place for; these say so."""
    path, run, notices = tmp_path / name, lossy(), Notices()
    write_run(run, path, notices=notices)
    back = read_run(path)
    if "jsonl" in name.lower():
        assert list(notices) == []
        assert back.lost is not None
        assert (back.lost.tolist(), back.costs["tokens"].tolist()) == ([0, 9], [3, 2])
    else:
        assert list(notices) == [
            (
                "1 result has text that is not in its document; format fol cannot store it, so it will not "
                "count as read (r)"
            ),
            "format fol cannot store the tokens of results; they are left out (r)",
        ]
        with pytest.warns(ExcerptWarning, match="text that is not in its document"):
            write_run(run, path)
    judgments = Judgments.of([("1", Span("A", 0, 4))])
    write_judgments(judgments, path)
    assert read_judgments(path).highlights("1") == judgments.highlights("1")
    read_judgments(path, format="jsonl" if "jsonl" in name.lower() else "fol")
