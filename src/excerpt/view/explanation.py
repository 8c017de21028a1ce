"""Where a run fails and why, as plain data: questions with the passages it missed and what it returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.errors import plural
from excerpt.model.display import Showable

if TYPE_CHECKING:
    import pandas as pd

    from excerpt.corpus import Corpus


class MissedPassage(NamedTuple):
    """A relevant passage that was not wholly read, with its context and the reason."""

    document: str
    start: int
    end: int
    #: One of `excerpt.view.reasons.REASONS`.
    reason: str
    #: The rank at which the passage is complete at last, if it ever is.
    rank: int | None
    #: Characters that are no white space, and how many of them were read.
    characters: int
    found: int
    text: str
    before: str = ""
    after: str = ""
    #: How many chunks hold some of it, and the most characters in one; None without chunks.
    chunks: int | None = None
    largest: int | None = None
    #: Whether the other run has it; None where there is none.
    other: bool | None = None
    #: Results of the document that were read: start, end, rank.
    read: tuple[tuple[int, int, int], ...] = ()


class Instead(NamedTuple):
    """A result that was returned: where it stands, how much of it is relevant, how its text begins."""

    rank: int
    document: str
    #: None where the result stands nowhere.
    start: int | None
    end: int | None
    relevant: int
    text: str


@dataclass(frozen=True)
class Failure:
    """A question with passages that were missed, and what was returned instead."""

    topic: str
    question: str
    group: str
    score: float | None
    #: The score of the other run.
    other: float | None
    passages: int
    missed: tuple[MissedPassage, ...]
    #: The first of the results that were read, and how many were.
    returned: tuple[Instead, ...]
    results: int


@dataclass(frozen=True, eq=False)
class Explanation(Showable):
    """Why a run missed what it missed: counts over all questions, and the worst of these one by one."""

    run: str
    #: The measure by the name that was given, the rank up to which it reads (None: all), and its mean.
    measure: str
    cutoff: int | None
    mean: float | None
    #: Over all questions: how many there are and how many miss something; passages; missed ones by reason.
    questions: int
    failing: int
    passages: int
    reasons: Mapping[str, int]
    #: The worst questions, worst first.
    worst: Sequence[Failure]
    #: The other run with its mean; how many passages only it has, and how many only this run has.
    other: str | None = None
    other_mean: float | None = None
    only_other: int = 0
    only_this: int = 0
    #: What everyday names of measures stand for here, as in `{"recall@5": "charR@5"}`.
    aliases: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    #: Where the texts are, for what is shown around passages, and how much of it.
    corpus: Corpus | None = field(default=None, repr=False)
    around: int = 80
    #: How many of a question's missed passages people are shown (None: all); programs get all.
    at_most: int | None = None

    @property
    def missed(self) -> int:
        """How many passages were missed, over all questions."""
        return sum(self.reasons.values())

    def __repr__(self) -> str:
        missed = f"{self.missed} of {plural(self.passages, 'passage')} missed"
        return f"<Explanation of {self.run!r} by {self.measure}: {missed}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""
        compared = {
            "against": self.other,
            "against_mean": self.other_mean,
            "only_against": self.only_other,
            "only_run": self.only_this,
        }
        return {
            "run": self.run,
            "measure": self.measure,
            **({"aliases": dict(self.aliases)} if self.aliases else {}),
            "cutoff": self.cutoff,
            "mean": self.mean,
            **(compared if self.other is not None else {}),
            "counts": {
                "questions": self.questions,
                "failing": self.failing,
                "passages": self.passages,
                "missed": self.missed,
            },
            "reasons": dict(self.reasons),
            "questions": [self._question(each) for each in self.worst],
            "warnings": list(self.warnings),
        }

    def _question(self, failure: Failure) -> dict[str, Any]:
        return {
            "topic": failure.topic,
            "text": failure.question,
            "group": failure.group,
            "score": failure.score,
            **({"against": failure.other} if self.other is not None else {}),
            "passages": failure.passages,
            "missed": [self._missed(each) for each in failure.missed],
            "returned": [each._asdict() for each in failure.returned],
            "results": failure.results,
        }

    def _missed(self, missed: MissedPassage) -> dict[str, Any]:
        left = {"read", *(() if self.other is not None else ("other",))}
        left |= set() if missed.chunks is not None else {"chunks", "largest"}
        return {name: value for name, value in missed._asdict().items() if name not in left}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """One row for each missed passage of the worst questions."""
        columns = ["topic", "question", "score", "document", "start", "end", "reason", "rank"]
        columns += ["characters", "found", "text"]
        compared = self.other is not None
        rows = [
            (
                *(failure.topic, failure.question, failure.score, *missed[:5]),
                *(missed.characters, missed.found, missed.text),
                *((failure.other, missed.other) if compared else ()),
            )
            for failure in self.worst
            for missed in failure.missed
        ]
        return (*columns, *(("against", "found_against") if compared else ())), rows

    def to_pandas(self) -> pd.DataFrame:
        """One row for each missed passage of the worst questions; needs pandas."""
        import pandas as pd

        columns, rows = self.listed()
        frame = pd.DataFrame(rows, columns=list(columns))
        return frame.astype({"rank": "Int64"})

    def page(self, format_: str) -> str | None:
        """Text for people, for comments on a change and for notebooks; programs get the rows."""
        pages = {"table": "page", "markdown": "markdown", "html": "page_html"}
        return f"render.explanations:{pages[format_]}" if format_ in pages else None
