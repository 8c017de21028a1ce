"""The procedures of INEX 2002 to 2007 and one for evidence; see the papers for what each was good for.

Gövert et al. (2006), 4.1 to 4.3: relevance and coverage of elements (2002). Ogilvie & Lalmas (2006), 2.4:
exhaustivity and specificity (2004); highlighting, then exhaustivity (2005). Lalmas et al. (2006), 3:
highlighting only (2006). Best entry points came with the task of 2006 and were asked for in 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from excerpt.assess.refusals import Unfit
from excerpt.assess.rules import GRADING, HIGHLIGHTING, EntryPoints, Evidence, Highlighting, Rules
from excerpt.assess.work import Grade, Work
from excerpt.errors import UnknownName, plural, short

TOO_SMALL = "?"
#: Larger elements are not called too small by the dozen unless the assessor is sure.
LARGEST_SMALL = 50


class Exhaustivity(Rules):
    """2005: highlight; then say of every element with highlighted text how exhaustive it is."""

    name = "inex2005"
    description = "highlight what is relevant, then grade the exhaustivity of elements: 2, 1 or ? (too small)"
    kinds = HIGHLIGHTING | {"grade"}
    needs_elements = True
    _grades: ClassVar[dict[Any, Grade]] = {2: 2, 1: 1, "2": 2, "1": 1, TOO_SMALL: TOO_SMALL, None: None}

    def check_grade(self, work: Work, body: Mapping[str, Any]) -> None:
        """A grade of the scale, for an element with highlighted text."""
        row = self.row_of(body)
        if body.get("rest"):
            self._check_rest(work, body, row)
            return
        part, grade = self.structure.parts[row], body.get("grade", "nothing")
        if isinstance(grade, list) or grade not in self._grades:
            raise Unfit(f"found the grade {short(repr(grade))}, expected 2, 1, ? or null")
        if not work.highlights.meets(part.start, part.end):
            raise Unfit(f"found a grade for {short(part.path)}, expected an element with highlighted text")

    def _check_rest(self, work: Work, body: Mapping[str, Any], row: int) -> None:
        if body.get("grade", TOO_SMALL) != TOO_SMALL:
            raise Unfit(f"found {short(repr(body['grade']))} for all that is left, expected ?")
        owed = self._owed_rows(work, self.structure.inside(row))
        if not owed:
            raise Unfit("found nothing left to grade there, expected elements without a grade")
        parts = [self.structure.parts[owing] for owing in owed]
        large = sum(part.end - part.start > LARGEST_SMALL for part in parts)
        if large and not body.get("sure"):
            raise Unfit(
                f"found {plural(large, 'element')} of more than {LARGEST_SMALL} characters among the "
                f"{len(owed)} left, expected to be asked again whether they are too small"
            )

    def given(self, work: Work, body: Mapping[str, Any]) -> Iterator[tuple[str, Grade]]:
        """One element, or all that are owed inside of one as too small."""
        row = self.row_of(body)
        if body.get("rest"):
            for owing in self._owed_rows(work, self.structure.inside(row)):
                yield self.structure.parts[owing].path, TOO_SMALL
        else:
            yield self.structure.parts[row].path, self._grades[body["grade"]]

    def lost(self, work: Work, start: int, end: int) -> list[str]:
        """Graded elements without highlighted text."""
        rows = sorted(self.structure.rows[path] for path in work.grades)
        parts = (self.structure.parts[row] for row in rows)
        touched = (part for part in parts if part.start < end and start < part.end)
        return [part.path for part in touched if not work.highlights.meets(part.start, part.end)]

    def _owed_rows(self, work: Work, rows: range) -> list[int]:
        parts, meets = self.structure.parts, work.highlights.meets
        return [
            row
            for row in rows
            if parts[row].path not in work.grades and meets(parts[row].start, parts[row].end)
        ]

    def owed(self, work: Work) -> list[str]:
        """Elements with highlighted text and without a grade."""
        if not work.highlights:
            return []
        parts = self.structure.parts
        return [parts[row].path for row in self._owed_rows(work, range(len(parts)))]


class _TwoGrades(Rules):
    """Two grades for each element: how much of the topic it tells, and how much else."""

    kinds = GRADING
    needs_elements = True
    #: Values of the two grades as they may be written, and what both are for an irrelevant element.
    firsts: ClassVar[dict[Any, int]] = {key: grade for grade in range(4) for key in (grade, str(grade))}
    seconds: ClassVar[dict[Any, Any]]
    nothing: ClassVar[Any]
    expected: ClassVar[str]
    first_name: ClassVar[str]

    def check_grade(self, work: Work, body: Mapping[str, Any]) -> None:
        """Grades of the scale that go together, and with those of the elements around."""
        row = self.row_of(body)
        if body.get("rest"):
            raise Unfit(f"found all that is left, expected one element: {self.name} has no such thing")
        if body.get("grade", "nothing") is None:
            return
        grade = self._read(body.get("grade"))
        if grade is None or not self.fits(*grade):
            raise Unfit(f"found the grade {short(repr(body.get('grade')))}, expected {self.expected}")
        self._check_around(work, row, grade[0])

    def _read(self, given: Any) -> list[Any] | None:
        if not isinstance(given, list) or len(given) != 2:
            return None
        first, second = given
        second = second.upper() if isinstance(second, str) else second
        known = first in self.firsts and second in self.seconds
        return [self.firsts[first], self.seconds[second]] if known else None

    def fits(self, first: int, second: Any) -> bool:
        """Whether two grades go together: an irrelevant element is so in both."""
        return bool((first == 0) == (second == self.nothing))

    def level(self, first: int) -> int:
        """What no element may have less of than those inside it."""
        return first

    def _check_around(self, work: Work, row: int, first: int) -> None:
        parts = self.structure.parts
        own = parts[row].path
        for inner in self.structure.inside(row)[1:]:
            grade = work.grades.get(parts[inner].path)
            if grade and self.level(grade[0]) > self.level(first):
                raise Unfit(
                    f"found {self.first_name} {first} for {short(own)}, expected at least "
                    f"{self.level(grade[0])}, since {short(parts[inner].path)} inside it has {grade[0]}"
                )
        for outer in self.structure.ancestors(row):
            grade = work.grades.get(parts[outer].path)
            if grade and self.level(grade[0]) < self.level(first):
                raise Unfit(
                    f"found {self.first_name} {first} for {short(own)}, expected at most {grade[0]}, "
                    f"that of {short(parts[outer].path)} around it",
                    hint="grade that one first",
                )

    def given(self, work: Work, body: Mapping[str, Any]) -> Iterator[tuple[str, Grade]]:  # noqa: ARG002
        """One element."""
        grade = body["grade"]
        yield self.structure.parts[self.row_of(body)].path, None if grade is None else self._read(grade)

    def relevant_rows(self, work: Work) -> list[int]:
        """The rows of elements that were graded as relevant."""
        rows = self.structure.rows
        return sorted(rows[path] for path, grade in work.grades.items() if grade[0] > 0)

    def related(self, rows: list[int]) -> set[int]:
        """The elements that are to be graded too where these are relevant."""
        raise NotImplementedError

    def _asked(self, work: Work) -> list[int]:
        """Elements with text and without a grade that are to be graded, or whose grade follows."""
        rows = self.related(self.relevant_rows(work))
        parts = self.structure.parts
        return [
            row
            for row in sorted(rows)
            if parts[row].path not in work.grades and parts[row].end > parts[row].start
        ]

    def _is_nothing(self, work: Work, row: int) -> bool:
        """Whether an element is inside one that was graded as irrelevant."""
        parts = self.structure.parts
        around = (work.grades.get(parts[outer].path) for outer in self.structure.ancestors(row))
        return any(grade is not None and grade[0] == 0 for grade in around)

    def owed(self, work: Work) -> list[str]:
        """What is asked for and does not follow."""
        rows = self._asked(work)
        return [self.structure.parts[row].path for row in rows if not self._is_nothing(work, row)]

    def inferred(self, work: Work) -> dict[str, Grade]:
        """Parts of irrelevant elements are irrelevant; an element has at least what is inside it."""
        found: dict[int, Grade] = {
            row: [0, self.nothing] for row in self._asked(work) if self._is_nothing(work, row)
        }
        parts = self.structure.parts
        for row in self.relevant_rows(work):
            level = self.level(work.grades[parts[row].path][0])
            for outer in self.structure.ancestors(row):
                if parts[outer].path not in work.grades:
                    found[outer] = [max(level, found.get(outer, [0])[0]), None]
        return {parts[row].path: found[row] for row in sorted(found)}


class Specificity(_TwoGrades):
    """2004: exhaustivity and specificity; of a relevant element also parent, children and siblings."""

    name = "inex2004"
    description = "grade the exhaustivity and the specificity of elements, 0 to 3 each"
    seconds = _TwoGrades.firsts
    nothing = 0
    expected = "exhaustivity and specificity, 0 to 3 each, and 0 with 0 only"
    first_name = "exhaustivity"

    def related(self, rows: list[int]) -> set[int]:
        """Parent, children and siblings, which are the parent's children."""
        parents = {self.structure.parts[row].parent for row in rows} - {-1}
        return parents.union(*(self.structure.children[row] for row in parents.union(rows)))


class Coverage(_TwoGrades):
    """2002: relevance and coverage; of a relevant element also all that contains it or is inside it."""

    name = "inex2002"
    description = "grade the relevance (0 to 3) and the coverage (N, L, S, E) of elements"
    seconds: ClassVar[dict[Any, Any]] = {letter: letter for letter in "NLSE"}
    nothing = "N"
    expected = "relevance 0 to 3 and coverage N, L, S or E; 0 with N only, and 3 not with S"
    first_name = "relevance"

    def fits(self, first: int, second: Any) -> bool:
        """An irrelevant element has no coverage, and one that is too small cannot tell everything."""
        return super().fits(first, second) and (first, second) != (3, "S")

    def level(self, first: int) -> int:
        """What contains a relevant element is relevant; how much is for the assessor to say."""
        return min(first, 1)

    def related(self, rows: list[int]) -> set[int]:
        """Ancestors and descendants."""
        inside = (self.structure.inside(row) for row in rows)
        return set().union(*inside, *(self.structure.ancestors(row) for row in rows))


PROCEDURES: dict[str, type[Rules]] = {
    rules.name: rules for rules in (Coverage, Specificity, Exhaustivity, Highlighting, EntryPoints, Evidence)
}


def procedure_of(name: str) -> type[Rules]:
    """The rules of a procedure by its name.

    >>> procedure_of("inex2007").needs_elements, procedure_of("inex2005").needs_elements
    (False, True)
    """
    if name not in PROCEDURES:
        raise UnknownName("procedure", name, PROCEDURES)
    return PROCEDURES[name]
