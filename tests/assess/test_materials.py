"""Tests of the documents of a campaign: verification, words, sentences."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from support.small_campaign import PLAIN, event, small_campaign
from support.span_sets import TEXTS

from excerpt import Corpus
from excerpt.assess.campaign import Campaign
from excerpt.assess.materials import units_of
from excerpt.assess.rules import ElementTree
from excerpt.errors import ExcerptError


def test_a_corpus_that_has_changed_is_refused_with_the_documents_named(tmp_path: Path) -> None:
    """The error names all changed and missing documents, and no others."""
    small_campaign(tmp_path / "c").close()
    documents = tmp_path / "c-documents"
    (documents / "plain.txt").write_text("Another text.")
    (documents / "b.xml").unlink()
    with Campaign.open(tmp_path / "c") as campaign:
        with pytest.raises(ExcerptError) as error:
            campaign.check_corpus()
        assert str(error.value).startswith(
            "1 document has changed since the campaign was created: plain.txt; "
            "missing documents of the campaign: b; offsets would"
        )


@pytest.mark.parametrize("text", ["Another text.", PLAIN.replace("First", "Third")])
def test_nothing_is_judged_in_a_text_that_has_changed(tmp_path: Path, text: str) -> None:
    """A changed text is detected on use, even if its length is the same."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c-documents" / "plain.txt").write_bytes(text.encode())
    with Campaign.open(tmp_path / "c") as campaign:
        given = event(campaign, "highlight", 0, 5, document="plain.txt")
        with pytest.raises(ExcerptError, match="1 document has changed since the campaign"):
            campaign.record("ann", given)
        with pytest.raises(ExcerptError, match="1 document has changed"):
            campaign.document_for("ann", "7", "plain.txt")
        assert campaign.judged() == []


def test_a_corpus_may_have_moved(tmp_path: Path) -> None:
    """The corpus may move with the folder, or to a given path."""
    small_campaign(tmp_path / "old" / "c").close()
    (tmp_path / "old").rename(tmp_path / "new")
    with Campaign.open(tmp_path / "new" / "c") as campaign:
        campaign.check_corpus()
    (tmp_path / "new" / "c-documents").rename(tmp_path / "elsewhere")
    with Campaign.open(tmp_path / "new" / "c", corpus=tmp_path / "elsewhere") as campaign:
        campaign.check_corpus()


def test_a_folder_that_was_copied_finds_its_corpus(tmp_path: Path) -> None:
    """The original path is used unless the settings name another."""
    small_campaign(tmp_path / "c").close()
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(tmp_path / "c", copy)
    with Campaign.open(copy) as campaign:
        campaign.check_corpus()
    (tmp_path / "c-documents").rename(tmp_path / "elsewhere" / "c-documents")
    with Campaign.open(copy) as campaign:
        campaign.check_corpus()


def test_a_corpus_that_is_gone_is_asked_for(tmp_path: Path) -> None:
    """The error names the missing path."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c-documents").rename(tmp_path / "gone")
    with Campaign.open(tmp_path / "c") as campaign:
        campaign.check_used(["a"])
        with pytest.raises(ExcerptError) as error:
            campaign.check_corpus()
    assert error.value.path == str(tmp_path / "c-documents")
    assert "the campaign's documents are missing" in str(error.value)
    assert "⟨corpus⟩" in error.value.hint


def test_documents_that_are_used_are_compared(tmp_path: Path) -> None:
    """Only used documents are verified."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c-documents" / "plain.txt").write_text("Another text.")
    with Campaign.open(tmp_path / "c") as campaign:
        campaign.check_used(["a", "b"])
        with pytest.raises(ExcerptError, match=r"1 document has changed .*: plain.txt"):
            campaign.check_used(["a", "plain.txt"])


# ruff: noqa: RUF001 - signs of many scripts


def cut(text: str, gaps: list[int]) -> list[str]:
    """The units of a text, as strings."""
    found, at = [], 0
    for gap, length in zip(gaps[::2], gaps[1::2], strict=True):
        found.append(text[at + gap : at + gap + length])
        at += gap + length
    return found


def words(text: str) -> list[str]:
    """The words of a text."""
    return cut(text, units_of(text).words)


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return cut(text, units_of(text).sentences)


@given(TEXTS)
def test_everything_but_white_space_is_in_a_word_and_in_a_sentence(text: str) -> None:
    """Units cover all visible characters and have no whitespace at the ends."""
    assert "".join("".join(words(text)).split()) == "".join(text.split())
    assert not any(word.strip() != word or not word for word in words(text))
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert not any(sentence.strip() != sentence or not sentence for sentence in sentences(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("don't (e-mail) 3.14, x_1", ["don't", "(", "e-mail", ")", "3.14", ",", "x_1"]),
        ("rent,pay 1,000 at 12:30:x", ["rent", ",", "pay", "1,000", "at", "12:30", ":", "x"]),
        ("cafe\u0301s na\u00efve", ["cafe\u0301s", "na\u00efve"]),
        ("a😀b 👩\u200d🔬! 🇩🇪 👍🏽", ["a", "😀", "b", "👩\u200d🔬", "!", "🇩🇪", "👍🏽"]),
        ("one\r\ntwo\u00a0three\u2028four", ["one", "two", "three", "four"]),
        ("日本語 abc かな", ["日", "本", "語", "abc", "か", "な"]),
        ("\u05d0\u05d1 \u0645\u0631", ["\u05d0\u05d1", "\u0645\u0631"]),
        ("𝒎𝒂 is math", ["𝒎𝒂", "is", "math"]),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    """Letters and digits form words, other characters are words of their own."""
    assert words(text) == found


@pytest.mark.parametrize(
    "found",
    [
        ["Mr. and Mrs. Smith paid.", "They left."],
        ["Rents, e.g. of flats, i.e. homes, rose.", "Why?", "Nobody knows!"],
        ["See Fig. 3 and No. 7 in Sec. 2.", "He said no.", "She did not."],
        ["J. R. R. Tolkien wrote it.", "It sold."],
        ["It cost 3.50 euros.", "Then 4."],
        ["He said “Go.”", "She went."],
        ["Flats, houses, etc.", "Then more."],
        ["Wait... what?", "Yes."],
        ["It is example.org.", "Is it?", "Yes."],
        ["He paid $5.", "(She did not.)", "“Never!” he said.", "Why?!"],
        ["これは文です。", "次の文！", "終わり"],
        ["A heading", "A paragraph."],
    ],
)
@pytest.mark.parametrize("line_end", ["\n\n", "\r\n\r\n"])
def test_sentences(found: list[str], line_end: str) -> None:
    """Abbreviations and numbers do not end a sentence; an empty line does."""
    between = line_end if found[0] == "A heading" else "" if "。" in found[0] else " "
    assert sentences(between.join(found)) == found


def test_a_line_end_alone_does_not_end_a_sentence() -> None:
    """Texts may be wrapped."""
    assert sentences("A long\r\nsentence. Another\none.") == ["A long\r\nsentence.", "Another\none."]


def test_blocks_end_units_and_inline_elements_do_not(tmp_path: Path) -> None:
    """A title without a full stop is not part of the first sentence."""
    xml = "<a><title>Of rents</title><p>The <i>ten</i>ant pays. Al<b>ways.</b></p><p>End</p></a>"
    (tmp_path / "a.xml").write_text(xml)
    document = Corpus.read(tmp_path).document("a")
    found = units_of(document.text, ElementTree(document.elements))
    assert cut(document.text, found.sentences) == ["Of rents", "The tenant pays.", "Always.", "End"]
    assert "tenant" in cut(document.text, found.words)
    assert "rents" in cut(document.text, found.words)


@pytest.mark.parametrize(
    "text", ["." * 200_000, ".)" * 100_000, "\n" + "\t" * 200_000, "a-" * 100_000, "😀\u200d" * 50_000]
)
def test_long_runs_of_signs_take_no_long_time(text: str) -> None:
    """Segmentation takes linear time."""
    found = units_of(text)
    assert sum(found.words) <= len(text)
    assert sum(found.sentences) <= len(text)
