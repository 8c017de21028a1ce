"""One topic on a terminal: what was asked, how well the run did, and the text with what is marked in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from excerpt.errors import plural
from excerpt.render.columns import shorten_middle, wrap, wrap_parts
from excerpt.render.escape import plain
from excerpt.render.flow import MARGIN, MARKS, SIGNS, lines_of, paint
from excerpt.render.stretches import bits_of
from excerpt.view.topic_view import Look, OneTopic
from excerpt.view.verdicts import whole

_FEW = 5  # ranks that are listed
_CALLED = {"hit": "found", "missed": "missed", "vain": "in vain", "unjudged": "not judged"}


@dataclass(frozen=True)
class Page:
    """How a topic is shown: how wide, in colours or with marks, how much text around what is marked."""

    width: int = 80
    colours: bool = False
    context: int = 80
    top: int = 10
    blocks: Mapping[str, str] | None = None

    def paint(self, text: str, style: str) -> str:
        """Text in a style, where there are colours."""
        return paint(text, style) if self.colours else text


def lines_on(shown: OneTopic, page: Page) -> Iterator[str]:
    """The lines of a topic."""
    yield from _head(shown, page)
    yield ""
    yield from legend(page)
    for look in shown.documents:
        yield ""
        yield from _document(look, page, single=shown.single)
    yield from _foot(shown, page)


def _head(shown: OneTopic, page: Page) -> Iterator[str]:
    topic = shown.topic
    title = f"{topic.id} · {topic.title}" if topic.title else topic.id
    yield from (page.paint(line, "strong") for line in wrap(plain(title), page.width))
    if topic.text and topic.text != topic.title:
        yield from wrap(plain(topic.text), page.width)
    yield ""
    values = [plain(f"{name} {score(value)}") for name, value in shown.scores.items()]
    yield from wrap_parts([shorten_middle(plain(shown.run), page.width), *values], page.width, gap=" · ")
    yield from wrap(_summary(shown), page.width)


def score(value: float | None) -> str:
    """A score with four digits, a dash where there is none."""
    return "\u2013" if value is None else f"{value:.4f}"


def _summary(shown: OneTopic) -> str:
    results = plural(shown.results, "result").replace(str(shown.results), whole(shown.results), 1)
    if not shown.judged:
        return f"{results}; nobody judged this topic"
    relevant = sum(look.count("hit", "missed") for look in shown.documents)
    if not relevant:
        return f"{results}; nothing relevant {'in this document' if shown.single else 'to this topic'}"
    found = sum(look.count("hit") for look in shown.documents)
    documents = plural(sum(bool(look.relevant) for look in shown.documents), "document")
    where = "in this document" if shown.single else f"in {documents}"
    return f"{results}; {whole(relevant)} relevant characters {where}, {whole(found)} of them found"


def legend(page: Page, states: Iterable[str] = tuple(SIGNS)) -> Iterator[str]:
    """What colours, marks and signs mean, as far as there are texts in these states."""
    if page.colours:
        named = {f"{SIGNS[state]} {_CALLED[state]}": state for state in states} | {"found again": "hit again"}
        for line in wrap_parts(named, page.width):
            yield "  ".join(_painted(part, named[part]) for part in line.split("  "))
        return
    marks = zip(MARKS, ("relevant", "retrieved", "retrieved again"), strict=True)
    parts = [f"{opening}{name}{closing}" for (opening, closing), name in marks]
    parts += [f"{SIGNS[state]} {_CALLED[state]}" for state in states]
    yield from wrap_parts(parts, page.width)


def _painted(part: str, style: str) -> str:
    """A state in its colours, but for the sign before it."""
    sign, blank, name = part.partition(" ") if part[0] in SIGNS.values() else ("", "", part)
    return f"{sign}{blank}{paint(name, style)}"


def _document(look: Look, page: Page, *, single: bool) -> Iterator[str]:
    title = look.document.title if look.document else ""
    name = f"{look.id} · {title}" if title else look.id
    yield from (page.paint(line, "strong") for line in wrap(plain(name), page.width))
    yield from (page.paint(line, "faint") for line in wrap(_facts(look), page.width))
    if look.document is None:
        yield from _offsets(look)
        return
    bits = bits_of(look, context=page.context, top=page.top, whole=single, blocks=page.blocks)
    yield from lines_of(bits, page.width, colours=page.colours)


def _facts(look: Look) -> str:
    """What is relevant in a document, what was found, and where in the ranking."""
    facts = []
    if look.relevant:
        found, missed = look.count("hit"), look.count("missed")
        facts.append(f"{plural(len(look.relevant), 'relevant passage')}")
        facts.append(f"{whole(found)} of {whole(found + missed)} characters found")
    elif look.judged:
        facts.append("judged, nothing relevant")
    else:
        facts.append("not judged: neither right nor wrong")
    ranks = sorted(rank for _, _, rank in look.results)
    facts.append(f"{'rank' if len(ranks) == 1 else 'ranks'} {_some(ranks)}" if ranks else "not retrieved")
    facts += [look.why] if look.document and look.why else []
    return " · ".join(facts)


def _some(ranks: Sequence[int]) -> str:
    """The first ranks, and how many more there are."""
    more = f" and {len(ranks) - _FEW} more" if len(ranks) > _FEW else ""
    return ", ".join(map(str, ranks[:_FEW])) + more


def _offsets(look: Look) -> Iterator[str]:
    """The pieces of a document without text."""
    yield f"{'':{MARGIN}}no text: {look.why}"
    for piece in look.pieces:
        ranks = " ".join(f"#{rank}" for rank in piece.ranks[:_FEW])
        place = f"{SIGNS[piece.state]} {piece.start}-{piece.end} {_CALLED[piece.state]}"
        yield f"{'':{MARGIN}}{place} {ranks}".rstrip()


def _foot(shown: OneTopic, page: Page) -> Iterator[str]:
    notes = []
    if shown.left:
        notes.append(f"{plural(shown.left, 'other document')} judged or retrieved, without relevant text")
    if shown.nowhere:
        notes.append(f"results that name nothing that exists: ranks {_some(shown.nowhere)}")
    if not shown.documents:
        notes.append("nothing relevant, nothing retrieved")
    for note in notes:
        yield ""
        yield from wrap(note, page.width)
