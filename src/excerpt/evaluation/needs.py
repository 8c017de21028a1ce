"""Checks before scoring: inputs that measures need, and whether run and judgments match."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from itertools import filterfalse
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, MissingData, UnknownName, plural, short, short_list
from excerpt.measures import Measure
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, FloatArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.index import OffsetIndex


_SHOWN = 3
_ZEROS = "without leading zeros"  # only a suggestion: 7 and 007 may be two documents
_EXTENSIONS = (".xml", ".txt", ".md", ".html", ".json", ".pdf")
_LONGEST_NUMBER = 19  # digits


def check_match(
    run: Run,
    judgments: Judgments,
    index: OffsetIndex | None,
    notices: Notices,
    *,
    corpus: Corpus | None = None,
) -> None:
    """Raise if a run has no topic of the judgments, or no document of the judgments or the index.

    Unjudged documents are normal, so one common document is enough. If an index or a corpus contains the
    documents of a run but none of them is judged, this is only a warning.
    """
    if not run.topics or not judgments.topics:
        return
    check_topics(run, judgments)
    where, judged = run.source or run.name, judgments.source or "the judgments"
    if not judgments.document_codes.keys().isdisjoint(run.documents):
        return
    in_corpus = corpus is not None and any(name in corpus for name in run.documents)
    in_index = index is not None and bool((index.document_codes(run.documents) >= 0).any())
    if in_corpus or in_index:
        notices.add("run has no judged documents", "runs have no judged documents", where=where)
        return
    raise ExcerptError(
        f"found {_list('document', run.documents)}, expected documents of {judged}, "
        f"such as {short_list(judgments.documents, _SHOWN)}",
        path=where,
        hint=_suggest(run.documents, judgments.documents),
    )


def check_topics(run: Run, judgments: Judgments) -> None:
    """Raise if a run has topics, but none of the judgments'."""
    if run.topics and judgments.topic_codes.keys().isdisjoint(run.topics):
        raise ExcerptError(
            f"found {_list('topic', run.topics)}, expected topics of {judgments.source or 'the judgments'}, "
            f"such as {short_list(judgments.topics, _SHOWN)}",
            path=run.source or run.name,
            hint=_suggest(run.topics, judgments.topics),
        )


def as_judged(
    run: Run, judgments: Judgments, corpus: Corpus | None, judged_as: Mapping[int, str], notices: Notices
) -> Run:
    """Return a run with the ids of the judgments: of topics by their questions, of documents by a corpus.

    `judged_as` has the ids in the judgments by the numbers in the corpus. A document that was not judged
    keeps the first id that the run has for it.
    """
    topics = _judged_topics(run, judgments)
    if corpus is None and topics == list(run.topics):
        return run
    judged, documents, first_as, renamed = judgments.document_codes, list(run.documents), dict[int, str](), []
    if corpus is not None:
        own = corpus.numbers(run.documents)
        _, which, counts = np.unique(own, return_inverse=True, return_counts=True)
        several = (counts[which] > 1) | np.isin(own, list(judged_as))
        for number in np.flatnonzero((own >= 0) & several).tolist():
            name, key = run.documents[number], int(own[number])
            if name not in judged:
                documents[number] = judged_as.get(key) or first_as.setdefault(key, name)
                renamed += [number] if documents[number] in judged else []
    if renamed:
        first = f"{short(run.documents[renamed[0]])}, judged as {short(documents[renamed[0]])}"
        end = "another id in the judgments; the corpus has both"
        many, where = f"documents have {end}", f"{first}, of {run.source or run.name}"
        notices.add(f"document has {end}", many, len(renamed), where=where)
    if topics == list(run.topics) and documents == list(run.documents):
        return run
    return run.renamed(topics, documents)


def _judged_topics(run: Run, judgments: Judgments) -> list[str]:
    """List the topics of a run; a topic that is the text of one question becomes the id of the question."""
    known = judgments.topic_codes
    if not judgments.questions or known.keys() >= set(run.topics):
        return list(run.topics)
    from excerpt.model.texts import fold

    asked: dict[str, list[str]] = {}
    for name, question in judgments.questions.items():
        asked.setdefault(fold(question.text), []).append(name)
    by_text = {text: names[0] for text, names in asked.items() if text and len(names) == 1}
    return [name if name in known else by_text.get(fold(name), name) for name in run.topics]


def check_ids(run: Run, judgments: Judgments, corpus: Corpus | None = None) -> None:
    """Raise if other ids would match what now counts as unjudged; a corpus may have similar ids."""
    unjudged = [name for name in run.topics if name not in judgments.topic_codes]
    if unjudged and all(_from_zero(name) for name in unjudged):
        later = [_next(name) for name in run.topics]
        if judgments.topic_codes.keys() >= set(later):
            raise ExcerptError(
                f"found topic {short(unjudged[0])}, expected topics from {short(later[0])} on, as in "
                f"{judgments.source or 'the judgments'}",
                path=run.source or run.name,
                hint="the run seems to be numbered from 0, the questions from 1; ids or the words of the "
                "questions are also accepted, or go on with ⟨ids=exact⟩",
            )
    strange = list(filterfalse(judgments.document_codes.__contains__, run.documents))
    if strange and (likely := _by_loosest_rule(strange, judgments.documents)):
        _check_documents(run, judgments, likely, () if corpus is None else corpus)


def _from_zero(name: str) -> bool:
    return name.endswith("0") and not name[:-1].endswith(tuple("0123456789"))


def _next(name: str) -> str:
    """Return an id with the next number.

    >>> _next("q0"), _next("9"), _next("q")
    ('q1', '10', 'q')
    """
    head = name.rstrip("0123456789")
    digits = name[len(head) :]
    return f"{head}{int(digits) + 1}" if 0 < len(digits) < _LONGEST_NUMBER else name


def _check_documents(run: Run, judgments: Judgments, likely: set[str], apart: Container[str]) -> None:
    """Raise if a rule would match `likely` documents with judged ones of their topics, not both `apart`."""
    judged = judgments.documents
    for words, rule in _RULES.items():
        if words == _ZEROS:
            continue
        by_key = {rule(name): code for code, name in enumerate(judged)}
        code = np.full(len(run.documents), -1, np.int64)
        for number, name in enumerate(run.documents):
            other = by_key.get(rule(name), -1) if name in likely else -1
            pair = (name, judged[other])
            if other >= 0 and not all(map(_has_folders, pair)) and not all(each in apart for each in pair):
                code[number] = other
        topic = np.array([judgments.topic_codes.get(name, -1) for name in run.topics], np.int64)[run.topic]
        matched = np.flatnonzero((judgments.pairs(topic, code[run.document]) >= 0) & (topic >= 0))
        if len(matched):
            number = int(run.document[matched[0]])
            count = "counts" if len(matched) == 1 else "count"
            raise ExcerptError(
                f"{len(matched)} of {plural(len(run), 'result')} {count} as unjudged, but the ids would "
                f"match {words} (such as {short(run.documents[number])}, "
                f"judged as {short(judged[code[number]])})",
                path=run.source or run.name,
                hint="rename the documents, or go on with ⟨ids=exact⟩",
            )


def _by_loosest_rule(names: Sequence[str], judged: Sequence[str]) -> set[str]:
    """Return the names that are judged if folders, extensions and case are ignored."""
    keys = [*names, *judged]
    text = "\n".join(keys)
    lower = text.lower()
    mixed = text not in (lower, text.upper())
    rules: list[Callable[[str], str]] = [_without_folders] if _has_folders(text) else []
    rules += [_without_extension] if any(end in lower for end in _EXTENSIONS) else []
    if not mixed and not rules:
        return set()
    if mixed:  # all at once, unless an id has a line break
        at_once = text.count("\n") < len(keys)
        keys = text.casefold().split("\n") if at_once else list(map(str.casefold, keys))
    for rule in rules:
        keys = list(map(rule, keys))
    known = set(keys[len(names) :])
    if known.isdisjoint(keys[: len(names)]):  # fast
        return set()
    return {name for name, key in zip(names, keys, strict=False) if key in known}


def _has_folders(name: str) -> bool:
    return "/" in name or "\\" in name


def _list(noun: str, names: Sequence[str]) -> str:
    return f"{noun} {short(names[0])}" if len(names) == 1 else f"the {noun}s {short_list(names, _SHOWN)}"


def warn_missing_topics(joined: Joined, notices: Notices, scores: FloatArray | None = None) -> None:
    """Warn about judged topics without results; they score 0 unless `scores` differ."""
    if joined.policy.only_run_topics:
        return
    judgments = joined.judgments
    missing = joined.results == 0
    if len(judgments.spans) and not joined.policy.include_empty:
        missing &= judgments.has_relevant
    zero = scores is None or not scores[missing].any()
    notices.add_marked(
        "judged topic has no results in a run" + (" and scores 0 there" if zero else ""),
        "judged topics have no results in a run" + (" and score 0 there" if zero else ""),
        missing,
        lambda topic: f"topic {judgments.topics[topic]} of {joined.run.source or joined.run.name}",
    )


def _suggest(ours: Iterable[str], theirs: Iterable[str]) -> str:
    """Suggest a simple rule under which ids of a run and of the judgments match."""
    for words, rule in _RULES.items():
        if not set(map(rule, ours)).isdisjoint(map(rule, theirs)):
            return f"the ids would match {words}"
    return "are these judgments for the same collection?"


def _without_extension(name: str, ends: Sequence[str] = _EXTENSIONS) -> str:
    return next((name[: -len(end)] for end in ends if name.lower().endswith(end)), name)


def _without_folders(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


#: Rules under which ids may match, the simplest first.
_RULES: dict[str, Callable[[str], str]] = {
    **{f"without the extension {end}": partial(_without_extension, ends=(end,)) for end in _EXTENSIONS},
    "without the folders before the name": _without_folders,
    "without folders and extension": lambda name: _without_extension(_without_folders(name)),
    "if case were ignored": str.casefold,
    _ZEROS: lambda name: name.lstrip("0"),
    "without folders and extension, if case were ignored": lambda name: _without_extension(
        _without_folders(name)
    ).casefold(),
}


class Need(NamedTuple):
    """An input that measures may need: its owner, a test for it, what is lacking and how to supply it."""

    owner: Literal["run", "judgments"]
    provided: Callable[[Run, Judgments], bool]
    lack: str
    supply: str


def _has_sizes(_: Run, judgments: Judgments) -> bool:
    graded = judgments.elements
    return graded is not None and (not len(graded) or bool((graded.size > 0).any()))


#: Needs by name; a measure lists the names of its needs.
NEEDS = {
    "spans": Need(
        "run",
        lambda run, _: run.kind in {"spans", "documents"},
        "the run has none",
        "give ⟨index⟩ for element paths, or a run with offset and length",
    ),
    "entry points": Need(
        "run", lambda run, _: run.kind != "elements", "the run has none", "give ⟨index⟩ for element paths"
    ),
    "element paths": Need(
        "run",
        lambda run, _: run.row is not None or bool((run.element >= 0).any()) or not len(run),
        "the run has none",
        "give a run with element paths, or ⟨index⟩ to look up elements by span",
    ),
    "highlights": Need(
        "judgments",
        lambda _, judgments: judgments.elements is None or len(judgments.spans) > 0,
        "the judgments have graded elements only",
        "give judgments of text, or ⟨index⟩ to locate the passages of INEX 2005 to 2007",
    ),
    "grades of documents": Need(
        "judgments",
        lambda _, judgments: judgments.grades is not None,
        "these are judgments of text",
        "give TREC qrels, or leave out rel",
    ),
    "document lengths": Need(
        "judgments",
        lambda _, judgments: not (judgments.pair_size[judgments.relevant_by_pair > 0] == UNKNOWN).any(),
        "the judgments lack some of them",
        "give ⟨corpus⟩, or judgments with the size of every relevant document",
    ),
    "judged entry points": Need(
        "judgments",
        lambda _, judgments: bool((judgments.pair_entry != UNKNOWN).any()),
        "the judgments have none",
        "give FOL qrels with a sixth column, or INEX assessments",
    ),
    "graded elements": Need(
        "judgments",
        lambda _, judgments: judgments.elements is not None,
        "the judgments have none",
        "give assessments of elements, or ⟨index⟩",
    ),
    "element sizes": Need("judgments", _has_sizes, "the assessments lack them", "give ⟨index⟩"),
    "collection size": Need(
        "judgments",
        lambda _, judgments: judgments.collection_size is not None,
        "it is unknown",
        "give ⟨index⟩, or set it, as in inex_eval_ng(extrapolate=true, collection_size=1000000)",
    ),
    "mean document length": Need(
        "judgments",
        lambda _, judgments: judgments.mean_length is not None,
        "it is unknown",
        "give ⟨index⟩ or ⟨corpus⟩, or set it, as in BEPD(L=6000)",
    ),
}


def check_text(
    run: Run, judgments: Judgments, measures: Iterable[tuple[str, Measure]], *, chosen: bool = False
) -> None:
    """Raise if a measure of text is used with judgments of whole documents, or a run without any text."""
    for shown, measure in measures:
        if "spans" in measure.needs and len(run) and bool(run.is_empty.all()) and not chosen:
            message, line = f"every result has length 0, but {shown} needs text", int(run.line.min()) or None
            hint = "are start and end the same column?"
            raise ExcerptError(message, path=run.source or run.name, line=line, hint=hint)
        if "spans" in measure.needs and run.kind == "spans" and not run.whole and judgments.only_documents:
            message = f"{shown} needs judgments of text, but these are of whole documents"
            hint = "give judgments of text, or use a measure of documents such as articleAP"
            raise MissingData(message, path=judgments.source or None, hint=hint)
        if measure.needs & {"spans", "entry points"} and _is_unplaced(run):
            path = run.paths[int(run.element[0])] if run.element[0] >= 0 else ""
            if path:
                fault = f"none of the run's paths (such as {short(path)}) is in the index"
                hint = "was the index made from the same corpus?"
            else:
                from excerpt.records.record import nowhere

                fault = "found offset X or -1 in every result"
                hint = nowhere(-1)
            raise MissingData(f"{fault}, but {shown} needs text", path=run.source, hint=hint)


def _is_unplaced(run: Run) -> bool:
    """Return whether no result of a file is located or known to be lost; runs of Python are not checked."""
    placed = run.kind in {"spans", "entry points"} and not run.whole
    return placed and len(run) > 0 and bool(run.source) and not run.known.any() and run.lost is None


#: Measures for a run that has only entry points.
_FOR_POINTS = "entry points are scored by MAgP(score=BEP) and BEPD, their documents by AP or articleR"


def check_needs(run: Run, judgments: Judgments, measures: Iterable[tuple[str, Measure]]) -> None:
    """Raise if a run or judgments lack an input that a measure needs, and suggest how to supply it."""
    has = {name for name, need in NEEDS.items() if need.provided(run, judgments)}
    for shown, measure in measures:
        for name in sorted(measure.needs - has):
            if name not in NEEDS:
                raise UnknownName(f"need of {shown}", name, NEEDS)
            need = NEEDS[name]
            where = (run.source or run.name) if need.owner == "run" else judgments.source
            supply = _FOR_POINTS if name == "spans" and run.kind == "entry points" else need.supply
            raise MissingData(f"{shown} needs {name}, but {need.lack}", path=where or None, hint=supply)
