"""Policies for results that break the rules of a task, and the default limit of results per topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, get_args

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.model.spans import MAX_OFFSET

if TYPE_CHECKING:
    from excerpt.model.run import Run


class DefaultLimit(int):
    """A limit that the caller did not give: it applies to focused runs, not to runs of whole documents."""


#: Limit of INEX.
DEFAULT_LIMIT = DefaultLimit(1500)


Overlap: TypeAlias = Literal["error", "first", "penalise", "allow"]
Interleaved: TypeAlias = Literal["error", "regroup"]
Unknown: TypeAlias = Literal["count", "error"]
UnknownLength: TypeAlias = Literal["error", "mean"] | int

#: Number of characters that INEX counted for an element that does not exist.
UNKNOWN_LENGTH = 18


class PolicyOptions(TypedDict, total=False):
    """The fields of `Policy`, as keyword arguments of functions that evaluate runs."""

    overlap: Overlap
    interleaved: Interleaved
    unknown: Unknown
    unknown_length: UnknownLength
    limit: int | None
    only_run_topics: bool
    include_empty: bool
    limit_documents: bool | None


@dataclass(frozen=True)
class Policy:
    """Treatment of runs that break a task's rules, and of topics without results or relevant text.

    `overlap` applies to measures of tasks whose results must not overlap: `error`; `first`, each character
    counts once, as read and as relevant; `penalise`, once as relevant, every time as read; `allow`, every
    time as both. `interleaved` applies to the in-context tasks, where the results of a document must be
    adjacent. `unknown` applies to results beyond the end of a document and elements that do not exist.
    `unknown_length` applies to whole documents as results of unknown length, under measures of text:
    `error`; `mean`, the mean of the known lengths of judged documents; or a number of characters. `limit` is
    the number of results per topic that count. `limit_documents` applies the limit to runs of whole
    documents; a limit that you give always applies to them.
    """

    overlap: Overlap = "error"
    interleaved: Interleaved = "error"
    unknown: Unknown = "count"
    unknown_length: UnknownLength = "error"
    limit: int | None = DEFAULT_LIMIT
    only_run_topics: bool = False
    include_empty: bool = False
    limit_documents: bool | None = None

    @classmethod
    def of(cls, policy: Policy | None, options: Mapping[str, Any]) -> Policy:
        """Return the policy of a call: the one given, or that of its fields among the keyword arguments.

        >>> Policy.of(None, {"overlap": "first", "order": "file"}).overlap
        'first'
        """
        fields = {name: options[name] for name in PolicyOptions.__annotations__ if name in options}
        if policy is None:
            return cls(**fields)
        if fields:
            message = f"policy cannot be combined with {', '.join(fields)}"
            raise ExcerptError(message, hint="give all fields to the policy, or none")
        if not isinstance(policy, Policy):
            raise ExcerptError(f"found {short(repr(policy))} as policy, expected a Policy")
        return policy

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
        given = not isinstance(self.limit, DefaultLimit) and self.limit_documents is None
        always = bool(self.limit_documents) or given or self.limit != DEFAULT_LIMIT
        object.__setattr__(self, "limit_documents", always)

    def limit_of(self, run: Run) -> int | None:
        """Number of results per topic of this run that count; None for all."""
        documents = run.whole or run.kind == "documents"
        return None if documents and not self.limit_documents else self.limit


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
