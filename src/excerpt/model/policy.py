"""Policies for results that break the rules of a task, and the default limit of results per topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.spans import MAX_OFFSET

if TYPE_CHECKING:
    from excerpt.model.run import Run


class UsualLimit(int):
    """A limit that nobody asked for: it is of focused runs, not of runs of whole documents."""


#: What INEX allowed.
USUAL_LIMIT = UsualLimit(1500)


Overlap: TypeAlias = Literal["error", "first", "penalise", "allow"]
Interleaved: TypeAlias = Literal["error", "regroup"]
Unknown: TypeAlias = Literal["count", "error"]
UnknownLength: TypeAlias = Literal["error", "mean"] | int

#: What INEX charged for a result that names an element which does not exist.
UNKNOWN_LENGTH = 18


@dataclass(frozen=True)
class Policy:
    """What to do with runs that break a task's rules, and which topics count.

    `overlap` governs the measures of tasks whose results must not share text: `error`; `first`, each
    character counts once, as read and as relevant; `penalise`, once as relevant, every time as read;
    `allow`, every time as both. `interleaved` governs the in-context tasks, whose documents must come in
    one piece each. `unknown` governs results beyond the end of a document and elements that do not exist.
    `unknown_length` governs whole documents as results whose length neither judgments nor index tell, under
    measures of text: `error`; `mean`, the mean length of the judged documents whose length is known; or a
    number of characters. `limit` is how many results of a topic count; `limit_documents` says whether that
    holds for runs of whole documents too, as it does for a limit that you give.
    """

    overlap: Overlap = "error"
    interleaved: Interleaved = "error"
    unknown: Unknown = "count"
    unknown_length: UnknownLength = "error"
    limit: int | None = USUAL_LIMIT
    only_run_topics: bool = False
    include_empty: bool = False
    limit_documents: bool | None = None

    def __post_init__(self) -> None:
        for name, choices in (("overlap", Overlap), ("interleaved", Interleaved), ("unknown", Unknown)):
            if getattr(self, name) not in get_args(choices):
                raise UnknownName(f"policy for {name}", str(getattr(self, name)), get_args(choices))
        if self.limit is not None and not _counts(self.limit):
            raise ExcerptError(f"found limit {self.limit}, expected a whole number of at least 1, or None")
        length = self.unknown_length
        if length not in ("error", "mean") and not (_counts(length) and int(length) <= MAX_OFFSET):
            raise ExcerptError(
                f"found unknown_length {length!r}, expected error, mean, or a number from 1 to {MAX_OFFSET}"
            )
        asked = not isinstance(self.limit, UsualLimit) and self.limit_documents is None
        always = bool(self.limit_documents) or asked or self.limit != USUAL_LIMIT
        object.__setattr__(self, "limit_documents", always)

    def limit_of(self, run: Run) -> int | None:
        """How many results of a topic of this run count; None for all."""
        whole = run.whole or run.kind == "documents"
        return None if whole and not self.limit_documents else self.limit


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
