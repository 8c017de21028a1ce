"""Coefficients of agreement from their definitions, slowly, with pairs of values and fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import NamedTuple

#: Grades of each unit.
Units = Sequence[Sequence[int]]


def alpha(units: Units, *, ordinal: bool) -> Fraction | None:
    """Krippendorff's alpha: disagreement inside of units, against that of all values of units with two."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]

    def apart(one: int, two: int) -> Fraction:
        if not ordinal:
            return Fraction(one != two)
        between = sum(min(one, two) <= value <= max(one, two) for value in values)
        return (
            (between - Fraction(values.count(one) + values.count(two), 2)) ** 2 if one != two else Fraction(0)
        )

    total = len(values)
    within = sum(
        (apart(*two) / (len(unit) - 1) for unit in paired for two in permutations(unit, 2)), Fraction(0)
    )
    every = sum((apart(*two) for two in permutations(values, 2)), Fraction(0))
    return 1 - (within / total) / (every / (total * (total - 1))) if every else None


def kappa(grades: Sequence[tuple[int, int]], power: int) -> Fraction | None:
    """Cohen's kappa with the distance of grades to a power as weight; power 0 weighs all alike."""

    def apart(one: int, two: int) -> int:
        return abs(one - two) ** power if one != two else 0

    observed = Fraction(sum(apart(*two) for two in grades), max(len(grades), 1))
    chance = Fraction(
        sum(apart(one, two) for (one, _), (_, two) in product(grades, repeat=2)), max(len(grades), 1) ** 2
    )
    return 1 - observed / chance if chance else None


class Section(NamedTuple):
    """A unit or a gap of a judge's continuum."""

    begin: int
    length: int
    marked: bool


def sections(marked: set[int], length: int, begin: int) -> list[Section]:
    """Cut a document into units, which are runs of marked characters, and gaps."""
    found: list[Section] = []
    for at in range(length):
        if found and found[-1].marked == (at in marked):
            found[-1] = found[-1]._replace(length=found[-1].length + 1)
        else:
            found.append(Section(begin + at, 1, at in marked))
    return found


def distance(one: Section, two: Section) -> int:
    """Squared distance of two sections of the continuum, by the book."""
    far = one.begin - two.begin
    if one.marked and two.marked and -one.length < far < two.length:
        return far**2 + (far + one.length - two.length) ** 2
    if one.marked and not two.marked and two.length - one.length >= far >= 0:
        return one.length**2
    if two.marked and not one.marked and two.length - one.length <= far <= 0:
        return two.length**2
    return 0


def alpha_u(judges: Sequence[Mapping[str, set[int]]], lengths: Mapping[str, int]) -> Fraction | None:
    """Alpha of highlighted text where every judge saw every document, which lie end to end."""
    cut = []
    for judge in judges:
        begin, own = 0, list[Section]()
        for name, length in lengths.items():
            own += sections(judge[name], length, begin)
            begin += length
        cut.append(own)
    count, length = len(judges), sum(lengths.values())
    observed = sum(distance(g, h) for one, two in permutations(cut, 2) for g, h in product(one, two))
    every = [section for own in cut for section in own]
    units = [section.length for section in every if section.marked]
    gaps = [section.length for section in every if not section.marked]
    expected = Fraction(0)
    for b in units:
        expected += Fraction(len(units) - 1, 3) * (2 * b**3 - 3 * b**2 + b)
        expected += b**2 * sum(gap - b + 1 for gap in gaps if gap >= b)
    total = count * length
    below = total * (total - 1) - sum(b * (b - 1) for b in units)
    if not expected or not below:
        return None
    return 1 - Fraction(observed, count * (count - 1) * length**2) / (Fraction(2, length) * expected / below)
