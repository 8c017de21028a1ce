"""Natural Questions: long and short answers on web pages, in bytes of their HTML, or in tokens of their text.

A document is a page, called by its title, and by a number too where several pages have the title. What any
annotator gave is relevant; short answers lie in long ones, and candidates may lie in each other. Read are the
release, its simplified form (`document_text`) and records with columns (`annotations.long_answer`, …).
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from excerpt.gold.content import Gold, Kind, Titles
from excerpt.gold.file import GoldFile, Item

LAYOUT = (
    '{"example_id": …, "question_text": …, "document_title": …, "document_html": …, "annotations": '
    '[{"long_answer": {"start_byte": …, "end_byte": …, "candidate_index": …}, "short_answers": […]}]}'
)
EXAMPLE = (
    '{"example_id": 1, "question_text": "when is the rent due", "document_title": "Leases", "document_html": '
    '"<p>The rent is due in May.</p>", "annotations": [{"long_answer": {"start_byte": 0, "end_byte": 30, '
    '"candidate_index": 0}, "short_answers": [{"start_byte": 19, "end_byte": 25}]}], '
    '"long_answer_candidates": [{"start_byte": 0, "end_byte": 30, "top_level": true}]}\n'
)
_BYTES, _TOKENS = ("start_byte", "end_byte"), ("start_token", "end_token")


class _Record:
    """A question with its page."""

    def __init__(self, item: Item, number: int) -> None:
        self.item = item
        page = item.inner("document") if isinstance(item.value.get("document"), dict) else item
        self.topic = item.name("example_id", "id")
        asked = item.inner("question") if isinstance(item.value.get("question"), dict) else item
        self.question = asked.text("question_text", "text", "question")
        self.title = page.name("document_title", "title", "document_url", "url", missing=str(number))
        self.in_bytes = not item.has("document_text")
        self.text = ""
        if page.has("document_html") or page.has("html") or not self.in_bytes:
            self.text = page.text(*(("document_html", "html") if self.in_bytes else ("document_text",)))

    def annotations(self) -> list[tuple[Item, list[Item]]]:
        """The long answer and the short ones of each annotator."""
        item = self.item
        if isinstance(item.value.get("annotations"), dict):
            table = item.inner("annotations")
            longs, shorts = table.each("long_answer"), table.each("short_answers", needed=False)
            shorts += [table.here({})] * (len(longs) - len(shorts))
            return [(one, _short(some)) for one, some in zip(longs, shorts, strict=False)]
        found = item.each("annotations")
        return [(one.inner("long_answer"), one.each("short_answers", needed=False)) for one in found]

    def candidate(self, number: int) -> dict[str, Any] | None:
        """A candidate of the long answer, where the record lists them."""
        given = self.item.value.get("long_answer_candidates")
        if isinstance(given, dict):
            columns = {key: values for key, values in given.items() if isinstance(values, list)}
            if all(number < len(values) for values in columns.values()) and columns:
                return {key: values[number] for key, values in columns.items()}
        elif isinstance(given, list) and number < len(given) and isinstance(given[number], dict):
            return dict(given[number])
        return None


def _short(table: Item) -> list[Item]:
    """Short answers from columns."""
    columns = {key: values for key, values in table.value.items() if isinstance(values, list)}
    rows = zip(*(columns[key] for key in columns), strict=False)
    return [table.here(dict(zip(columns, row, strict=True))) for row in rows]


def read(file: GoldFile) -> Gold:
    """The questions of a file; a page without answers was judged."""
    gold = Gold(file, unit="byte")
    records = [_Record(item, number) for number, item in enumerate(file.objects(), 1)]
    titles = Titles((record.title, record.text) for record in records)
    if records:
        gold.unit = "byte" if records[0].in_bytes else "char"
    for record in records:
        if record.in_bytes != records[0].in_bytes:
            record.item.fault("found pages as HTML and pages as text, expected one kind")
        document = titles.name(record.title, record.text) if record.title else ""
        if record.text:
            gold.add_document(record.item, document, record.text)
        topic = gold.add_question(record.item, record.topic, record.question)
        gold.add_judged(topic, document)
        for long, shorts in record.annotations():
            for answer in (long, *shorts):
                _add(gold, record, answer, topic, document)
    return gold


def _add(gold: Gold, record: _Record, answer: Item, topic: str, document: str) -> None:
    """An answer; -1 says that there is none."""
    keys = _BYTES if record.in_bytes else _TOKENS
    start, end = (answer.whole(key, -1, least=-1) for key in keys)
    if start < 0 or end < 0:
        return
    candidate = record.candidate(answer.whole("candidate_index", -1, least=-1))
    if answer.value.get("candidate_index", -1) != -1 and candidate is not None:
        told = tuple(candidate.get(key) for key in keys)
        if told != (start, end):
            answer.fault(f"found a long answer from {start} to {end}, expected its candidate, {told}")
    if start >= end:
        answer.fault(f"found an answer from {start} to {end}, expected an end after the start")
        return
    if not record.in_bytes:
        tokens = record.text.split(" ")
        if end > len(tokens):
            answer.fault(f"found an answer up to token {end}, expected at most {len(tokens)}")
            return
        begins = [0, *accumulate(len(token) + 1 for token in tokens)]
        start, end = begins[start], begins[end - 1] + len(tokens[end - 1])
    gold.add_evidence(answer, topic, document, start, end)


def _fits(value: Any) -> bool:
    value = value[0] if isinstance(value, list) and value else value
    pages = {"document_html", "document_text", "document_title", "document"}
    return isinstance(value, dict) and "annotations" in value and not pages.isdisjoint(value)


KIND = Kind(
    "natural-questions",
    LAYOUT,
    "long and short answers on web pages (Natural Questions)",
    EXAMPLE,
    read,
    _fits,
    keys=("annotations", "document_title"),
    has_texts=True,
)
