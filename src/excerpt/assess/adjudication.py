"""Adjudication: what the assessors of a document agree on, and how the rest is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from excerpt.assess.events import Basis, Spans, WorkingDecision, WorkingState, digest_of, length_of
from excerpt.assess.folder import InvalidEvent, MergeRequired, NotAllowed
from excerpt.assess.opinions import (
    JudgedPair,
    Merge,
    Opinion,
    Opinions,
    covered,
    merge,
    opinion_of,
    order_of,
    without,
)
from excerpt.assess.people import ADJUDICATOR, AssignedPair, rank_of
from excerpt.assess.recorder import JudgedState
from excerpt.assess.rules import ElementTree, Rules
from excerpt.errors import UnknownName, plural, short, short_list
from excerpt.model.display import Showable

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.procedures import Procedure

#: What an export does with documents that are not decided.
Undecided: TypeAlias = Literal["error", "union", "intersection", "leave"]
UNDECIDED: tuple[Undecided, ...] = get_args(Undecided)
#: States of a document for its adjudicator: not begun, begun, decided, decided before it was opened again.
TODO, OPEN, DECIDED, STALE = "todo", "open", "decided", "stale"


class Difference(NamedTuple):
    """How far the judgments of a document are apart; all are 0 if the assessors agree."""

    #: Characters that only some highlighted, and highlighted by all with different labels.
    characters: int
    labels: int
    #: Sum of the distances of grades.
    grades: int
    #: Characters between the first and the last entry point, at least 1 if only some have one.
    entry: int

    @classmethod
    def of(cls, opinions: Sequence[Opinion]) -> Difference:
        """Measure the difference of two or more opinions."""
        every = [opinion.highlights for opinion in opinions]
        common = covered(every, len(every))
        characters = length_of(covered(every, 1)) - length_of(common)
        same = [label[:2] for label in _same_labels(opinions, common)]
        labels = length_of(common) - length_of(same) if any(one.labels for one in opinions) else 0
        return cls(characters, labels, sum(_grades_apart(opinions)), _entries_apart(opinions))

    @property
    def weight(self) -> int:
        """Number of characters on which the assessors differ; grades and entry points break ties."""
        return self.characters + self.labels


def _same_labels(
    opinions: Sequence[Opinion], spans: Sequence[tuple[int, int]]
) -> list[tuple[int, int, str, str]]:
    """Return those parts of spans that all gave the same label, with the label."""
    own = [
        {cut: label.label for label in opinion.labels for cut in (label.start, label.end)}
        for opinion in opinions
    ]
    cuts = sorted({*(cut for cuts in own for cut in cuts), *(cut for span in spans for cut in span)})
    inside = Spans(spans)
    found = []
    for start, end in pairwise(cuts):
        given = {_label_at(opinion, start) for opinion in opinions}
        if inside.covers(start, end) and len(given) == 1 and (label := given.pop()) is not None:
            found.append((start, end, label, ""))
    return found


def _label_at(opinion: Opinion, at: int) -> str | None:
    return next((label.label for label in opinion.labels if label.start <= at < label.end), None)


def _grades_apart(opinions: Sequence[Opinion]) -> Iterator[int]:
    """Yield the distance of the grades of each element in all dimensions; a missing grade is 1 apart."""
    given = [opinion.all_grades for opinion in opinions]
    for path in dict.fromkeys(path for grades in given for path in grades):
        values = [grades[path] for grades in given if path in grades]
        parts = zip(*(value if isinstance(value, tuple) else (value,) for value in values), strict=True)
        ranks = [[order_of(part) for part in column] for column in parts]
        apart = sum(max(column) - min(column) for column in ranks)
        yield apart or int(len(values) < len(given))


def _entries_apart(opinions: Sequence[Opinion]) -> int:
    entries = [opinion.bep for opinion in opinions]
    given = [entry for entry in entries if entry is not None]
    if not given or len(set(entries)) == 1:
        return 0
    return max(1, max(given) - min(given))


def disputed(opinions: Sequence[Opinion]) -> list[tuple[int, int, list[int]]]:
    """Return the text that only some highlighted, cut where others begin, with the numbers of the opinions.

    >>> a = Opinion(JudgedPair("1", "A"), ("ann",), highlights=((0, 10),))
    >>> b = Opinion(JudgedPair("1", "A"), ("bob",), highlights=((5, 20),))
    >>> disputed([a, b])
    [(0, 5, [0]), (10, 20, [1])]
    """
    every = [Spans(opinion.highlights) for opinion in opinions]
    cuts = sorted({cut for spans in every for span in spans for cut in span})
    found: list[tuple[int, int, list[int]]] = []
    for start, end in pairwise(cuts):
        who = [number for number, spans in enumerate(every) if spans.meets(start, end)]
        if 0 < len(who) < len(every):
            if found and found[-1][1:] == (start, who):
                found[-1] = (found[-1][0], end, who)
            else:
                found.append((start, end, who))
    return found


class AdjudicationRules(Rules):
    """The rules for adjudicators: what all agree on is taken over, and the rest is decided."""

    def __init__(
        self,
        procedure: Procedure,
        structure: ElementTree,
        *,
        opinions: Callable[[Basis], Sequence[Opinion]],
        **how: Any,
    ) -> None:
        super().__init__(procedure._replace(phases=False), structure, **how)
        self._opinions = opinions
        self._openings: dict[str, WorkingState] = {}
        self.kinds -= {"highlight", "unhighlight", "reject"}
        if procedure.marks:
            self.kinds |= {"decide"}

    def opening(self, basis: Basis | None) -> WorkingState:
        """Return what all assessors agree on; what only some highlighted is undecided."""
        given = {} if basis is None else basis
        name = digest_of(given)
        if name not in self._openings:
            self._openings[name] = self._agreed(given, self._opinions(given) if given else ())
        return self._openings[name].copy()

    def _agreed(self, basis: Basis, opinions: Sequence[Opinion]) -> WorkingState:
        every = [opinion.highlights for opinion in opinions]
        common = covered(every, len(every)) if every else ()
        undecided = without(covered(every, 1), common)
        work = WorkingState(highlights=Spans(common), decision=WorkingDecision(basis, Spans(undecided)))
        if not opinions:
            return work
        if (entry := opinions[0].bep) is not None and all(opinion.bep == entry for opinion in opinions):
            work.bep = entry
        work.labels = _same_labels(opinions, common)
        for path, grade in opinions[0].grades.items():
            same = all(opinion.grades.get(path) == grade for opinion in opinions)
            if same and (not self.procedure.marks or self._meets(work, path)):
                work.grades[path] = list(grade) if isinstance(grade, tuple) else grade
        return work

    def _meets(self, work: WorkingState, path: str) -> bool:
        row = self.structure.rows.get(path)
        node = None if row is None else self.structure.nodes[row]
        return node is not None and work.highlights.meets(node.start, node.end)

    def problems(self, work: WorkingState) -> list[str]:
        """Return the reasons why the decision cannot be finished."""
        left = len(work.decision.undecided) if work.decision else 0
        own = [f"{plural(left, 'passage')} to decide"] if left else []
        return [*own, *super().problems(work)]


@dataclass(frozen=True)
class DecidedDocument:
    """The decision of an adjudicator on a document, at its current version."""

    judged: JudgedState
    #: Whether the judgments are those that it was made on.
    is_current: bool
    #: Whether the adjudicator still takes part.
    is_active: bool = True

    @property
    def pair(self) -> JudgedPair:
        return JudgedPair(self.judged.topic, self.judged.document)

    @property
    def standing(self) -> str:
        if not self.judged.state.done:
            return OPEN
        return DECIDED if self.is_current else STALE

    def opinion(self, opinions: Sequence[Opinion]) -> Opinion:
        """Return the decided judgment, given the opinions that it was made on."""
        own = opinion_of(self.judged)
        by_hand = covered([opinion.human for opinion in opinions], 1)
        confirmed = covered([opinion.confirmed for opinion in opinions], 1)
        return replace(
            own,
            assessors=tuple(name for opinion in opinions for name in opinion.assessors),
            confirmed=without(covered((own.highlights, confirmed), 2), by_hand),
            adjudicator=self.judged.assessor,
        )


def basis_of(campaign: Campaign, pair: AssignedPair, *, least: int = 2) -> dict[str, int]:
    """Return what there is to decide on: who finished a document, at which version.

    It is an error if fewer than `least` assessors finished it.
    """
    topic, document = pair
    roles = campaign.permissions.people()
    summaries = campaign.recorder.summaries()
    with campaign.recorder.reading() as store:
        versions = store.judged_versions((topic, document))
    basis = {
        name: version
        for name, version in sorted(versions.items())
        if roles.role_of(name) != ADJUDICATOR and summaries[topic, document, name]["done"]
    }
    if len(basis) < least:
        found = f"{plural(len(basis), 'assessor')} finished document {short(document)}"
        raise InvalidEvent(f"{found}, expected {least} or more to decide between")
    return basis


def opinions_on(campaign: Campaign, pair: AssignedPair, basis: Basis) -> list[Opinion]:
    """Return the opinions of a basis, in the order of the names."""
    opinions = []
    with campaign.recorder.reading():
        for name in sorted(basis):
            state = campaign.recorder.history_at((*pair, name), basis[name]).state
            opinions.append(opinion_of(JudgedState(*pair, name, state)))
    return opinions


def decisions_of(campaign: Campaign) -> dict[JudgedPair, DecidedDocument]:
    """Return the decision on each document that an adjudicator has begun.

    Of several a current one counts, and that of an active adjudicator before that of a removed one.
    """
    with campaign.snapshot() as snapshot:
        begun = snapshot.judged(ADJUDICATOR)
        active = snapshot.permissions.people().names(ADJUDICATOR)
        found: dict[JudgedPair, DecidedDocument] = {}
        for judged in begun:
            pair = JudgedPair(judged.topic, judged.document)
            basis = basis_of(snapshot, pair, least=0)
            is_current = len(basis) > 1 and judged.state.basis == digest_of(basis)
            decision = DecidedDocument(judged, is_current, judged.assessor in active)
            if pair not in found or _rank(decision) > _rank(found[pair]):
                found[pair] = decision
    return found


def _rank(decision: DecidedDocument) -> tuple[int, bool]:
    return (OPEN, STALE, DECIDED).index(decision.standing), decision.is_active


class ListedDocument(NamedTuple):
    """A document that an adjudicator has to decide."""

    pair: JudgedPair
    state: str
    assessors: tuple[str, ...]
    difference: Difference
    adjudicator: str

    def to_dict(self) -> dict[str, Any]:
        """Return the document as plain data."""
        return {
            **self.pair._asdict(),
            "state": self.state,
            "assessors": list(self.assessors),
            "weight": self.difference.weight,
            **self.difference._asdict(),
            "adjudicator": self.adjudicator or None,
        }


@dataclass(frozen=True)
class Adjudication(Showable):
    """The documents of a campaign that are to be decided, by weight, and how many are decided."""

    documents: tuple[ListedDocument, ...]
    #: Documents that one assessor finished, on which all agree, that are decided, and that are to be decided.
    counts: Mapping[str, int]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        documents = [listed.to_dict() for listed in self.documents]
        return {"documents": documents, "counts": dict(self.counts), "warnings": list(self.warnings)}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        columns = ("topic", "document", "state", "assessors", "weight", *Difference._fields, "adjudicator")
        rows = [
            {**row, "assessors": ", ".join(row["assessors"])}
            for row in (listed.to_dict() for listed in self.documents)
        ]
        return columns, [tuple(row[column] for column in columns) for row in rows]

    def __repr__(self) -> str:
        return f"<Adjudication: {plural(len(self.documents), 'document')} to decide>"


def adjudication(campaign: Campaign, *, every: bool = False) -> Adjudication:
    """List the documents that are to be decided, those on which assessors differ most first.

    With `every`, decided documents follow.
    """
    with campaign.snapshot() as snapshot:
        opinions, decisions = Opinions.of(snapshot), decisions_of(snapshot)
    counts = dict.fromkeys(("single", "agreed", DECIDED, "undecided", STALE), 0)
    listed, decided = [], []
    for pair in opinions.pairs:
        several = opinions.finished.get(pair, [])
        decision = decisions.get(pair)
        standing = decision.standing if decision else TODO
        difference = Difference.of(several) if len(several) > 1 else Difference(0, 0, 0, 0)
        if len(several) > 1 and not any(difference):
            counts["agreed"] += 1
            continue
        if standing not in {STALE, DECIDED} and len(several) < 2:
            counts["single"] += len(several)
            continue
        names = tuple(name for one in several for name in one.assessors)
        by = decision.judged.assessor if decision else ""
        row = ListedDocument(pair, standing, names, difference, by)
        if standing == DECIDED:
            counts[DECIDED] += 1
            decided.append(row)
            continue
        counts["undecided"] += 1
        counts[STALE] += standing == STALE
        listed.append(row)
    for rows in (listed, decided):
        rows.sort(key=_heaviest)
    stale = counts[STALE]
    verb = "decision is" if stale == 1 else "decisions are"
    notes = (f"{stale} {verb} stale: an assessor has opened the document again",) if stale else ()
    return Adjudication((*listed, *(decided if every else ())), counts, notes)


def _heaviest(listed: ListedDocument) -> tuple[int, int, int]:
    difference = listed.difference
    return -difference.weight, -difference.grades, -difference.entry


def adjudicated(
    opinions: Opinions,
    decisions: Mapping[JudgedPair, DecidedDocument],
    undecided: Undecided = "error",
    *,
    unfinished: bool = False,
) -> list[Opinion]:
    """Return one opinion per document: as decided, as all agree, as the only assessor has it.

    Documents that are not decided, or whose decision is stale, are an error, merged, or left out.
    """
    if undecided not in UNDECIDED:
        raise UnknownName("treatment of undecided documents", undecided, UNDECIDED)
    chosen = opinions.finished | (opinions.in_progress if unfinished else {})
    left = {pair: some for pair, some in chosen.items() if _is_undecided(some, decisions.get(pair))}
    if left and undecided == "error":
        raise MergeRequired(_named(left, decisions), hint=_HINT)
    found = []
    for pair in (pair for pair in opinions.pairs if pair in chosen):
        decision = decisions.get(pair)
        if pair not in left:
            found.append(_settled(chosen[pair], decision))
        elif undecided != "leave":
            rule: Merge = "intersection" if undecided == "intersection" else "union"
            found.append(merge(chosen[pair], rule))
    return found


#: What to do about documents that are not decided.
_HINT = (
    "decide them (excerpt assess adjudicate lists them), or choose ⟨undecided=union⟩, "
    "⟨undecided=intersection⟩ or ⟨undecided=leave⟩"
)


def _is_undecided(opinions: Sequence[Opinion], decision: DecidedDocument | None) -> bool:
    if len(opinions) > 1 and all(opinion.done for opinion in opinions) and not any(Difference.of(opinions)):
        return False
    standing = decision.standing if decision else TODO
    return standing == STALE or (len(opinions) > 1 and standing != DECIDED)


def _settled(opinions: Sequence[Opinion], decision: DecidedDocument | None) -> Opinion:
    """Return the opinion on a document that is decided, by an adjudicator or by agreement."""
    if len(opinions) > 1 and not any(Difference.of(opinions)):
        return merge(opinions, "union")
    return decision.opinion(opinions) if decision and decision.standing == DECIDED else opinions[0]


def _named(
    left: Mapping[JudgedPair, Sequence[Opinion]], decisions: Mapping[JudgedPair, DecidedDocument]
) -> str:
    named = []
    for pair, some in left.items():
        names = ", ".join(short(name) for one in some for name in one.assessors)
        stale = pair in decisions and decisions[pair].standing == STALE
        why = "the decision is stale" if stale else names
        named.append(f"topic {short(pair.topic)} document {short(pair.document)} ({why})")
    verb = "is" if len(left) == 1 else "are"
    return f"{plural(len(left), 'document')} {verb} not decided: {short_list(named, 4)}"


def settled_counts(opinions: Opinions, exported: Sequence[Opinion]) -> dict[str, int]:
    """Count the exported documents by how they were settled; for those that were left out, the rest."""
    by_hand = sum(bool(opinion.adjudicator) for opinion in exported)
    several = [opinion for opinion in exported if len(opinion.assessors) > 1 and not opinion.adjudicator]
    agreed = sum(not any(Difference.of(opinions.finished.get(opinion.pair, ()))) for opinion in several)
    finished = {opinion.pair for opinion in exported}
    return {
        "decided": by_hand,
        "agreed": agreed,
        "single": len(exported) - by_hand - len(several),
        "merged": len(several) - agreed,
        "left_out": sum(pair not in finished for pair in opinions.finished),
    }


def check_turn(campaign: Campaign, name: str, pair: AssignedPair) -> None:
    """Raise an error if another active adjudicator has begun to decide a document."""
    others = set(campaign.permissions.people().names(ADJUDICATOR)) - {name}
    begun = [other for other in sorted(others) if (*pair, other) in campaign.recorder.summaries()]
    if begun:
        raise NotAllowed(f"{short(begun[0])} has begun to decide document {short(pair[1])}")


def letters_of(campaign: Campaign, pair: AssignedPair, names: Iterable[str]) -> list[str]:
    """Return the names of a document's assessors in the order of its letters, which differs by document."""
    seed = campaign.settings.seed
    return sorted(names, key=lambda name: (rank_of(seed, "letter", *pair, name), name))
