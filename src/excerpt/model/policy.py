"""What to do with runs that break a task's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from excerpt.errors import ExcerptError, UnknownName

Overlap: TypeAlias = Literal["error", "first", "penalise", "allow"]
Interleaved: TypeAlias = Literal["error", "regroup"]
Unknown: TypeAlias = Literal["count", "error"]

#: What INEX charged for a result that names an element which does not exist.
UNKNOWN_LENGTH = 18


@dataclass(frozen=True)
class Policy:
    """What to do with runs that break a task's rules, and which topics count.

    `overlap` governs the measures of tasks whose results must not share text: `error`; `first`, each
    character counts once, as read and as relevant; `penalise`, once as relevant, every time as read;
    `allow`, every time as both. `interleaved` governs the in-context tasks, whose documents must come in
    one piece each. `unknown` governs results beyond the end of a document and elements that do not exist.
    """

    overlap: Overlap = "error"
    interleaved: Interleaved = "error"
    unknown: Unknown = "count"
    limit: int | None = 1500
    only_run_topics: bool = False
    include_empty: bool = False

    def __post_init__(self) -> None:
        for name, choices in (("overlap", Overlap), ("interleaved", Interleaved), ("unknown", Unknown)):
            if getattr(self, name) not in get_args(choices):
                raise UnknownName(f"policy for {name}", str(getattr(self, name)), get_args(choices))
        if self.limit is not None and (not isinstance(self.limit, int) or self.limit < 1):
            raise ExcerptError(f"found limit {self.limit}, expected a whole number of at least 1, or none")
