"""What a campaign's assessors said, in the order of its pool: whose opinions count, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from excerpt.assess.merging import Grade, Label, Merge, Opinion, Pair, check_merge, covered, merge
from excerpt.assess.refusals import Several
from excerpt.errors import UnknownName, plural, short, short_list

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.looking_back import Judged
    from excerpt.assess.state import State


def opinion_of(judged: Judged, state: State | None = None) -> Opinion:
    """What an assessor said of a document; another `state` is what was said at another time."""
    said = judged.state if state is None else state
    highlights = tuple((start, end) for start, end in said.highlights)
    name = judged.assessor
    return Opinion(
        pair=Pair(judged.topic, judged.document),
        assessors=(name,),
        done=said.done,
        highlights=highlights,
        bep=said.bep,
        grades=_grades(said.grades),
        inferred=_grades(said.inferred),
        labels=tuple(Label(start, end, label, note, name) for start, end, label, note in said.labels),
        notes=((name, said.note),) if said.note else (),
        confirmed=covered((highlights, tuple((start, end) for start, end in said.added)), 2),
    )


def _grades(given: Mapping[str, Any]) -> dict[str, Grade]:
    """Grades as values that can be compared; a grade of which only a part is known is none."""
    found = {path: tuple(grade) if isinstance(grade, list) else grade for path, grade in given.items()}
    return {path: grade for path, grade in found.items() if not isinstance(grade, tuple) or None not in grade}


@dataclass(frozen=True)
class Opinions:
    """The opinions of assessors on the pairs of a pool."""

    #: Every pair of the pool, in its order.
    pairs: Sequence[Pair]
    #: Those of which somebody said something, by assessor.
    said: Mapping[Pair, Sequence[Opinion]]

    @classmethod
    def of(cls, campaign: Campaign, assessor: str | None = None) -> Opinions:
        """What everybody said, or one assessor."""
        pairs = [Pair(*pair) for pair in campaign.contents.pairs]
        with campaign.at_one_moment() as still:
            judged, people = still.judged(), still.people()
        known = {person.name for person in people} | {item.assessor for item in judged}
        if assessor is not None and assessor not in known:
            raise UnknownName("assessor", assessor, known)
        return cls.collect(pairs, (opinion_of(item) for item in judged if assessor in {None, item.assessor}))

    @classmethod
    def collect(cls, pairs: Sequence[Pair], opinions: Iterable[Opinion]) -> Opinions:
        """Opinions by pair."""
        said: dict[Pair, list[Opinion]] = {}
        for opinion in opinions:
            said.setdefault(opinion.pair, []).append(opinion)
        return cls(pairs, said)

    @cached_property
    def finished(self) -> dict[Pair, list[Opinion]]:
        """Pairs that somebody finished, with the opinions of those who did."""
        found = {
            pair: [opinion for opinion in self.said.get(pair, ()) if opinion.done] for pair in self.pairs
        }
        return {pair: opinions for pair, opinions in found.items() if opinions}

    @cached_property
    def begun(self) -> dict[Pair, list[Opinion]]:
        """Pairs that somebody began and nobody finished."""
        unfinished = (pair for pair in self.pairs if pair in self.said and pair not in self.finished)
        return {pair: list(self.said[pair]) for pair in unfinished}

    @property
    def unjudged(self) -> int:
        """Pairs of which nobody said anything."""
        return len(self.pairs) - len(self.finished) - len(self.begun)

    @property
    def several(self) -> dict[Pair, list[Opinion]]:
        """Pairs that several finished."""
        return {pair: opinions for pair, opinions in self.finished.items() if len(opinions) > 1}

    def merged(self, rule: Merge = "one", *, unfinished: bool = False) -> list[Opinion]:
        """One opinion for each pair, of those who finished it; `unfinished` adds what nobody finished."""
        check_merge(rule)
        chosen = self.finished | (self.begun if unfinished else {})
        if rule == "one":
            _refuse_several({pair: several for pair, several in chosen.items() if len(several) > 1})
        return [merge(chosen[pair], rule) for pair in self.pairs if pair in chosen]


def _refuse_several(several: Mapping[Pair, Sequence[Opinion]]) -> None:
    if not several:
        return
    named = [
        f"topic {short(pair.topic)} document {short(pair.document)} "
        f"({', '.join(short(opinion.assessors[0]) for opinion in opinions)})"
        for pair, opinions in several.items()
    ]
    raise Several(
        f"found {plural(len(several), 'document')} judged by several assessors: {short_list(named, 4)}; "
        "expected one assessor for each",
        hint="give ⟨merge=union⟩, ⟨merge=majority⟩ or ⟨merge=intersection⟩, or one ⟨assessor=NAME⟩",
    )
