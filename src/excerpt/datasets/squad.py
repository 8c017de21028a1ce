"""The SQuAD family: articles with paragraphs, and questions about each (SQuAD, XQuAD, CUAD, COVID-QA, …).

A document is a paragraph. Its id is the title of its article and its number from 1 (`Normans#2`), or only the
title if the article has one paragraph. With context `article`, a document is an article, its paragraphs
joined by empty lines. The flat form (a record per question with `context` and `answers`) is read as well.
"""

from __future__ import annotations

from itertools import accumulate

from excerpt.gold.file import Gold, GoldFile, GoldFormat, GoldItem, Titles, has_record, lists, numbered

LAYOUT = (
    '{"data": [{"title": …, "paragraphs": [{"context": …, "qas": [{"id": …, "question": …, '
    '"answers": [{"text": …, "answer_start": …}]}]}]}]}'
)
EXAMPLE = """\
{"data": [{"title": "A", "paragraphs": [{"context": "The rent is due in May.", "qas": [
  {"id": "1", "question": "When is the rent due?", "answers": [{"text": "in May", "answer_start": 16}]}]}]}]}
"""
JOINT = "\n\n"

_QUESTION = {"id", "question", "answers", "is_impossible", "plausible_answers", "question_id"}
_QUESTION |= {"is_yesno", "answer_type", "title", "context", "level", "type"}
_ANSWER = {"text", "answer_start", "answer_id", "document_id", "answer_category", "answer_end"}


def read(file: GoldFile) -> Gold:
    """Read the questions of a file, nested or flat."""
    gold = Gold(file)
    if file.first is None or (isinstance(file.first, dict) and isinstance(file.first.get("data"), list)):
        _read_nested(gold, file.object())
    else:
        _read_flat(gold, list(file.objects()))
    return gold


def _read_nested(gold: Gold, whole: GoldItem) -> None:
    whole.note_unknown({"data", "version"})
    articles: dict[str, list[GoldItem]] = {}
    for number, article in enumerate(whole.each("data"), 1):
        article.note_unknown({"title", "paragraphs"})
        paragraphs = article.each("paragraphs")
        named = paragraphs[0].name("document_id", missing="") if paragraphs else ""
        title = article.name("title", missing=named or str(number))
        articles.setdefault(title, []).extend(paragraphs)
    for title, paragraphs in articles.items():
        _read_article(gold, title, paragraphs)


def _read_article(gold: Gold, title: str, paragraphs: list[GoldItem]) -> None:
    texts = [paragraph.text("context") for paragraph in paragraphs]
    whole = gold.file.context == "article"
    if whole and paragraphs:
        gold.add_document(paragraphs[0], title, JOINT.join(texts))
    before = 0
    for number, (paragraph, text) in enumerate(zip(paragraphs, texts, strict=True), 1):
        paragraph.note_unknown({"context", "qas", "document_id"})
        document = title if whole else numbered(title, number, len(paragraphs))
        if not whole:
            gold.add_document(paragraph, document, text)
        for question in paragraph.each("qas"):
            _read_question(gold, question, question.each("answers", needed=False), document, title, before)
        before += len(text) + len(JOINT) if whole else 0


def _read_flat(gold: Gold, questions: list[GoldItem]) -> None:
    """Read records with a question each; paragraphs of a title are numbered in the order of the file."""
    own = gold.file.stem or "context"
    records = [(one, one.name("title", missing=own), one.text("context")) for one in questions]
    titles = Titles((title, text) for _, title, text in records)
    whole = gold.file.context == "article"
    starts = {
        title: [0, *accumulate(len(text) + len(JOINT) for text in texts)]
        for title, texts in titles.numbers.items()
    }
    joined = {title: JOINT.join(texts) for title, texts in titles.numbers.items()} if whole else {}
    for question, title, text in records:
        document = title if whole else titles.name(title, text)
        gold.add_document(question, document, joined[title] if whole else text)
        before = starts[title][titles.numbers[title][text] - 1] if whole else 0
        _read_question(gold, question, question.rows("answers"), document, title, before)


def _read_question(
    gold: Gold, question: GoldItem, answers: list[GoldItem], document: str, title: str, before: int
) -> None:
    """Add a question on a document; answers are alternatives, except in CUAD (ids `title__category`)."""
    question.note_unknown(_QUESTION)
    topic = gold.add_question(question, question.name("id", "question_id"), question.text("question"), title)
    gold.add_judged(topic, document)
    if question.value.get("is_impossible") is True:
        return
    for answer in answers:
        answer.note_unknown(_ANSWER)
        text = answer.text("text")
        start = answer.whole("answer_start", -1, least=-1)
        if text.strip():
            span = (before + start, before + start + len(text)) if start >= 0 else (-1, -1)
            gold.add_evidence(
                answer, topic, document, *span, text, need=-1 if topic.startswith(f"{title}__") else 0
            )


KIND = GoldFormat(
    "squad",
    LAYOUT,
    "questions on paragraphs (SQuAD, XQuAD, CUAD, COVID-QA)",
    EXAMPLE,
    read,
    lambda value: lists(value, "data", "paragraphs") or has_record(value, "context", "question", "answers"),
    keys=("data", "paragraphs"),
    has_texts=True,
    has_articles=True,
)
