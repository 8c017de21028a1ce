"""Pools for tests: some items, and generated ones."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from excerpt.pooling import Pool, PoolInput, PoolItem

SOME = [
    PoolItem("1", "x", 1, "depth", Fraction(1), ("a", "b"), (((1, 0, 10), (4, 20, 30)), ((2, 5, 9),))),
    PoolItem("1", "y", 2, "depth", Fraction(1), ("b",), (((1, -1, -1),),)),
    PoolItem("1", "z", 3, "sample", Fraction(3, 67), (), ()),
    PoolItem("2", "x", 1, "adaptive", None, ("a",), ((),)),
]

#: Names as they may come from files: blanks, commas and signs among them, no TAB and no line end.
_NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\n\r\0"),
    min_size=1,
    max_size=6,
)
_OFFSETS = st.tuples(st.integers(0, 2**31), st.integers(0, 2**31)).map(lambda pair: tuple(sorted(pair)))
_PASSAGES = st.builds(
    lambda rank, span: (rank, *span), st.integers(1, 2**31 - 1), st.just((-1, -1)) | _OFFSETS
)
_CHANCES = st.none() | st.just(Fraction(1)) | st.fractions(Fraction(1, 10**6), 1, max_denominator=10**7)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """Pools of a few topics; the items come in any order."""
    runs = draw(st.lists(_NAMES, min_size=1, max_size=3, unique=True))
    found = []
    for topic in draw(st.lists(_NAMES, min_size=1, max_size=3, unique=True)):
        documents = draw(st.lists(_NAMES, min_size=1, max_size=4, unique=True))
        orders = draw(
            st.lists(st.integers(1, 99), min_size=len(documents), max_size=len(documents), unique=True)
        )
        for document, order in zip(documents, orders, strict=True):
            by = [run for run in runs if draw(st.booleans())]
            passages = [
                tuple(sorted(draw(st.lists(_PASSAGES, max_size=3, unique_by=lambda item: item[0]))))
                for _ in by
            ]
            chance, stratum = draw(_CHANCES), draw(st.sampled_from(["depth", "sample", "given"]))
            found.append(PoolItem(topic, document, order, stratum, chance, tuple(by), tuple(passages)))
    return Pool.of(found, inputs=map(PoolInput, runs))
