"""Tests of the stored contents of a campaign."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.small_campaign import ALL, do, small_campaign, small_pool

from excerpt.assess import contents
from excerpt.assess.campaign import Campaign
from excerpt.assess.contents import Suggestion, read_suggestions
from excerpt.assess.export import exported
from excerpt.assess.folder import DATABASE
from excerpt.assess.progress import status
from excerpt.assess.recovery import rebuild
from excerpt.assess.store import Store
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError
from excerpt.notices import Notices
from excerpt.pooling import Pool, PoolInput, PoolItem


def test_the_pool_is_kept_as_it_is(tmp_path: Path) -> None:
    """The pool is stored with strata, probabilities, runs, passages and inputs."""
    items = [
        PoolItem("8", "b", 1, "depth", Fraction(1), ("r, 😀",), (((1, 0, 5), (3, -1, -1)),)),
        PoolItem("8", "a", 2, "sample", Fraction(3, 67), (), ()),
        PoolItem("7", "a", 1, "adaptive", None, ("s",), (((2, 4, 9),),)),
    ]
    inputs = [PoolInput("r, 😀", "runs/r.txt", "abc"), PoolInput("s", "", "")]
    with small_campaign(tmp_path / "c", pool=Pool.of(items, inputs=inputs)) as campaign:
        assert [topic.id for topic in campaign.topics] == ["8", "7"]
        assert campaign.contents.items("8") == items[:2]
        assert campaign.contents.items("7") == items[2:]
        assert campaign.contents.inputs == tuple(inputs)
        assert [topic.text for topic in campaign.topics] == ["What is a café?", "Who pays the rent?"]


def test_a_database_without_settings_is_an_error_in_one_line(tmp_path: Path) -> None:
    """The error names the command that restores the database."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c" / DATABASE).unlink()
    Store(tmp_path / "c" / DATABASE, new=True).close()
    with pytest.raises(ExcerptError, match=r"has rows that the database lacks; excerpt assess rebuild"):
        Campaign.open(tmp_path / "c")
    assert rebuild(tmp_path / "c") == 0
    Campaign.open(tmp_path / "c").close()


def test_documents_have_hash_and_length(tmp_path: Path) -> None:
    """Hash and length are of the text, in code points."""
    with small_campaign(tmp_path / "c") as campaign:
        assert set(campaign.lengths) == set(ALL)
        for name, (digest, length, *_) in campaign.contents.records.items():
            assert (digest, length) == (campaign.corpus.hash(name), len(campaign.corpus[name]))


def test_shares_are_seeded(tmp_path: Path) -> None:
    """Campaigns with the same seed draw the same pairs."""
    with (
        small_campaign(tmp_path / "c", double=0.5, seed=3) as one,
        small_campaign(tmp_path / "d", double=0.5, seed=3, pool=small_pool()) as two,
    ):
        assert len(one.contents.twice) == 4
        assert one.contents.twice == two.contents.twice


def test_pairs_are_listed_without_reading_the_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing pairs does not parse runs and passages, which takes seconds for 50,000 items."""

    def fail(_row: object) -> None:
        raise AssertionError("an item was read")

    with small_campaign(tmp_path / "c") as campaign:
        do(campaign, "ann", "done")
        monkeypatch.setattr(contents, "_item", fail)
        assert status(campaign)["documents"]["total"] == 8
        assert exported(campaign).about["counts"]["pool"] == 8


CORPUS = Corpus({"A": "Some 😀 text.", "B": "Other."})
PAIRS = [("1", "A"), ("2", "B")]
LINE = {"topic": "1", "document": "A", "start": 5, "end": 6, "quote": "😀", "model": "m-1", "prompt": "ab12"}


def lines(*given: dict[str, Any]) -> bytes:
    """Lines of a file of suggestions."""
    return "".join(json.dumps(line) + "\n" for line in given).encode()


def test_what_is_read() -> None:
    """Suggestions are numbered as in the file; labels may be missing, ids may be numbers."""
    other = {"topic": 2, "document": "B", "offset": 0, "length": 5, "model": "m", "prompt": "p", "label": "x"}
    assert read_suggestions(lines(LINE, other), CORPUS, PAIRS) == [
        Suggestion(0, "1", "A", 5, 6, None, "m-1", "ab12"),
        Suggestion(1, "2", "B", 0, 5, "x", "m", "p"),
    ]


def test_grades_of_whole_documents() -> None:
    """A line without a place that has a grade or a word for one, and lines of TREC."""
    about = {"document": "A", "model": "m", "prompt": "p"}
    graded = lines(
        LINE, {"topic": "1", **about, "grade": 3}, {"topic": "1", **about, "grade": "not relevant"}
    )
    assert [(one.end, one.grade) for one in read_suggestions(graded, CORPUS, PAIRS)] == [
        (6, None),
        (0, 3),
        (0, 0),
    ]
    with pytest.raises(ExcerptError, match="<bytes>:2: found 3 columns, expected 4"):
        read_suggestions(b"1 0 A 2\n1 0 B\n", CORPUS, PAIRS)
    notices = Notices()
    found = read_suggestions(b"1 0 A 2\n2 0 B 0\n2 0 Z 1\n", CORPUS, PAIRS, notices=notices)
    assert [(one.topic, one.document, one.grade, one.prompt) for one in found] == [
        ("1", "A", 2, "qrels"),
        ("2", "B", 0, "qrels"),
    ]
    assert "1 suggestion is left out: for documents outside the pool" in "".join(notices)
    with pytest.raises(ExcerptError, match=r"found label 3, expected"):
        read_suggestions(lines({"topic": "1", **about, "grade": 3, "quote": "text"}), CORPUS, PAIRS)


def test_a_model_is_named_by_its_file(tmp_path: Path) -> None:
    """Lines of TREC name no judge."""
    (tmp_path / "umbrela.txt").write_text("1 0 A 2\n")
    (one,) = read_suggestions(tmp_path / "umbrela.txt", CORPUS, PAIRS)
    assert (one.model, one.grade) == ("umbrela", 2)


def test_other_documents_are_counted() -> None:
    """Suggestions for documents outside the pool are counted and get no numbers."""
    notices = Notices()
    given = lines(LINE | {"topic": "2"}, LINE | {"document": "Z"}, LINE)
    (found,) = read_suggestions(given, CORPUS, PAIRS, notices=notices)
    assert found.number == 0
    assert list(notices) == [
        "2 suggestions are for documents outside the pool and are left out (first: <bytes>)"
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quote": "x"}, "found quote 'x', expected '😀', the text of the span in document A"),
        (
            {"end": 99},
            "found span [5, 99) of document A, which has 12 characters, expected a span of its text",
        ),
        ({"end": 5}, "found span [5, 5) of document A, which has 12 characters, expected a span of its text"),
        ({"start": None, "end": None}, "found span [0, 0) of document A"),
        ({"start": "5"}, 'found start "5", expected a whole number'),
        ({"model": None}, "key model is missing, expected the name of the model"),
        ({"prompt": " "}, "found prompt ' ', expected a hash of the prompt"),
        ({"label": "odd"}, "found label 'odd', expected one of the campaign's labels (supports)"),
        ({"topic": None}, "key topic is missing (also called topic_id"),
        ({"model": "m\ud800"}, "found model 'm\\ud800', expected the name of the model"),
        ({"prompt": "\ud800"}, "found prompt '\\ud800', expected a hash of the prompt"),
    ],
)
def test_faults(change: dict[str, Any], message: str) -> None:
    """An error is one line with its line number."""
    with pytest.raises(ExcerptError) as caught:
        read_suggestions(lines(LINE, LINE | change), CORPUS, PAIRS, labels=("supports",), notices=Notices())
    assert str(caught.value).startswith(f"<bytes>:2: {message}")


def test_labels_are_text() -> None:
    """Where every label is allowed, half a surrogate pair is none."""
    with pytest.raises(ExcerptError, match=r"^<bytes>:1: found label '\\ud800', expected"):
        read_suggestions(lines(LINE | {"label": "\ud800"}), CORPUS, PAIRS)


def test_no_file_of_suggestions() -> None:
    """A file that is not JSON, and an empty one, are errors."""
    with pytest.raises(ExcerptError, match="<bytes>:1: found 'hello', expected one JSON object per line"):
        read_suggestions(b"hello\n", CORPUS, PAIRS)
    with pytest.raises(ExcerptError, match="the file is empty, expected suggestions"):
        read_suggestions(b"\n", CORPUS, PAIRS)
