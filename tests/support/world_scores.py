"""Scores of one topic by any measure, exactly: which oracle has the definition of which measure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from support.chunk_oracle import cut, omega
from support.document_oracle import DocumentTopic, discounted
from support.element_oracle import entry_score, hixeval
from support.exact_numbers import ZERO, Exact, quotient
from support.oracle import Asked, Row, Topic, character_recall, score

from excerpt import Policy

#: Names of means, and the measures per topic of which they are means.
MEANS = {
    "MAiP": "AiP",
    "MAgP": "AgP",
    "MRR": "RR",
    "charMAP": "charAP",
    "articleMAP": "articleAP",
    "articleMRR": "articleRR",
    "statMAP": "statAP",
}

#: Measures of assessed elements.
OF_ELEMENTS = {
    *("xCG", "xCI", "gr", "nxCG", "MAnxCG", "ep", "MAep", "iMAep", "Q", "R"),
    *("inex_eval", "inex_eval_ng"),
}


def asked_by(name: str) -> Asked:
    """A measure by its name, such as `charF(beta=2)[3]`; the name of a mean is that of its measure."""
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?(?:\[(.*)\])?", name)
    assert match, name
    pairs = [item.partition("=") for item in (match[2] or "").split(",") if item]
    return Asked(MEANS.get(match[1], match[1]), match[3], tuple((key, value) for key, _, value in pairs))


def words(text: str) -> int:
    """Number of words; each Chinese character is one."""
    return len(re.sub(r"[\u4e00-\u9fff]", " x ", text).split())


def within_words(topic: Topic, budget: int) -> Topic:
    """The results that a budget of words pays for; of the last one the first characters, in proportion."""
    kept: list[Row] = []
    for document, start, end in topic.results:
        cost = words(topic.texts[document][start:end])
        kept.append((document, start, end if cost <= budget else start + (end - start) * budget // cost))
        budget = max(0, budget - cost)
    return replace(topic, results=kept)


def words_read(topic: Topic, asked: Asked) -> Fraction:
    """Words of the first k results."""
    first = topic.results[: int(asked.cutoff) if asked.cutoff else None]
    return Fraction(sum(words(topic.texts[document][start:end]) for document, start, end in first))


def discounted_gain(topic: Topic, asked: Asked) -> Exact:
    """nDCG[k]: new relevant characters, discounted, over those of whole documents, the best first."""
    top = int(asked.cutoff) if asked.cutoff else None
    gains = [count.relevant for count in topic.counts("penalise")]
    best = sorted(map(topic.relevant_in, topic.passages), reverse=True)
    return quotient(discounted(gains[:top]), discounted(best[:top]))


def of_documents(topic: Topic, asked: Asked) -> Exact | None:
    """A measure of documents, which are relevant if they have relevant text."""
    grades = {document: int(topic.relevant_in(document) > 0) for document in topic.passages}
    return DocumentTopic(topic.ranked_documents, grades).score(asked)


def of_entries(topic: Topic, asked: Asked) -> Exact | None:
    """BEPD and EPRUM."""
    return entry_score([row[:2] for row in topic.results], topic.entries, asked)


def of_words(topic: Topic, asked: Asked) -> Exact | None:
    """A measure of the text that a budget of words pays for."""
    kept = within_words(topic, int(dict(asked.parameters)["budget"]))
    return score(Asked(asked.name, asked.cutoff), kept, Policy())


def definition(asked: Asked) -> Callable[[Topic, Asked], Exact | None] | None:
    """The definition of a measure that the oracle of text does not have."""
    options = dict(asked.parameters)
    if asked.name.startswith("article"):
        return of_documents
    if options.get("overlap") == "lambda":
        return lambda topic, asked: hixeval(topic.results, topic.passages, asked)
    if options.get("cost") == "words":
        return words_read if asked.name == "read" else of_words
    return {"BEPD": of_entries, "EPRUM": of_entries, "nDCG": discounted_gain}.get(asked.name)


def text_score(topic: Topic, asked: Asked, policy: Policy) -> Exact | None:
    """The score by any measure of text, documents or entry points; None where it is undefined."""
    if asked.name == "abstained":
        return None if topic.total else Fraction(not topic.results)
    exact = definition(asked)
    if exact is None:
        return score(asked, topic, policy)
    if policy.only_run_topics and not topic.results:
        return None
    if topic.total:
        return exact(topic.cut(policy.limit), asked)
    return ZERO if policy.include_empty else None


def chunk_score(topic: Topic, chunks: list[Row], asked: Asked) -> Fraction | None:
    """The score of chunks by a measure of chunkers."""
    if not topic.total:
        return None
    if asked.name == "ceiling":
        return character_recall(replace(topic, results=chunks), Asked("charR"), Policy())
    if asked.name == "cut":
        return cut(topic, chunks)
    return omega(topic, chunks, legacy=dict(asked.parameters).get("legacy") == "true")
