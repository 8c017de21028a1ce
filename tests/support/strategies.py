"""Hypothesis strategies: small worlds of judgments and results, plain enough to be counted by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import strategies as st
from support.oracle import Asked, Topic

from excerpt import Judgments, Policy, Result, Run, Span

T = TypeVar("T", bound=Topic)
R = TypeVar("R")

Highlight = tuple[str, str, int, int]

TOPICS = ("t1", "t2", "t3")
DOCUMENTS = ("a", "b", "c", "d")
#: Returned and perhaps never judged.
STRANGERS = ("t9",), ("y", "z")


@dataclass(frozen=True)
class Case:
    """Judgments and one run, as plain rows: what the oracle reads and what excerpt is given."""

    highlights: tuple[Highlight, ...]
    results: tuple[Highlight, ...]
    irrelevant: tuple[tuple[str, str], ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)
    entries: dict[tuple[str, str], int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def judgments(self) -> Judgments:
        """Judgments as input of excerpt."""
        return Judgments.of(
            [(topic, Span(document, start, end)) for topic, document, start, end in self.highlights],
            irrelevant=self.irrelevant,
            sizes=self.sizes,
            entries=self.entries,
        )

    def run(self) -> Run:
        """Run as input of excerpt."""
        return Run.of("run", [Result(*row) for row in self.results])

    def topics(self, kind: type[T]) -> dict[str, T]:
        """Topics as input of the oracle: the judged topics, in order of first appearance."""
        judged = dict.fromkeys([row[0] for row in self.highlights] + [row[0] for row in self.irrelevant])
        return {topic: self._topic(topic, kind) for topic in judged}

    def _topic(self, topic: str, kind: type[T]) -> T:
        passages: dict[str, list[tuple[int, int]]] = {}
        for name, document, start, end in self.highlights:
            if name == topic:
                passages.setdefault(document, []).append((start, end))
        for name, document in self.irrelevant:
            if name == topic:
                passages.setdefault(document, [])
        entries = {document: place for (name, document), place in self.entries.items() if name == topic}
        rows = [row[1:] for row in self.results if row[0] == topic]
        return kind(rows, passages, self.sizes, entries, self.texts)

    @property
    def matches(self) -> bool:
        """Return whether run and judgments share a topic and a document; an empty run matches."""
        judged = [row[:2] for row in self.highlights] + list(self.irrelevant)
        return not self.results or all(
            {row[place] for row in self.results} & {pair[place] for pair in judged} for place in (0, 1)
        )

    @property
    def has_entries(self) -> bool:
        """Return whether a best entry point was judged."""
        return bool(set(self.entries) & ({row[:2] for row in self.highlights} | set(self.irrelevant)))


def spans(*, longest: int = 14) -> st.SearchStrategy[tuple[int, int]]:
    """Spans that often touch, overlap, nest or are empty."""
    return st.tuples(st.integers(0, 24), st.integers(0, longest)).map(lambda at: (at[0], at[0] + at[1]))


def mostly_long(row: st.SearchStrategy[R], *, most: int) -> st.SearchStrategy[list[R]]:
    """Lists that are long more often than not: left to itself Hypothesis makes a third of them empty."""
    kept = st.sampled_from((0, *(most,) * 19))
    rows = st.lists(row, min_size=most // 2, max_size=most)
    return st.tuples(kept, rows).map(lambda drawn: drawn[1][: drawn[0]])


def highlights() -> st.SearchStrategy[list[Highlight]]:
    """Relevant passages of several topics and documents, not yet merged; empty ones say only "judged"."""
    row = st.tuples(st.sampled_from(TOPICS), st.sampled_from(DOCUMENTS), spans())
    return mostly_long(row.map(lambda row: (row[0], row[1], *row[2])), most=8)


#: What makes a result: near what, which of those, how far from it, how long.
_DRAWN = mostly_long(
    st.tuples(st.integers(0, 11), st.integers(0, 59), st.integers(-4, 24), st.integers(0, 14)), most=14
)
#: Topics and documents of results that are near nothing; some nobody judged.
_ANYWHERE = [
    (topic, document) for document in DOCUMENTS * 2 + STRANGERS[1] for topic in TOPICS * 3 + STRANGERS[0]
]


def results(near: Sequence[Highlight] = ()) -> st.SearchStrategy[list[Highlight]]:
    """Half of the results start near an earlier one, others near given spans, others anywhere.

    A start of -1 names nothing that exists.
    """

    def rows_of(drawn: list[tuple[int, int, int, int]]) -> list[Highlight]:
        rows: list[Highlight] = []
        for kind, pick, shift, length in drawn:
            around = rows if kind < 6 else near if kind < 9 else ()
            if around:
                topic, document, start, _ = around[pick % len(around)]
                start = max(0, start + (shift + 4) % 9 - 4)
            else:
                topic, document = _ANYWHERE[pick * 7 % len(_ANYWHERE)]
                start = max(0, shift)
            end = start + length * (1 + (kind == 11))
            rows.append((topic, document, start, end) if kind != 10 else (topic, document, -1, -1))
        return rows

    return _DRAWN.map(rows_of)


def disjoint(rows: Sequence[Highlight]) -> list[Highlight]:
    """The rows without those that share a character with an earlier one."""
    seen: set[tuple[str, str, int]] = set()
    kept = []
    for topic, document, start, end in rows:
        text = {(topic, document, place) for place in range(start, end)}
        if not text & seen:
            kept.append((topic, document, start, end))
        seen |= text
    return kept


def in_one_piece(rows: Sequence[Highlight]) -> list[Highlight]:
    """The rows with the results of each topic's document standing together."""
    order = {key: place for place, key in reversed(list(enumerate(row[:2] for row in rows)))}
    return sorted(rows, key=lambda row: order[row[:2]])


def one_each(rows: Sequence[Highlight]) -> list[Highlight]:
    """The first row of each topic's document."""
    first: dict[tuple[str, str], Highlight] = {}
    for row in rows:
        first.setdefault(row[:2], row)
    return list(first.values())


#: Most runs break the rules of the tasks: results overlap, and documents come back.
_TIDIED: tuple[tuple[Callable[[Sequence[Highlight]], list[Highlight]], ...], ...] = (
    *((),) * 6,
    *((in_one_piece,),) * 6,
    (disjoint,),
    (disjoint, in_one_piece),
    *((one_each,),) * 2,
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Judgments and a run: in half of the cases results of judged topics share text.

    A run that shares no topic or no document with the judgments is refused, so one of its pairs is judged;
    so is a run without any text.
    """
    marked = draw(highlights())
    rows = draw(results(marked))
    for tidy in draw(st.sampled_from(_TIDIED)):
        rows = tidy(rows)
    if rows and (not any(row[0] in TOPICS for row in rows) or all(0 <= row[2] == row[3] for row in rows)):
        rows = [*rows, (TOPICS[0], DOCUMENTS[0], 0, 1)]
    met = [draw(st.sampled_from([row[:2] for row in rows if row[0] in TOPICS]))] if rows else []
    pairs = st.tuples(st.sampled_from(TOPICS), st.sampled_from(DOCUMENTS))
    return Case(
        highlights=tuple(marked),
        irrelevant=(*draw(st.lists(pairs, max_size=4)), *met),
        sizes=draw(st.fixed_dictionaries({document: st.integers(0, 45) for document in DOCUMENTS})),
        entries=draw(st.dictionaries(pairs, st.integers(0, 40), max_size=6)),
        results=tuple(rows),
    )


def policies() -> st.SearchStrategy[list[Policy]]:
    """All overlap policies together with one choice of everything else."""
    others = st.fixed_dictionaries(
        {
            "interleaved": st.sampled_from(("error", "regroup")),
            "limit": st.sampled_from((None, 1500, 1, 2, 5)),
            "only_run_topics": st.booleans(),
            "include_empty": st.booleans(),
        }
    )
    overlaps = ("error", "first", "penalise", "allow")
    return others.map(lambda chosen: [Policy(overlap=overlap, **chosen) for overlap in overlaps])  # type: ignore[arg-type]


#: The levels that floating-point arithmetic gets wrong, and ordinary ones.
PERCENTS = st.one_of(st.sampled_from((29, 57, 58, 7, 14, 28, 55, 56)), st.integers(1, 100))


@st.composite
def exact_recalls(draw: st.DrawFn) -> tuple[Case, list[Asked]]:
    """A run whose recall is exactly k/100 after each result, and iP at and around those levels."""
    unit = draw(st.integers(1, 7))
    levels = sorted(draw(st.sets(PERCENTS, min_size=1, max_size=4)))
    rows: list[Highlight] = []
    for low, high in zip([0, *levels], levels, strict=False):
        if draw(st.booleans()):
            rows.append(("t1", "z", 0, draw(st.integers(0, 90))))
        rows.append(("t1", "a", low * unit, high * unit))
    around = sorted({near for level in levels for near in (level - 1, level, level + 1) if 0 <= near <= 100})
    asked = [Asked("iP", f"{near / 100:.2f}") for near in around]
    return Case((("t1", "a", 0, 100 * unit),), tuple(rows)), [*asked, Asked("AiP")]


def decimals(low: int, high: int, places: int) -> st.SearchStrategy[str]:
    """Decimal numbers as text, with so many places."""
    return st.integers(low * 10**places, high * 10**places).map(
        lambda value: f"{value / 10**places:.{places}f}"
    )


def recall_levels() -> st.SearchStrategy[str]:
    """Recall levels as text."""
    return st.one_of(decimals(0, 1, 2), decimals(0, 1, 4))


def ranks() -> st.SearchStrategy[str]:
    """Ranks as text."""
    return st.integers(1, 20).map(str)


def weights() -> st.SearchStrategy[str]:
    """Values of beta as text."""
    return st.one_of(st.sampled_from(("0", "0.25", "0.5", "1", "2", "1/3")), decimals(0, 4, 2))


def focused_measures() -> st.SearchStrategy[list[Asked]]:
    """iP at a few levels and AiP."""
    return st.lists(recall_levels(), max_size=3).map(
        lambda levels: [*(Asked("iP", level) for level in ["0.00", "0.01", "1.00", *levels]), Asked("AiP")]
    )


@st.composite
def in_context_measures(draw: st.DrawFn, *, entries: bool) -> list[Asked]:
    """gP, gR and AgP with every document score."""
    limit, reach = str(draw(st.integers(1, 40))), str(draw(st.integers(1, 40)))
    scores: list[tuple[tuple[str, str], ...]] = [
        (),
        (("beta", draw(weights())),),
        (("score", "T2I"), ("irrelevant", limit)),
        (("score", "T2I"),),
    ]
    if entries:
        scores += [(("score", "BEP"), ("n", reach)), (("score", "BEP"),)]
    rank = draw(ranks())
    asked = [Asked("gR", rank), Asked("gR", "1")]
    for score in scores:
        legacy = (*score, ("legacy", "true"))
        asked += [Asked("AgP", None, score), Asked("gP", rank, score), Asked("gP", rank, legacy)]
    return asked


@st.composite
def character_measures(draw: st.DrawFn) -> list[Asked]:
    """charP, charR, charF, IoU and charAP, of the whole list and of its beginning."""
    beta = (("beta", draw(weights())),)
    asked = []
    for cutoff in (None, draw(ranks()), "1"):
        asked += [Asked(name, cutoff) for name in ("charP", "charR", "charF", "IoU", "charAP")]
        asked.append(Asked("charF", cutoff, beta))
    budget = (("budget", str(draw(st.integers(1, 60)))),)
    at = draw(st.sampled_from((None, "2", "5")))
    return asked + [Asked(name, at, budget) for name in ("charP", "charR", "charF", "IoU")]


@st.composite
def evidence_measures(draw: st.DrawFn) -> list[Asked]:
    """hit, RR, nDCG, found, allfound and read, of the whole list and of its beginning."""
    share = (("share", draw(st.sampled_from(("0.5", "1/3", "0.9", "2/3", "1e-99", "0.7142857142857143")))),)
    asked = []
    for cutoff in (None, draw(ranks()), "1"):
        asked += [Asked(name, cutoff) for name in ("hit", "RR", "nDCG", "found", "allfound", "read")]
        asked += [Asked(name, cutoff, share) for name in ("found", "allfound")]
        budget = ("budget", str(draw(st.integers(1, 30))))
        asked += [Asked(name, cutoff, (*share, budget)) for name in ("found", "allfound")]
    return asked


def article_measures() -> st.SearchStrategy[list[Asked]]:
    """The document-level measures, of the whole list and of its beginning."""
    ranked = ("articleP", "articleR", "articleF", "articleAP", "articleRR", "articleHit")
    whole = [Asked(name) for name in (*ranked, "articleRprec", "articleBpref")]
    return ranks().map(lambda rank: [*whole, *(Asked(name, rank) for name in ranked)])


def judged_measures() -> st.SearchStrategy[list[Asked]]:
    """judged, of the whole list and of its beginning."""
    return ranks().map(lambda rank: [Asked("judged"), Asked("judged", "1"), Asked("judged", rank)])
