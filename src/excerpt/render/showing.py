"""`excerpt.show`: one topic of a run, retrieved against highlighted text, as something that prints itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from excerpt.errors import ExcerptError, json_text
from excerpt.evaluation import Reading, ReadingOptions, Scoring
from excerpt.evaluation.reading import Judged, Measures
from excerpt.files import Input
from excerpt.formats.source import open_corpus
from excerpt.formats.topics import Topic, Topics, read_topics
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.notices import Gathering, Notices
from excerpt.render.blocks import load_blocks
from excerpt.render.escape import html
from excerpt.render.flow import style_of
from excerpt.render.stretches import Bit, bits_of
from excerpt.render.terminal import Page, lines_on, score
from excerpt.view.topic_view import Look, OneTopic, look_at, to_dict
from excerpt.view.verdicts import whole

#: What is shown of a topic unless the user asks for other measures.
MEASURES = ("AiP", "charP", "charR")

_STYLES = {
    "hit": "background:#cfe2f8;border-bottom:2px solid #1f5fae;color:#1c1b19",
    "missed": "background:#fde3cb;border-bottom:2px dashed #b4430a;color:#1c1b19",
    "vain": "background:#f1eee9;border-bottom:1px dotted #8c867d;color:#1c1b19",
    "unjudged": "border-bottom:2px dotted #706b63",
}
_BREAKS = {"cell": " | ", "line": "<br>", "blank": "<br><br>"}
_AGAIN = ";border-top:2px dotted #6b3fbf"


@dataclass(frozen=True)
class Shown:
    """A topic that prints itself; `text()` takes a width and colours."""

    data: OneTopic
    page: Page

    @property
    def warnings(self) -> tuple[str, ...]:
        """Doubts on the way."""
        return tuple(self.data.warnings)

    def text(self, width: int = 80, *, colours: bool = False) -> str:
        """What the command line prints."""
        page = replace(self.page, width=width, colours=colours)
        return "\n".join(lines_on(self.data, page)) + "\n"

    def __str__(self) -> str:
        return self.text().removesuffix("\n")

    def __repr__(self) -> str:
        return f"<{self.data.run!r} on topic {self.data.topic.id!r}: {len(self.data.documents)} documents>"

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""
        return to_dict(self.data)

    def to_json(self) -> str:
        """The same as text."""
        return json_text(self.to_dict(), indent=2) + "\n"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        topic = self.data.topic
        scores = ", ".join(f"{html(name)} {score(value)}" for name, value in self.data.scores.items())
        head = f"<h4>{html(f'{topic.id} {topic.title}')}</h4><p>{html(topic.text)}</p>"
        parts = [head, f"<p>{html(self.data.run)}: {scores}</p>"]
        parts += [self._document_html(look) for look in self.data.documents]
        parts += [f"<p>warning: {html(warning)}</p>" for warning in self.warnings]
        return f"<div>{''.join(parts)}</div>"

    def _document_html(self, look: Look) -> str:
        page = self.page
        title = look.document.title if look.document else look.why
        bits = bits_of(look, context=page.context, top=page.top, whole=self.data.single, blocks=page.blocks)
        return f"<h5>{html(f'{look.id} {title}')}</h5>{html_of(bits)}"


def html_of(bits: Iterable[Bit]) -> str:
    """Marked text of a document for a notebook."""
    parts = ['<div style="max-width:45em">']
    for bit in bits:
        if bit.kind == "text":
            state, _, again = style_of(bit.piece).partition(" ")
            text = html(" ".join(f"|{bit.text}|".split())[1:-1])
            style = _STYLES[state] + (_AGAIN if again else "") if state else ""
            parts.append(f'<span style="{style}">{text}</span>' if style else text)
        elif bit.kind == "gap":
            parts.append(f"<p>… {whole(bit.numbers[0])} characters …</p>")
        elif bit.kind in {"rank", "point"}:
            parts.append(f"<sup>{' '.join(f'#{rank}' for rank in bit.numbers)}</sup>")
        elif parts[-1] not in _BREAKS.values():
            parts.append(_BREAKS[bit.kind])
    return "".join([*parts, "</div>"])


def show(
    judgments: Judged,
    run: Run | Input,
    topic: str,
    document: str | None = None,
    *,
    corpus: Any = None,
    topics: Topics | Mapping[str, Topic | str] | Input | None = None,
    measures: Measures = MEASURES,
    policy: Policy | None = None,
    top: int = 10,
    context: int = 80,
    blocks: Input | Mapping[str, str] | None = None,
    notices: Notices | None = None,
    **reading: Unpack[ReadingOptions],
) -> Shown:
    """One topic of a run: its scores, and the text with what is relevant and what was retrieved in it.

    `corpus` is a `Corpus`, what makes one, or the path of one. Shown are the documents with relevant text and
    those of the first `top` results, each with `context` characters around what is marked; or one `document`,
    whole. `blocks` says what further tags of XML are, as in `{"clause": "paragraph"}` or in a TOML file.

    >>> from excerpt import Judgments, Run
    >>> judgments = Judgments.of([("1", "A", 4, 9)])
    >>> run = Run.of("mine", [("1", "A", 0, 7)])
    >>> shown = show(judgments, run, "1", corpus={"A": "One small step."})
    >>> print(shown.text().splitlines()[-1])  # relevant in [[ ]], retrieved in marks of its own
           #1 ┆ ‹One [[sma›ll]] step.
    """  # noqa: RUF002 - the marks as they are printed
    topic, opened = str(topic), open_corpus(corpus)
    if opened is None:
        raise ExcerptError("found no corpus, expected the text that offsets count in", hint="give ⟨corpus⟩")
    with Gathering(notices) as gathered:
        named = None if topics is None else read_topics(topics, notices=gathered)
        read = replace(Reading.of(**reading), corpus=opened, corpus_checks="none").aimed(named, gathered)
        scoring = Scoring.of(judgments, measures, policy=policy, reading=read, notices=Notices())
        if named is not None and topic not in named:
            named.check(scoring.judgments.topics, gathered)
        found = scoring.reading.run(run, gathered)
        looked = look_at(
            scoring, found, topic, document, corpus=opened, topics=named, top=top, notices=gathered
        )
    further = blocks or {} if blocks is None or isinstance(blocks, Mapping) else load_blocks(blocks)
    return Shown(looked, Page(context=context, top=top, blocks={**opened.blocks, **further}))
