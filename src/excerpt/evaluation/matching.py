"""Do a run and judgments speak of the same topics and documents? Else a score says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from excerpt.errors import ExcerptError, short_list
from excerpt.model.joined import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex

_SHOWN = 3
_EXTENSIONS = (".xml", ".txt", ".html", ".json")


def check_match(run: Run, judgments: Judgments, index: OffsetIndex | None, notices: Notices) -> None:
    """An error where a run has no topic of the judgments, or no document that judgments or index know.

    Unjudged documents are normal, so one common document is enough; and where an index knows the documents
    of a run, that none of them was judged is only doubtful.
    """
    if not run.topics or not judgments.topics:
        return
    where, judged = run.source or run.name, judgments.source or "the judgments"
    if judgments.topic_codes.keys().isdisjoint(run.topics):
        raise ExcerptError(
            f"found the topics {short_list(run.topics, _SHOWN)}, expected topics of {judged}, "
            f"such as {short_list(judgments.topics, _SHOWN)}",
            path=where,
            hint=_suggest(run.topics, judgments.topics),
        )
    if not judgments.document_codes.keys().isdisjoint(run.documents):
        return
    if index is not None and bool((index.document_codes(run.documents) >= 0).any()):
        notices.add("run has no document of the judgments", where=where)
        return
    raise ExcerptError(
        f"found the documents {short_list(run.documents, _SHOWN)}, expected documents of {judged}, "
        f"such as {short_list(judgments.documents, _SHOWN)}",
        path=where,
        hint=_suggest(run.documents, judgments.documents),
    )


def notice_missing_topics(joined: Joined, notices: Notices) -> None:
    """Count topics that have no results and score 0 for it."""
    if joined.policy.only_run_topics:
        return
    judgments = joined.judgments
    missing = joined.results == 0
    if len(judgments.spans) and not joined.policy.include_empty:
        missing &= judgments.has_relevant
    if missing.any():
        topic = judgments.topics[int(np.argmax(missing))]
        notices.add(
            "topic of the judgments has no results in the run and scores 0",
            int(missing.sum()),
            where=f"topic {topic} of {joined.run.source or joined.run.name}",
        )


def _suggest(ours: Iterable[str], theirs: Iterable[str]) -> str:
    """How the names of a run and those of the judgments would meet, as far as a simple rule tells."""
    for says, rule in _RULES.items():
        if not set(map(rule, ours)).isdisjoint(map(rule, theirs)):
            return f"they would match {says}"
    return "are these judgments of the same collection?"


def _strip(name: str, *, end: str) -> str:
    return name[: -len(end)] if name.lower().endswith(end) else name


def _without_extension(name: str) -> str:
    return next((name[: -len(end)] for end in _EXTENSIONS if name.lower().endswith(end)), name)


def _without_folders(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


#: Rules under which names may meet, the simplest first.
_RULES: dict[str, Callable[[str], str]] = {
    **{f"without the ending {end}": partial(_strip, end=end) for end in _EXTENSIONS},
    "without the folders before the name": _without_folders,
    "without folders and ending": lambda name: _without_extension(_without_folders(name)),
    "in lower case": str.casefold,
    "without leading zeros": lambda name: name.lstrip("0"),
    "in lower case, without folders and ending": lambda name: _without_extension(
        _without_folders(name)
    ).casefold(),
}
