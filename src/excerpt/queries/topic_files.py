"""Readers of topic files: XML, SGML of TREC, JSON and columns, each by one rule for all tracks.

A topic is an element or object with an id and a text; both have the names that the tables below list.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from excerpt.checking.validation import describe_unsupported
from excerpt.errors import ExcerptError, FormatError, plural, short, short_list
from excerpt.files import Input, display_name, expand, is_folder
from excerpt.formats.registry import KIND_LABELS, detect_kind
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.gold.file import JsonPlaces
from excerpt.inex.xml_events import Events, root_name
from excerpt.model.texts import fold
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.nexi import About, Clauses, Query, Step, Term
from excerpt.notices import Gathering, Notices
from excerpt.queries.topic import Topic, TopicCollector, Topics
from excerpt.records.record import is_text
from excerpt.records.rows import objects, parse_json
from excerpt.records.spellings import ROLES

#: Texts of a topic and their spellings in files; if a line of JSON has several spellings, the first counts.
_TEXTS = {
    "title": ("title",),
    "text": ("text", "query", "question", "content", "description", "desc", "raw_utterance", "utterance"),
    "narrative": ("narrative", "narr"),
    "castitle": ("castitle",),
    "keywords": ("keywords",),
    "phrasetitle": ("phrasetitle",),
    "kind": ("kind", "query_type"),
}
#: The text of each spelling.
_FIELDS = {spelling: key for key, spellings in _TEXTS.items() for spelling in spellings}

_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
#: The tags in a title of 2002.
_MARKS = {"te", "cw", "ce"}
_NO_WORD = re.compile(r'[\s"()\[\],]+')
_NO_TAG = re.compile(r"[\s,|()]+")


def castitle_of(marked: Sequence[tuple[str, str]]) -> str:
    """Return a title of 2002 as a NEXI query: the target elements of articles about the words.

    >>> castitle_of([("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"), ("cw", "image retrieval")])
    '//article[about(.//bibl, QBIC) and about(., image retrieval)]//tig'
    """
    targets = _tags(" ".join(text for tag, text in marked if tag == "te"))
    abouts: list[About] = []
    for number, (tag, text) in enumerate(marked):
        words = [Term(word) for word in _NO_WORD.split(text) if word.strip("+-")]
        if tag != "cw" or not words:
            continue
        following = marked[number + 1] if number + 1 < len(marked) else ("", "")
        inside = _tags(following[1]) if following[0] == "ce" else ()
        abouts.append(About((Step(inside),) if inside else (), tuple(words)))
    if not abouts:
        return ""
    filter_ = abouts[0] if len(abouts) == 1 else Clauses("and", tuple(abouts))
    article = Step(("article",), filters=(filter_,))
    if targets in ((), ("article",)):
        return str(Query((article,)))
    return str(Query((article, Step(targets))))


def _tags(text: str) -> tuple[str, ...]:
    """Return the names of elements in a text; of a path the last name."""
    paths = [path.rstrip("/").rpartition("/")[2] for path in _NO_TAG.split(text)]
    return tuple(dict.fromkeys(name for name in paths if re.fullmatch(r"[^\W\d][\w.:-]*|\*", name)))


INEX_LAYOUT = 'elements with an id and a text, such as <topic id="…"><title>…</title></topic>'

_TOPICS = {"inex_topic", "inex-topic", "topic"}
_ROOTS = {"inex_topics", "inex-topics", "inex-topic-file", "inex_topic_file", "topics"}
_ASSESSMENTS = "assessments"
#: The parameters of Indri have queries.
_PARAMETERS, _QUERY = "parameters", "query"
_INEX_IDS = ("topic_id", "topic-id", "topicid", "id", "number", "num", "qid", "query_id", "query-id")
_KINDS = ("query_type", "query-type", "querytype", "kind")
_INEX_FIELDS = {name: key for name, key in _FIELDS.items() if key != "kind"}
_INEX_FIELDS |= {"query": "title", "content": "title"}
_OUTLINE = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*?)(/?)>")
_ATTRIBUTE = re.compile(r"([\w.:-]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')")


def _topic_names(source: Source) -> set[str]:
    """Return the names of the elements that are topics; none if the file has no topics."""
    root = root_name(source).lower()
    if root in {*_TOPICS, *_ROOTS, _ASSESSMENTS}:
        return _TOPICS
    if root == _PARAMETERS:
        return {_QUERY}
    found = _element_with_id_and_text(source.data[:HEAD_BYTES].decode("utf-8", "replace")) if root else ""
    return {found} if found else set()


def _element_with_id_and_text(head: str) -> str:
    """Return the repeated element that has an id (an attribute or a child) and a text; the outermost of them.

    >>> _element_with_id_and_text("<queries><query><qid>1</qid><content>pets</content></query></queries>")
    'query'
    """
    path: list[tuple[str, set[str]]] = []  # open elements, and what each of them has
    complete: dict[str, list[int]] = {}  # depths of the elements that have both
    for tag in _OUTLINE.finditer(_COMMENT.sub("", head)):
        closing, name = bool(tag[1]), tag[2].lower()
        if not closing:
            if path:
                path[-1][1].update({"id"} if name in _INEX_IDS else {"text"} if name in _INEX_FIELDS else ())
            has = {"id"} if any(key.lower() in _INEX_IDS for key in _ATTRIBUTE.findall(tag[3])) else set()
            path.append((name, has | {"text"} if has and name in _INEX_FIELDS else has))
        if (closing or tag[4]) and path:
            ended, has = path.pop()
            if len(has) == 2:
                complete.setdefault(ended, []).append(len(path))
    for depth, (name, has) in enumerate(path):  # cut off, or the root
        if len(has) == 2:
            complete.setdefault(name, []).append(depth)
    ranked = [(len(depths) < 2, depths[0] == 0, depths, name) for name, depths in complete.items()]
    return min(ranked, key=lambda one: one[:3])[3] if ranked else ""


class _InexReader(Events):
    """Parser of topics, under any root element."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.gathered = TopicCollector(source)
        self._topics = _topic_names(source) or _TOPICS
        self._assessed: tuple[str, int] | None = None  # id and line of the assessments around a topic
        self._begun = 0  # the line of the current topic; 0 outside of topics
        self._id = self._kind = ""
        self._texts: dict[str, str] = {}
        self._lines: dict[str, int] = {}
        self._marked: list[tuple[str, str]] = []  # the terms of a title of 2002
        self._mark = 0  # the number of pieces before the current term
        self._field = ""
        self._depth = 0  # in the topic

    def start(self, name: str, attributes: dict[str, str]) -> None:
        lowered = name.lower()
        if not self._begun:
            if lowered in self._topics:
                self._begin(attributes)
            elif lowered == _ASSESSMENTS:
                self._assessed = fold(attributes.get("topic", "")), self.line
            else:
                self.pieces.clear()  # text outside of topics may be long
            return
        self._depth += 1
        self._mark = len(self.pieces)
        if self._depth == 1:
            self._keep("")  # text of the topic outside of its elements
            self._mark = 0
            self._field = "id" if lowered in _INEX_IDS else _INEX_FIELDS.get(lowered, "")
            self._lines.setdefault(self._field, self.line)
        if lowered in self._topics:
            self.faults.add(self.line, f"found <{name}> in a <{name}>, expected one after the other")

    def _begin(self, attributes: dict[str, str]) -> None:
        self._begun, self._depth = self.line, 0
        lowered = {key.lower(): fold(value) for key, value in attributes.items()}
        self._id = next((lowered[key] for key in _INEX_IDS if key in lowered), "")
        self._kind = next((lowered[key] for key in _KINDS if key in lowered), "")
        self._texts, self._lines, self._marked = {}, {}, []
        self.pieces.clear()

    def end(self, name: str) -> None:
        if not self._begun:
            if name.lower() == _ASSESSMENTS:
                if self._assessed is not None and self._assessed[0] not in self.gathered.topics:
                    self.gathered.add(self._assessed[1], self._assessed[0], {}, bare=True)
                self._assessed = None
        elif self._depth > 1:
            if self._depth == 2 and name.lower() in _MARKS and self._field == "title":
                self._marked.append((name.lower(), fold("".join(self.pieces[self._mark :]))))
            self._depth -= 1
        elif self._depth == 1:
            self._depth = 0
            self._keep(self._field)
        else:
            self._keep("")
            self._add()
            self._begun = 0

    def _add(self) -> None:
        texts = {**self._texts, "text": self._texts.get("text") or self._texts.pop("", "")}
        title, line = texts.get("title", ""), self._lines.get("castitle")
        if self._marked:
            texts["title"] = " ".join(text for tag, text in self._marked if tag == "cw" and text)
            texts["castitle"] = castitle_of(self._marked) if self._kind.upper() != "CO" else ""
        elif title.startswith("/") and not texts.get("castitle"):  # as CAS titles of 2003 and 2004
            texts["castitle"], line = title, self._lines.get("title")
        name = self._id or (self._assessed[0] if self._assessed else "")
        self.gathered.add(self._begun, name, texts, kind=self._kind.upper(), castitle_line=line)

    def _keep(self, field: str) -> None:
        text = fold("".join(self.pieces))
        self.pieces.clear()
        if field == "id":
            self._id = self._id or text
        elif text:
            before = self._texts.get(field)
            self._texts[field] = f"{before} {text}" if before else text


def read_inex(source: Source) -> dict[str, Topic]:
    """Read topics in XML of INEX or Indri."""
    reader = _InexReader(source)
    reader.parse()
    if not reader.gathered.topics and not source.faults:
        source.faults.add(None, f"the file contains no topics, expected {INEX_LAYOUT}")
    return reader.gathered.topics


TREC_LAYOUT = "<top> with <num> Number: …, <title>, <desc> Description:, <narr> Narrative:"

_TREC_FIELDS = {**dict.fromkeys(_INEX_IDS, "id"), **_INEX_FIELDS}
#: Labels before the text of a field, which are no part of it.
_LABELS = {
    "id": re.compile(r"\s*(number|topic)\s*:", re.IGNORECASE),
    "title": re.compile(r"\s*(topic|title)\s*:", re.IGNORECASE),
    "text": re.compile(r"\s*desc(ription)?\s*:", re.IGNORECASE),
    "narrative": re.compile(r"\s*narr(ative)?\s*:", re.IGNORECASE),
}
_TOP = re.compile(r"\ufeff?\s*(<\?xml[^>]*>\s*)?(<[a-z_-]+[^>]*>\s*)?<top(\s[^>]*)?>", re.IGNORECASE)
#: A known tag anywhere, an unknown one where it begins a line.
_TAG = re.compile(
    rf"<(/?)(top|{'|'.join(_TREC_FIELDS)})(?:\s[^<>]*)?>|^[ \t]*<(/?)([a-z]+)(?:\s[^<>]*)?>",
    re.IGNORECASE | re.MULTILINE,
)
_ENTITY = re.compile(r"&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]+);", re.IGNORECASE)


def recognise_trec(source: Source) -> bool:
    """Return whether the first element, or the first in a root element, is `<top>`."""
    head = source.data[:HEAD_BYTES].decode("utf-8", "replace")
    return source.starts_with(b"<") and _TOP.match(_COMMENT.sub("", head)) is not None


def read_trec(source: Source) -> dict[str, Topic]:
    """Read TREC topics."""
    # Comments become blanks, so that lines keep their numbers.
    text = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source.text.decode())
    gathered = TopicCollector(source)
    tags = list(_TAG.finditer(text))
    line, begun, texts = 1, 0, dict[str, str]()  # `begun` is the line of the topic, 0 outside of topics
    reached = 0
    for tag, following in zip(tags, [*tags[1:], None], strict=True):
        end = following.start() if following else len(text)
        closing, name = bool(tag[1] or tag[3]), (tag[2] or tag[4]).lower()
        if name == "top":
            _add_trec(gathered, begun, texts)
            line, reached = line + text.count("\n", reached, tag.end()), tag.end()
            begun, texts = 0 if closing else line, {}
        field = "" if closing else _TREC_FIELDS.get(name, "")
        if begun and field:
            texts.setdefault(field, _trec_text(field, text[tag.end() : end]))
    _add_trec(gathered, begun, texts)
    return gathered.topics


def _trec_text(field: str, text: str) -> str:
    from html import unescape

    label = _LABELS[field].match(text) if field in _LABELS else None
    return fold(_ENTITY.sub(lambda match: unescape(match[0]), text[label.end() :] if label else text))


def _add_trec(gathered: TopicCollector, line: int, texts: dict[str, str]) -> None:
    if not line:
        return
    name = texts.pop("id", "")
    if name.isdecimal():  # TREC wrote 051 where the judgments of the same year have 51
        name = name.lstrip("0") or "0"
    if len(name.split()) > 1:
        gathered.source.faults.add(line, f"found <num> {short(name)!r}, expected one id")
    gathered.add(line, name, texts)


JSONL_LAYOUT = '{"id": …, "title": …, "text": …}, one per line or in a list'

_JSONL_IDS = (
    *("_id", "id", "topic", "qid", "topic_id", "query_id", "query-id", "question_id", "number"),
    *("num", "topic-id", "topicid"),
)
#: Topics inside of a topic: the turns of a conversation, with ids such as 31_1, and keys of their ids.
_TURNS, _TURN_IDS = ("turn", "turns", "responses"), ("turn_id", *_JSONL_IDS)
#: Texts in JSON: of questions of benchmarks, and of turns, whose resolved form stands on its own.
_JSON_TEXTS = {
    **_TEXTS,
    "text": (*_TEXTS["text"], "user_utterance", "input", "body"),
    "narrative": (*_TEXTS["narrative"], "resolved_utterance"),
}
#: Keys of lists of topics in an object.
_LISTS = ("questions", "topics")
_RESULT = ROLES["result"]
_OF_RESULTS = {*_RESULT["document"], *_RESULT["start"], "spans", "score"} - {"source", "url", "file"}


def recognise_jsonl(source: Source) -> bool:
    """Return whether the file is a list, or its first valid line is an object without keys of results."""
    if not source.starts_with(b"{"):
        return source.starts_with(b"[") and _is_list(source)
    if _list_key(source):
        return True
    lines = source.data[:HEAD_BYTES].decode("utf-8-sig", "replace").split("\n")
    first = next((value for line in lines if isinstance(value := parse_json(line), dict)), {})
    return not _FIELDS.keys().isdisjoint(first) or not _OF_RESULTS & first.keys()


def _list_key(source: Source) -> str:
    """Return the key of the list of topics, if the file is one object that has one; else an empty text."""
    head = source.data[:HEAD_BYTES].decode("utf-8-sig", "replace")
    first = re.match(r'\s*\{(?:\s*"\w+"\s*:\s*(?:"[^"]*"|[\w.-]+)\s*,)*\s*"(\w+)"\s*:\s*\[\s*\{', head)
    return first[1] if first and first[1] in _LISTS else ""


def _is_list(source: Source) -> bool:
    """Return whether the first object of a JSON list has the keys of a topic."""
    head = source.data[:HEAD_BYTES].decode("utf-8-sig", "replace").lstrip()[1:].lstrip()
    keys = set(re.findall(r'"(\w[\w-]*)"\s*:', head[: head.find("}") + 1]))
    return bool(keys.intersection(_JSONL_IDS)) and not _FIELDS.keys().isdisjoint(keys)


def _listed(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON list, each with its line."""
    text, key = source.text.decode(), _list_key(source)
    values, places = parse_json(text), JsonPlaces(text)
    path: tuple[str, ...] = (key,) if key and isinstance(values, dict) else ()
    values = values.get(key) if path else values
    if not isinstance(values, list):
        raise FormatError("found damaged JSON, expected a list of topics", path=source.name)
    for number, value in enumerate(values):
        line = places.line((*path, number))
        if _is_object(value, line, source):
            yield line, value


def _is_object(value: Any, line: int, source: Source) -> bool:
    if not isinstance(value, dict):
        found = short(json.dumps(value, ensure_ascii=False))
        source.faults.add(line, f"found {found} in the list, expected objects")
    return isinstance(value, dict)


def read_jsonl(source: Source) -> dict[str, Topic]:
    """Read topics in JSON Lines or in a JSON list."""
    gathered = TopicCollector(source)
    listed = source.starts_with(b"[") or _list_key(source)
    rows = _listed(source) if listed else objects(source.text, source.faults)
    for line, fields in rows:
        turns = next((fields[key] for key in _TURNS if _are_turns(fields.get(key), key)), None)
        if turns is None:
            _add(gathered, line, fields)
            continue
        outer = _first(fields, _JSONL_IDS, "")
        for turn in turns:
            if _is_object(turn, line, source):
                _add(gathered, line, turn, f"{outer}_" if outer or outer == 0 else "")
    return gathered.topics


def _are_turns(value: object, key: str) -> bool:
    """Return whether a value is a list of turns; responses are turns only if they have an id of one."""
    if not isinstance(value, list):
        return False
    return key != "responses" or any(isinstance(one, dict) and "turn_id" in one for one in value)


def _add(gathered: TopicCollector, line: int, fields: dict[str, Any], outer: str | None = None) -> None:
    faults = gathered.source.faults
    name = _first(fields, _JSONL_IDS if outer is None else _TURN_IDS, None)
    if name is None:
        keys, others = short_list(fields, 6) or "no keys", [key for key in _JSONL_IDS if key != "id"]
        faults.add(line, f"key id is missing (also called {short_list(others, 6)}); the row has {keys}")
        return
    if type(name) is int:
        name = str(name)
    texts = {key: _first(fields, spellings, "") for key, spellings in _JSON_TEXTS.items()}
    texts["narrative"] = texts["narrative"] or _nuggets(fields)
    for key, value in {"id": name, **texts}.items():
        if not isinstance(value, str) or not is_text(value):
            faults.add(line, f"found {key} {short(json.dumps(value))}, expected a string")
            return
    stripped = {key: value.strip() for key, value in texts.items()}
    gathered.add(line, (outer or "") + name.strip(), stripped, kind=stripped.pop("kind"))


def _nuggets(fields: dict[str, Any]) -> str:
    """Return what an answer needs, from the nuggets of a topic of TREC RAG."""
    given = fields.get("nuggets")
    listed = given if isinstance(given, list) else []
    texts = [(one.get("text"), one.get("importance")) for one in listed if isinstance(one, dict)]
    return "; ".join(f"{text} ({kind})" if kind else str(text) for text, kind in texts if text)


def _first(fields: dict[str, Any], spellings: tuple[str, ...], missing: str | None) -> Any:
    return next((fields[key] for key in spellings if fields.get(key) is not None), missing)


TSV_LAYOUT = "id TAB text, or id TAB title TAB text"

_TSV_IDS = {"id", "_id", "qid", "topic", "topic_id", "topic-id", "query_id", "query-id", "number", "num"}
_NAMES = {name: key for name, key in _FIELDS.items() if name != "query_type"} | {"name": "title"}
_COLUMNS = {2: ("id", "text"), 3: ("id", "title", "text")}


def recognise_tsv(source: Source) -> bool:
    """Return whether most of the first lines have two or three columns, or the first names its columns."""
    if source.form in {"xml", "json"}:
        return False
    rows = [row for _, row in _rows(source.beginning.decode("utf-8", "replace"))]
    if source.form == "table":
        return _named(rows[0]) is not None
    grades = all(len(row) == 3 and row[2].strip().lstrip("-").isdecimal() for row in rows[1:] or rows)
    if not rows or grades:
        return False
    fitting = sum(len(row) in _COLUMNS for row in rows)
    return _named(rows[0]) is not None or 2 * fitting >= len(rows)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.split("\t")


def _named(row: list[str]) -> tuple[str, ...] | None:
    """Return the columns that a first line names; None if it is a topic."""
    names = [cell.strip().lower() for cell in row]
    if len(names) < 2 or names[0] not in _TSV_IDS or not any(name in _NAMES for name in names[1:]):
        return None
    return ("id", *(_NAMES.get(name, "") for name in names[1:]))


def read_tsv(source: Source) -> dict[str, Topic]:
    """Read topics in columns."""
    gathered = TopicCollector(source)
    columns: tuple[str, ...] | None = None
    for line, row in _rows(source.text.decode()):
        if columns is None:
            columns = _named(row)
            if columns is None and all(cell.strip().lower() in _NAMES for cell in row) and len(row) > 1:
                found = f"found columns {short_list([cell.strip() for cell in row])} and no ids"
                message = f"{found}, expected a column id"
                raise FormatError(message, path=source.name, line=line, hint="also called qid or number")
            if columns is not None:
                if unknown := [cell.strip() for cell, column in zip(row, columns, strict=True) if not column]:
                    ignored = f"unknown columns are ignored: {short_list(unknown)}"
                    source.notices.add(ignored, where=source.name)
                continue
            columns = _COLUMNS.get(len(row))
            if columns is None:
                source.faults.add(line, f"found {_count(row)}, expected {TSV_LAYOUT}")
                continue
        if len(row) != len(columns):
            expected = f"{len(columns)} as in earlier lines ({TSV_LAYOUT})"
            source.faults.add(line, f"found {_count(row)}, expected {expected}")
            continue
        cells = [cell.strip() for cell in row]
        texts = dict(zip(columns[1:], cells[1:], strict=True))
        gathered.add(line, cells[0], texts, kind=texts.pop("kind", ""))
    return gathered.topics


def _count(row: list[str]) -> str:
    if len(row) == 1:
        return f"{short(row[0].strip())!r} without a tab"
    return plural(len(row), "column")


LABELLED_LAYOUT = "blocks of Number: or Topic:, Title:, Query: and other labels that begin a line"

_LABEL = re.compile(
    r"^(Number|Topic|Title|Query|Description|Objectives?|Pids)[ \t]*:[ \t]*", re.IGNORECASE | re.MULTILINE
)
_BEGINS = {"number", "topic"}
#: The text of each label; lists of judged documents are none.
_LABELLED = {
    "title": "title",
    "query": "keywords",
    "description": "text",
    "objective": "narrative",
    "objectives": "narrative",
}
#: A turn of a conversation, in a line of its own.
_TURN = re.compile(r"^[ \t]*(\d+)[ \t]*\t(.*)$", re.MULTILINE)


def recognise_labelled(source: Source) -> bool:
    """Return whether the first line begins a block."""
    start = source.data[:HEAD_BYTES].decode("utf-8-sig", "replace").lstrip()
    label = _LABEL.match(start)
    return label is not None and label[1].lower() in _BEGINS


def read_labelled(source: Source) -> dict[str, Topic]:
    """Read blocks of labels and values, of CLEF-TAR and of CAsT 2019, whose turns follow the description."""
    gathered = TopicCollector(source)
    text = source.text.decode()
    labels = list(_LABEL.finditer(text))
    if text[: labels[0].start()].strip():
        source.faults.add(1, f"found {short(text.strip())!r}, expected {LABELLED_LAYOUT}")
    blocks: list[tuple[int, str, dict[str, str]]] = []
    for label, following in zip(labels, [*labels[1:], None], strict=True):
        name, value = label[1].lower(), text[label.end() : following.start() if following else len(text)]
        if name in _BEGINS:
            blocks.append((text.count("\n", 0, label.start()) + 1, fold(value), {}))
        elif name in _LABELLED:
            blocks[-1][2].setdefault(_LABELLED[name], value)
    for line, number, values in blocks:
        _add_block(gathered, line, number, values)
    return gathered.topics


def _add_block(gathered: TopicCollector, line: int, number: str, values: dict[str, str]) -> None:
    """Add the topic of a block, or its turns, each with the description of the whole as narrative."""
    description = values.get("text", "")
    turns = list(_TURN.finditer(description))
    if not turns:
        gathered.add(line, number, {key: fold(value) for key, value in values.items()})
        return
    about = fold(description[: turns[0].start()])
    for turn in turns:
        name = f"{number}_{turn[1]}" if number else ""
        gathered.add(line, name, {"text": fold(turn[2]), "narrative": about})


class _Format(NamedTuple):
    label: str
    layout: str
    recognise: Callable[[Source], object]
    read: Callable[[Source], dict[str, Topic]]


_FORMATS = (
    _Format("TREC topics", TREC_LAYOUT, recognise_trec, read_trec),
    _Format("topics in XML", INEX_LAYOUT, _topic_names, read_inex),
    _Format("topics in JSON", JSONL_LAYOUT, recognise_jsonl, read_jsonl),
    _Format("topics with labels", LABELLED_LAYOUT, recognise_labelled, read_labelled),
    _Format("topics in columns", TSV_LAYOUT, recognise_tsv, read_tsv),
)


def read_topics(
    source: Input | Mapping[str, Topic | str],
    *,
    only: TopicIds = None,
    exclude: TopicIds = None,
    notices: Notices | None = None,
) -> Topics:
    """Read topics from a path, a folder of files, bytes or an open file; or take texts by id.

    `only` and `exclude` choose some of them, as in `201,205-210`.

    >>> topics = read_topics(b"7\\tWho signed?\\n8\\tWhen?\\n")
    >>> list(topics), topics["8"].text
    (['7', '8'], 'When?')
    """
    choice = TopicChoice.of(only, exclude)
    if isinstance(source, Mapping):
        return Topics.of(source).chosen(choice)
    with Gathering(notices) as gathered:
        try:
            return read_checked(source, gathered, 0)[0].chosen(choice)
        except FormatError as error:
            error.listed_by = "topics"
            raise


def read_checked(source: Input | list[str], notices: Notices, most: int) -> tuple[Topics, list[FormatError]]:
    """Return the topics of a source or of several files, and their faults: up to `most` are kept."""
    if isinstance(source, list):
        return _read_files(source, ", ".join(source), notices, most)
    if isinstance(source, str | os.PathLike) and is_folder(source):
        return _read_files([os.fspath(source)], os.fspath(source), notices, most)
    opened = Source.open(source, notices=notices, expected="topics", keep_faults=most)
    return Topics(_read(opened, _format_of(opened)), display_name(source)), opened.faults.found


def _read(source: Source, format_: _Format) -> dict[str, Topic]:
    topics = format_.read(source)
    for topic in topics.values():
        try:
            topic.query  # noqa: B018 - the property parses the query
        except FormatError as error:
            if source.faults.keep:
                source.faults.add(error.line, error.message)
            else:  # the topic is usable without its query
                one = "castitle is not valid NEXI and names no target elements"
                many = "castitles are not valid NEXI and name no target elements"
                source.notices.add(one, many, where=str(error))
        if not topic.castitle and {"CAS", "+S"} & {topic.kind[-3:], topic.kind[-2:]}:
            one = f"topic of kind {topic.kind} has no castitle and names no target elements"
            many = f"topics of kind {topic.kind} have no castitle and name no target elements"
            source.notices.add(one, many, where=f"{source.name}:{topic.line}")
    source.faults.settle()
    if not topics and not source.faults:
        raise FormatError(f"the file contains no topics, expected {format_.layout}", path=source.name)
    return topics


def _format_of(source: Source) -> _Format:
    """Return the format of a file by its content; raise an error that names another kind of file."""
    detected = next((format_ for format_ in _FORMATS if format_.recognise(source)), None)
    if detected:
        return detected
    line, head = source.first_line
    described = describe_unsupported(source) if source.text else None
    if not described and (kind := detect_kind(source)):
        described = KIND_LABELS[kind]
    elif not described and source.head and b"\t" not in source.beginning:
        described = f"{head!r} without an id"
    raise FormatError(
        f"found {described or repr(head)}, expected topics",
        path=source.name,
        line=line,
        hint="topics are lines of id TAB text, JSON, or XML elements with an id and a text",
    )


def _read_files(given: list[str], name: str, notices: Notices, most: int) -> tuple[Topics, list[FormatError]]:
    """Return the topics of files and of the files of folders, all of one kind, each id once."""
    files = [file for file in expand(given) if not file.lower().endswith(".dtd")]
    by_id: dict[str, Topic] = {}
    file_of: dict[str, str] = {}
    first: tuple[_Format, str] | None = None
    faults: list[FormatError] = []
    for file in files:
        source = Source.open(file, notices=notices, expected="topics", keep_faults=most)
        format_ = _format_of(source)
        first = first or (format_, file)
        if format_ is not first[0]:
            found = f"found {format_.label} ({file}) and {first[0].label} ({first[1]})"
            raise ExcerptError(f"{found}, expected one kind", path=name)
        topics = _read(source, format_)
        for topic in (topic for topic in topics if topic in by_id):
            message = f"found topic {short(topic)} again (first in {file_of[topic]}), expected each id once"
            source.faults.add(topics[topic].line, message)
        source.faults.settle()
        faults += source.faults.found
        by_id |= topics
        file_of |= dict.fromkeys(topics, file)
    if not by_id and not faults:
        raise ExcerptError("the folder contains no topic files, expected at least one", path=name)
    return Topics(by_id, name), faults
