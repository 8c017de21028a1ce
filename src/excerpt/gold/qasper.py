"""QASPER: questions on papers, answered by paragraphs and sentences that are quoted without offsets.

The text of a paper is its title, its abstract, its sections (name and paragraphs) and the captions of its
figures and tables, with empty lines between them. Evidence, highlighted sentences and extracted words of all
annotators are relevant. Read are the release (papers by id) and records with columns (`section_name`, …).
"""

from __future__ import annotations

from typing import Any

from excerpt.gold.content import NOWHERE, Gold, Kind
from excerpt.gold.file import GoldFile, Item

LAYOUT = (
    '{paper: {"title": …, "abstract": …, "full_text": [{"section_name": …, "paragraphs": […]}], '
    '"qas": [{"question_id": …, "question": …, "answers": [{"answer": {"evidence": […], …}}]}]}}'
)
EXAMPLE = """\
{"A": {"title": "Leases", "abstract": "On rent.", "full_text": [
  {"section_name": "Terms", "paragraphs": ["The rent is due in May.", "Pets are allowed."]}],
 "qas": [{"question_id": "1", "question": "When is the rent due?", "answers": [{"answer": {
  "unanswerable": false, "extractive_spans": ["in May"], "evidence": ["The rent is due in May."],
  "highlighted_evidence": ["The rent is due in May."]}}]}]}}
"""
JOINT = "\n\n"
#: What stands before the caption of a figure or a table in evidence.
_FLOAT = "FLOAT SELECTED: "


def read(file: GoldFile) -> Gold:
    """The questions of all papers; the group of each is its paper."""
    gold = Gold(file)
    for name, paper in _papers(file):
        text = JOINT.join(part for part in _parts(paper) if part.strip())
        gold.add_document(paper, name, text)
        for question, answers in _questions(paper):
            topic = gold.add_question(question, question.name("question_id", "id"), question.text("question"), name)
            gold.add_judged(topic, name)
            for answer in answers:
                _add(gold, answer, topic, name, text)
    return gold


def _papers(file: GoldFile) -> list[tuple[str, Item]]:
    """Papers by id, or records that have theirs."""
    if isinstance(file.first, dict) and "full_text" not in file.first and not file.is_lines:
        whole = file.object()
        return [(name, whole.inner(name)) for name in whole.value]
    return [(paper.name("id", "paper_id"), paper) for paper in file.objects()]


def _parts(paper: Item) -> list[str]:
    parts = [paper.text(key) for key in ("title", "abstract") if paper.has(key)]
    for section in _rows(paper, "full_text", ("section_name", "paragraphs")):
        parts += [section.text("section_name")] if section.has("section_name") else []
        parts += section.texts("paragraphs")
    captions = _rows(paper, "figures_and_tables", ("caption", "file"), needed=False)
    return parts + [caption.text("caption") for caption in captions if caption.has("caption")]


def _questions(paper: Item) -> list[tuple[Item, list[Item]]]:
    """Questions, each with the answers of its annotators."""
    found = []
    for question in _rows(paper, "qas", ("question", "question_id", "answers")):
        if isinstance(question.value.get("answers"), dict):
            found.append((question, question.inner("answers").each("answer")))
        else:
            found.append((question, [one.inner("answer") for one in question.each("answers")]))
    return found


def _rows(item: Item, key: str, columns: tuple[str, ...], *, needed: bool = True) -> list[Item]:
    """The objects of a list, or of an object that has a list for each of their fields."""
    if not isinstance(item.value.get(key), dict):
        return item.each(key, needed=needed)
    table = item.inner(key)
    lists = {name: table.value.get(name) for name in columns if table.has(name)}
    lengths = {len(values) if isinstance(values, list) else -1 for values in lists.values()}
    if len(lengths) != 1 or -1 in lengths:
        table.fault(f"found {key} with columns of several lengths, expected a value of each in each row")
        return []
    rows = zip(*(values or () for values in lists.values()), strict=True)
    return [table.here(dict(zip(lists, row, strict=True))) for row in rows]


def _add(gold: Gold, answer: Item, topic: str, document: str, text: str) -> None:
    """Evidence anywhere in the paper; the quotes in it stand there, if they can."""
    paragraphs = [quote.removeprefix(_FLOAT) for quote in answer.texts("evidence")]
    found: list[tuple[int, int]] = []
    for quote in filter(str.strip, paragraphs):
        start = text.find(quote)
        gold.add_evidence(answer, topic, document, *_span(start, quote), quote)
        found += [_span(start, quote)] if start >= 0 else []
    for key in ("highlighted_evidence", "extractive_spans"):
        for given in answer.texts(key):
            quote = given.removeprefix(_FLOAT)
            places = (text.find(quote, *span) for span in found)
            start = next((place for place in places if place >= 0), NOWHERE)
            if quote.strip():
                gold.add_evidence(answer, topic, document, *_span(start, quote), quote)


def _span(start: int, quote: str) -> tuple[int, int]:
    return (start, start + len(quote)) if start >= 0 else (NOWHERE, NOWHERE)


def _fits(value: Any) -> bool:
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return False
    if "full_text" not in value:
        value = next(iter(value.values()), None)
    return isinstance(value, dict) and {"full_text", "qas"} <= value.keys()


KIND = Kind(
    "qasper",
    LAYOUT,
    "questions on papers, with quotes (QASPER)",
    EXAMPLE,
    read,
    _fits,
    keys=("full_text", "section_name"),
    has_texts=True,
)
