"""Ids of a run and of judgments: joined exactly or by a corpus; those that resemble each other are told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.files import Input, same_content
from excerpt.model.ids import Folding, Sides, propose
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import IntArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.index import OffsetIndex

_SHOWN = 3
#: Ids that a rule would join are an error from one in so many results, documents or topics on.
_ONE_IN = 20
_NUMBER = re.compile(r"(.*?)(\d{1,18})", re.DOTALL)


@dataclass(frozen=True)
class Known:
    """The documents of a corpus, else of an index: two of them are never one document."""

    corpus: Corpus | None = None
    index: OffsetIndex | None = None

    def among(self, names: Sequence[str]) -> dict[str, int]:
        """Return the numbers of known documents by their ids."""
        if self.corpus is not None:
            found = self.corpus.numbers(names)
        elif self.index is not None:
            found = self.index.document_codes(names)
        else:
            return {}
        return {names[row]: int(found[row]) for row in np.flatnonzero(found >= 0).tolist()}


def reject_judgments(judged: object, given: object) -> None:
    """Raise if a run is the file of the judgments, unless its rows have results as well."""
    if not same_content(judged, given):
        return
    from excerpt.formats.source import Source
    from excerpt.gold.quote_rows import RETRIEVED, first_keys

    source = Source.open(cast("Input", given))
    if source.form == "xml" or first_keys(source.gold_file).isdisjoint(RETRIEVED):
        message = "found the bytes of the judgments as a run, expected results"
        raise ExcerptError(message, path=source.name, hint="is the run another file?")


def check_match(run: Run, judgments: Judgments, known: Known, notices: Notices) -> None:
    """Raise if a run has no topic of the judgments, or no document of the judgments, a corpus or an index.

    Unjudged documents are normal, so one common document is enough. If an index or a corpus contains the
    documents of a run but none of them is judged, this is only a warning.
    """
    if not run.topics or not judgments.topics:
        return
    check_topics(run, judgments)
    where, judged = run.source or run.name, judgments.source or "the judgments"
    if not judgments.documents:
        message = "the judgments name no documents, expected at least one"
        raise ExcerptError(message, path=judgments.source or None)
    if not judgments.document_codes.keys().isdisjoint(run.documents):
        return
    if known.among(run.documents):
        notices.add("run has no judged documents", "runs have no judged documents", where=where)
        return
    raise ExcerptError(
        f"found {_list('document', run.documents)}, expected documents of {judged}, "
        f"such as {short_list(judgments.documents, _SHOWN)}",
        path=where,
        hint=_SAME,
    )


def check_versions(files: Sequence[tuple[str, Mapping[str, str]]], notices: Notices | None = None) -> None:
    """Raise if files name documents by fingerprints of different texts; count files without fingerprints."""
    from excerpt.records.fingerprints import compare_files

    compare_files(files)
    unknown = [name for name, own in files if not own]
    if notices is not None and 0 < len(unknown) < len(files):
        end = "while others have, so the versions of their documents are not compared"
        one, many = f"file has no fingerprints, {end}", f"files have no fingerprints, {end}"
        notices.add(one, many, len(unknown), where=unknown[0])


_SAME = "are these judgments for the same collection?"


def check_topics(run: Run, judgments: Judgments) -> None:
    """Raise if a run has topics, but none of the judgments'."""
    if run.topics and judgments.topic_codes.keys().isdisjoint(run.topics):
        asked = [one.text for one in judgments.questions.values() if one.text]
        known = asked if asked and " " in run.topics[0].strip() else judgments.topics
        raise ExcerptError(
            f"found {_list('topic', run.topics)}, expected topics of {judgments.source or 'the judgments'}, "
            f"such as {short_list(known, _SHOWN)}",
            path=run.source or run.name,
            hint=_SAME,
        )


def _list(noun: str, names: Sequence[str]) -> str:
    return f"{noun} {short(names[0])}" if len(names) == 1 else f"the {noun}s {short_list(names, _SHOWN)}"


def with_judged_topics(run: Run, judgments: Judgments) -> Run:
    """Return a run whose topics have the ids of the judgments if they are the text of one question."""
    known = judgments.topic_codes
    if not judgments.questions or known.keys() >= set(run.topics):
        return run
    from excerpt.model.texts import fold

    asked: dict[str, list[str]] = {}
    for name, question in judgments.questions.items():
        asked.setdefault(fold(question.text), []).append(name)
    by_text = {text: names[0] for text, names in asked.items() if text and len(names) == 1}
    strange = ((name, by_text.get(fold(name))) for name in run.topics if name not in known)
    return _renamed(run, {name: own for name, own in strange if own is not None}, {})


def _renamed(run: Run, topics: Mapping[str, str], documents: Mapping[str, str]) -> Run:
    if not topics and not documents:
        return run
    return run.renamed(
        [topics.get(name, name) for name in run.topics],
        [documents.get(name, name) for name in run.documents],
    )


def with_judged_documents(
    run: Run, judgments: Judgments, corpus: Corpus, judged_as: Mapping[int, str], notices: Notices
) -> Run:
    """Return a run with the ids of the judgments for documents of a corpus, and one id for each of them.

    `judged_as` has the ids in the judgments by the numbers in the corpus. A document that was not judged
    keeps the first id that the run has for it.
    """
    judged, own = judgments.document_codes, corpus.numbers(run.documents)
    _warn_of_doubt(run.documents, own, corpus, run.source or run.name, notices)
    if any("#" in name for name in judged):  # segments were judged, each of them a document
        own = np.where(["#" in name for name in run.documents], -1, own)
    _, which, counts = np.unique(own, return_inverse=True, return_counts=True)
    double = (counts[which] > 1) & (own >= 0)
    names: dict[int, list[str]] = {}
    for row in np.flatnonzero(double | np.isin(own, list(judged_as))).tolist():
        names.setdefault(int(own[row]), []).append(run.documents[row])
    new = {
        name: judged_as.get(number, several[0])
        for number, several in names.items()
        for name in several
        if name not in judged  # two ids that were judged both stay
    }
    joined = [
        several
        for several in names.values()
        if several[1:] and any(new.get(one, one) != one for one in several)
    ]
    if joined:
        notices.add(
            "document has two ids in a run, which are joined",
            "documents have several ids in a run, which are joined",
            len(joined),
            where=f"{short_list(joined[0], 2)} of {run.source or run.name}",
        )
    return _renamed(run, {}, new)


def _warn_of_doubt(names: Sequence[str], own: IntArray, corpus: Corpus, where: str, notices: Notices) -> None:
    """Warn about ids that a corpus would join with a document that another id means already."""
    left = [names[row] for row in np.flatnonzero(own < 0).tolist()]
    doubtful = list(compress(left, np.array(corpus.likely(left)) >= 0))
    notices.add(
        "id would match a document of the corpus that another id has; it stays as it is",
        "ids would match documents of the corpus that other ids have; they stay as they are",
        len(doubtful),
        where=f"{short_list(doubtful, _SHOWN)} of {where}",
    )


class _Unmatched(NamedTuple):
    """Topics or documents of a run and of judgments that do not match."""

    noun: Literal["topic", "document"]
    sides: Sides
    run: Run
    judgments: Judgments

    @classmethod
    def both(cls, run: Run, judgments: Judgments, known: Known) -> list[_Unmatched]:
        """Return the topics, then the documents, if some of them do not match."""
        found: list[_Unmatched] = []
        if not judgments.topic_codes.keys() >= set(run.topics):
            found.append(cls("topic", Sides.of(run.topics, judgments.topic_codes), run, judgments))
        if not judgments.document_codes.keys() >= set(run.documents):
            sides = Sides.of(run.documents, judgments.document_codes, known.among)
            found.append(cls("document", sides, run, judgments))
        return found

    def _codes(self, joined: Mapping[str, str]) -> tuple[IntArray, IntArray]:
        """Codes in the judgments of the topic and the document of each result, if some ids were joined."""
        topics, documents = (joined, {}) if self.noun == "topic" else ({}, joined)
        sides = (
            (topics, self.run.topics, self.judgments.topic_codes, self.run.topic_code),
            (documents, self.run.documents, self.judgments.document_codes, self.run.document_code),
        )
        found = [
            np.array([codes.get(new.get(name, name), -1) for name in names], np.int64)[column]
            for new, names, codes, column in sides
        ]
        return found[0], found[1]

    def gained(self, likely: Mapping[str, Sequence[str]]) -> int:
        """Count the results that would be of judged documents if their id was one of those it may be."""
        judged = self.judgments.pairs(*self._codes({})) >= 0
        gained = np.zeros(len(self.run), np.bool_)
        for others in zip_longest(*likely.values()):
            joined = {name: other for name, other in zip(likely, others, strict=True) if other is not None}
            gained |= self.judgments.pairs(*self._codes(joined)) >= 0
        return int((gained & ~judged).sum())

    def matters(self, folding: Folding) -> bool:
        """Return whether a folding joins so many results, judged documents or topics that it is an error."""
        is_topic = self.noun == "topic"
        names, column = (
            (self.run.topics, self.run.topic_code)
            if is_topic
            else (self.run.documents, self.run.document_code)
        )
        judged = self.judgments.topics if is_topic else self.judgments.documents
        results = int(np.array([name in folding.pairs for name in names], np.bool_)[column].sum())
        many = _ONE_IN * results >= len(self.run) or _ONE_IN * len(folding.pairs) >= len(judged)
        if not results or not many:
            return False
        return is_topic or self.gained({ours: [theirs] for ours, theirs in folding.pairs.items()}) > 0

    def error(self, folding: Folding) -> ExcerptError:
        """Return the error for ids that a rule would join."""
        return ExcerptError(
            f"{folding.found(self.noun)}, expected ids of {self.judgments.source or 'the judgments'}",
            path=self.run.source or self.run.name,
            hint="⟨ids=fold⟩ joins them, ⟨ids=exact⟩ keeps them apart",
        )

    def warn(self, notices: Notices) -> None:
        """Warn about results of ids that resemble judged ones, but not one to one, or only a few of them."""
        likely = self.sides.resembling
        if not likely or not (count := self.gained(likely)):
            return
        one, (other, *_) = next(iter(likely.items()))
        end = f"since the id of the {self.noun} only resembles a judged one; ids stay as they are"
        notices.add(
            f"result counts as unjudged, {end}",
            f"results count as unjudged, {end}",
            count,
            where=f"{short(one)}, judged: {short(other)}, of {self.run.source or self.run.name}",
        )


def check_ids(run: Run, judgments: Judgments, known: Known, notices: Notices) -> None:
    """Raise if a rule would join many ids of a run with judged ones; warn about other ids that resemble."""
    warn_of_shift(run, judgments, notices)
    for unmatched in _Unmatched.both(run, judgments, known):
        folding = propose(unmatched.sides)
        if folding is not None and unmatched.matters(folding):
            raise unmatched.error(folding)
        unmatched.warn(notices)


def fold_ids(run: Run, judgments: Judgments, known: Known, notices: Notices) -> Run:
    """Return a run with the ids of the judgments where rules join them one to one; say how many."""
    new: dict[str, Mapping[str, str]] = {}
    for unmatched in _Unmatched.both(run, judgments, known):
        folding, noun = propose(unmatched.sides, partly=True), unmatched.noun
        pairs = {} if folding is None else folding.pairs
        new[noun] = pairs
        where = run.source or run.name
        if folding is not None:
            notices.add(
                f"{noun} is joined with a judged one {folding.rule}",
                f"{noun}s are joined with judged ones {folding.rule}",
                len(pairs),
                where=f"{folding.examples} of {where}",
            )
        left = [name for name in unmatched.sides.resembling if name not in pairs]
        end = "as {} id would match, but not one to one"
        notices.add(
            f"{noun} stays {end.format('its')}",
            f"{noun}s stay {end.format('their')}",
            len(left),
            where=f"{short_list(left, _SHOWN)} of {where}",
        )
    return _renamed(run, new.get("topic", {}), new.get("document", {}))


def warn_of_shift(run: Run, judgments: Judgments, notices: Notices) -> None:
    """Warn if more topics of a run would match with the next number, or with the one before."""
    judged = judgments.topic_codes.keys()
    before = len(judged & set(run.topics))
    if before == len(run.topics):
        return
    for by in (1, -1):
        after = len(judged & {shifted(name, by) for name in run.topics})
        if after > before:
            first = next(name for name in run.topics if name not in judged)
            example = f"topic {short(first)} as {short(shifted(first, by))}"
            notices.add(
                "run has more topics of the judgments if their numbers are shifted by one",
                "runs have more topics of the judgments if their numbers are shifted by one",
                where=f"{example}, {after} instead of {before} topics, of {run.source or run.name}",
            )
            return


def shifted(name: str, by: int) -> str:
    """Return an id with another number at its end; the same id without a number.

    >>> shifted("q0", 1), shifted("09", 1), shifted("1", -1), shifted("q", 1)
    ('q1', '10', '0', 'q')
    """
    found = _NUMBER.fullmatch(name)
    if found is None or int(found[2]) + by < 0:
        return name
    return f"{found[1]}{int(found[2]) + by:0{len(found[2])}}"
