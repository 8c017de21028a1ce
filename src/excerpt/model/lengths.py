"""Where each result starts and ends, also where results are whole documents of unknown length."""

from __future__ import annotations

import numpy as np

from excerpt.errors import PolicyError
from excerpt.model.judgments import Judgments
from excerpt.model.policy import UNKNOWN_LENGTH, Policy
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, IntArray
from excerpt.notices import Notices


def spans_of(
    run: Run, judgments: Judgments, document: IntArray, policy: Policy | None, notices: Notices
) -> tuple[IntArray, IntArray, IntArray]:
    """Start, end and size of each result; results that do not exist are empty spans of a fixed size.

    `document` is the judged document of each. Without a policy nobody asks how long whole documents are.
    """
    if run.kind == "documents":
        size = np.append(judgments.document_sizes, UNKNOWN)[document]
        unknown = np.flatnonzero(size == UNKNOWN)
        size[unknown] = 1  # where documents are what is judged, each is one thing to read
        if len(unknown) and policy is not None and judgments.scale != "documents":
            size[unknown] = _lengths(run, judgments, document, unknown, policy, notices)
        return np.zeros(len(run), np.int64), size, size
    known = run.known
    start, end = np.where(known, run.start, 0), np.where(known, run.end, 0)
    return start, end, np.where(known, end - start, UNKNOWN_LENGTH)


def _lengths(
    run: Run, judgments: Judgments, document: IntArray, rows: IntArray, policy: Policy, notices: Notices
) -> IntArray:
    """How long to take the documents of some results to be; never too short for what is relevant there."""
    known = judgments.document_sizes[judgments.document_sizes != UNKNOWN]
    length = policy.unknown_length
    if length == "error" or (length == "mean" and not len(known)):
        row = int(rows[0])
        name = run.documents[int(run.document[row])]
        where = f"topic {run.topics[int(run.topic[row])]}, document {name}"
        raise PolicyError(
            f"found {_said(len(rows))} of unknown length (first: {where}), "
            "expected the length of each" + (" or of some other" if length == "mean" else ""),
            path=run.source or run.name,
            line=int(run.line[row]) or None,
            hint="give ⟨index⟩, or try "
            + ("⟨unknown_length=mean⟩ (the mean of the known lengths) or " if len(known) else "")
            + "⟨unknown_length=6000⟩ (a number of characters)",
        )
    taken = (2 * int(known.sum()) + len(known)) // (2 * len(known)) if length == "mean" else int(length)
    notices.add(
        f"result is a document of unknown length, taken as {taken} characters",
        len(rows),
        where=run.place(int(rows[0])),
    )
    reach = np.zeros(len(judgments.documents) + 1, np.int64)
    np.maximum.at(reach, judgments.pair_document[judgments.spans.group], judgments.spans.end)
    return np.maximum(reach[document[rows]], taken)


def _said(count: int) -> str:
    return "1 result that is a document" if count == 1 else f"{count} results that are documents"
