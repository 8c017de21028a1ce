"""Procedures of assessment as data: those of INEX 2002 to 2007, and one for evidence.

Each is one entry of a table. The rules follow it (`excerpt.assess.rules`), so do export and agreement, and
the assessor's page gets it as JSON; no other module knows a procedure by its name.

Gövert et al. (2006), 4.1 to 4.3: relevance and coverage of elements (2002). Ogilvie & Lalmas (2006), 2.4:
exhaustivity and specificity (2004); highlighting, then exhaustivity (2005). Lalmas et al. (2006), 3:
highlighting only (2006). Best entry points came with the task of 2006 and were asked for in 2007.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.errors import UnknownName

if TYPE_CHECKING:
    from excerpt.model.judgments import Scale

DEFAULT = "inex2007"


class Part(NamedTuple):
    """A part of a grade: name, letter, and values with their words, which are also the keys of the page."""

    name: str
    letter: str
    values: tuple[tuple[int | str, str], ...]

    def read(self, given: Any) -> int | str | None:
        """A value as it may be written, `2` or `"2"`, `"E"` or `"e"`; None if it is none."""
        written = str(given).upper()
        return next((value for value, _ in self.values if str(value) == written), None)


class Rest(NamedTuple):
    """One grade for all that is owed inside an element; a question is asked if some have more characters."""

    grade: int | str
    word: str
    most: int
    question: str


class Procedure(NamedTuple):
    """What assessors do, what is owed before a document is finished, and the words of the page.

    Where text is highlighted (`marks`), a scale has one part, and every element with highlighted text is to
    be graded. Elsewhere it has two, whose first values mean irrelevant, both or neither.
    """

    name: str
    #: In words, for those who set up a campaign.
    description: str
    marks: bool = True
    #: Whether one best entry point is set where something is highlighted, and nowhere else.
    entry: bool = False
    #: Whether highlighted text is labelled.
    labels: bool = False
    scale: tuple[Part, ...] = ()
    #: What a grade has to be, in words.
    expected: str = ""
    #: Two grades that do not go together.
    never: tuple[tuple[int | str, int | str], ...] = ()
    #: Which elements around a relevant one are to be graded, too: names of `rules.RELATIONS`.
    around: tuple[str, ...] = ()
    #: The first grade, or this if it is less, is what all elements around have at least.
    carried: int = 0
    rest: Rest | None = None
    #: The scale of the judgments; its grades are those that `scale` may have.
    exports: Scale = "highlights"
    about: str = ""
    nothing: str = "Nothing relevant"

    @property
    def owed(self) -> str:
        """What an unfinished document lacks, as a noun."""
        return "grade" if self.scale else "label" if self.labels else "entry point"

    def to_json(self) -> dict[str, Any]:
        """What the assessor's page goes by."""
        names = ("marks", "entry", "labels", "scale", "about", "nothing", "owed")
        rest = None if self.rest is None else self.rest._asdict()
        return {**{name: getattr(self, name) for name in names}, "rest": rest}


_DIGITS = tuple((grade, str(grade)) for grade in range(4))
_TABLE = (
    Procedure(
        "inex2002",
        "grade the relevance (0 to 3) and the coverage (N, L, S, E) of elements",
        marks=False,
        scale=(
            Part("Relevance", "R", _DIGITS),
            Part("Coverage", "C", tuple((sign, sign) for sign in "NLSE")),
        ),
        expected="relevance 0 to 3 and coverage N, L, S or E; 0 with N only, and 3 not with S",
        never=((3, "S"),),  # what is too small cannot tell everything
        around=("ancestors", "descendants"),
        carried=1,  # what contains a relevant element is relevant; how much is for the assessor to say
        exports="relevance and coverage",
        about="Relevance, and coverage: N none, L too large, S too small, E exact; 0 with N only. Keys: two "
        "digits, coverage by 0 1 2 3.",
    ),
    Procedure(
        "inex2004",
        "grade the exhaustivity and the specificity of elements, 0 to 3 each",
        marks=False,
        scale=(Part("Exhaustivity", "E", _DIGITS), Part("Specificity", "S", _DIGITS)),
        expected="exhaustivity and specificity, 0 to 3 each, and 0 with 0 only",
        around=("parent", "children", "siblings"),
        carried=3,
        exports="exhaustivity and specificity",
        about="How exhaustively an element discusses the topic, and how much of it is about nothing else; 0 "
        "with 0 only. Keys: two digits.",
    ),
    Procedure(
        "inex2005",
        "highlight what is relevant, then grade the exhaustivity of elements: 2, 1 or ? (too small)",
        scale=(Part("Exhaustivity", "", ((2, "2"), (1, "1"), ("?", "?"))),),
        expected="2, 1, ? or null",
        rest=Rest("?", "too small", 50, "Too small to say anything about the topic?"),
        exports="exhaustivity 0-2",
        about="Every element that holds highlighted text. 2 = discusses the topic fully, 1 = partly, ? = too "
        "small.",
    ),
    Procedure("inex2006", "highlight what is relevant"),
    Procedure("inex2007", "highlight what is relevant, and set one best entry point", entry=True),
    Procedure(
        "evidence",
        "highlight evidence and label it",
        labels=True,
        about="Highlight what is evidence, then say of what. A document without any is finished as “not "
        "answerable here”.",
        nothing="Not answerable here",
    ),
)
PROCEDURES: dict[str, Procedure] = {procedure.name: procedure for procedure in _TABLE}


def procedure_of(name: str) -> Procedure:
    """A procedure by its name.

    >>> procedure_of("inex2007").entry, procedure_of("inex2005").scale[0].name
    (True, 'Exhaustivity')
    """
    if name not in PROCEDURES:
        raise UnknownName("procedure", name, PROCEDURES)
    return PROCEDURES[name]
