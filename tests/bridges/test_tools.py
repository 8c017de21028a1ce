"""Files as the documentation of tools shows them: their meaning, what is left out, and what is wrong."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from support.judged_campaign import judged_campaign

import excerpt
from excerpt.assess.contents import read_suggestions
from excerpt.assess.export import exported, write_export
from excerpt.bridges.judged_rows import JudgedRow, judgments_of_rows
from excerpt.bridges.tools import TOOLS
from excerpt.corpus import Corpus
from excerpt.notices import Notices

TEXT = "The 😀 rent is due in May.\nNo pets."
CORPUS = {"A": TEXT, "B": "No rent."}


def read(content: Any, tool: str | None = None, **how: Any) -> tuple[list[JudgedRow], list[str]]:
    """The judgments of a file, and what was said about it."""
    notices = Notices()
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return list(excerpt.read_judgments(data, format=tool, notices=notices, **how).rows), list(notices)


def test_doccano_of_all_versions() -> None:
    """Triples, and objects with relations; documents by name, by text, or by number."""
    lines = [
        {"id": 7, "text": TEXT, "label": [[6, 10, "rent"], [21, 24, "date"]], "Comments": []},
        {"id": 8, "text": "Else.", "entities": [{"id": 1, "label": "x", "start_offset": 0, "end_offset": 4}]},
        {"id": 9, "text": "None.", "label": []},
    ]
    lines[1] |= {"relations": [{"id": 1, "from_id": 1, "to_id": 1, "type": "r"}]}
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    rows, said = read(data, corpus=CORPUS)
    assert [row[:3] for row in rows] == [
        ("rent", "A", ((6, 10),)),
        ("date", "A", ((21, 24),)),
        ("x", "8", ((0, 4),)),
    ]
    assert "1 relation is no highlight and is left out (<bytes>)" in said
    assert "1 judged text without a highlight names no topic and is left out (<bytes>)" in said
    assert len(read(data, topic="t")[0]) == 4


def test_doccano_has_a_file_for_each_annotator(tmp_path: Path) -> None:
    """Their names are those of the assessors."""
    for name, end in (("ann", 10), ("bob", 12)):
        line = {"id": 1, "text": TEXT, "label": [[6, end, "rent"]], "document": "A"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    found = excerpt.read_judgments(tmp_path, notices=Notices())
    assert [row.assessors for row in found.rows] == [("ann",), ("bob",)]
    assert list(excerpt.judges(tmp_path).to_dict()["judges"]) == ["ann", "bob"]


TASK = {
    "id": 3,
    "data": {"text": TEXT, "source": "A"},
    "annotations": [
        {
            "id": 1,
            "completed_by": {"id": 5, "email": "ann@example.org"},
            "was_cancelled": False,
            "created_at": "2026-01-01T00:00:00Z",
            "result": [
                {"type": "labels", "value": {"start": 7, "end": 11, "text": "rent", "labels": ["rent"]}},
                {"type": "labels", "value": {"start": 21, "end": 24, "text": "May", "labels": ["rent"]}},
                {"type": "labels", "value": {"start": 0, "end": 2, "text": "xy", "labels": ["rent"]}},
                {"type": "choices", "value": {"choices": ["2"]}},
                {"type": "relation", "from_id": "a", "to_id": "b"},
            ],
        },
        {"id": 2, "completed_by": 6, "was_cancelled": True, "result": []},
    ],
    "predictions": [
        {
            "model_version": "m1",
            "result": [
                {"type": "labels", "value": {"start": 6, "end": 10, "text": "rent", "labels": ["rent"]}}
            ],
        }
    ],
}


def test_label_studio_by_its_quotes() -> None:
    """Offsets in characters or in units of UTF-16, whichever has the text."""
    rows, said = read([TASK])
    span = ((6, 10), (21, 24))
    assert rows == [JudgedRow("rent", "A", span, 2, ("ann@example.org",), "2026-01-01T00:00:00Z", len(TEXT))]
    assert said == [
        "1 prediction is no judgment and is left out (<bytes>)",
        "1 highlight is not at its offsets and is left out (<bytes>)",
        "1 result is neither labelled text nor a grade and is left out (<bytes>)",
        "1 annotation was cancelled and is left out (<bytes>)",
    ]


def test_label_studio_hypertext_by_global_offsets() -> None:
    """They count in the visible text, which the corpus has."""
    value: dict[str, Any] = {
        "start": "/p[1]/text()[1]",
        "end": "/p[1]/text()[1]",
        "text": "rent",
        "hypertextlabels": ["rent"],
    }
    value |= {"startOffset": 6, "endOffset": 10, "globalOffsets": {"start": 7, "end": 11}}
    result = [{"type": "hypertextlabels", "value": value}]
    task = {"data": {"text": f"<p>{TEXT}</p>", "document": "A"}, "annotations": [{"id": 1, "result": result}]}
    assert read([task], corpus=CORPUS)[0][0].spans == ((6, 10),)


def test_predictions_are_suggestions() -> None:
    """And highlights of a file without predictions."""
    corpus = Corpus(CORPUS)
    found = read_suggestions(json.dumps([TASK]).encode(), corpus, [("rent", "A")], notices=Notices())
    assert [(one.start, one.end, one.model, one.prompt) for one in found] == [(6, 10, "m1", "label-studio")]
    notices = Notices()
    lines = b'{"text": "No rent.", "label": [[3, 7, "rent"]]}\n{"text": "x", "label": [[0, 1, "y"]]}\n'
    own = read_suggestions(lines, corpus, [("rent", "B")], notices=notices)
    assert [(one.document, one.start, one.model) for one in own] == [("B", 3, "doccano")]
    assert "1 suggestion is left out: for documents outside the pool" in "".join(notices)


def test_brat_with_its_text_beside(tmp_path: Path) -> None:
    """Discontinuous spans, notes and relations; a quote at other offsets is an error."""
    (tmp_path / "A.txt").write_text(TEXT)
    ann = tmp_path / "A.ann"
    ann.write_text(
        "T1\trent 6 10;21 24\trent May\nA1\tgrade T1 2\n#1\tAnnotatorNotes T1\tsure?\nR1\tx Arg1:T1 Arg2:T1\n"
    )
    notices = Notices()
    (row,) = excerpt.read_judgments(ann, notices=notices).rows
    assert row == JudgedRow("rent", "A", ((6, 10), (21, 24)), 2, (), "", len(TEXT))
    assert [each.split(" (")[0] for each in notices] == [
        "1 note is no highlight and is left out",
        "1 relation is no highlight and is left out",
    ]
    ann.write_text("T1\trent 5 9\trent\n")
    with pytest.raises(excerpt.ExcerptError, match=r"A\.ann:1: found text 'rent' at other offsets than 5 9"):
        excerpt.read_judgments(ann)


XMI = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
 xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"
 xmlns:meta="http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore"
 xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
<cas:NULL xmi:id="0"/>
<meta:DocumentMetaData xmi:id="9" sofa="1" begin="0" end="35" documentTitle="A" documentId="1"/>
<type:Token xmi:id="3" sofa="1" begin="0" end="3"/>
<type:Sentence xmi:id="4" sofa="1" begin="0" end="26"/>
<custom:Span xmi:id="5" sofa="1" begin="7" end="11" label="rent"/>
%s<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text"
 sofaString="The 😀 rent is due in May.&#10;No pets."/>
<cas:View sofa="1" members="3 4 5 9"/>
</xmi:XMI>
"""


def test_xmi_of_inception(tmp_path: Path) -> None:
    """Offsets are units of UTF-16; tokens and sentences are no highlights; people are names of files."""
    rows, said = read((XMI % "").encode())
    assert rows == [JudgedRow("rent", "A", ((6, 10),), None, (), "", len(TEXT))]
    assert "no TypeSystem.xml beside it" in said[0]
    more = (XMI % '<custom:Other xmi:id="6" sofa="1" begin="0" end="3" value="x"/>\n').encode()
    with pytest.raises(excerpt.ExcerptError, match="annotations of 2 layers"):
        read(more)
    assert [row.topic for row in read(more, layer="webanno.custom.Other")[0]] == ["x"]
    rows, said = read(more, layer="Span")
    assert "1 annotation is not of layer Span and is left out (<bytes>)" in said
    for name in ("ann", "bob", "INITIAL_CAS"):
        folder = tmp_path / "annotation" / "A.txt"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.xmi").write_text(XMI % "")
        (folder / "TypeSystem.xml").write_text("<typeSystemDescription/>")
    notices = Notices()
    found = excerpt.read_judgments(tmp_path, notices=notices).rows
    assert [row.assessors for row in found] == [(), ("ann",), ("bob",)]
    assert not list(notices)


def test_hypothesis_and_the_w3c() -> None:
    """The quote decides where the position has another text; pages and lists; replies are no highlights."""
    quote: dict[str, Any] = {"type": "TextQuoteSelector", "exact": "rent", "prefix": "😀 ", "suffix": " is"}
    position: dict[str, Any] = {"type": "TextPositionSelector", "start": 7, "end": 11}
    row: dict[str, Any] = {
        "user": "acct:ann@hypothes.is",
        "uri": "A",
        "tags": ["rent"],
        "created": "2026",
        "updated": "2027",
    }
    row |= {"target": [{"source": "A", "selector": [position, quote]}]}
    reply = {**row, "references": ["x"]}
    rows, said = read({"total": 2, "rows": [row, reply]}, corpus=CORPUS)
    assert rows == [JudgedRow("rent", "A", ((6, 10),), None, ("acct:ann@hypothes.is",), "2027", len(TEXT))]
    assert said == ["1 reply is no highlight and is left out (<bytes>)"]
    far = {**position, "start": 1, "end": 5}
    one: dict[str, Any] = {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "type": "Annotation",
        "creator": {"name": "bob"},
    }
    one |= {"body": [{"type": "TextualBody", "purpose": "tagging", "value": "rent"}]}
    one |= {"target": {"source": "A", "selector": [quote, far]}}
    rows, _ = read(one, corpus=CORPUS)
    assert [(row.spans, row.assessors) for row in rows] == [(((6, 10),), ("bob",))]
    lost = {**one, "target": {"source": "A", "selector": {**quote, "exact": "lease"}}}
    rows, said = read([one, lost], corpus=CORPUS)
    assert said == ["1 annotation has no place in its document and is left out (<bytes>)"]


FIRA = (
    "id\trelevanceLevel\trelevanceCharacterRanges\trotate\tmode\tdurationUsedToJudgeMs\tjudgedAtUnixTS\t"
    "documentId\tqueryId\tuserId\n"
    "1\t3_PERFECT_ANSWER\t7-10;22-24\tfalse\tx\t5\t1577836800\tA\tq\tu1\n"
    "2\t2_GOOD_ANSWER\t<no ranges selected>\tfalse\tx\t5\t1577836800\tA\tq\tu2\n"
    "3\t0_NOT_RELEVANT\t\tfalse\tx\t5\t\tB\tq\tu2\n"
)


def test_fira_counts_the_last_character() -> None:
    """Units of UTF-16; a grade without ranges is relevant without highlights; several people."""
    rows, said = read(FIRA.encode(), corpus=CORPUS)
    assert [(row.document, row.spans, row.grade, row.assessors) for row in rows] == [
        ("A", ((6, 10), (21, 24)), 3, ("u1",)),
        ("A", (), 2, ("u2",)),
        ("B", (), 0, ("u2",)),
    ]
    assert rows[0].time == "2020-01-01T00:00:00Z"
    assert said == ["1 judgment is relevant without a highlight; measures of text cannot count it (<bytes>)"]
    found = excerpt.judges(FIRA.encode(), corpus=CORPUS, notices=Notices()).to_dict()
    assert found["pairs"][0]["confusion"] == {"2": {"2": 0, "3": 0}, "3": {"2": 1, "3": 0}}
    ranges = [{"startChar": 0, "endChar": 2}]
    judged = {"relevanceLevel": "1_X", "relevanceCharacterRanges": ranges, "documentId": 5, "queryId": 1}
    assert read({"judgements": [judged]})[0][0].spans == ((0, 3),)


@pytest.mark.parametrize(
    ("tool", "content"),
    [
        ("doccano", b'{"text": "abc", "label": [[0, 9, "x"]]}\n'),
        ("doccano", b'{"text": "abc", "label": [["a", 2, "x"]]}\n'),
        ("doccano", b'{"label": [[0, 1, "x"]]}\n'),
        ("doccano", b'{"text": "abc", "label": [[0, 1, ""]]}\n'),
        ("label-studio", b"[" * 100_000),
        ("label-studio", b'[{"data": 3, "annotations": []}]'),
        (
            "label-studio",
            b'[{"data": {}, "annotations": [{"result": [{"type": "labels", "value": {"start": 1}}]}]}]',
        ),
        ("brat", b"T1\tx 4\tabc\n"),
        ("brat", b"T1\tx 9 4\tabc\n"),
        ("brat", b"hello\n"),
        ("uima", b"<xmi:XMI"),
        ("uima", b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'),
        ("uima", (XMI % "").replace('end="11"', 'end="99"').encode()),
        ("uima", (XMI % "").replace('begin="7"', 'begin="5"').encode()),
        ("uima", b'<xmi:XMI xmlns:xmi="x"/>'),
        ("web-annotation", b'{"a": 1}'),
        ("web-annotation", b"[3]"),
        ("fira", b"a\tb\n1\t2\n"),
        ("fira", FIRA.replace("7-10", "9-1").encode()),
        ("fira", FIRA.replace("3_PERFECT", "PERFECT").encode()),
        ("fira", FIRA.replace("\tu1", "").encode()),
    ],
)
def test_wrong_files_are_one_line(tool: str, content: bytes) -> None:
    """With the name of the file."""
    with pytest.raises(excerpt.ExcerptError) as caught:
        excerpt.read_judgments(content, format=tool, topic=None, notices=Notices())
    assert str(caught.value).count("\n") == 0
    assert "<bytes>" in str(caught.value)


def test_another_text_than_that_of_the_corpus() -> None:
    """Offsets would be wrong."""
    with pytest.raises(excerpt.ExcerptError, match="found another text of document A than the corpus has"):
        read(b'{"text": "The", "label": [[0, 3, "x"]], "document": "A"}\n', corpus=CORPUS)


def test_overlaps_are_counted() -> None:
    """They are one highlight."""
    rows, said = read(
        b'{"text": "abcdef", "label": [[0, 3, "x"], [2, 5, "x"], [0, 3, "y"]], "document": "A"}\n'
    )
    assert len(rows) == 2
    assert said == ["1 highlight overlaps another one of its topic and is joined with it (<bytes>)"]


@pytest.mark.parametrize("tool", ["doccano", "label-studio", "brat", "uima", "web-annotation", "fira"])
def test_a_campaign_for_each_tool_and_back(tmp_path: Path, tool: str) -> None:
    """Every assessor's judgments; the folder or file is read as it is."""
    target = tmp_path / ("out" if tool in {"brat", "uima", "doccano"} else "out.json")
    with judged_campaign(tmp_path / "c") as campaign:
        notes = write_export(exported(campaign, to=tool), target)
        corpus = campaign.corpus
        expected = exported(campaign, to="label-studio").judgments.rows
    found = excerpt.read_judgments(target, corpus=corpus, notices=Notices())
    if tool == "brat":
        assert any("no highlight, and a topic" in note for note in notes)
        expected = tuple(row._replace(time="") for row in expected if row.spans)
    if tool == "fira":
        expected = tuple(row._replace(grade=row.level) for row in expected)
    assert set(found.rows) == set(expected)
    assert json.loads(target.with_name(target.name + ".about.json").read_text())["format"] == tool


@pytest.mark.parametrize("tool", TOOLS)
def test_a_hundred_thousand_highlights_in_two_seconds(tool: str, tmp_path: Path) -> None:
    """Of CPU time, for the import."""
    corpus = {f"d{n}": f"{n} " + "word " * 1000 for n in range(1000)}
    spans = tuple((at, at + 4) for at in range(0, 5000, 50))
    rows = [JudgedRow("t", name, spans, 1, ("ann",), size=len(text)) for name, text in corpus.items()]
    target = tmp_path / ("out" if tool in {"brat", "uima"} else "out.json")
    excerpt.write_judgments(judgments_of_rows(rows), target, tool, corpus=corpus, notices=Notices())
    begun = time.process_time()
    found = excerpt.read_judgments(target, notices=Notices())
    assert time.process_time() - begun <= 2
    assert sum(len(row.spans) for row in found.rows) == 100_000
