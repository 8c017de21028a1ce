"""The verdict on a ranking of runs in one sentence: measure, topics, test, and why this measure decides.

A second opinion stands in the same sentence: the run that leads when the same amount of text is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import plural
from excerpt.evaluation.scoring import EQUAL_TEXT, SECONDED, cutoff_of
from excerpt.model.spans import FloatArray
from excerpt.scores.score_table import ScoreTable, find_measure, value_of
from excerpt.stats import CORRECTIONS_IN_WORDS, FAMILIES_IN_WORDS

if TYPE_CHECKING:
    from excerpt.experiments.comparison import Comparison

#: Least number of runs, and least tau with the text read, for which a cut-off is said to reward text.
_LEAST_RUNS = 5
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
#: Most runs that a sentence names.
NAMED = 4


def whole(number: int) -> str:
    """An integer with narrow no-break spaces between thousands.

    >>> whole(1386) == "1\\u202f386", whole(45)
    (True, '45')
    """
    return f"{number:,}".replace(",", "\u202f")


def in_words(number: int) -> str:
    """A small number as a word.

    >>> in_words(9), in_words(60)
    ('nine', '60')
    """
    return _WORDS[number] if number < len(_WORDS) else whole(number)


def joined(names: Sequence[str]) -> str:
    """Names of some runs in a sentence.

    >>> joined(["a", "b", "c"]), joined(["a"]), joined("abcdef")
    ('a, b and c', 'a', 'a, b and four more')
    """
    if len(names) > NAMED:
        return f"{', '.join(names[:2])} and {in_words(len(names) - 2)} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def ranks_in_words(numbers: Sequence[int]) -> str:
    """Ranks of runs, counted from 1, in words.

    >>> ranks_in_words([1]), ranks_in_words([1, 2, 3]), ranks_in_words([1, 3, 4])
    ('rank 2', 'ranks 2 to 4', 'ranks 2, 4 and 5')
    """
    shown = [str(number + 1) for number in numbers]
    if len(shown) == 1:
        return f"rank {shown[0]}"
    if len(shown) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"ranks {shown[0]} to {shown[-1]}"
    if len(shown) > NAMED:
        return f"ranks between {shown[0]} and {shown[-1]}"
    return f"ranks {', '.join(shown[:-1])} and {shown[-1]}"


def say_test(procedure: Mapping[str, Any]) -> str:
    """Description of a test: name, comparisons and their correction, alpha.

    >>> say_test({"test": "t", "sides": 2, "tests": 6, "correction": "holm", "alpha": 0.05})
    'two-sided t test, 6 comparisons corrected by Holm, alpha 0.05'
    >>> say_test({"test": "tukey", "sides": 2, "tests": 6, "correction": "none", "alpha": 0.05})
    'two-sided randomised Tukey HSD, alpha 0.05'
    """
    test, tests, correction = (procedure[name] for name in ("test", "tests", "correction"))
    alone = f"{test} test, {plural(tests, 'comparison')} {CORRECTIONS_IN_WORDS[correction]}"
    sides = "one" if procedure["sides"] == 1 else "two"
    return f"{sides}-sided {FAMILIES_IN_WORDS.get(test, alone)}, alpha {procedure['alpha']}"


@dataclass(frozen=True)
class SecondOpinion:
    """The run that leads when the same amount of text is read of every run, if it is another one."""

    run: str
    #: Results that the headline reads, and how often the text of the leader's is that of this run's.
    cutoff: int | None = None
    ratio: float | None = None

    @property
    def words(self) -> str:
        """The end of a sentence about the leader by the headline."""
        equal = "equal text (4,000 characters)"
        if self.cutoff is None or self.ratio is None:
            return f"; {self.run} leads at {equal}"
        results, those = (
            ("first result has", "that")
            if self.cutoff == 1
            else (f"{in_words(self.cutoff)} results have", "those")
        )
        times = f"{self.ratio:,.0f}" if self.ratio >= 10 else f"{self.ratio:.2g}"
        return f"; its {results} {times} \u00d7 the text of {those} of {self.run}, which leads at {equal}"


def second_opinion(table: ScoreTable) -> SecondOpinion | None:
    """Second opinion on the headline of a table; None if the same run leads, or if there is none."""
    headline = value_of(table.aliases.get(table.headline, table.headline), documents=table.documents_judged)
    equal = _means(table, EQUAL_TEXT)
    if equal is None or len(table.runs) < 2 or headline is None:
        return None
    means = table.means()[:, 0]
    leader, other = _leader(means), _leader(equal)
    if leader is None or other is None or means[other] == means[leader] or equal[leader] == equal[other]:
        return None
    run, cutoff = table.runs[other], cutoff_of(headline)  # type: ignore[arg-type]
    read = None if cutoff is None else _means(table, f"read@{cutoff}")
    enough = read is not None and len(means) >= _LEAST_RUNS and _follows(means, read)
    if read is not None and enough and read[leader] > read[other] > 0:
        return SecondOpinion(run, cutoff, float(read[leader] / read[other]))
    return SecondOpinion(run) if table.set in SECONDED else None


def _means(table: ScoreTable, measure: str) -> FloatArray | None:
    """Means of all runs by a measure of a table, or by one that was scored beside it."""
    for part in (table, table.beside):
        name = part and find_measure(measure, part.measures, part.aliases)
        if part is not None and name is not None:
            return part.means()[:, part.measures.index(name)]
    return None


def _leader(means: FloatArray) -> int | None:
    """First run with the highest mean; None if a mean is undefined."""
    return None if np.isnan(means).any() else int(np.argmax(means))


def _follows(means: FloatArray, read: FloatArray) -> bool:
    """Return whether tau-b of two lists of means is at least 0.5, in whole numbers.

    >>> _follows(np.array([3.0, 2.0, 1.0]), np.array([9.0, 5.0, 4.0]))
    True
    >>> _follows(np.array([3.0, 2.0, 1.0]), np.array([4.0, 9.0, 5.0]))
    False
    """
    above = np.triu_indices(len(means), 1)
    one, two = (np.sign(each[:, None] - each[None])[above].astype(np.int64) for each in (means, read))
    agree = int((one * two).sum())
    return agree > 0 and 4 * agree**2 >= int(abs(one).sum()) * int(abs(two).sum())


@dataclass(frozen=True)
class RankingVerdict:
    """What a comparison says of a ranking by one measure."""

    measure: str
    #: Runs in the order of their means, and these; None for an undefined mean.
    runs: tuple[str, ...]
    means: tuple[float | None, ...]
    topics: int
    #: Whether two runs, by their places, differ significantly; None without a test.
    differs: tuple[tuple[bool, ...], ...] | None
    #: The test in words; empty without a test.
    test: str
    #: The measure that decides, and why.
    headline: str
    why: str
    #: Runs with which the others are compared.
    baselines: tuple[str, ...] = ()
    opinion: SecondOpinion | None = None

    @classmethod
    def of(cls, table: ScoreTable, measure: str, comparison: Comparison | None) -> RankingVerdict:
        """Verdict by a measure of a table; without a comparison nothing was tested."""
        means = table.means()[:, table.place("measure", measure)].tolist()
        opinion = second_opinion(table) if measure == table.headline else None
        if comparison is None:
            counted = ~np.isnan(table.values[:, :, table.place("measure", measure)])
            order = np.argsort(-np.array(means), kind="stable").tolist()  # undefined means are last
            return cls(
                measure=measure,
                runs=tuple(table.runs[run] for run in order),
                means=tuple(None if math.isnan(means[run]) else means[run] for run in order),
                topics=int(counted.any(axis=0).sum()) if len(counted) else 0,
                differs=None,
                test="",
                headline=table.headline,
                why=table.why,
                opinion=opinion,
            )
        rejected = comparison.corrected.rejected
        return cls(
            measure=measure,
            runs=comparison.runs,
            means=tuple(comparison.means.tolist()),
            topics=comparison.procedure["topics"],
            differs=tuple(map(tuple, (rejected | rejected.T).tolist())),
            test=say_test(comparison.summary()),
            headline=table.headline,
            why=table.why,
            baselines=comparison.baselines,
            opinion=opinion,
        )

    @property
    def similar(self) -> list[int]:
        """Places of the runs that do not differ significantly from the first one."""
        return [place for place in range(1, len(self.runs)) if not (self.differs and self.differs[0][place])]

    @property
    def equal(self) -> list[int]:
        """Places of the other runs with the highest mean."""
        return [place for place in range(1, len(self.runs)) if self.means[place] == self.means[0]]

    @property
    def claim(self) -> str:
        """What the comparison says, without the measure."""
        if not self.runs or self.means[0] is None:
            return f"{self.measure} is not defined for any run"
        first = self.runs[0]
        if len(self.runs) == 1:
            return f"{first} reaches {self.measure} {self.means[0]:.4f}"
        if self.differs is None:
            return f"{first} has the highest {self.measure}, but no difference was tested"
        return " and ".join(map(self._beside, self.baselines)) or self._claim_of_pairs(first)

    def _claim_of_pairs(self, first: str) -> str:
        """How the first run stands to all others."""
        if self.equal:
            return f"{joined([first, *(self.runs[place] for place in self.equal)])} share rank 1"
        if not self.similar:
            others = self.runs[1:]
            than = others[0] if len(others) == 1 else f"each of the {in_words(len(others))} other runs"
            return f"{first} is significantly better than {than}"
        few = len(self.similar) < NAMED
        runs = [self.runs[place] for place in self.similar]
        others_ = joined(runs) if few else f"{in_words(len(runs))} runs"
        ranks = ranks_in_words(self.similar)
        return f"{first} is first, but not significantly different from {others_} ({ranks})"

    def _beside(self, baseline: str) -> str:
        """How many runs differ from the baseline; the only one, in which direction."""
        place = self.runs.index(baseline)
        others = [run for run in self.runs if run != baseline]
        assert self.differs is not None
        different = [run for run, differs in zip(self.runs, self.differs[place], strict=True) if differs]
        if len(others) > 1:
            return f"{len(different)} of {len(others)} runs differ significantly from {baseline}"
        if not different:
            return f"{others[0]} does not differ significantly from {baseline}"
        better = self.runs.index(others[0]) < place
        return f"{others[0]} is significantly {'better' if better else 'worse'} than {baseline}"

    @property
    def title(self) -> str:
        """The claim and the second opinion as a sentence."""
        return f"{self.claim}{self.opinion.words if self.opinion else ''}."

    @property
    def reason(self) -> str:
        """Why the measure decides, as a sentence; of another measure, which one does."""
        return f"{self.headline} decides, since {self.why}."

    @property
    def sentence(self) -> str:
        """The verdict with measure, topics, test, second opinion and why this measure decides."""
        named = f" by {self.measure}" if self.measure not in self.claim.split() else ""
        over = f"{named} over {plural(self.topics, 'topic')}" + (f" ({self.test})" if self.test else "")
        return f"{self.claim}{over}{self.opinion.words if self.opinion else ''}. {self.reason}"
