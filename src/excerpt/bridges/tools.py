"""The tools whose files are judgments: names, detection, and their readers and writers, loaded when used."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.errors import ExcerptError
from excerpt.files import STDIN, describe, read_once, replacing_folder, require_path, write_bytes
from excerpt.formats.registry import Format, register_judgments
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.model.judgments import Judgments
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.bridges.exchange import Exchange
    from excerpt.bridges.judged_rows import JudgedRow
    from excerpt.corpus import Corpus


class Tool(NamedTuple):
    """A tool: its layout and example, and what tells its files; its module has the same name."""

    layout: str
    description: str
    example: str
    is_file: Callable[[Source], bool]
    #: Endings of its files in a folder; any if empty.
    endings: tuple[str, ...] = ()


def _first(source: Source) -> Mapping[str, Any]:
    first = next(iter(source.first_rows), None) if source.form in {"json", "rows"} else None
    return first if isinstance(first, Mapping) else {}


def _is_doccano(source: Source) -> bool:
    first = _first(source)
    marks = next((first[key] for key in ("label", "labels", "entities") if key in first), None)
    if not isinstance(first.get("text"), str) or not isinstance(marks, list):
        return False
    return all("start_offset" in mark if isinstance(mark, dict) else _is_triple(mark) for mark in marks)


def _is_triple(mark: Any) -> bool:
    return isinstance(mark, list) and len(mark) == 3 and all(type(offset) is int for offset in mark[:2])


def _is_label_studio(source: Source) -> bool:
    first = _first(source)
    known = {"annotations", "completions", "predictions"} & first.keys()
    return isinstance(first.get("data"), dict) and bool(known)


def _is_brat(source: Source) -> bool:
    return source.form != "json" and re.match(r"T\d+\t?[^\s]+ ?\d", source.first_line[1]) is not None


def _is_uima(source: Source) -> bool:
    return source.form == "xml" and re.search(rb"<(\w+:)?XMI[\s>]", source.data[:HEAD_BYTES]) is not None


def _is_web_annotation(source: Source) -> bool:
    if source.form != "json":
        return False
    head = source.data[:HEAD_BYTES]
    known = b"www.w3.org/ns/anno" in head or b"TextQuoteSelector" in head or b"TextPositionSelector" in head
    return known and b'"target"' in source.data


def _is_fira(source: Source) -> bool:
    return b"relevanceCharacterRanges" in source.data[:HEAD_BYTES] and source.form in {"table", "json"}


TOOLS = {
    "doccano": Tool(
        '{"text": …, "label": [[start, end, topic]]}',
        "texts labelled in doccano: JSON Lines, a file per annotator",
        '{"id": 1, "text": "The rent is due in May.", "label": [[4, 8, "rent"]], "document": "A"}\n',
        _is_doccano,
        (".jsonl", ".json"),
    ),
    "label-studio": Tool(
        '[{"data": {"text": …}, "annotations": [{"result": […]}]}]',
        "tasks of Label Studio with labels of text, JSON",
        '[{"id": 1, "data": {"text": "The rent is due in May.", "document": "A"}, "annotations": [{"id": 1, '
        '"completed_by": 1, "was_cancelled": false, "result": [{"type": "labels", "value": {"start": 4, '
        '"end": 8, "text": "rent", "labels": ["rent"]}}]}]}]\n',
        _is_label_studio,
        (".json",),
    ),
    "brat": Tool(
        "T1 Label start end text, separated by tabs",
        "standoff annotations of brat: DOCUMENT.txt and DOCUMENT.ann",
        "T1\trent 4 8\trent\nT2\trent 12 15;19 22\tdue May\n",
        _is_brat,
        (".ann",),
    ),
    "uima": Tool(
        "<xmi:XMI> … <custom:Span begin= end= label=/>",
        "XMI of INCEpTION and WebAnno",
        '<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">\n'
        '<cas:NULL xmi:id="0"/>\n<custom:Span xmi:id="2" sofa="1" begin="4" end="8" label="rent"/>\n'
        '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" '
        'sofaString="The rent is due in May."/>\n<cas:View sofa="1" members="2"/>\n</xmi:XMI>\n',
        _is_uima,
        (".xmi",),
    ),
    "web-annotation": Tool(
        '{"target": {"source": …, "selector": [{"type": "TextQuoteSelector", …}]}}',
        "W3C Web Annotations, and those of Hypothesis",
        '[{"@context": "http://www.w3.org/ns/anno.jsonld", "type": "Annotation", "body": [{"type": '
        '"TextualBody", "purpose": "tagging", "value": "rent"}], "target": {"source": "A", "selector": '
        '[{"type": "TextPositionSelector", "start": 4, "end": 8}]}}]\n',
        _is_web_annotation,
        (".json", ".jsonl", ".jsonld"),
    ),
    "fira": Tool(
        "id relevanceLevel relevanceCharacterRanges … documentId queryId userId",
        "raw judgments of FiRA: TSV or JSON",
        "id\trelevanceLevel\trelevanceCharacterRanges\tdurationUsedToJudgeMs\tjudgedAtUnixTS\tdocumentId\t"
        "queryId\tuserId\n1\t3_PERFECT_ANSWER\t4-7\t900\t1577836800\tA\t1\tann\n",
        _is_fira,
        (".tsv", ".json"),
    ),
}


def tool_of(source: Source) -> str:
    """Return the name of the tool that wrote a file; empty for other files."""
    return next((name for name, tool in TOOLS.items() if tool.is_file(source)), "")


def read_folder(folder: Path, name: str | None, settings: Mapping[str, Any]) -> Judgments | None:
    """Return the judgments in the files of a tool in a folder and its folders; None for other folders."""
    if name is not None and name not in TOOLS:
        return None
    files = _files(folder)
    if name is None and files:
        endings = {file.suffix.lower() for file in files}
        name = next((tool for tool, own in (("brat", ".ann"), ("uima", ".xmi")) if own in endings), None)
        name = name or Source.open(files[0], kind="judgments").tool
    if not name:
        return None
    wanted = TOOLS[name].endings
    chosen = [file for file in files if file.suffix.lower() in wanted]
    if not chosen:
        message = f"the folder has no files of {name}, expected names that end in {', '.join(wanted)}"
        raise ExcerptError(message, path=str(folder))
    # An empty file is one without annotations in brat.
    filled = [file for file in chosen if file.stat().st_size or name != "brat"]
    sources = [Source.open(file, kind="judgments", **settings) for file in filled]
    if not sources:
        raise ExcerptError("all files are empty, expected annotations", path=str(folder))
    return _exchange(name, sources, folder=folder).judgments()


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder and of the folders in it."""
    inner = [each for each in sorted(folder.iterdir()) if not each.name.startswith(".")]
    deeper = [file for each in inner if each.is_dir() for file in _files(each)]
    return [each for each in inner if each.is_file()] + deeper


def _module(name: str) -> Any:
    return import_module(f"excerpt.bridges.{name.replace('-', '_')}")


def _exchange(name: str, sources: Sequence[Source], **how: Any) -> Exchange:
    from excerpt.bridges.exchange import Exchange

    exchange = Exchange(sources[0], **how)
    _module(name).read(exchange, sources)
    return exchange


def read_rows(name: str, sources: Sequence[Source], *, predictions: bool = False) -> list[JudgedRow]:
    """Return the judgments in files of a tool, or what it predicted."""
    return _exchange(name, sources, predictions=predictions).rows()


def _files_of(
    name: str, judgments: Judgments, corpus: Corpus | None, notices: Notices, *, folder: bool
) -> dict[str, bytes]:
    from excerpt.bridges.exchange import Destination

    files: dict[str, bytes] = _module(name).write(judgments, Destination(corpus, notices, folder))
    return files


def written(name: str, judgments: Judgments, corpus: Corpus | None) -> bytes:
    """Return judgments as one file of a tool."""
    return b"".join(_files_of(name, judgments, corpus, Notices(), folder=False).values())


def _format(name: str, tool: Tool) -> Format[Judgments]:
    def read(source: Source) -> Judgments:
        return _exchange(name, [source]).judgments()

    def recognise(source: Source) -> int:
        return (len(source.head) or 20) * 50 if source.tool == name else 0

    def write(judgments: Judgments, stream: io.BufferedIOBase) -> None:
        stream.write(written(name, judgments, None))

    def write_files(
        judgments: Judgments, path: str | os.PathLike[str], corpus: Corpus | None, notices: Notices
    ) -> None:
        _write_files(path, lambda folder: _files_of(name, judgments, corpus, notices, folder=folder))

    does = (tool.layout, tool.description, read, recognise, write)
    return Format(name, "judgments", *does, example=tool.example, write_files=write_files)


def _write_files(path: str | os.PathLike[str], write: Callable[[bool], Mapping[str, bytes]]) -> None:
    """Write a file, or a new folder of files if the path has no ending."""
    name = require_path(path, "name of a file or a folder to write")
    target = Path(os.path.realpath(name))
    folder = name != STDIN and not read_once(name) and not target.suffix and not target.is_file()
    files = write(folder)
    if not folder:
        write_bytes(name, b"".join(files.values()))
        return
    if target.exists() and any(target.iterdir()):
        raise ExcerptError("found a folder with files in it, expected a new one", path=name)
    try:
        with replacing_folder(target) as new:
            for file, content in files.items():
                (new / file).parent.mkdir(exist_ok=True)
                write_bytes(new / file, content)
    except OSError as error:
        hint = "nothing was left behind"
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name, hint=hint) from None


for _name, _tool in TOOLS.items():
    register_judgments(_format(_name, _tool))
