"""XMI of UIMA as INCEpTION and WebAnno write it: annotations of a text, with offsets in UTF-16 units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from excerpt.bridges.exchange import (
    Destination,
    DocumentTexts,
    Exchange,
    Mark,
    ToolText,
    UnitOffsets,
    grade_of,
    grouped,
    rows_of,
    stem,
    whole_of,
)
from excerpt.errors import FormatError, MissingData, short, short_list
from excerpt.formats.source import Source

if TYPE_CHECKING:
    from excerpt.bridges.judged_rows import JudgedRow
    from excerpt.model.judgments import Judgments

#: Types that are never highlights: how a text is cut, and what is said about it.
_NEVER = {"Token", "Sentence", "DocumentMetaData", "DocumentAnnotation", "Paragraph", "Heading", "Div"}
_NEVER |= {"TagsetDescription", "LayerDefinition", "FeatureDefinition", "CASMetadata"}
#: Types of exports of excerpt: highlights, and judgments of whole documents.
_PACKAGE, _HIGHLIGHT, _JUDGMENT = "excerpt", "Highlight", "Judgment"
#: Signs that XML cannot contain.
_OTHERS = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Users of INCEpTION that are no people.
_NOBODY = {"INITIAL_CAS", "CURATION_USER"}


class _Cas:
    """What an XMI file contains: the text, and all elements with their types and attributes."""

    def __init__(self, source: Source) -> None:
        self.text: str | None = None
        self.title = ""
        self.elements: list[tuple[str, str, dict[str, str], int]] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._source = source
        try:
            self._parser.Parse(source.data, True)
        except expat.ExpatError as error:
            message = f"the XML is not well-formed: {expat.ErrorString(error.code)}"
            raise FormatError(message, path=source.name, line=error.lineno) from None

    def _doctype(self, *_: Any) -> None:
        message, line = "found a document type, expected XMI without one", self._parser.CurrentLineNumber
        raise FormatError(message, path=self._source.name, line=line)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        if local == "Sofa" and "sofaString" in attributes:
            if self.text is None:
                self.text = attributes["sofaString"]
            return
        if local == "DocumentMetaData":
            self.title = attributes.get("documentTitle") or attributes.get("documentId") or self.title
        package = space.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
        self.elements.append((package, local, attributes, self._parser.CurrentLineNumber))


def read(exchange: Exchange, sources: Sequence[Source]) -> None:
    """Read XMI files; one of a folder is that of the person after whom it is named."""
    untyped = 0
    for source in sources:
        path = Path(source.name)
        untyped += not any((folder / "TypeSystem.xml").exists() for folder in path.parents[:2])
        cas = _Cas(source)
        if cas.text is None:
            message = "found no text, expected a Sofa with sofaString"
            raise FormatError(message, path=source.name, hint="export with the text, as UIMA CAS XMI")
        person = stem(source.name)
        nested = exchange.inner_folder(source)
        owner = (person,) if nested and person not in _NOBODY else ()
        _add(exchange, source, cas, cas.title or nested or person, owner)
        source.faults.settle()
    effect = "elements with begin and end count as annotations"
    one = f"XMI file has no TypeSystem.xml beside it; {effect}"
    many = f"XMI files have no TypeSystem.xml beside them; {effect}"
    sources[0].notices.add(one, many, untyped, where=sources[0].name)


def _add(exchange: Exchange, source: Source, cas: _Cas, document: str, owner: tuple[str, ...]) -> None:
    text = cas.text or ""
    known = source.text_of(document)
    if known is not None and of_xml(known) == text:
        text = known
    units = UnitOffsets(text)
    whole = [each for each in cas.elements if each[:2] == (_PACKAGE, _JUDGMENT)]
    by_key: dict[str, list[Mark]] = {}
    marks = []
    for local, attributes, line in _annotations(exchange, source, cas):
        begin, end = (whole_of(_number(attributes.get(key))) for key in ("begin", "end"))
        start, last = units.character(begin), units.character(end)
        if begin < 0 or start < 0 or last < 0:
            found = f"found {local} from {attributes.get('begin')!r:.20} to {attributes.get('end')!r:.20}"
            message = f"{found}, expected a part of the text of {len(text)} characters"
            source.faults.add(line, message)
            continue
        label = attributes.get("topic") or attributes.get("label") or attributes.get("value") or ""
        mark = Mark(start, last, label)
        if "judgment" in attributes:
            by_key.setdefault(attributes["judgment"], []).append(mark)
        else:
            marks.append(mark)
    for _, _, about, line in whole:
        own = by_key.get(about.get("number", ""), [])
        people = tuple(filter(None, about.get("assessors", "").split("\n"))) or owner
        name, topic = about.get("document") or document, about.get("topic", "")
        grade = grade_of(about.get("grade"))
        exchange.add(ToolText(line, own, text, name, name, topic, grade, people, about.get("time", "")))
    if marks or not whole:
        exchange.add(ToolText(1, marks, text, document, document, "", None, owner))


def _number(value: str | None) -> int | None:
    return int(value) if value and re.fullmatch("[0-9]{1,10}", value) else None


def _annotations(exchange: Exchange, source: Source, cas: _Cas) -> Iterator[tuple[str, dict[str, str], int]]:
    """Yield the annotations of the layer of highlights: the one given, or the only one."""
    annotated = [
        (package, local, attributes, line)
        for package, local, attributes, line in cas.elements
        if {"begin", "end"} <= attributes.keys()
        and local not in _NEVER
        and (package, local) != (_PACKAGE, _JUDGMENT)
    ]
    layers = Counter(f"{package}.{local}" for package, local, _, _ in annotated)
    wanted = source.layer
    chosen = [name for name in layers if wanted in {"", name, name.rpartition(".")[2]}]
    if len(chosen) > 1:
        message = f"found annotations of {len(chosen)} layers ({short_list(sorted(chosen), 4)}), expected one"
        raise FormatError(message, path=source.name, hint="⟨layer=NAME⟩ chooses one")
    for package, local, attributes, line in annotated:
        if f"{package}.{local}" in chosen:
            yield local, attributes, line
        else:
            layer = f"not of layer {short(wanted)}"
            exchange.leave_out(f"annotation is {layer}", f"annotations are {layer}")


def write(judgments: Judgments, destination: Destination) -> dict[str, bytes]:
    """Return an XMI file for each document, and the type system beside them."""
    if not destination.folder:
        hint = "give the name of a new folder, without ending"
        raise MissingData("format uima is a folder of files, with TypeSystem.xml", hint=hint)
    texts = DocumentTexts(destination.corpus, "uima")
    files, changed = {"TypeSystem.xml": _TYPES.encode()}, 0
    for document, rows in grouped(rows_of(judgments)).items():
        files[f"{quote(document, safe=' @+,')}.xmi"] = _xmi(document, rows, texts).encode(errors="replace")
        changed += of_xml(texts[document]) != texts[document]
    signs = "control signs, which XML cannot contain; they are replaced"
    destination.notices.add(f"document has {signs}", f"documents have {signs}", changed)
    return files


def _attribute(value: str) -> str:
    """Return the value of an attribute; signs that XML cannot contain become the replacement character."""
    return quoteattr(of_xml(value), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def of_xml(text: str) -> str:
    """Return a text in which signs that XML cannot contain are replaced."""
    return _OTHERS.sub("\ufffd", text)


def _xmi(document: str, rows: Sequence[JudgedRow], texts: DocumentTexts) -> str:
    text = texts[document]
    units, number, members, lines = UnitOffsets(text), 1, [], []
    length = units.unit(len(text))

    def add(element: str, begin: int, end: int, **features: str) -> None:
        nonlocal number
        number += 1
        members.append(number)
        more = "".join(f" {name}={_attribute(value)}" for name, value in features.items() if value)
        lines.append(f'<{element} xmi:id="{number}" sofa="1" begin="{begin}" end="{end}"{more}/>\n')

    add("type:DocumentMetaData", 0, length, documentTitle=document, documentId=document)
    for at, row in enumerate(rows, 1):
        texts.of(row)
        grade = "" if row.grade is None else str(row.grade)
        about = {"topic": row.topic, "document": document, "grade": grade, "time": row.time}
        people = "\n".join(row.assessors)
        add(f"{_PACKAGE}:{_JUDGMENT}", 0, length, number=str(at), assessors=people, **about)
        for start, end in sorted(row.spans):
            place = units.unit(start), units.unit(end)
            add(f"{_PACKAGE}:{_HIGHLIGHT}", *place, topic=row.topic, judgment=str(at))
    spaces = {"xmi": "http://www.omg.org/XMI", "cas": "http:///uima/cas.ecore"}
    spaces["type"] = "http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore"
    spaces[_PACKAGE] = f"http:///{_PACKAGE}.ecore"
    named = "".join(f' xmlns:{name}="{space}"' for name, space in spaces.items())
    view = f'<cas:View sofa="1" members="{" ".join(map(str, members))}"/>\n'
    about_sofa = 'xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text"'
    sofa = f"<cas:Sofa {about_sofa} sofaString={_attribute(text)}/>\n"
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI{named} xmi:version="2.0">\n'
    head += '<cas:NULL xmi:id="0"/>\n'
    return f"{head}{''.join(lines)}{sofa}{view}</xmi:XMI>\n"


def _type(name: str, parent: str, features: Sequence[str]) -> str:
    described = "".join(
        f"<featureDescription><name>{feature}</name><description/>"
        "<rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>"
        for feature in features
    )
    return (
        f"<typeDescription><name>{name}</name><description/><supertypeName>{parent}</supertypeName>"
        f"<features>{described}</features></typeDescription>\n"
    )


_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">\n<types>\n'
    + _type(
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
        "uima.tcas.DocumentAnnotation",
        ("documentTitle", "documentId"),
    )
    + _type(f"{_PACKAGE}.{_HIGHLIGHT}", "uima.tcas.Annotation", ("topic", "judgment"))
    + _type(
        f"{_PACKAGE}.{_JUDGMENT}",
        "uima.tcas.Annotation",
        ("number", "topic", "document", "grade", "assessors", "time"),
    )
    + "</types>\n</typeSystemDescription>\n"
)
