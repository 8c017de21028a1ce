"""Tables that notebooks show of runs, judgments, corpora and chunks: at most ten rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import short
from excerpt.model.spans import sums
from excerpt.render import layout
from excerpt.render.tables import Table, html

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.model.judgments import Judgments
    from excerpt.model.run import Run
    from excerpt.placing.chunks import Chunks

_SHOWN, _TEXT = 10, 80


def value_html(value: object) -> str:
    """The `repr` of a value, and its table."""
    table = TABLES[type(value).__name__](value)
    return f"<p>{layout.html(repr(value))}</p>\n{html(table)}"


def _run(run: Run) -> Table:
    """The questions of which most text is returned."""
    read = sums(run.topic_code, np.maximum(run.end - run.start, 0), len(run.topics))
    results = np.bincount(run.topic_code, minlength=len(run.topics))
    rows = [
        (short(run.topics[at], _TEXT), str(results[at]), f"{read[at]:,}")
        for at in np.argsort(-read, kind="stable")[:_SHOWN].tolist()
    ]
    return Table(("topic", "results", "characters"), tuple(rows), "most text")


def _judgments(judgments: Judgments) -> Table:
    """The questions with most relevant text, which a run may miss."""
    passages = np.bincount(judgments.pair_topic[judgments.spans.group], minlength=len(judgments.topics))
    relevant, rows = judgments.relevant_by_topic, []
    for at in np.argsort(-relevant, kind="stable")[:_SHOWN].tolist():
        topic = judgments.topics[at]
        question = judgments.questions.get(topic)
        text = "" if question is None else question.title or question.text
        rows.append((short(topic, _TEXT), short(text, _TEXT), str(passages[at]), f"{relevant[at]:,}"))
    return Table(
        ("topic", "question", "passages", "characters"), tuple(rows), "topics with most relevant text"
    )


def _corpus(corpus: Corpus) -> Table:
    """The first documents, with their lengths and beginnings."""
    rows = []
    for name in islice(corpus, _SHOWN):
        text = corpus[name]
        rows.append((short(name, _TEXT), f"{len(text):,}", short(" ".join(text[: 4 * _TEXT].split()), _TEXT)))
    return Table(("document", "characters", "beginning"), tuple(rows), "first documents")


def _chunks(chunks: Chunks) -> Table:
    """The documents with most lost chunks, else those with most chunks."""
    lost, every = Counter[str](), Counter[str]()
    for part in (chunks, *([chunks.left_out] if chunks.left_out is not None else [])):
        for code, start in zip(part.document.tolist(), part.start.tolist(), strict=True):
            every[part.documents[code]] += 1
            lost[part.documents[code]] += start < 0
    names = sorted(every, key=lambda name: (-lost[name], -every[name]))[:_SHOWN]
    rows = [(short(name, _TEXT), str(every[name]), str(lost[name])) for name in names]
    return Table(("document", "chunks", "lost"), tuple(rows), "documents with most lost chunks")


TABLES: Mapping[str, Callable[[Any], Table]] = {
    "Run": _run,
    "Judgments": _judgments,
    "Corpus": _corpus,
    "Chunks": _chunks,
}
