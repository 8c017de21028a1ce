"""A query of NEXI as a value; printed, it is NEXI again, and reading what is printed gives the same value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Term:
    """A word or a phrase that text should be about (`+`) or not about (`-`).

    >>> print(Term("query language", phrase=True, sign="+"))
    +"query language"
    """

    text: str
    phrase: bool = False
    sign: Literal["", "+", "-"] = ""

    def __str__(self) -> str:
        return f'{self.sign}"{self.text}"' if self.phrase else f"{self.sign}{self.text}"


@dataclass(frozen=True)
class Step:
    """One step down: to elements with one of these names (`*`: any), below or right below, that fit filters.

    >>> print(Step(("sec", "p")))
    //(sec|p)
    """

    tags: tuple[str, ...]
    #: Whether it goes to children only, as XPath-like titles of 2003 could say; NEXI has descendants.
    child: bool = False
    filters: tuple[Clause, ...] = ()

    def __str__(self) -> str:
        names = "|".join(self.tags)
        named = f"({names})" if len(self.tags) > 1 else names
        return f"{'/' if self.child else '//'}{named}{''.join(f'[{clause}]' for clause in self.filters)}"


def _relative(path: tuple[Step, ...]) -> str:
    return "." + "".join(map(str, path))


@dataclass(frozen=True)
class About:
    """`about(path, terms)`: some text, from where the filter stands, that is about the terms."""

    path: tuple[Step, ...]
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return f"about({_relative(self.path)}, {' '.join(map(str, self.terms))})"


@dataclass(frozen=True)
class Comparison:
    """`path > value`: an element whose content compares so; a value that is no number is quoted."""

    path: tuple[Step, ...]
    operator: Literal["<", "<=", "=", ">=", ">", "!="]
    value: str
    quoted: bool = False

    def __str__(self) -> str:
        mark = ('"' if "'" in self.value else "'") if self.quoted else ""
        value = f"{mark}{self.value}{mark}"
        return f"{_relative(self.path)} {self.operator} {value}"


@dataclass(frozen=True)
class Clauses:
    """Clauses that must hold all (`and`), or at least one (`or`)."""

    operator: Literal["and", "or"]
    parts: tuple[Clause, ...]

    def __str__(self) -> str:
        inner = [
            f"({part})" if isinstance(part, Clauses) and self.operator == "and" else str(part)
            for part in self.parts
        ]
        return f" {self.operator} ".join(inner)


Clause: TypeAlias = About | Comparison | Clauses


@dataclass(frozen=True)
class Query:
    """Steps from the whole document to what is asked for, which is what the last step names."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    @property
    def clauses(self) -> Iterator[About | Comparison]:
        """Every single condition, from left to right."""
        waiting: list[Clause] = [clause for step in self.steps for clause in step.filters]
        while waiting:
            clause = waiting.pop(0)
            if isinstance(clause, Clauses):
                waiting[:0] = clause.parts
            else:
                yield clause

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, from left to right."""
        return tuple(term for clause in self.clauses if isinstance(clause, About) for term in clause.terms)
