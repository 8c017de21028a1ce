"""Files of tools, read and written by the tools' own libraries, where they are installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt.bridges.judged_rows import JudgedRow, judgments_of_rows
from excerpt.notices import Notices

TEXTS = {"A": 'The 😀 rent is due in May.\nNo pets "<&>".', "doc b/2": "Two.\tTabs and é́ 𝒎."}
ROWS = [
    JudgedRow("rent & more", "A", ((6, 10), (21, 24)), 2, ("ann",), "2026-11-19T10:00:00Z", 40),
    JudgedRow("rent & more", "A", ((4, 10), (24, 28)), None, ("bob o'neil",), "", 40),
    JudgedRow("7", "doc b/2", ((0, 4), (14, 18)), 1, ("ann",), "", 19),
    JudgedRow("7", "A", (), 0, ("ann",), "", 40),
]


def library(name: str) -> Any:
    """A library of a tool, or the test is skipped."""
    return pytest.importorskip(name, reason=f"{name} is not installed")


def written(tool: str, target: Path) -> Path:
    """The judgments in the files of a tool."""
    excerpt.write_judgments(judgments_of_rows(ROWS), target, tool, corpus=TEXTS, notices=Notices())
    return target


def rows_in(path: Path, tool: str) -> set[JudgedRow]:
    """The judgments of files."""
    return set(excerpt.read_judgments(path, format=tool, corpus=TEXTS, notices=Notices()).rows)


def test_cassis_reads_and_writes_xmi(tmp_path: Path) -> None:
    """dkpro-cassis knows the types, covers the same text, and what it writes are the same judgments."""
    cassis = library("cassis")
    own, again = written("uima", tmp_path / "own"), tmp_path / "again"
    again.mkdir()
    types = cassis.load_typesystem((own / "TypeSystem.xml").read_text())
    quotes = set()
    for file in own.glob("*.xmi"):
        cas = cassis.load_cas_from_xmi(file.read_text(), typesystem=types)
        quotes |= {(one.topic, one.get_covered_text()) for one in cas.select("excerpt.Highlight")}
        cas.to_xmi(str(again / file.name))
    assert quotes == {(row.topic, TEXTS[row.document][start:end]) for row in ROWS for start, end in row.spans}
    (again / "TypeSystem.xml").write_text(types.to_xml())
    assert rows_in(again, "uima") == set(ROWS)


def test_xmi_made_by_cassis(tmp_path: Path) -> None:
    """A layer of INCEpTION beside tokens."""
    cassis = library("cassis")
    types = cassis.TypeSystem()
    span = types.create_type("webanno.custom.Span", "uima.tcas.Annotation")
    types.create_feature(span, "label", "uima.cas.String")
    token = types.create_type(
        "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token", "uima.tcas.Annotation"
    )
    cas = cassis.Cas(types)
    cas.sofa_string = TEXTS["A"]
    for one in (token(begin=0, end=3), span(begin=6, end=10, label="rent")):
        cas.add(one)
    cas.to_xmi(str(tmp_path / "A.xmi"))
    (tmp_path / "TypeSystem.xml").write_text(types.to_xml())
    assert rows_in(tmp_path, "uima") == {JudgedRow("rent", "A", ((6, 10),), size=40)}


def test_label_studio_accepts_tasks(tmp_path: Path) -> None:
    """Its validator accepts tasks and annotations, and its converter does not change them."""
    view = '<View><Text name="text" value="$text"/><Labels name="label" toName="text">'
    view += '<Label value="relevant"/></Labels><Number name="grade" toName="text"/></View>'
    interface = library("label_studio_sdk.label_interface").LabelInterface(view)
    tasks = written("label-studio", tmp_path / "tasks.json")
    for task in json.loads(tasks.read_text()):
        assert interface.validate_task({"data": task["data"]})
        assert all(map(interface.validate_annotation, task["annotations"]))
    converter = library("label_studio_sdk.converter").Converter(view, str(tmp_path))
    converter.convert_to_json(str(tasks), str(tmp_path / "out"), is_dir=False)
    assert rows_in(tmp_path / "out" / "result.json", "label-studio") == set(ROWS)


def test_pybrat_reads_standoff(tmp_path: Path) -> None:
    """The same text at the same offsets, in a folder of each person."""
    parser = library("pybrat.parser").BratParser(error="raise")
    folder, found = written("brat", tmp_path / "own"), set()
    for person in folder.iterdir():
        for document in parser.parse(str(person)):
            assert document.text in TEXTS.values()
            for one in document.entities:
                parts = [document.text[span.start : span.end] for span in one.spans]
                assert one.mention == " ".join(parts)
                found |= {(person.name, span.start, span.end) for span in one.spans}
    assert {("ann", 6, 10), ("ann", 21, 24), ("ann", 14, 18), ("bob o%27neil", 4, 10)} <= found
