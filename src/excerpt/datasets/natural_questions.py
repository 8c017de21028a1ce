"""Natural Questions: long and short answers on web pages, in bytes of their HTML, or in tokens of their text.

A document is a page. Its id is its title, with a number if several pages have the title. The answers of all
annotators are relevant; short answers lie in long ones, and candidates may be nested. The reader accepts the
release, its simplified form (`document_text`) and records with columns (`annotations.long_answer`, …).
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from excerpt.gold.file import Gold, GoldFile, GoldFormat, GoldItem, Titles

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
    def __init__(self, item: GoldItem, number: int) -> None:
        self.item = item
        page = item.inner("document") if isinstance(item.value.get("document"), dict) else item
        self.topic = item.name("example_id", "id")
        question = item.inner("question") if isinstance(item.value.get("question"), dict) else item
        self.question = question.text("question_text", "text", "question")
        self.title = page.name("document_title", "title", "document_url", "url", missing=str(number))
        self.in_bytes = not item.has("document_text")
        self.text = ""
        if page.has("document_html") or page.has("html") or not self.in_bytes:
            self.text = page.text(*(("document_html", "html") if self.in_bytes else ("document_text",)))

    def annotations(self) -> list[tuple[GoldItem, list[GoldItem]]]:
        """Return the long answer and the short answers of each annotator."""
        item = self.item
        if isinstance(item.value.get("annotations"), dict):
            table = item.inner("annotations")
            longs, shorts = table.each("long_answer"), table.each("short_answers", needed=False)
            shorts += [table.here({})] * (len(longs) - len(shorts))
            return [(one, some.table()) for one, some in zip(longs, shorts, strict=False)]
        listed = item.each("annotations")
        return [(one.inner("long_answer"), one.each("short_answers", needed=False)) for one in listed]

    def candidate(self, number: int) -> dict[str, Any] | None:
        """Return a candidate of the long answer, if the record lists them."""
        listed = self.item.value.get("long_answer_candidates")
        if number < 0:
            return None
        if isinstance(listed, dict):
            columns = {key: values for key, values in listed.items() if isinstance(values, list)}
            if all(number < len(values) for values in columns.values()) and columns:
                return {key: values[number] for key, values in columns.items()}
        elif isinstance(listed, list) and number < len(listed) and isinstance(listed[number], dict):
            return dict(listed[number])
        return None


def read(file: GoldFile) -> Gold:
    """Read Natural Questions; a page without answers is judged and not relevant."""
    gold = Gold(file, unit="byte")
    records = [_Record(item, number) for number, item in enumerate(file.objects(), 1)]
    titles = Titles((record.title, record.text) for record in records)
    if records:
        gold.unit = "byte" if records[0].in_bytes else "char"
    for record in records:
        if record.in_bytes != records[0].in_bytes:
            record.item.fault("pages as HTML and pages as text cannot be combined")
        document = titles.name(record.title, record.text) if record.title else ""
        if record.text:
            gold.add_document(record.item, document, record.text)
        topic = gold.add_question(record.item, record.topic, record.question)
        gold.add_judged(topic, document)
        for long, shorts in record.annotations():
            for answer in (long, *shorts):
                _add(gold, record, answer, topic, document)
    return gold


def _add(gold: Gold, record: _Record, answer: GoldItem, topic: str, document: str) -> None:
    """Add an answer; offsets of -1 mean that there is none."""
    keys = _BYTES if record.in_bytes else _TOKENS
    start, end = (answer.whole(key, -1, least=-1) for key in keys)
    if start < 0 or end < 0:
        return
    candidate = record.candidate(answer.whole("candidate_index", -1, least=-1))
    if candidate is not None:
        span = tuple(candidate.get(key) for key in keys)
        if span != (start, end):
            answer.fault(f"found a long answer from {start} to {end}, expected its candidate, {span}")
    if not record.in_bytes and start < end:
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


KIND = GoldFormat(
    "natural-questions",
    LAYOUT,
    "long and short answers on web pages (Natural Questions)",
    EXAMPLE,
    read,
    _fits,
    keys=("annotations", "document_title"),
    has_texts=True,
)
