"""Hypothesis strategies: small trees of assessed elements and runs that name some of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from hypothesis import strategies as st
from support.element_oracle import ElementTopic, names
from support.oracle import Asked
from support.strategies import mostly_long

from excerpt import Judgments, Result, Run
from excerpt.model.elements import GradedElement
from excerpt.model.judgments import Scale
from excerpt.model.run import ResultKind

SCALES: tuple[Scale, ...] = (
    "relevance and coverage",
    "exhaustivity and specificity",
    "exhaustivity 0-2",
    "highlights",
)
TOPICS = ("t1", "t2", "t3")
DOCUMENTS = ("a", "b")
#: A tree with deep and flat parts, names and positions that begin alike, elements with the same text.
TREE: dict[str, tuple[int, int]] = {
    "/article[1]": (0, 30),
    "/article[1]/bdy[1]": (0, 30),
    "/article[1]/bdy[1]/sec[1]": (0, 12),
    "/article[1]/bdy[1]/sec[1]/p[1]": (0, 5),
    "/article[1]/bdy[1]/sec[1]/p[2]": (5, 12),
    "/article[1]/bdy[1]/sec[1]/p[1]/it[1]": (2, 5),
    "/article[1]/bdy[1]/sec[10]": (12, 21),
    "/article[1]/bdy[1]/sec[10]/p[1]": (12, 21),
    "/article[1]/bdy[1]/sec-1[1]": (21, 28),
    "/article[1]/bdy[1]/sec-1[1]/p[1]": (28, 28),
    "/article[1]/bdy[1]/s[1]": (28, 30),
}
PATHS = tuple(TREE)
_KEYS = [(topic, document, path) for topic in TOPICS for document in DOCUMENTS for path in PATHS]
#: One document: its elements lie in each other.
_ONE_DOCUMENT = _KEYS[: len(PATHS)]
_Key: TypeAlias = tuple[str, str, str]
_Grade: TypeAlias = tuple[tuple[int, int], int, int]
#: Sizes whose shares add up to each other exactly, and others that never do.
_SIZES = (1, 2, 3, 6, 7, 9, 10, 21, 30, 97, 1000)


@dataclass(frozen=True)
class ElementCase:
    """Assessed elements and one run, as plain rows."""

    scale: Scale
    elements: tuple[GradedElement, ...]
    results: tuple[Result, ...]
    kind: ResultKind = "elements"

    def judgments(self) -> Judgments:
        """Judgments as input of excerpt."""
        return Judgments.graded(self.elements, scale=self.scale)

    def run(self) -> Run:
        """Run as input of excerpt."""
        return Run.of("run", self.results, kind=self.kind)

    @cached_property
    def topics(self) -> dict[str, ElementTopic]:
        """Topics as input of the oracle."""
        judged = dict.fromkeys(row.topic for row in self.elements)
        return {topic: ElementTopic.of(topic, self.scale, self.elements, self.results) for topic in judged}

    def score(self, topic: str, asked: Asked) -> Fraction | None:
        """The oracle's score."""
        return self.topics[topic].score(asked)


def _spelt(path: str, plain: int) -> str:
    """The path, now and then without its first positions."""
    return path.replace("[1]", "", plain) if plain < 3 else path


def _assessed(grades: st.SearchStrategy[_Grade]) -> st.SearchStrategy[list[tuple[_Key, _Grade]]]:
    """Elements with grades, each once: anywhere, or all in one document."""
    return st.one_of(
        [
            st.lists(
                st.tuples(st.sampled_from(world), grades),
                min_size=3,
                max_size=10,
                unique_by=lambda row: row[0],
            )
            for world in (_KEYS, _ONE_DOCUMENT, _ONE_DOCUMENT)
        ]
    )


#: Two grades, and whether the size is told; exhaustivity, a size and how much of it is relevant.
_GRADED = _assessed(
    st.tuples(
        st.sampled_from([divmod(code, 4) for code in (0, 2, 12, 5, 6, 7, 9, 10, 11, 13, 14, 15, 15, 15)]),
        st.sampled_from((0, 1)),
        st.just(0),
    )
)
_SHARED = _assessed(
    st.tuples(
        st.sampled_from([(e, -1) for e in (-1, 0, 1, 2, 2)]),
        st.sampled_from(_SIZES),
        st.one_of(st.integers(0, 1000), st.just(-1)),
    )
)
#: Mostly assessed elements, in any order and again and again; else anything.
_CHOICES = mostly_long(st.tuples(st.integers(0, 59), st.integers(0, 5)), most=14)
_STRANGERS = [
    (topic, document, path) for path in PATHS for topic in (*TOPICS, "t9") for document in (*DOCUMENTS, "z")
]


def _element(scale: Scale, key: _Key, grade: _Grade) -> GradedElement:
    (e, s), size, relevant = grade
    if s >= 0:
        start, end = TREE[key[2]]
        return GradedElement(*key, e, s, (end - start) * size)
    relevant = size if relevant < 0 else relevant % (size + 1)
    return GradedElement(*key, e if scale == "exhaustivity 0-2" else 2, -1, size, relevant)


@st.composite
def element_cases(draw: st.DrawFn, scales: tuple[Scale, ...] = SCALES, *, spans: bool = False) -> ElementCase:
    """Assessed elements of a few topics, and a run with ties, repetitions and strangers."""
    scale = scales[draw(st.integers(0, len(scales) - 1))]
    graded = scale in {"relevance and coverage", "exhaustivity and specificity"}
    assessed = draw(_GRADED if graded else _SHARED)
    choices = draw(_CHOICES)
    results: list[Result] = []
    score = 0.9
    for number, step in choices:
        stranger = _STRANGERS[number * 37 % len(_STRANGERS)]
        topic, document, path = (
            assessed[number % len(assessed)][0] if number < 42 or not results else stranger
        )
        score -= max(0, step - 2) / 10  # half of the results tie with the one before
        start, end = TREE[path] if spans else (-1, -1)
        results.append(Result(topic, document, start, end, score, _spelt(path, step)))
    if choices and choices[0][0] % 8 == 7:
        results = [row._replace(score=None) for row in results]
    elements = tuple(_element(scale, key, grade) for key, grade in assessed)
    return ElementCase(scale, elements, tuple(results), "spans" if spans else "elements")


#: For each scale: its quantisations as parameters, and none for its default.
QUANTISATIONS: dict[Scale, st.SearchStrategy[tuple[tuple[str, str], ...]]] = {
    scale: st.sampled_from([(), *((("quantisation", name),) for name in names(scale))]) for scale in SCALES
}


@st.composite
def quantised(draw: st.DrawFn, case: ElementCase) -> tuple[tuple[str, str], ...]:
    """A quantisation as parameters, now and then with a least size."""
    chosen = draw(QUANTISATIONS[case.scale])
    if any(row.size for row in case.elements) and draw(st.booleans()):
        return (*chosen, ("too_small", str(draw(st.integers(1, 30)))))
    return chosen


#: Shares above 0, as text.
LEVELS = st.sampled_from(
    ["0.25", "1", "1/3", "2/3", "1/7", *(f"{percent / 100:.2f}" for percent in range(1, 101))]
)
RANKS = st.integers(1, 25).map(str)


@st.composite
def adding_up(draw: st.DrawFn) -> ElementCase:
    """Highlighted shares a, b and a+b, where sums tie in exact arithmetic only, or all but tie."""
    elements: list[GradedElement] = []
    for place in range(draw(st.integers(1, 4))):
        one = draw(st.integers(2, 30))
        other = draw(st.integers(2, 30))
        a, b = draw(st.integers(1, one // 2)), draw(st.integers(1, other // 2))
        # Larger sizes put the sum next to a tie: off by 1 in 1e6 to 1e16.
        blow_up = 10 ** draw(st.sampled_from((0, 0, 0, 3, 6, 9, 12, 14)))
        off = draw(st.sampled_from((0, 0, -1, 1))) if blow_up > 1 else 0
        size = one * other * blow_up
        relevant = min(size, max(0, (a * other + b * one) * blow_up + off))
        for kind, (part, of) in zip("xyz", ((a, one), (b, other), (relevant, size)), strict=True):
            elements.append(GradedElement("t1", "a", f"/article[1]/{kind}[{place + 1}]", 2, -1, of, part))
    order = draw(st.permutations(elements))
    kept = order[: draw(st.integers(0, len(order)))]
    results = tuple(Result("t1", "a", -1, -1, 1.0 - rank / 100, row.path) for rank, row in enumerate(kept))
    return ElementCase("highlights", tuple(elements), results)
