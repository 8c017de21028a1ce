"""Standoff annotations of brat: DOCUMENT.txt, and DOCUMENT.ann with text-bound annotations beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from excerpt.bridges.exchange import (
    Destination,
    DocumentTexts,
    Exchange,
    Mark,
    ToolText,
    cannot_hold,
    grade_of,
    rows_of,
    stem,
)
from excerpt.errors import ExcerptError, MissingData
from excerpt.files import read_bytes
from excerpt.formats.source import Source

if TYPE_CHECKING:
    from excerpt.bridges.judged_rows import JudgedRow
    from excerpt.model.judgments import Judgments

_LAYOUT = "expected T1, a label with offsets such as 0 4;9 12, and the text, separated by tabs"
_BOUND = re.compile(r"(T\d+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t(.*))?")
_GRADE = re.compile(r"[AM]\d+\tgrade (T\d+) (\S+)", re.IGNORECASE)
#: Name of the folder of judgments whose assessor is unknown, beside those of others.
_NOBODY = "unknown"
#: What annotations of other kinds are, by the first sign of their id.
_OTHERS = {"R": "relation", "E": "event", "A": "attribute", "M": "attribute", "N": "normalisation"}
_OTHERS |= {"#": "note", "*": "equivalence"}


def read(exchange: Exchange, sources: Sequence[Source]) -> None:
    """Read files `.ann`; their texts are beside them. Folders in a folder are those of annotators."""
    for source in sources:
        path = Path(source.name)
        folder = exchange.inner_folder(source)
        owner = (folder,) if folder and folder != _NOBODY else ()
        document = stem(source.name)
        text = source.text_of(document) or _text_beside(path)
        marks, grades = _marks(exchange, source, text)
        for grade, some in grades.items():
            item = ToolText(1, some, text, "", document, "", grade, owner)
            exchange.add(item if text is None else item._replace(document=document))
        if not marks:
            exchange.add(ToolText(1, (), text, document, document, "", None, owner))
        source.faults.settle()


def _text_beside(path: Path) -> str | None:
    beside = path.with_suffix(".txt")
    try:
        return read_bytes(beside).decode() if path.suffix == ".ann" and beside.is_file() else None
    except (ExcerptError, OSError, ValueError):
        return None


def _marks(
    exchange: Exchange, source: Source, text: str | None
) -> tuple[list[Mark], dict[int | None, list[Mark]]]:
    """Return all text-bound annotations, and those of each grade."""
    found: dict[str, list[Mark]] = {}
    grades: dict[str, int | None] = {}
    lines = source.data.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
    for line, content in enumerate(lines, 1):
        if bound := _BOUND.fullmatch(content):
            name, label, offsets, quoted = bound.groups()
            spans = [tuple(map(int, part.split()[:2])) for part in offsets.split(";")]
            if any(len(str(at)) > 10 for span in spans for at in span):
                source.faults.add(line, f"found offsets {offsets:.40}, expected offsets of a text")
                continue
            if text is not None and quoted is not None and not _is_at(text, spans, quoted):
                source.faults.add(
                    line,
                    f"found text {quoted!r:.60} at other offsets than {offsets:.40}, expected it there",
                    "is the .txt file the one that was annotated?",
                )
                continue
            found[name] = [Mark(start, end, unquote(label)) for start, end in spans]
        elif graded := _GRADE.fullmatch(content):
            grades[graded[1]] = grade_of(graded[2])
        elif content.strip():
            kind = _OTHERS.get(content[0]) if not content.startswith("T") else None
            if kind is None:
                source.faults.add(line, f"found {content!r:.60}, {_LAYOUT}")
            else:
                exchange.leave_out(f"{kind} is no highlight", f"{kind}s are no highlights")
    by_grade: dict[int | None, list[Mark]] = {}
    for name, marks in found.items():
        by_grade.setdefault(grades.get(name), []).extend(marks)
    return [mark for marks in found.values() for mark in marks], by_grade


def _is_at(text: str, spans: Sequence[tuple[int, ...]], quoted: str) -> bool:
    """Return whether a quote is at its offsets; brat writes line breaks as blanks."""
    there = " ".join(text[start:end] for start, end in spans)
    return " ".join(there.split()) == " ".join(quoted.split())


def write(judgments: Judgments, destination: Destination) -> dict[str, bytes]:
    """Return a text and its annotations for each document, in a folder for each assessor."""
    if not destination.folder:
        hint = "give the name of a new folder, without ending"
        raise MissingData("format brat is a folder of files", hint=hint)
    texts = DocumentTexts(destination.corpus, "brat")
    files: dict[str, bytes] = {}
    lines: dict[str, list[JudgedRow]] = {}
    rows = list(rows_of(judgments))
    people = any(row.assessors for row in rows)
    for row in rows:
        owner = quote(row.judge or _NOBODY, safe=" @+,") + "/" if people else ""
        name = owner + quote(row.document, safe=" @+,")
        files[f"{name}.txt"] = texts.of(row).encode(errors="replace")
        lines.setdefault(name, []).append(row)
    for name, some in lines.items():
        files[f"{name}.ann"] = "".join(_lines(some, texts)).encode(errors="replace")
    lost = {"no highlight, and a topic": sum(not row.spans for row in rows)}
    cannot_hold(destination.notices, "brat", {**lost, "a time": sum(bool(row.time) for row in rows)})
    return files


def _lines(rows: Sequence[JudgedRow], texts: DocumentTexts) -> list[str]:
    found, number = [], 0
    for row in rows:
        text = texts.of(row)
        for start, end in sorted(row.spans):
            number += 1
            label = quote(row.topic, safe="")
            parts = _within_lines(text, start, end)
            offsets = ";".join(f"{one} {two}" for one, two in parts)
            quoted = " ".join(text[one:two] for one, two in parts)
            found.append(f"T{number}\t{label} {offsets}\t{quoted}\n")
            if row.grade is not None:
                found.append(f"A{number}\tgrade T{number} {row.grade}\n")
    return found


def _within_lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a highlight at ends of lines, which brat's annotations cannot contain."""
    return [piece.span() for piece in re.compile("[^\n\r]+").finditer(text, start, end)] or [(start, end)]
