"""Where a run fails and why: on a terminal, in a notebook, and in a comment on a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from excerpt.errors import plural
from excerpt.render import layout
from excerpt.render.layout import columns_of, cut, wrap, wrap_parts
from excerpt.render.tables import PLAIN, Table, html, render
from excerpt.render.tables import Look as TableLook
from excerpt.render.terminal import MARGIN, Bit, Page, bits_of, html_of, legend, lines_of, score
from excerpt.view.explanation import Explanation, Failure, Instead, MissedPassage
from excerpt.view.reasons import CUT, LATER, REASONS
from excerpt.view.topic_view import Look
from excerpt.view.verdicts import whole

_WIDTH = 80
#: What is marked: all of it is text of judged documents.
_STATES = ("missed", "hit", "vain")
#: Characters of a passage and of a question in a table of Markdown.
_CELL = 160


def page(shown: Explanation, look: TableLook) -> str:
    """What the command line prints where it knows no colours."""
    return text_of(shown, look.width or _WIDTH)


def text_of(shown: Explanation, width: int = _WIDTH, *, colours: bool = False) -> str:
    """The counts, then question by question what was missed and what was returned."""
    paper = Page(width=width, colours=colours, context=shown.around)
    return "\n".join(_lines(shown, paper)) + "\n"


def _lines(shown: Explanation, paper: Page) -> Iterator[str]:
    yield from (paper.paint(line, "strong") for line in wrap_parts(_head(shown), paper.width, gap=" · "))
    yield from wrap_parts(summary(shown), paper.width, gap=" · ")
    if shown.worst:
        yield ""
        yield from legend(paper, _STATES)
    for failure in shown.worst:
        yield ""
        yield paper.paint("─" * paper.width, "faint")
        yield from _failure(shown, failure, paper)
    if more := shown.failing - len(shown.worst):
        yield ""
        yield from wrap(f"{plural(more, 'more question')} with missed passages", paper.width)


def _head(shown: Explanation) -> list[str]:
    """Runs and means."""
    parts = [f"{layout.plain(shown.run)} {layout.plain(shown.measure)} {score(shown.mean)}"]
    if shown.other is not None:
        parts.append(f"against {layout.plain(shown.other)} {score(shown.other_mean)}")
    return parts + [f"{name} = {other}" for name, other in shown.aliases.items()]


def summary(shown: Explanation) -> list[str]:
    """The counts in a few words each, the first of all passages."""
    if not shown.missed:
        return [
            f"none of {plural(shown.passages, 'passage')} missed, in {plural(shown.questions, 'question')}"
        ]
    where = f"in {whole(shown.failing)} of {plural(shown.questions, 'question')}"
    parts = [f"{whole(shown.missed)} of {plural(shown.passages, 'passage')} missed, {where}"]
    parts += [f"{whole(count)} {_called(shown, name)}" for name, count in shown.reasons.items() if count]
    if shown.other is not None:
        other = layout.plain(shown.other)
        parts.append(f"{whole(shown.only_other)} of them found by {other}")
        parts.append(f"{whole(shown.only_this)} found here that {other} misses")
    return parts


def _called(shown: Explanation, reason: str) -> str:
    """A reason as counts name it: from which rank on."""
    if reason != REASONS[LATER]:
        return reason
    return "at a later rank" if shown.cutoff is None else f"at rank {shown.cutoff + 1}…n"


def _failure(shown: Explanation, failure: Failure, paper: Page) -> Iterator[str]:
    title = f"{failure.topic} · {failure.question}" if failure.question else failure.topic
    yield from (paper.paint(line, "strong") for line in wrap(layout.plain(title), paper.width))
    facts = wrap_parts(map(layout.plain, _facts(shown, failure)), paper.width, gap=" · ")
    yield from (paper.paint(line, "faint") for line in facts)
    for missed in failure.missed[: shown.at_most]:
        yield ""
        yield from _passage(shown, missed, paper)
    if left := _left_out(shown, failure):
        yield from ("", left)
    yield ""
    yield from _returned(failure, paper)


def _left_out(shown: Explanation, failure: Failure) -> str:
    """How many missed passages of a question are not shown."""
    more = len(failure.missed[shown.at_most :]) if shown.at_most is not None else 0
    return f"{plural(more, 'more passage')} missed" if more else ""


def _facts(shown: Explanation, failure: Failure) -> list[str]:
    facts = [f"{shown.measure} {score(failure.score)}"]
    if shown.other is not None:
        facts.append(f"{shown.other} {score(failure.other)}")
    if failure.group:
        facts.append(failure.group)
    return [*facts, f"{len(failure.missed)} of {plural(failure.passages, 'passage')} missed"]


def _passage(shown: Explanation, missed: MissedPassage, paper: Page) -> Iterator[str]:
    name = f"{missed.document} {missed.start}-{missed.end}"
    yield from wrap_parts(map(layout.plain, [name, *why(shown, missed)]), paper.width, gap=" · ")
    bits = _bits(shown, missed)
    if bits:
        yield from lines_of(bits, paper.width, colours=paper.colours)
    else:
        yield f"{'':{MARGIN}}no text: the corpus does not have this document"


def why(shown: Explanation, missed: MissedPassage) -> list[str]:
    """The reason with what is known besides."""
    said = [missed.reason]
    if missed.reason == REASONS[LATER]:
        said = [f"at rank {missed.rank}"]
    if missed.reason == REASONS[CUT]:
        said.append(f"at most {whole(missed.largest or 0)} of {_characters(missed.characters)} in one chunk")
    elif missed.found:
        said.append(f"{whole(missed.found)} of {_characters(missed.characters)} found")
    if missed.other:
        said.append(f"found by {shown.other}")
    return said


def _characters(count: int) -> str:
    return plural(count, "character").replace(str(count), whole(count), 1)


def _bits(shown: Explanation, missed: MissedPassage) -> list[Bit]:
    """The passage in its context, without what is left out before and behind it."""
    corpus = shown.corpus
    if corpus is None or missed.document not in corpus:
        return []
    look = Look(
        missed.document,
        judged=True,
        relevant=[(missed.start, missed.end)],
        results=missed.read,
        document=corpus.document(missed.document),
    )
    bits = list(bits_of(look, context=shown.around, top=0, whole=False, blocks=corpus.blocks))
    ends = [place for place in (0, len(bits) - 1) if bits and bits[place].kind == "gap"]
    return [bit for place, bit in enumerate(bits) if place not in ends]


def _returned(failure: Failure, paper: Page) -> Iterator[str]:
    """The first results, each with the beginning of its text."""
    if not failure.returned:
        yield "nothing was returned"
        return
    more = failure.results - len(failure.returned)
    yield f"returned instead{f', the first {len(failure.returned)} of {failure.results}' if more else ''}:"
    for result in failure.returned:
        name = layout.plain(_place(result))
        rank = f"{f'#{result.rank}':>{MARGIN - 3}}   "
        first, *others = [*wrap_parts([name, _worth(result)], paper.width - MARGIN, gap=" · ")]
        yield f"{paper.paint(rank, 'faint')}{first}"
        yield from (f"{'':{MARGIN}}{line}" for line in others)
        if begins := _beginning(result.text, paper.width - MARGIN):
            yield f"{'':{MARGIN}}{paper.paint(begins, 'faint')}"


def _place(result: Instead) -> str:
    return f"{result.document} " + ("nowhere" if result.start is None else f"{result.start}-{result.end}")


def _worth(result: Instead) -> str:
    if result.start is None or result.end is None:
        return "not in its document"
    if not result.relevant:
        return "nothing relevant"
    return f"{whole(result.relevant)} of {_characters(result.end - result.start)} relevant"


def _beginning(text: str, width: int) -> str:
    """The beginning of a text in one line."""
    line = layout.plain(" ".join(text.split()))
    if columns_of(line) <= width:
        return line
    head, _ = cut(line, width - 1)
    return head.rstrip(" …") + "…"


def markdown(shown: Explanation, _: TableLook = PLAIN) -> str:
    """Counts, then a table of the missed passages."""
    lead = f"**{layout.markdown(' · '.join(_head(shown)))}**"
    counts = layout.markdown(" · ".join(summary(shown)))
    text = f"{lead}\n\n{counts}\n"
    if not shown.worst:
        return text
    table = Table(_COLUMNS, tuple(_rows(shown)))
    return f"{text}\n{render(table, 'markdown')}{_more(shown)}"


_COLUMNS = ("question", "score", "missed", "why", "text")


def _rows(shown: Explanation) -> Iterator[tuple[str, str, str, str, str]]:
    for failure in shown.worst:
        asked = f"{failure.topic} {_shortened(failure.question)}".strip()
        for missed in failure.missed[: shown.at_most]:
            place = f"{missed.document} {missed.start}-{missed.end}"
            said = " · ".join(why(shown, missed))
            yield asked, score(failure.score), place, said, _shortened(missed.text)
        if left := _left_out(shown, failure):
            yield asked, score(failure.score), left, "", ""


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CELL else line[: _CELL - 1].rstrip() + "…"


def _more(shown: Explanation) -> str:
    more = shown.failing - len(shown.worst)
    return f"\n{plural(more, 'more question')} with missed passages.\n" if more else ""


def page_html(shown: Explanation, _: TableLook = PLAIN) -> str:
    """What a notebook shows: counts, then the questions, the first one open."""
    parts = [f"<h4>{layout.html(' · '.join(_head(shown)))}</h4><p>{layout.html(summary(shown)[0])}</p>"]
    counts = [(_called(shown, name), count) for name, count in shown.reasons.items()]
    if shown.missed:
        parts.append(html(Table(("reason", "passages"), tuple(counts))))
    parts += [_failure_html(shown, failure, number) for number, failure in enumerate(shown.worst)]
    parts.append(f"<p>{_more(shown)}</p>" if _more(shown) else "")
    parts += [f"<p>warning: {layout.html(warning)}</p>" for warning in shown.warnings]
    return f"<div>{''.join(parts)}</div>"


def _failure_html(shown: Explanation, failure: Failure, number: int) -> str:
    title = layout.html(f"{failure.topic} {failure.question}".strip())
    facts = layout.html(" · ".join(_facts(shown, failure)))
    missed = (
        f"<h5>{layout.html(' · '.join([f'{each.document} {each.start}-{each.end}', *why(shown, each)]))}</h5>"
        f"{html_of(_bits(shown, each))}"
        for each in failure.missed[: shown.at_most]
    )
    left = f"<p>{_left_out(shown, failure)}</p>" if _left_out(shown, failure) else ""
    opened = " open" if not number else ""
    body = f"<p>{facts}</p>{''.join(missed)}{left}{_returned_html(failure.returned)}"
    return f"<details{opened}><summary><b>{title}</b></summary>{body}</details>"


def _returned_html(returned: Sequence[Instead]) -> str:
    rows = tuple((f"#{each.rank}", _place(each), _worth(each), _shortened(each.text)) for each in returned)
    return html(Table(("rank", "returned", "relevant", "text"), rows)) if rows else "<p>nothing returned</p>"
