"""Check of the quotes that answers cite: verbatim, folded, in another document, nowhere, or too short."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from excerpt.answers.citations import CitedQuote, answers_in, list_unreal, read_quotes
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, plural, short
from excerpt.evaluation import Reading
from excerpt.evaluation.reading import Judged
from excerpt.files import Input, is_input
from excerpt.formats.source import AnyCorpus, Source, open_corpus
from excerpt.model.display import Showable
from excerpt.notices import Gathering, Notices
from excerpt.quotes.quote_search import QuotedText, find_everywhere, find_marked
from excerpt.records.objects import list_rows

_REAL = {"exact": "verbatim", "moved": "verbatim", "folded": "folded", "markup": "markup"}
_UNREAL = ("other_document", "nowhere", "too_short")
#: Least number of letters and digits of a quote: fewer occur by chance in most documents.
_LEAST = 3
_LAYOUT = 'lines such as {"question": …, "citations": [{"document": …, "quote": …}]}'


@dataclass(frozen=True, eq=False, repr=False)
class Citations(Showable):
    """Cited quotes by answer; answers with the largest share of unreal quotes first."""

    by_answer: Mapping[str, Sequence[CitedQuote]]
    gold: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def quotes(self) -> list[CitedQuote]:
        """Quotes of all answers."""
        return [one for some in self.by_answer.values() for one in some]

    def __repr__(self) -> str:
        unreal = sum(one.how in _UNREAL for one in self.quotes)
        cited = f"{plural(len(self.quotes), 'quote')} of {plural(len(self.by_answer), 'answer')}"
        return f"<Citations: {cited}, {unreal} unreal>"

    def counts(self, quotes: Sequence[CitedQuote] | None = None) -> dict[str, Any]:
        """Numbers of quotes, by default all, by how they were found; the share of unreal ones, if any."""
        quotes = self.quotes if quotes is None else quotes
        hows = Counter(one.how for one in quotes)
        found: dict[str, Any] = {how: hows[how] for how in ("verbatim", "folded", "markup", *_UNREAL)}
        unreal = sum(hows[how] for how in _UNREAL) / len(quotes) if quotes else None
        relevant = {"relevant": sum(bool(one.relevant) for one in quotes)} if self.gold else {}
        return {"citations": len(quotes), **found, "unreal": unreal, **relevant}

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output."""
        answers = {
            topic: {**self.counts(some), "quotes": [one.to_dict() for one in some]}
            for topic, some in self.by_answer.items()
        }
        return {"answers": len(answers), **self.counts(), "by_answer": answers}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Columns and rows: one row per answer, and one for all answers."""
        rows = [(topic, *self.counts(some).values()) for topic, some in self.by_answer.items()]
        columns = (name.replace("_", " ") for name in self.counts(()))
        return ("answer", *columns), [*rows, ("all", *self.counts().values())]

    def notes(self) -> tuple[str, ...]:
        """Unreal quotes."""
        return list_unreal([one for one in self.quotes if one.how in _UNREAL])


def citations(
    answers: Input | Iterable[Mapping[str, Any]],
    corpus: AnyCorpus,
    *,
    gold: Judged | None = None,
    notices: Notices | None = None,
) -> Citations:
    """Search every quote that answers cite in its document, else in all documents of the corpus.

    `answers` is a file of saved answers, or their objects. A quote is `verbatim`, `folded` (but for white
    space, quotation marks, dashes, ligatures and Unicode forms; or its parts around ellipses are there, in
    order), there but for `markup` (of Markdown or HTML), in `other_document`, or `nowhere`; offsets do not
    matter. A quote that names no document may be in any. A quote of fewer than 3 letters and digits is
    `too_short` to be evidence; a character of Chinese, Japanese or Korean counts as 2. With `gold`, it is
    relevant if it overlaps relevant text of its question.

    >>> rows = [{"topic": "1", "document": "A", "quote": quote} for quote in ("two years", "three years")]
    >>> found = citations(rows, {"A": "The term is two years."})
    >>> found.to_dict()["unreal"], [quote.how for quote in found.quotes]
    (0.5, ['verbatim', 'nowhere'])
    """
    with Gathering(notices) as gathered:
        documents = open_corpus(corpus)
        if documents is None:
            raise ExcerptError("quotes need the documents", hint="give ⟨corpus⟩")
        with documents.one_pass():
            given = answers if is_input(answers) else list_rows(answers, "a file or a list of answers")
            source = Source.open(given, corpus=documents, notices=gathered, expected="saved answers")
            if answers_in(source) != "citations":
                raise ExcerptError(f"answers with quotes are missing, expected {_LAYOUT}", path=source.name)
            topics, cited = read_quotes(source)
            known = {one.document: one.document in documents for one in cited if one.document}
            unknown = [name for name in known if not known[name]]
            if unknown and not any(known.values()):
                raise ExcerptError(f"no cited document is in the corpus (first: {short(unknown[0])})")
            one, many = (f"cited {noun} not in the corpus" for noun in ("document is", "documents are"))
            gathered.add(one, many, len(unknown), where="".join(map(short, unknown[:1])))
            cited = _found(cited, documents)
            cited = cited if gold is None else _judged(cited, documents, gold, gathered)
    by_answer: dict[str, list[CitedQuote]] = {topic: [] for topic in topics}
    for quote in cited:
        by_answer[quote.topic].append(quote)
    unreal = {topic: [one.how in _UNREAL for one in some] for topic, some in by_answer.items()}
    topics.sort(key=lambda one: (-sum(unreal[one]) / max(len(unreal[one]), 1), -sum(unreal[one])))
    return Citations({topic: by_answer[topic] for topic in topics}, gold is not None, tuple(gathered))


def _is_short(quote: str) -> bool:
    """Return whether a quote occurs by chance: it has too few letters, digits and marks; wide ones count 2.

    >>> [_is_short(quote) for quote in ("7 %", "May", "租金", "金")]
    [True, False, False, True]
    """
    letters = [one for one in unicodedata.normalize("NFC", quote) if unicodedata.category(one)[0] in "LMN"]
    return sum(1 + (unicodedata.east_asian_width(one) == "W") for one in letters) < _LEAST


def _found(cited: list[CitedQuote], corpus: Corpus) -> list[CitedQuote]:
    """Search the quotes that their documents lack in all documents; literal places come first."""
    lost = list({one.quote: None for one in cited if one.how is None})
    places: dict[str, dict[str, str]] = {}
    own = {corpus.resolve(one.document) for one in cited if one.how is None}
    without = own if len(own) == 1 else ()
    for number, name, parts in find_everywhere(lost, corpus.named_texts(without), parts=True):
        places.setdefault(lost[number], {}).setdefault(parts[0].how, name)
    rest = [quote for quote in lost if quote not in places]
    for number, name, found in find_marked(rest, corpus.named_texts(without)):
        places.setdefault(rest[number], {}).setdefault(found[0][0].how, name)
    quotes = []
    for one in cited:
        ways = places.get(one.quote, {}) if one.how is None else {one.how: one.document}
        how, place = min(ways.items(), default=("nowhere", None))
        how = "other_document" if one.document and place and one.how is None else _REAL.get(how, how)
        if place and _is_short(one.quote):
            how, place = "too_short", None
        near = _nearest(one, corpus) if how == "nowhere" else None
        quotes.append(one._replace(how=how, found_in=place, nearest=near))
    return quotes


def _nearest(quote: CitedQuote, corpus: Corpus) -> str | None:
    own = corpus.resolve(quote.document) if quote.document else None
    return None if own is None else QuotedText(corpus[own], own).nearest(quote.quote) or None


def _judged(cited: Iterable[CitedQuote], corpus: Corpus, gold: Judged, notices: Notices) -> list[CitedQuote]:
    """Mark real quotes that overlap relevant text of their questions, at the place nearest to that text."""
    judgments = Reading.of(corpus=corpus).judgments(gold, notices)
    ids = {question.text: topic for topic, question in judgments.questions.items()}
    text_of = cache(lambda name: QuotedText(corpus[name], corpus.resolve(name)))

    def relevant(one: CitedQuote) -> bool:
        topic = one.topic if one.topic in judgments.topic_codes else ids.get(one.topic)
        spans = judgments.highlights(topic) if topic and one.how not in _UNREAL else []
        return any(
            part.start < span.end and part.end > span.start
            for span in spans
            if corpus.resolve(span.document) == corpus.resolve(one.found_in or "")
            for part in text_of(one.found_in or "").find_parts(one.quote, span.start)
        )

    return [one._replace(relevant=relevant(one)) for one in cited]
