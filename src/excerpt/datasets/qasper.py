"""QASPER: questions on papers, answered by paragraphs and sentences that are quoted without offsets.

The text of a paper is its title, its abstract, its sections (name and paragraphs) and the captions of its
figures and tables, separated by empty lines. Evidence, highlighted sentences and extracted words of an
annotator are one alternative; several annotators are alternatives. The reader accepts the release (papers by
id) and records with columns (`section_name`, …).
"""

from __future__ import annotations

from typing import Any

from excerpt.gold.file import NOWHERE, Gold, GoldFile, GoldFormat, GoldItem

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
#: The prefix of the caption of a figure or a table in evidence.
_FLOAT = "FLOAT SELECTED: "


def read(file: GoldFile) -> Gold:
    """Read the questions of all papers; the group of each is its paper."""
    gold = Gold(file)
    for name, paper in _papers(file):
        text = JOINT.join(part for part in _parts(paper) if part.strip())
        gold.add_document(paper, name, text)
        for question, answers in _questions(paper):
            topic = gold.add_question(
                question, question.name("question_id", "id"), question.text("question"), name
            )
            gold.add_judged(topic, name)
            for number, answer in enumerate(answers):
                _add(gold, answer, number, topic, name, text)
    return gold


def _papers(file: GoldFile) -> list[tuple[str, GoldItem]]:
    if isinstance(file.first, dict) and "full_text" not in file.first and not file.is_lines:
        whole = file.object()
        return [(name, whole.inner(name)) for name in whole.value]
    return [(paper.name("id", "paper_id"), paper) for paper in file.objects()]


def _parts(paper: GoldItem) -> list[str]:
    parts = [paper.text(key) for key in ("title", "abstract") if paper.has(key)]
    for section in paper.rows("full_text"):
        parts += [section.text("section_name")] if section.has("section_name") else []
        parts += section.texts("paragraphs")
    captions = paper.rows("figures_and_tables", needed=False)
    return parts + [caption.text("caption") for caption in captions if caption.has("caption")]


def _questions(paper: GoldItem) -> list[tuple[GoldItem, list[GoldItem]]]:
    questions = []
    for question in paper.rows("qas"):
        if isinstance(question.value.get("answers"), dict):
            questions.append((question, question.inner("answers").each("answer")))
        else:
            questions.append((question, [one.inner("answer") for one in question.each("answers")]))
    return questions


def _add(gold: Gold, answer: GoldItem, number: int, topic: str, document: str, text: str) -> None:
    """Add the evidence of an annotator, located anywhere; other quotes are located in it if possible."""
    paragraphs = [quote.removeprefix(_FLOAT) for quote in answer.texts("evidence")]
    spans: list[tuple[int, int]] = []
    for quote in filter(str.strip, paragraphs):
        start = text.find(quote)
        gold.add_evidence(answer, topic, document, *_span(start, quote), quote, 0, number)
        spans += [_span(start, quote)] if start >= 0 else []
    for key in ("highlighted_evidence", "extractive_spans"):
        for quote in (given.removeprefix(_FLOAT) for given in answer.texts(key)):
            starts = (text.find(quote, *span) for span in spans)
            start = next((start for start in starts if start >= 0), NOWHERE)
            if quote.strip():
                gold.add_evidence(answer, topic, document, *_span(start, quote), quote, 0, number)


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


KIND = GoldFormat(
    "qasper",
    LAYOUT,
    "questions on papers, with quotes (QASPER)",
    EXAMPLE,
    read,
    _fits,
    keys=("full_text", "section_name"),
    has_texts=True,
)
