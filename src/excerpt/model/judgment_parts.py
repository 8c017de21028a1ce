"""Judgments of some pairs of others, with other codes, and of several files together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import ExcerptError, FormatError
from excerpt.model.judgments import Inclusion, Judgments, Scale
from excerpt.model.spans import BoolArray, IntArray, KeyedSpans

if TYPE_CHECKING:
    from excerpt.model.alternatives import TopicNeeds


def keep_pairs(judgments: Judgments, topics: BoolArray, pairs: BoolArray) -> Judgments:
    """Return the judgments of some topics, with some of their judged pairs; other documents are unjudged."""
    names = tuple(name for name, kept in zip(judgments.topics, topics.tolist(), strict=True) if kept)
    place, pair = np.cumsum(topics) - 1, np.cumsum(pairs) - 1
    spans, inside = judgments.spans, pairs[judgments.spans.group]
    elements = judgments.elements
    return replace(
        judgments,
        topics=names,
        pair_topic=place[judgments.pair_topic[pairs]],
        pair_document=judgments.pair_document[pairs],
        pair_size=judgments.pair_size[pairs],
        pair_entry=judgments.pair_entry[pairs],
        grades=None if judgments.grades is None else judgments.grades[pairs],
        inclusion=judgments.inclusion and judgments.inclusion.of(pairs),
        spans=KeyedSpans(pair[spans.group[inside]], spans.start[inside], spans.end[inside]),
        elements=None if elements is None else elements.of_pairs(pairs),
        questions={name: text for name, text in judgments.questions.items() if name in set(names)},
        sizes=judgments.document_sizes,
        alternatives=_kept_needs(judgments, set(names), pairs),
        quoted=tuple(one for one in judgments.quoted if one.topic in set(names)),
        rows=tuple(row for row in judgments.rows if row.topic in set(names)),
    )


def _kept_needs(judgments: Judgments, names: set[str], pairs: BoolArray) -> TopicNeeds:
    """Needs of topics with those alternatives of which every part is in a judged document."""
    left = {name: needs for name, needs in judgments.alternatives.items() if name in names}
    topic, document = (column[pairs].tolist() for column in (judgments.pair_topic, judgments.pair_document))
    judged = {
        (judgments.topics[one], judgments.documents[two]) for one, two in zip(topic, document, strict=True)
    }
    needs = {
        topic: tuple(
            kept
            for need in several
            if (kept := tuple(one for one in need if all((topic, part.document) in judged for part in one)))
        )
        for topic, several in left.items()
    }
    return {topic: several for topic, several in needs.items() if any(need[1:] for need in several)}


def combine(parts: Sequence[Judgments], *, source: str = "") -> Judgments:
    """Combine judgments of several files; no topic may be in two of them."""
    from excerpt.model.elements import GradedElements

    topics = _topics_of_one_file_each(parts)
    documents = tuple(dict.fromkeys(document for part in parts for document in part.documents))
    topic_code = {topic: code for code, topic in enumerate(topics)}
    document_code = {document: code for code, document in enumerate(documents)}
    moved = []
    for part in parts:
        topic = np.array([topic_code[name] for name in part.topics], np.int64)
        document = np.array([document_code[name] for name in part.documents], np.int64)
        moved.append(recode(part, topics, documents, topic, document))
    grades = [part.grades for part in moved if part.grades is not None]
    shift = np.cumsum([0, *(len(part) for part in moved)])
    names = ("pair_topic", "pair_document", "pair_size", "pair_entry")
    pairs: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in moved]) for name in names}
    return replace(
        moved[0],
        **pairs,
        spans=KeyedSpans(
            np.concatenate([part.spans.group + by for part, by in zip(moved, shift, strict=False)]),
            np.concatenate([part.spans.start for part in moved]),
            np.concatenate([part.spans.end for part in moved]),
        ),
        elements=GradedElements.together([part.elements for part in moved], shift),
        alternatives={name: needs for part in parts for name, needs in part.alternatives.items()},
        questions={name: question for part in parts for name, question in part.questions.items()},
        grades=np.concatenate(grades) if len(grades) == len(moved) else None,
        evidence=_evidence(parts),
        quoted=tuple(one for part in parts for one in part.quoted),
        rows=tuple(row for part in parts for row in part.rows),
        gold=any(part.gold for part in parts),
        fingerprints={name: one for part in parts for name, one in part.fingerprints.items()},
        inclusion=_together([part.inclusion for part in moved], source),
        source=source,
        scale=_scale(parts, source),
    )


def _together(parts: Sequence[Inclusion | None], folder: str) -> Inclusion | None:
    """Return the sampling of all files; raise if only some files have probabilities."""
    known = [part for part in parts if part is not None]
    if known and len(known) < len(parts):
        message = f"found {len(parts) - len(known)} files without probabilities, expected them in every file"
        raise ExcerptError(message, path=folder or None)
    first = np.cumsum([0, *(len(part.probability) for part in known)])
    strata = [part.stratum + by for part, by in zip(known, first, strict=False)]
    probability = tuple(one for part in known for one in part.probability)
    return Inclusion(probability, np.concatenate(strata)) if known else None


def recode(
    judgments: Judgments,
    topics: tuple[str, ...],
    documents: tuple[str, ...],
    topic: IntArray,
    document: IntArray,
) -> Judgments:
    """Return the same judgments with other lists of topics and documents, sorted by the new codes."""
    pair_topic, pair_document = topic[judgments.pair_topic], document[judgments.pair_document]
    order = np.lexsort((pair_document, pair_topic))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    elements = judgments.elements and replace(judgments.elements, pair=place[judgments.elements.pair])
    return replace(
        judgments,
        topics=topics,
        documents=documents,
        pair_topic=pair_topic[order],
        pair_document=pair_document[order],
        pair_size=judgments.pair_size[order],
        pair_entry=judgments.pair_entry[order],
        grades=None if judgments.grades is None else judgments.grades[order],
        inclusion=judgments.inclusion and judgments.inclusion.of(order),
        spans=KeyedSpans.union(place[judgments.spans.group], judgments.spans.start, judgments.spans.end),
        elements=elements,
        sizes=None,
    )


def _scale(parts: Sequence[Judgments], folder: str) -> Scale:
    """Return the scale of all files; a topic of graded assessments may have the highest grade only."""
    scales = {part.scale for part in parts}
    if "documents" in scales and len(scales) > 1:
        message = "judgments of whole documents and judgments of text cannot be combined"
        raise ExcerptError(message, path=folder or None)
    # A file without assessments does not show its scale.
    files = {part.scale: part.source for part in reversed(parts) if part.elements or len(part.spans)}
    if "exhaustivity 0-2" in files:
        files.pop("highlights", None)
    if len(files) > 1:
        one, other = sorted(files, key=lambda scale: files[scale])[:2]
        found = f"found judgments by {one} ({files[one]}) and judgments by {other} ({files[other]})"
        raise ExcerptError(f"{found}, expected one scale", path=folder or None)
    return next(iter(files), parts[0].scale)


def _evidence(parts: Sequence[Judgments]) -> dict[str, int]:
    """Counts of quoted passages over all files, of the kinds that were counted in each of them."""
    counted = [part.evidence for part in parts if part.evidence]
    kinds = [kind for kind in counted[0] if all(kind in some for some in counted)] if counted else []
    return {kind: sum(some[kind] for some in counted) for kind in kinds}


def _topics_of_one_file_each(parts: Sequence[Judgments]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for part in parts:
        for topic in part.topics:
            if topic in seen:
                message = f"found topic {topic} again, expected it only in {seen[topic] or 'another part'}"
                raise FormatError(message, path=part.source or None, hint="keep one of the two assessments")
            seen[topic] = part.source
    return tuple(seen)
