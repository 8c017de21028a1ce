"""What is said of measures and topics that do not count as one might think."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from excerpt.errors import short_list
from excerpt.measures import Measure
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices

#: What measures may wish for, each with what they do without it.
WISHES = {"text": "white space counts as text under {}, since there is no corpus to tell where it is"}
_SHOWN = 3


def notice_wishes(measures: Mapping[str, Measure], has: Collection[str], notices: Notices) -> None:
    """Say once what some measures do without what they wish for."""
    for wish, message in WISHES.items():
        names = [name for name, measure in measures.items() if wish in measure.wishes and wish not in has]
        if names:
            notices.add(message.format(short_list(names, _SHOWN)))


def notice_lengths(measures: Mapping[str, Measure], judgments: Judgments, notices: Notices) -> None:
    """Say where what is read cannot be counted, since nobody knows how long documents are."""
    names = [
        name
        for name, measure in measures.items()
        if not measure.is_share or getattr(measure, "budget", None) is not None
    ]
    if names and judgments.only_documents:
        notices.add(
            f"each document counts as 1 character under {short_list(names, _SHOWN)}, "
            "since there is no corpus to tell how long it is"
        )


def notice_empty_topics(judgments: Judgments, notices: Notices) -> None:
    """Count topics without relevant text."""
    of = f" of {judgments.source}" if judgments.source else ""
    notices.add_marked(
        "topic has no relevant text and was left out of the means",
        ~judgments.has_relevant,
        lambda topic: f"topic {judgments.topics[topic]}{of}",
    )


def notice_repeats(joined: Joined, notices: Notices) -> None:
    """Count results that were given before for their topic: the same text of the same document.

    An element and its only child have the same text, but are two results where they are named by path.
    """
    placed = joined.placed
    if len(placed.opens) == len(placed):  # no document twice
        return
    rows = placed.repeated
    columns = np.stack(
        [column[rows] for column in (placed.group, placed.start, placed.end, placed.run.element)]
    )
    sorted_ = np.lexsort(columns)
    order, columns = rows[sorted_], columns[:, sorted_]
    same = (columns[:, 1:] == columns[:, :-1]).all(axis=0) & (placed.end > placed.start)[order[1:]]
    again = np.zeros(len(placed), np.bool_)
    again[order[1:][same]] = True
    notices.add_marked(
        "result was given before for its topic, and is read again",
        again,
        lambda row: f"topic {placed.topics[int(placed.topic[row])]}, {placed.run.place(row)}",
    )


def notice_nothing_to_gain(
    name: str, measure: Measure, scores: FloatArray, joined: Joined, notices: Notices
) -> None:
    """Count topics with results that have something relevant, but nothing that a measure counts."""
    if not measure.needs & {"graded elements", "grades of documents"} and "text" not in measure.wishes:
        return
    judgments = joined.judgments
    counts = judgments.has_relevant | ("highlights" not in measure.needs)
    notices.add_marked(
        f"topic has nothing to gain under {name} and was left out of its mean",
        np.isnan(scores) & (joined.results > 0) & counts,
        lambda topic: f"topic {judgments.topics[topic]}",
    )
