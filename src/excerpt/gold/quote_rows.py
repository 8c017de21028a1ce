"""Gold of question, document and quote: rows that people write, and those that other tools save."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from excerpt._lazy import offered
from excerpt.errors import short, short_list
from excerpt.gold.file import NOWHERE, QUESTION_IDS, Gold, GoldFile, GoldFormat, GoldItem, show
from excerpt.model.judgments import Question
from excerpt.model.run import is_frame
from excerpt.records.objects import frame_rows
from excerpt.records.record import Odd, as_grade, contradictions, name_of, resembling
from excerpt.records.spellings import ROLES, RowKeys

_WORDS = RowKeys("question")
_ROLES = _WORDS.roles
#: Keys of a row; of several with a value, the first counts. RAGAS calls an answer `reference`.
QUESTIONS, IDS, DOCUMENTS = _ROLES["question"], _ROLES["topic"], _ROLES["document"]
QUOTES, _LISTS, RETRIEVED = _ROLES["quote"], _ROLES["list"], _ROLES["retrieved"]
_ALL = (*QUOTES, *_LISTS, *_ROLES["reference"])
#: Keys of values that are documents only if the corpus has them; next to them, `source` is a newspaper.
_PERHAPS = ("url", "title")
#: Keys that only gold has, and keys that it never has.
_OWN = {"any_of", "answerable", *QUOTES[:6]}
_RESULT, _JUDGMENT = ROLES["result"], ROLES["judgment"]
_OTHERS = {
    *_RESULT["score"],
    *_RESULT["rank"],
    *_RESULT["run"],
    *_JUDGMENT["spans"],
    "sha256",
    "elements",
    "how",
}
_OTHERS |= {*_LISTS, "passages"}  # of other formats
#: Keys of rows of benchmarks, and of their quotes.
_BENCHMARK = {"question", "query", "input", *_LISTS, "corpus_id", *QUESTION_IDS, "tags", "_id", "answers"}
_BENCHMARK |= {"facts", "all_classes", "context", "length", "dataset", "language", "level"}
_PART = {"file_path", "span", "answer", "content", "start_index", "end_index"}
#: Keys of the list of rows of LlamaIndex and of LegalBench-RAG.
_CONTAINERS = ("examples", "tests")
_GROUPS = "retrieval_gt_contents"
_NO_ANSWER = "answerable: false marks a question that no document answers"


def read(file: GoldFile) -> Gold:
    """Read rows of question, document and quote.

    Questions without an id are numbered from 1. Rows with the same id, or without ids but with the same
    question, are one question that needs all of their quotes. `any_of` lists alternatives.
    """
    gold = Gold(file)
    #: Words by id, and by words without an id: the number, and the first row.
    named: dict[str, str] = {}
    numbers: dict[str, tuple[str, GoldItem]] = {}
    unanswerable: dict[str, GoldItem] = {}
    for row in rows(file):
        _check_keys(row)
        topic = question_of(row)
        text, tags = row.text(*QUESTIONS, missing=""), row.value.get("tags")
        first = next((one for one in tags if isinstance(one, str)), "") if isinstance(tags, list) else ""
        group = row.name("group", missing=first)
        if any(map(row.has, IDS)):
            if text and named.get(topic, "") not in {"", text}:
                row.fault(f"found question {short(topic)} again with other words, expected each id once")
            named[topic] = named.get(topic) or text
        elif topic:
            topic = numbers.setdefault(topic, (str(len(numbers) + 1), row))[0]
        known = gold.questions.get(topic, Question(topic))
        gold.questions[topic] = Question(topic, known.text or text, known.group or group)
        if topic:
            _add_row(gold, row, topic)
        if row.value.get("answerable") is False:
            unanswerable[topic] = row
    for topic in unanswerable.keys() & {one.topic for one in gold.evidence}:
        unanswerable[topic].fault(
            "found answerable false next to a quote of the question, expected one of the two"
        )
    words = {*named.values()}
    for text, (number, row) in numbers.items():
        if number in named or text in words:
            other = "its number" if number in named else "its words"
            row.fault(
                f"found question {short(text)!r} without an id, and {other} in a row with an id, "
                "expected ids in all rows or in none"
            )
    gold.questions.pop("", None)
    return gold


def read_benchmark(file: GoldFile) -> Gold:
    """Read LegalBench-RAG, chunking_evaluation and HiCBench, in which every row is a question.

    Questions without an id are numbered from 1; the group of each is its document, else the file, or the
    folder of its first snippet. A row of HiCBench may contain its document.
    """
    gold = Gold(file)
    for row in rows(file):
        row.note_unknown(_BENCHMARK)
        snippets = row.has("query") or row.has("snippets")
        document = "" if snippets else row.name("_id" if row.has("input") else "corpus_id")
        lists = (row.value[key] for key in _LISTS if isinstance(row.value.get(key), list))
        parts = [row.here(one) for some in lists for one in some if isinstance(one, dict)]
        folder = parts[0].name("file_path", missing="").rpartition("/")[0] if parts else ""
        topic = gold.add_numbered(
            row, row.text(*QUESTIONS[:: -1 if snippets else 1]), document or file.stem or folder
        )
        for part in parts:
            part.note_unknown(_PART)
        if row.has("evidences") and row.has("context"):
            gold.add_document(row, document, row.text("context"))
        _add(gold, row, topic, document)
    return gold


def _check_keys(row: GoldItem) -> None:
    """Report contradictions, and unknown keys that resemble what the row lacks; note other unknown keys."""
    if both := contradictions(row.value, _WORDS):
        row.fault(f"found {' and '.join(both)} with different values, expected one of them")
    for key in [key for key in row.value if not _WORDS.knows(key)]:
        row.file.unknown.add(key)
        role, spelling = _WORDS.meant(key) or ("", "")
        others = (*QUESTIONS, *IDS) if role in {"question", "topic"} else _ROLES.get(role, ())
        others = (*_ALL, "any_of", "answerable", "start") if role in _QUOTING else others
        if role and row.has(key) and not any(map(row.has, others)):
            row.fault(resembling(key, spelling))


_QUOTING = {"quote", "list", "reference", "any_of", "start", "end", "answerable", "answer", "retrieved"}


def rows(file: GoldFile) -> Iterator[GoldItem]:
    """Yield the rows of JSON Lines, of a JSON list, of LlamaIndex's `examples`, or of a table with a head."""
    first = file.first
    begun = file.given is not None or file.head.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")
    inside = file.head if first is None else first if isinstance(first, dict) and not file.is_lines else ()
    if not begun:
        yield from file.rows(_WORDS)
    elif key := next((key for key in _CONTAINERS if key in inside), ""):
        yield from file.object().each(key)
    else:
        yield from file.objects()


def question_of(row: GoldItem) -> str:
    """Return the id of a row's question, else its text."""
    key = next(filter(row.has, IDS), None)
    return row.name(key) if key else row.text(*QUESTIONS)


def _add_row(gold: Gold, row: GoldItem, topic: str) -> None:
    answerable = row.value.get("answerable")
    if answerable not in (None, True, False):
        row.fault(f"found answerable {show(answerable)}, expected true or false")
    elif answerable is False:
        if any(row.value.get(key) for key in ("any_of", "quote", "evidence", "evidence_list")):
            row.fault("found a quote next to answerable false, expected one of the two")
        gold.add_judged(topic, _document(row, ""))
    elif (grade := _grade(row)) > 0:
        _add(gold, row, topic, "")
    elif grade == 0:
        gold.add_judged(topic, _document(row, ""))


def _grade(row: GoldItem) -> int:
    """Return the grade of a quote; 1 without one, below 0 if it was not judged."""
    key = next(filter(row.has, _ROLES["grade"]), "")
    try:
        return as_grade(row.value[key]) if key else 1
    except Odd as odd:
        row.fault(f"found {key} {show(row.value[key])}, expected {odd.expected}")
        return -1


def _add(
    gold: Gold, item: GoldItem, topic: str, document: str, need: int = -1, alternative: int = -1
) -> None:
    """Add the evidence of an object: alternatives, one quote, or a list of quotes, which are all needed."""
    document = _document(item, document)
    choice = item.has("any_of")
    quotes = ("answer",) if item.has("span") else _ALL  # a row has an answer next to its quotes
    key = "any_of" if choice else next(filter(item.has, quotes), None)
    value = None if key is None else item.value[key]
    if choice and (need >= 0 or not isinstance(value, list) or not value):
        found = f"any_of {show(value)}" if value else "an empty any_of"
        found = "any_of inside any_of" if need >= 0 else found
        item.fault(f"found {found}, expected [{{document, quote}}, …]", _NO_ANSWER)
    elif key is None or (isinstance(value, str) and key not in _LISTS):
        _add_quote(gold, item, topic, document, value or "", need, alternative)
    elif not isinstance(value, list):
        item.fault(f"found {key} {show(value)}, expected {'' if key in _LISTS else 'text or '}a list")
    else:
        first = len(gold.evidence)  # the number of a need with alternatives
        for number, one in enumerate(value):
            if isinstance(one, list) and key == _GROUPS and one:  # any of them, of AutoRAG
                texts = [{"quote": text} for text in one]
                inner = {"any_of": texts} if len(texts) > 1 else texts[0]
                _add(gold, item.part(key, number, inner), topic, document)
                continue
            if isinstance(one, list) and not choice:
                item.fault(f"found a list in {key}, expected {'objects' if key in _LISTS[:2] else 'texts'}")
                continue
            part = item.part(key, number, one if isinstance(one, dict) else {"quote": one})
            _add(gold, part, topic, document, *((first, number) if choice else (need, alternative)))
        if not value and need >= 0:
            item.fault("an alternative has no quote, expected one", _NO_ANSWER)
        elif not value:
            gold.add_judged(topic, document)


def _add_quote(gold: Gold, item: GoldItem, topic: str, document: str, quote: str, *needs: int) -> None:
    claim = _claim(item, quote)
    if claim == (NOWHERE, NOWHERE) and not quote.strip() and item.has("page") and document:
        claim = _page(item, document)
    if claim == (NOWHERE, NOWHERE) and not quote.strip():
        keys = short_list([name for name in item.value if item.has(name)], 6) or "no keys"
        item.fault(
            f"the row has neither a quote nor offsets, expected quote (or start and end); it has {keys}",
            _NO_ANSWER,
        )
    elif not document and (item.has("span") or not quote.strip()):
        item.name("file_path" if item.has("span") else "document")
    elif claim is not None:
        gold.add_evidence(item, topic, document, *claim, quote, *needs)


def _document(item: GoldItem, missing: str) -> str:
    """Return the document that an object names, one of the corpus first."""
    keys = [key for key in DOCUMENTS if item.has(key) and item.value[key] != ""]
    known = next((key for key in keys if name_of(item.value[key]) in item.file.corpus), None)
    unsure = {*_PERHAPS, "source"} if item.has("fact") and any(map(item.has, _PERHAPS)) else _PERHAPS
    key = known or next((key for key in keys if key not in unsure), None)
    return item.name(key) if key else missing


def _claim(item: GoldItem, quote: str) -> tuple[int, int] | None:
    """Return the offsets of an object: -1 without any, None if wrong. Without an end, the quote decides."""
    if item.has("span"):
        span = item.value["span"]
        if isinstance(span, list) and [type(offset) for offset in span] == [int, int] and span[0] >= 0:
            return span[0], span[1]
        item.fault(f"found span {short(json.dumps(span))}, expected a pair of whole numbers, [start, end]")
        return None
    offsets = []
    for spellings in (_ROLES["start"], _ROLES["end"]):
        key = next(filter(item.has, spellings), spellings[0])
        offsets.append(item.whole(key, NOWHERE, least=-1))
    start, end = offsets
    if start == NOWHERE or (end == NOWHERE and not quote):
        return NOWHERE, NOWHERE
    end = start + len(quote) if end == NOWHERE else end
    return start, end


def _page(item: GoldItem, document: str) -> tuple[int, int] | None:
    """Return the start and end of the page that an object names; None if there is no such page."""
    corpus, pages = item.file.corpus, offered("pages")
    item.file.unknown.discard(pages.PAGE)
    if not hasattr(corpus, "pages"):
        item.fault("found a page without a quote, expected the documents that have the page: ⟨corpus⟩")
        return None
    try:
        start, end = pages.page_place(corpus, document, item.value[pages.PAGE])
    except ValueError as error:
        item.fault(str(error))
        return None
    if start == end:
        item.fault(
            f"found page {show(item.value[pages.PAGE])} of document {short(document)}, which has no text"
        )
        return None
    return start, end


def retrieved_rows(given: object) -> Sequence[Mapping[str, Any]] | None:
    """Return dictionaries or rows of a frame with retrieved texts; None for another value."""
    found: Any = frame_rows(given) if is_frame(given) else given
    if not isinstance(found, list | tuple) or not found or not isinstance(found[0], Mapping):
        return None
    traced = any("retrieval.documents" in str(name) for name in found[0])  # columns of spans
    return None if set(found[0]).isdisjoint(RETRIEVED) and not traced else found


def first_keys(file: GoldFile) -> set[str]:
    """Return the keys of the first row."""
    value = file.first
    if value is None:
        return set(file.columns)
    if isinstance(value, dict) and isinstance(value.get("examples"), list):
        value = value["examples"]
    first = value[0] if isinstance(value, list) and value else value
    return set(first) if isinstance(first, dict) else set()


def _fits(keys: set[str]) -> bool:
    """Return whether a row has the keys of a question and of a quote, but not those of judgments or runs."""
    if not keys.isdisjoint(_OTHERS):
        return False
    asks, placed = not keys.isdisjoint(QUESTIONS), not keys.isdisjoint((*_ALL, *_ROLES["start"]))
    if not placed and not keys.isdisjoint(_ROLES["grade"]):  # of whole documents
        return False
    if not keys.isdisjoint(_OWN):
        return asks or not keys.isdisjoint(IDS)
    if keys.isdisjoint(_RESULT["topic"]):
        return asks and (placed or not keys.isdisjoint(_RESULT["document"]))
    return asks and keys.isdisjoint(_ROLES["start"]) and not keys.isdisjoint(_ALL)


#: Keys that no other gold file has in its first row.
_CERTAIN = {
    *(name for role, names in _ROLES.items() if role not in {"list", "reference"} for name in names),
    "response",
    "reference_answer",
} - {"input"}


def are_quotes(file: GoldFile) -> bool:
    """Return whether rows are of this format by the keys of the first one alone."""
    keys = first_keys(file)
    return keys <= _CERTAIN and _fits(keys)


KIND = GoldFormat(
    "quotes",
    '{"question": …, "document": …, "quote": …}, or columns with these names',
    "questions with quotes (your own, RAGAS, LlamaIndex, …)",
    '{"question": "When is the rent due?", "document": "A", "quote": "in May", "start": 16, "end": 22}\n',
    read,
    looks=lambda file: _fits(first_keys(file)),
)


def kind_of(file: GoldFile) -> GoldFormat | None:
    """Return the format of a gold file by its content, a benchmark's or ours; None if it is no gold file."""
    benchmarks = offered("benchmarks")
    kinds = (*benchmarks.KINDS, KIND) if benchmarks else (KIND,)
    return next((kind for kind in kinds if kind.recognise(file)), None)
