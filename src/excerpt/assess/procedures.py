"""Table of assessment procedures: those of INEX 2002 to 2007, and one for evidence.

Rules (`excerpt.assess.rules`), export and agreement follow the table, and the assessor's page gets an entry
as JSON; no other module refers to a procedure by name.

Gövert et al. (2006), 4.1 to 4.3: relevance and coverage of elements (2002). Ogilvie & Lalmas (2006), 2.4:
exhaustivity and specificity (2004); highlighting, then exhaustivity (2005). Lalmas et al. (2006), 3 and 7:
highlighting, and the best entry points that the measures of a task of 2006 compare with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.errors import UnknownName

if TYPE_CHECKING:
    from excerpt.model.judgments import Scale

DEFAULT = "inex2007"


class Dimension(NamedTuple):
    """A dimension of a grade: name, letter, and values with their labels, which are also keyboard keys."""

    name: str
    letter: str
    values: tuple[tuple[int | str, str], ...]

    def read(self, text: Any) -> int | str | None:
        """Parse a value such as `2` or `"2"`, `"E"` or `"e"`; return None if it is invalid."""
        upper = str(text).upper()
        return next((value for value, _ in self.values if str(value) == upper), None)


class Rest(NamedTuple):
    """A grade for all ungraded elements inside an element.

    Elements of `least` characters or more need a confirmation; with `each`, also if they are graded alone.
    """

    grade: int | str
    word: str
    least: int
    question: str
    each: bool = True


class Procedure(NamedTuple):
    """An assessment procedure: tasks of assessors, requirements of a finished document, texts of the page.

    With highlighting (`marks`), a scale has one dimension, and every element with highlighted text must be
    graded. Without, it has two dimensions, whose first values mean not relevant and go together.
    """

    name: str
    #: Description for organisers, at most 65 characters: with the name a line of the help.
    description: str
    marks: bool = True
    #: True if a document needs one best entry point if, and only if, text is highlighted.
    entry: bool = False
    #: True if highlighted text must be labelled.
    labels: bool = False
    #: True if grades are given after highlighting is closed, and text is highlighted only before.
    phases: bool = False
    #: True if the elements of the pool must be graded: those of pooled passages, or of documents the root.
    pooled: bool = False
    scale: tuple[Dimension, ...] = ()
    #: Valid grades, in words.
    expected: str = ""
    #: Invalid combinations of grades.
    never: tuple[tuple[int | str, int | str], ...] = ()
    #: Elements to grade around a relevant element: names of `rules.RELATIONS`.
    around: tuple[str, ...] = ()
    #: True if front matter, such as the ids of a journal, is graded only if the pool has it.
    spares_front: bool = False
    #: Elements that contain a graded one have at least its first grade, or this if it is less.
    carried: int = 0
    rest: Rest | None = None
    #: The scale of exported judgments, with the grades of `scale`.
    exports: Scale = "highlights"
    about: str = ""
    nothing: str = "Nothing relevant"

    @property
    def owed(self) -> str:
        """Noun for input that is missing in an unfinished document."""
        return "grade" if self.scale else "label" if self.labels else "entry point"

    def to_json(self) -> dict[str, Any]:
        """Return the procedure as the assessor's page needs it."""
        names = ("marks", "entry", "labels", "phases", "scale", "carried", "about", "nothing", "owed")
        rest = None if self.rest is None else self.rest._asdict()
        return {**{name: getattr(self, name) for name in names}, "rest": rest}


_DIGITS = tuple((grade, str(grade)) for grade in range(4))
_TABLE = (
    Procedure(
        "inex2002",
        "grade elements: relevance 0 to 3 and coverage N, L, S or E",
        marks=False,
        pooled=True,
        scale=(
            Dimension("Relevance", "R", _DIGITS),
            Dimension("Coverage", "C", tuple((sign, sign) for sign in "NLSE")),
        ),
        expected="relevance 0 to 3 and coverage N, L, S or E; 0 with N only, and 3 not with S",
        never=((3, "S"),),  # an element that is too small cannot be highly relevant
        around=("ancestors", "descendants"),
        spares_front=True,
        carried=1,  # an element that contains a relevant one is relevant; the assessor decides how much
        exports="relevance and coverage",
        about="Relevance 0 to 3, and coverage: N none, L too large, S too small, E exact. Relevance 0 has "
        "coverage N. Keys: a digit, then n, l, s or e; 0 alone means 0 and N.",
    ),
    Procedure(
        "inex2004",
        "grade elements: exhaustivity and specificity, 0 to 3 each",
        marks=False,
        pooled=True,
        scale=(Dimension("Exhaustivity", "E", _DIGITS), Dimension("Specificity", "S", _DIGITS)),
        expected="exhaustivity and specificity, 0 to 3 each, and 0 with 0 only",
        around=("parent", "children", "siblings"),
        carried=3,
        exports="exhaustivity and specificity",
        about="How exhaustively an element discusses the topic, and how specific it is to the topic; 0 goes "
        "with 0 only. Keys: two digits; 0 alone means 0 and 0.",
    ),
    Procedure(
        "inex2005",
        "highlight, then grade elements: exhaustivity 2, 1, 0 or ?",
        phases=True,
        scale=(Dimension("Exhaustivity", "", ((2, "2"), (1, "1"), (0, "0"), ("?", "?"))),),
        expected="2, 1, 0, ? or null",
        carried=2,
        rest=Rest("?", "too small", 50, "too small to say anything about the topic?"),
        exports="exhaustivity 0-2",
        about="Grade every element with highlighted text: 2 = discusses the topic fully, 1 = partly, 0 = not "
        "at all, ? = too small. An element has at least the grade of every element inside it.",
    ),
    Procedure("inex2006", "highlight, and set one best entry point (as in inex2007)", entry=True),
    Procedure("inex2007", "highlight, and set one best entry point", entry=True),
    Procedure("highlight", "highlight relevant text, and nothing more"),
    Procedure(
        "evidence",
        "highlight evidence and label it",
        labels=True,
        about="Highlight each piece of evidence, then label it. Finish a document without evidence as “not "
        "answerable here”.",
        nothing="Not answerable here",
    ),
)
PROCEDURES: dict[str, Procedure] = {procedure.name: procedure for procedure in _TABLE}
#: Procedures of campaigns of version 1 that are different now; these campaigns keep their rules.
_FIRST = {
    "inex2002": PROCEDURES["inex2002"]._replace(pooled=False, spares_front=False),
    "inex2004": PROCEDURES["inex2004"]._replace(pooled=False),
    "inex2005": PROCEDURES["inex2005"]._replace(
        phases=False,
        scale=(Dimension("Exhaustivity", "", ((2, "2"), (1, "1"), ("?", "?"))),),
        expected="2, 1, ? or null",
        carried=0,
        rest=Rest("?", "too small", 51, "too small to say anything about the topic?", each=False),
        about="Grade every element with highlighted text: 2 = discusses the topic fully, 1 = partly, ? = too "
        "small.",
    ),
    "inex2006": PROCEDURES["highlight"],
}


def procedure_of(name: str, version: int | None = None) -> Procedure:
    """Return a procedure by its name, as it is in campaigns of a version (default: new ones).

    >>> procedure_of("inex2007").entry, procedure_of("inex2006", 1).name
    (True, 'highlight')
    """
    if name not in PROCEDURES:
        raise UnknownName("procedure", name, PROCEDURES)
    return _FIRST.get(name, PROCEDURES[name]) if version == 1 else PROCEDURES[name]
