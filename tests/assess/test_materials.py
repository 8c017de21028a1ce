"""Documents as they were when the campaign was made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_campaign import PLAIN, event, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.errors import ExcerptError


def test_a_corpus_that_has_changed_is_refused_with_the_documents_named(tmp_path: Path) -> None:
    """All of them, also those that are gone; the others are not."""
    small_campaign(tmp_path / "c").close()
    documents = tmp_path / "c-documents"
    (documents / "plain.txt").write_text("Another text.")
    (documents / "b.xml").unlink()
    with Campaign.open(tmp_path / "c") as campaign:
        with pytest.raises(ExcerptError) as error:
            campaign.check_corpus()
        assert str(error.value).startswith(
            "found another text in 1 document than when the campaign was made: plain.txt; "
            "and 1 document of the campaign missing: b; expected the same"
        )


@pytest.mark.parametrize("text", ["Another text.", PLAIN.replace("First", "Third")])
def test_nothing_is_judged_in_a_text_that_has_changed(tmp_path: Path, text: str) -> None:
    """Also where nobody has compared all of them, and where it is as long as it was."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c-documents" / "plain.txt").write_bytes(text.encode())
    with Campaign.open(tmp_path / "c") as campaign:
        given = event(campaign, "highlight", 0, 5, document="plain.txt")
        with pytest.raises(ExcerptError, match="another text in 1 document than when"):
            campaign.record("ann", given)
        with pytest.raises(ExcerptError, match="another text"):
            campaign.document_for("ann", "7", "plain.txt")
        assert campaign.judged() == []


def test_a_corpus_may_have_moved(tmp_path: Path) -> None:
    """With the folder, or to where one says."""
    small_campaign(tmp_path / "old" / "c").close()
    (tmp_path / "old").rename(tmp_path / "new")
    with Campaign.open(tmp_path / "new" / "c") as campaign:
        campaign.check_corpus()
    (tmp_path / "new" / "c-documents").rename(tmp_path / "elsewhere")
    with Campaign.open(tmp_path / "new" / "c", corpus=tmp_path / "elsewhere") as campaign:
        campaign.check_corpus()


def test_a_folder_that_was_copied_finds_its_corpus(tmp_path: Path) -> None:
    """Where it was; and the settings may say another place, which comes first."""
    small_campaign(tmp_path / "c").close()
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(tmp_path / "c", copy)
    with Campaign.open(copy) as campaign:
        campaign.check_corpus()
    (tmp_path / "c-documents").rename(tmp_path / "elsewhere" / "c-documents")
    with Campaign.open(copy) as campaign:
        campaign.check_corpus()


def test_a_corpus_that_is_gone_is_asked_for(tmp_path: Path) -> None:
    """By the place where it should be."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c-documents").rename(tmp_path / "gone")
    with Campaign.open(tmp_path / "c") as campaign:
        campaign.check_used(["a"])
        with pytest.raises(ExcerptError) as error:
            campaign.check_corpus()
    assert error.value.path == str(tmp_path / "c-documents")
    assert "expected the documents of the campaign" in str(error.value)
    assert "⟨corpus⟩" in error.value.hint


def test_documents_that_are_used_are_compared(tmp_path: Path) -> None:
    """And no others."""
    small_campaign(tmp_path / "c").close()
    (tmp_path / "c-documents" / "plain.txt").write_text("Another text.")
    with Campaign.open(tmp_path / "c") as campaign:
        campaign.check_used(["a", "b"])
        with pytest.raises(ExcerptError, match=r"another text in 1 document .*: plain.txt"):
            campaign.check_used(["a", "plain.txt"])
