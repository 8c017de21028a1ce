"""Front matter of articles: what stands before their title, such as ids, ISSN and publisher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from excerpt.corpus import Element

#: Elements with the title of an article, and the elements of the front matter that contain them.
_TITLES, _AROUND = {"title-group", "tig"}, {"article-meta", "front", "front-stub", "fm"}
#: Elements about the journal, which are front matter in an article without a title, too.
_JOURNAL = {"journal-meta"}


class FrontMatter(NamedTuple):
    """Rows of the elements before the title, and the offset at which the title begins (0: there is none)."""

    rows: frozenset[int] = frozenset()
    end: int = 0


def front_matter(elements: Sequence[Element] | None) -> FrontMatter:
    """Front matter of an article; none where no title of an article is known.

    >>> tags = "article front journal-meta issn article-meta article-id title-group"
    >>> depths = (0, 1, 2, 3, 2, 3, 3)
    >>> rows = [Element(tag, depth, at, at + 1) for at, (tag, depth) in enumerate(zip(tags.split(), depths))]
    >>> sorted(front_matter(rows).rows), front_matter(rows).end
    ([2, 3, 5], 6)
    """
    open_: list[int] = []
    names: list[str] = []
    journal: set[int] = set()
    around, end = -1, 0
    for row, (tag, depth, start, stop, _) in enumerate(elements or ()):
        name = tag.rpartition("}")[2].rpartition(":")[2].lower()
        del open_[depth:]
        if around >= 0 and around not in open_:
            break  # what follows may be another article
        if name in _TITLES and open_ and names[open_[-1]] in _AROUND:
            return FrontMatter(frozenset(range(row)).difference(open_), start)
        if name in _JOURNAL or (open_ and open_[-1] in journal):
            journal.add(row)
            end = max(end, stop)
        if around < 0 and name in _AROUND:
            around = row
        names.append(name)
        open_.append(row)
    return FrontMatter(frozenset(journal), end)
