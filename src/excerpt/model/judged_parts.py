"""Judgments of several files as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from excerpt.errors import ExcerptError, FormatError
from excerpt.model.elements import GradedElements
from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray, KeyedSpans


def put_together(parts: Sequence[Judgments], source: str) -> Judgments:
    """Judgments of several files as one; no topic may be in two of them."""
    topics = _topics_of_one_file_each(parts)
    assessed = [part for part in parts if part.elements is not None or len(part.spans)]
    scales = sorted({part.scale for part in assessed})
    if len(scales) > 1 and scales != ["exhaustivity 0-2", "highlights"]:
        raise ExcerptError(f"found judgments by {' and by '.join(scales)}, expected one scale")
    documents = tuple(dict.fromkeys(document for part in parts for document in part.documents))
    topic_code = {topic: code for code, topic in enumerate(topics)}
    document_code = {document: code for code, document in enumerate(documents)}
    moved = [
        part.recoded(
            topics,
            documents,
            np.array([topic_code[topic] for topic in part.topics], np.int64),
            np.array([document_code[document] for document in part.documents], np.int64),
        )
        for part in parts
    ]
    shift = np.cumsum([0, *(len(part) for part in moved)])
    return replace(
        moved[0],
        pair_topic=np.concatenate([part.pair_topic for part in moved]),
        pair_document=np.concatenate([part.pair_document for part in moved]),
        pair_size=np.concatenate([part.pair_size for part in moved]),
        pair_entry=np.concatenate([part.pair_entry for part in moved]),
        spans=KeyedSpans(
            np.concatenate([part.spans.group + by for part, by in zip(moved, shift, strict=False)]),
            np.concatenate([part.spans.start for part in moved]),
            np.concatenate([part.spans.end for part in moved]),
        ),
        elements=GradedElements.together([part.elements for part in moved], shift),
        questions={name: question for part in parts for name, question in part.questions.items()},
        grades=_grades(moved),
        evidence=_evidence(parts),
        source=source,
    )


def _grades(parts: Sequence[Judgments]) -> IntArray | None:
    """The grades of all pairs; None where a part has none."""
    known = [part.grades for part in parts if part.grades is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _evidence(parts: Sequence[Judgments]) -> dict[str, int]:
    """What came of the quoted passages of all files; what was counted in some of them only is not told."""
    counted = [part.evidence for part in parts if part.evidence]
    kinds = [kind for kind in counted[0] if all(kind in some for some in counted)] if counted else []
    return {kind: sum(some[kind] for some in counted) for kind in kinds}


def _topics_of_one_file_each(parts: Sequence[Judgments]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for part in parts:
        for topic in part.topics:
            if topic in seen:
                raise FormatError(
                    f"found topic {topic}, which {seen[topic] or 'another part'} has too, expected it once",
                    path=part.source or None,
                    hint="keep one of the two assessments",
                )
            seen[topic] = part.source
    return tuple(seen)
