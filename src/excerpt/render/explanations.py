"""Explanations of missed passages as text, HTML for notebooks, and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from excerpt.errors import plural
from excerpt.experiments.ranking_verdict import whole
from excerpt.model.spans import NO_PLACE
from excerpt.render import layout
from excerpt.render.layout import columns_of, cut, wrap, wrap_parts
from excerpt.render.tables import PLAIN, Table, html, render
from excerpt.render.tables import Look as TableLook
from excerpt.render.terminal import MARGIN, TerminalPage, Token, html_of, legend, lines_of, score, tokens_of
from excerpt.view.counterfactuals import Counterfactuals
from excerpt.view.explanation import Explanation, Failure, MissedPassage, ReturnedResult
from excerpt.view.reasons import CUT, LATER, REASONS, reason_label
from excerpt.view.topic_view import DocumentView

_WIDTH = 80
_STATES = ("missed", "hit", "vain")  # states of marked text; all documents are judged
_CELL = 160  # characters of a passage and of a question in a table of Markdown
_COLUMNS = ("question", "score", "missed", "why", "text")


def page(shown: Explanation, look: TableLook) -> str:
    """Text without colours, as the command line prints it."""
    return text_of(shown, look.width or _WIDTH)


def text_of(shown: Explanation, width: int = _WIDTH, *, colours: bool = False) -> str:
    """Text with the counts, then the missed passages and results of each question."""
    screen = TerminalPage(width=width, colours=colours, context=shown.around)
    return "\n".join(_lines(shown, screen)) + "\n"


def causes(shown: Counterfactuals, look: TableLook) -> str:
    """Text of counterfactuals: the runs, their causes as a whole, then each topic with its shares."""
    parts = wrap_parts(_head(shown), look.width or _WIDTH, gap=" · ")
    return "\n".join([*parts, "", *_causes(shown, look.width or _WIDTH)]) + "\n"


def causes_markdown(shown: Counterfactuals, look: TableLook) -> str:
    """The same in Markdown: a table of topics below the runs."""
    columns, rows = shown.listed()
    said = [layout.markdown(" · ".join(_head(shown))), *map(layout.markdown, shown.notes())]
    return "\n\n".join([*said, render(Table(columns, tuple(rows[: shown.at_most])), "markdown", look)])


def _causes(shown: Counterfactuals, width: int) -> Iterator[str]:
    """Causes of the runs, and of the topics with the largest gaps."""
    for note in shown.notes():
        yield from wrap(layout.plain(note), width)
    for one in shown.topics[: shown.at_most]:
        better, worse = map(layout.plain, shown.names(one))
        yield ""
        head = f"{one.topic} · {better} {score(one.score_better)} · {worse} {score(one.score_worse)}"
        yield from wrap(layout.plain(head), width)
        yield from wrap(one.sentence(better, worse), width)
        shares = [f"{cause.cause} {100 * cause.share:.0f} %" for cause in one.causes]
        yield from wrap_parts(["each alone:", *shares], width, gap="  ")
    if more := len(shown.topics[shown.at_most :]) if shown.at_most is not None else 0:
        yield from ("", *wrap(f"{plural(more, 'more topic')} with a gap", width))


def _lines(shown: Explanation, screen: TerminalPage) -> Iterator[str]:
    yield from (screen.paint(line, "strong") for line in wrap_parts(_head(shown), screen.width, gap=" · "))
    yield from wrap_parts(summary(shown), screen.width, gap=" · ")
    if shown.causes is not None:
        yield from ("", *_causes(shown.causes, screen.width))
    if shown.worst:
        yield ""
        yield from legend(screen, _STATES)
    for failure in shown.worst:
        yield ""
        yield screen.paint("─" * screen.width, "faint")
        yield from _failure(shown, failure, screen)
    if more := shown.failing - len(shown.worst):
        yield ""
        yield from wrap(f"{plural(more, 'more question')} with missed passages", screen.width)


def _head(shown: Explanation | Counterfactuals) -> list[str]:
    """Runs with their means, and aliases of measures."""
    parts = [f"{layout.plain(shown.run)} {layout.plain(shown.measure)} {score(shown.mean)}"]
    if shown.other is not None:
        parts.append(f"against {layout.plain(shown.other)} {score(shown.other_mean)}")
    return parts + [f"{name} = {other}" for name, other in shown.aliases.items()]


def summary(shown: Explanation) -> list[str]:
    """Counts in a few words each, starting with all missed passages."""
    if not shown.missed:
        return [f"{plural(shown.passages, 'passage')} in {plural(shown.questions, 'question')}, none missed"]
    where = f"in {whole(shown.failing)} of {plural(shown.questions, 'question')}"
    parts = [f"{whole(shown.missed)} of {plural(shown.passages, 'passage')} missed, {where}"]
    parts += [f"{whole(count)} {_label(shown, name)}" for name, count in shown.reasons.items() if count]
    if shown.other is not None:
        other = layout.plain(shown.other)
        parts.append(f"{whole(shown.only_other)} of them found by {other}")
        parts.append(f"{whole(shown.only_this)} found here, but missed by {other}")
    return parts


def _label(shown: Explanation, reason: str) -> str:
    return reason_label(REASONS.index(reason), shown.cutoff)


def _failure(shown: Explanation, failure: Failure, screen: TerminalPage) -> Iterator[str]:
    title = f"{failure.topic} · {failure.question}" if failure.question else failure.topic
    yield from (screen.paint(line, "strong") for line in wrap(layout.plain(title), screen.width))
    facts = wrap_parts(map(layout.plain, _facts(shown, failure)), screen.width, gap=" · ")
    yield from (screen.paint(line, "faint") for line in facts)
    for missed in failure.missed[: shown.at_most]:
        yield ""
        yield from _passage(shown, missed, screen)
    if left := _left_out(shown, failure):
        yield from ("", left)
    yield ""
    yield from _returned(failure, screen)


def _left_out(shown: Explanation, failure: Failure) -> str:
    """Number of missed passages of a question that are not shown, in words."""
    more = len(failure.missed[shown.at_most :]) if shown.at_most is not None else 0
    return f"{plural(more, 'more passage')} missed" if more else ""


def _facts(shown: Explanation, failure: Failure) -> list[str]:
    facts = [f"{shown.measure} {score(failure.score)}"]
    if shown.other is not None:
        facts.append(f"{shown.other} {score(failure.other)}")
    if failure.group:
        facts.append(failure.group)
    return [*facts, f"{len(failure.missed)} of {plural(failure.passages, 'passage')} missed"]


def _passage(shown: Explanation, missed: MissedPassage, screen: TerminalPage) -> Iterator[str]:
    name = _place(missed)
    if missed.start >= NO_PLACE:
        yield from wrap(layout.plain(name), screen.width)
        return
    yield from wrap_parts(map(layout.plain, [name, *why(shown, missed)]), screen.width, gap=" · ")
    tokens = _tokens(shown, missed)
    if tokens:
        yield from lines_of(tokens, screen.width, colours=screen.colours)
    else:
        yield f"{'':{MARGIN}}no text: the corpus does not contain this document"


def _place(missed: MissedPassage) -> str:
    """Document and place of a passage, or that its quote is not in the text."""
    if missed.start >= NO_PLACE:
        return f"{missed.document} · not in this text ({_characters(missed.end - missed.start)})"
    return f"{missed.document} {missed.start}-{missed.end}"


def why(shown: Explanation, missed: MissedPassage) -> list[str]:
    """Reason of a missed passage, with its details."""
    late = missed.reason == REASONS[LATER]
    parts = [f"at rank {missed.rank}" if late else _label(shown, missed.reason)]
    if missed.reason == REASONS[CUT]:
        parts.append(f"at most {whole(missed.largest or 0)} of {_characters(missed.characters)} in one chunk")
    elif missed.found:
        parts.append(f"{whole(missed.found)} of {_characters(missed.characters)} found")
    if missed.other:
        parts.append(f"found by {shown.other}")
    return parts


def _characters(count: int) -> str:
    return plural(count, "character").replace(str(count), whole(count), 1)


def _tokens(shown: Explanation, missed: MissedPassage) -> list[Token]:
    """The passage in its context, without gaps at both ends."""
    corpus = shown.corpus
    if corpus is None or missed.document not in corpus:
        return []
    view = DocumentView(
        missed.document,
        judged=True,
        relevant=[(missed.start, missed.end)],
        results=missed.read,
        document=corpus.document(missed.document),
    )
    page = TerminalPage(context=shown.around, top=0, blocks=corpus.blocks)
    tokens = list(tokens_of(view, page, whole=False))
    ends = [place for place in (0, len(tokens) - 1) if tokens and tokens[place].kind == "gap"]
    return [token for place, token in enumerate(tokens) if place not in ends]


def _returned(failure: Failure, screen: TerminalPage) -> Iterator[str]:
    """Lines of the first results, each with the beginning of its text."""
    if not failure.returned:
        yield "no results"
        return
    more = failure.results - len(failure.returned)
    yield f"returned instead{f', the first {len(failure.returned)} of {failure.results}' if more else ''}:"
    for result in failure.returned:
        name = layout.plain(_location(result))
        rank = f"{f'#{result.rank}':>{MARGIN - 3}}   "
        first, *others = [*wrap_parts([name, _relevance(result)], screen.width - MARGIN, gap=" · ")]
        yield f"{screen.paint(rank, 'faint')}{first}"
        yield from (f"{'':{MARGIN}}{line}" for line in others)
        if begins := _beginning(result.text, screen.width - MARGIN):
            yield f"{'':{MARGIN}}{screen.paint(begins, 'faint')}"


def _location(result: ReturnedResult) -> str:
    return result.document if result.start is None else f"{result.document} {result.start}-{result.end}"


def _relevance(result: ReturnedResult) -> str:
    if result.start is None or result.end is None:
        return "does not occur in its document"
    if not result.relevant:
        return "not relevant"
    return f"{whole(result.relevant)} of {_characters(result.end - result.start)} relevant"


def _beginning(text: str, width: int) -> str:
    line = layout.plain(" ".join(text.split()))
    if columns_of(line) <= width:
        return line
    head, _ = cut(line, width - 1)
    return head.rstrip(" …") + "…"


def markdown(shown: Explanation, _: TableLook = PLAIN) -> str:
    """Markdown with the counts and a table of the missed passages."""
    lead = f"**{layout.markdown(' · '.join(_head(shown)))}**"
    counts = layout.markdown(" · ".join(summary(shown)))
    text = f"{lead}\n\n{counts}\n"
    if not shown.worst:
        return text
    table = Table(_COLUMNS, tuple(_rows(shown)))
    return f"{text}\n{render(table, 'markdown')}{_more(shown)}"


def _rows(shown: Explanation) -> Iterator[tuple[str, str, str, str, str]]:
    for failure in shown.worst:
        question = f"{failure.topic} {_shortened(failure.question)}".strip()
        for missed in failure.missed[: shown.at_most]:
            location = _place(missed)
            reason = " · ".join(why(shown, missed))
            yield question, score(failure.score), location, reason, _shortened(missed.text)
        if left := _left_out(shown, failure):
            yield question, score(failure.score), left, "", ""


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CELL else line[: _CELL - 1].rstrip() + "…"


def _more(shown: Explanation) -> str:
    more = shown.failing - len(shown.worst)
    return f"\n{plural(more, 'more question')} with missed passages.\n" if more else ""


def page_html(shown: Explanation, _: TableLook = PLAIN) -> str:
    """HTML with the counts, then the questions, the first one open."""
    parts = [f"<h4>{layout.html(' · '.join(_head(shown)))}</h4><p>{layout.html(summary(shown)[0])}</p>"]
    counts = [(_label(shown, name), count) for name, count in shown.reasons.items()]
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
        f"{html_of(_tokens(shown, each))}"
        for each in failure.missed[: shown.at_most]
    )
    left = f"<p>{_left_out(shown, failure)}</p>" if _left_out(shown, failure) else ""
    opened = " open" if not number else ""
    body = f"<p>{facts}</p>{''.join(missed)}{left}{_returned_html(failure.returned)}"
    return f"<details{opened}><summary><b>{title}</b></summary>{body}</details>"


def _returned_html(returned: Sequence[ReturnedResult]) -> str:
    rows = tuple((f"#{one.rank}", _location(one), _relevance(one), _shortened(one.text)) for one in returned)
    return html(Table(("rank", "returned", "relevant", "text"), rows)) if rows else "<p>no results</p>"
