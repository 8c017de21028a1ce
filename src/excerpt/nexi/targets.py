"""What a query asks for: the elements that its last step names, and whether an element is one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from excerpt.nexi.query import Query

#: Tags that INEX took for each other in the collection of IEEE articles: paragraphs, sections, lists and
#: headings. `section` is what the Wikipedia of 2006 calls them.
EQUIVALENT = (
    frozenset({"p", "p1", "p2", "p3", "ip1", "ip2", "ip3", "ip4", "ip5", "ilrj", "item-none"}),
    frozenset({"sec", "ss1", "ss2", "ss3", "section"}),
    frozenset(
        {"dl", "list", "numeric-list", "numeric-rbrace", "bullet-list", *map("l{}".format, "123456789abcde")}
    ),
    frozenset({"h", "h1", "h1a", "h2", "h2a", "h3", "h4"}),
)
_POSITION = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True)
class Target:
    """The path of what is asked for: the tags of each step (`*`: any), and whether it goes to children only.

    >>> from excerpt.nexi.parsing import parse_nexi
    >>> target = Target.of(parse_nexi("//article[about(., x)]//sec[about(., y)]"))
    >>> str(target), target.path
    ('sec', '//article//sec')
    >>> target.fits("/article[1]/bdy[1]/sec[2]"), target.fits("/article[1]/bdy[1]/sec[2]/p[1]")
    (True, False)
    >>> target.fits("/article[1]/bdy[1]/sec[1]/ss1[2]", vague=True)
    True
    """

    steps: tuple[tuple[tuple[str, ...], bool], ...]

    @classmethod
    def of(cls, query: Query) -> Target:
        """The target of a query: the names of its last step, below those before it."""
        return cls(tuple((step.tags, step.child) for step in query.steps))

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of what is asked for."""
        return self.steps[-1][0]

    @property
    def path(self) -> str:
        """The steps as NEXI writes them, without filters."""
        named = ((f"({'|'.join(tags)})" if len(tags) > 1 else tags[0], child) for tags, child in self.steps)
        return "".join(("/" if child else "//") + name for name, child in named)

    def __str__(self) -> str:
        return "|".join(self.tags)

    def fits(self, path: str, *, vague: bool = False) -> bool:
        """Whether the element at a path such as `/article[1]/sec[2]` is asked for.

        Strictly, the names must be those of the query; else equivalent ones will do.
        """
        steps = self._vague if vague else self._strict
        reached = {0}  # how many steps may have led to the element so far
        for name in filter(None, bare_path(path).split("/")):
            open_ = [place for place in reached if place < len(steps)]
            further = {place + 1 for place in open_ if steps[place][0] & {name, "*"}}
            reached = further.union(place for place in open_ if not steps[place][1])
        return len(steps) in reached

    @cached_property
    def _strict(self) -> tuple[tuple[frozenset[str], bool], ...]:
        return tuple((frozenset(tags), child) for tags, child in self.steps)

    @cached_property
    def _vague(self) -> tuple[tuple[frozenset[str], bool], ...]:
        return tuple((_wider(tags), child) for tags, child in self.steps)


def bare_path(path: str) -> str:
    """The names on a path, without positions.

    >>> bare_path("/article[1]/sec[2]")
    '/article/sec'
    """
    return _POSITION.sub("", path).rstrip("/")


def _wider(tags: tuple[str, ...]) -> frozenset[str]:
    """Names, and those that mean the same."""
    return frozenset(tags).union(*(group for tag in tags for group in EQUIVALENT if tag in group))
