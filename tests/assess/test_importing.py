"""Judgments that were made elsewhere: as events they say the same, and nothing is made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_campaign import judged_campaign
from small_campaign import LETTER, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.exporting import exported
from excerpt.assess.importing import import_judgments, pool_of
from excerpt.assess.looking_back import Judged
from excerpt.assess.procedures import PROCEDURES
from excerpt.errors import ExcerptError
from excerpt.formats import read_judgments
from excerpt.model import Judgments
from excerpt.notices import Notices


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_what_was_exported_can_be_imported(tmp_path: Path, procedure: str) -> None:
    """Into another campaign of the same procedure: exported again it is the same, byte for byte."""
    with judged_campaign(tmp_path / "one", procedure) as campaign:
        name = "inex" if procedure in {"inex2002", "inex2004", "inex2005"} else "fol"
        data = exported(campaign, to=name, merge="union").data
    judgments = read_judgments(data)
    with small_campaign(tmp_path / "two", procedure=procedure) as other:
        notices = Notices()
        assert import_judgments(other, judgments, "old", notices=notices) == 3
        unfinished = procedure == "evidence"  # a label that nobody gave is not made up
        assert len(list(notices)) == unfinished
        assert exported(other, to=name, unfinished=True).data.replace(
            b' inferred="true"', b""
        ) == data.replace(b' inferred="true"', b"")
        assert all(item.assessor == "old" and item.state.done != unfinished for item in judged(other))


def judged(campaign: Campaign) -> list[Judged]:
    """What was judged relevant by highlighting."""
    return [item for item in campaign.judged() if item.state.highlights]


def test_long_highlights_are_quoted_by_their_hash(tmp_path: Path) -> None:
    """As they would come from the page."""
    qrels = f"7 Q0 letter.txt {len(LETTER)} {len(LETTER)} 0 0:{len(LETTER)}\n".encode()
    with small_campaign(tmp_path / "c") as campaign:
        import_judgments(campaign, read_judgments(qrels), "old")
        assert exported(campaign).data == qrels


def test_missing_entry_points_are_not_made_up(tmp_path: Path) -> None:
    """The document stays unfinished, which is told."""
    with small_campaign(tmp_path / "c") as campaign:
        notices = Notices()
        import_judgments(campaign, Judgments.of([("7", "a", 0, 5)]), "old", notices=notices)
        assert list(notices) == [
            "imported judgment lacks something that procedure inex2007 asks for, and stays unfinished"
        ]
        (item,) = campaign.judged()
        assert (item.state.done, list(item.state.highlights)) == (False, [(0, 5)])


def test_documents_outside_of_the_pool_are_counted(tmp_path: Path) -> None:
    """Whatever they are called; a document may be named in any way that the corpus knows."""
    with small_campaign(tmp_path / "c") as campaign:
        notices = Notices()
        given = Judgments.of([], irrelevant=[("7", "a.xml"), ("7", "nobody"), ("9", "a")])
        assert import_judgments(campaign, given, "old", notices=notices) == 1
        assert list(notices) == [
            "judged document is not in the pool and was left out (2 times, first: topic 7 document nobody)"
        ]
        assert exported(campaign).data == b"7 Q0 a 0 154\n"


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (
            b"7 Q0 a 200 154 0 0:200\n",
            "found judgments of another text in 1 document: a (up to 200 of 154); expected offsets and",
        ),
        (b"7 Q0 a 5 155 0 0:5\n", "found judgments of another text in 1 document: a (up to 155 of 154)"),
        (b"7 Q0 a 5 154 160 0:5\n", "found judgments of another text in 1 document: a (up to 161 of 154)"),
        (b"7 0 a 1\n", "found judgments by documents, expected highlights for inex2007"),
    ],
)
def test_judgments_of_another_text(tmp_path: Path, qrels: bytes, message: str) -> None:
    """Nothing is entered, and the documents are named."""
    with small_campaign(tmp_path / "c") as campaign:
        with pytest.raises(ExcerptError) as caught:
            import_judgments(campaign, read_judgments(qrels, notices=Notices()), "old")
        assert str(caught.value).startswith(f"<bytes>: {message}")
        assert campaign.judged() == []


def test_grades_that_contradict_each_other(tmp_path: Path) -> None:
    """Are refused as from the page, with the document that they are of."""
    text = (
        b"<assessments topic='7'><file file='a'><path path='/article[1]' exhaustiveness='1' specificity='1'/>"
        b"<path path='/article[1]/title[1]' exhaustiveness='3' specificity='3'/></file></assessments>"
    )
    with small_campaign(tmp_path / "c", procedure="inex2004") as campaign:
        with pytest.raises(ExcerptError, match="<bytes>: topic 7 document a: found exhaustivity 3 for"):
            import_judgments(campaign, read_judgments(text), "old")
        assert campaign.judged() == []


def test_the_pairs_of_judgments_are_a_pool() -> None:
    """In the order of the file, where there is no other pool."""
    pool = pool_of(Judgments.of([("7", "b", 0, 5), ("8", "b", 1, 2)], irrelevant=[("7", "a")]))
    assert [(item.topic, item.document, item.order) for item in pool.items] == [
        ("7", "b", 1),
        ("7", "a", 2),
        ("8", "b", 1),
    ]
    assert {(item.stratum, item.probability, item.runs) for item in pool.items} == {("given", None, ())}
