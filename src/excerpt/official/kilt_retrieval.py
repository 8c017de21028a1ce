"""Drop-in for KILT's eval_retrieval.py: pages, evidence sets and texts of retrieved provenance.

Where its figures surprise, a warning says in how many questions.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError, short
from excerpt.files import Input
from excerpt.gold.file import GoldItem
from excerpt.official.java_doubles import added
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.official.track_file import TrackFile

RANKS = (1, 5, 10, 20)
KEYS = ("wikipedia_id",)
_GUESS = 'lines of JSON with "id" and "output", one output with "provenance"'
_GOLD = 'lines of JSON with "id", "input" and "output"'
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_INDENT = " " * 16


def normal_form(text: str) -> str:
    """Return a text in lower case without ASCII punctuation and articles, white space collapsed.

    >>> normal_form("  The  Apple-Pie!"), normal_form("the")
    ('applepie', '')
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def page_of(provenance: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the id of a page from the values of those keys that it has."""
    return "+".join(str(provenance[key]).strip() for key in keys if key in provenance)


@dataclass(frozen=True)
class GoldQuestion:
    """A question of the gold: its outputs, each with the provenance it has, or None without one."""

    name: str
    text: str
    provenances: Sequence[Sequence[Mapping[str, Any]] | None]
    #: Normal forms of answers, and of titles.
    answers: frozenset[str]
    titles: frozenset[str]

    def pages(self, keys: Sequence[str]) -> list[set[str]]:
        """Pages of each output, of provenance with all keys."""
        return [
            {page_of(one, keys) for one in some or () if all(key in one for key in keys)}
            for some in self.provenances
        ]

    def evidence(self, keys: Sequence[str]) -> list[set[str]]:
        """Distinct evidence sets, in order; provenance that lacks a key is a page that no guess has."""
        sets = [{page_of(one, keys) for one in some} for some in self.provenances if some is not None]
        return _distinct(sets)


def _distinct(sets: Iterable[set[str]]) -> list[set[str]]:
    found: list[set[str]] = []
    for one in sets:
        if one not in found:
            found.append(one)
    return found


@dataclass(frozen=True)
class Guess:
    """The provenance that a system lists for a question."""

    provenance: Sequence[Mapping[str, Any]]

    def pages(self, keys: Sequence[str]) -> list[str]:
        """Distinct pages in order, of provenance with all keys."""
        complete = (one for one in self.provenance if all(key in one for key in keys))
        return list(dict.fromkeys(page_of(one, keys) for one in complete))

    @cached_property
    def texts(self) -> list[str | None]:
        """Normal form of the text of each provenance; None without one."""
        return [normal_form(one["text"]) if one.get("text") is not None else None for one in self.provenance]


@dataclass(frozen=True)
class KiltGold:
    """The questions of the gold by id."""

    file: TrackFile
    questions: Mapping[str, GoldQuestion]


def _by_id(file: TrackFile, expected: str) -> Iterator[tuple[str, GoldItem]]:
    """Yield id and object of each line; each id may occur once."""
    seen: set[str] = set()
    for item in file.records(expected):
        if "id" not in item.value:
            raise file.fault(f"key id is missing, expected {expected}", item.line)
        name = str(item.value["id"]).strip()
        if name in seen:
            raise file.fault(f"found question {short(name)} again, expected each id once", item.line)
        seen.add(name)
        yield name, item


def read_gold(given: Input) -> KiltGold:
    """Read the gold."""
    file = TrackFile.open(given)
    return KiltGold(file, {name: _question(name, item, file) for name, item in _by_id(file, _GOLD)})


def _question(name: str, item: GoldItem, file: TrackFile) -> GoldQuestion:
    outputs = item.each("output")
    if not outputs:
        item.fault(f"found no output for question {short(name)}, expected {_GOLD}")
    text = item.text("input")
    provenances = [_provenance(one) for one in outputs]
    answers = [one.text("answer") for one in outputs if one.has("answer")]
    every = [one for some in provenances for one in some or ()]
    titles = [one.text("title") for one in every if one.has("title")]
    file.settle()
    found = [some if some is None else [one.value for one in some] for some in provenances]
    return GoldQuestion(name, normal_form(text), found, _normal_forms(answers), _normal_forms(titles))


def _normal_forms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(normal_form(text) for text in texts if text.strip())


def _provenance(output: GoldItem) -> list[GoldItem] | None:
    return output.each("provenance") if "provenance" in output.value else None


def _read_guess(file: TrackFile, gold: KiltGold) -> tuple[int, dict[str, Guess]]:
    """Return the number of guesses, and those for questions of the gold."""
    found: dict[str, Guess] = {}
    count = 0
    for name, item in _by_id(file, _GUESS):
        count += 1
        if name not in gold.questions:
            continue
        listed = [some for one in item.each("output") if (some := _provenance(one)) is not None]
        if len(listed) != 1:
            item.fault(f"found {len(listed)} outputs with provenance, expected one")
        for one in listed[0] if listed else ():
            if one.has("text"):
                one.text("text")
        file.settle()
        found[name] = Guess([one.value for one in listed[0]])
    for name in gold.questions:
        if name not in found:
            message = f"found no guess for question {short(name)} of {gold.file.name}"
            raise file.fault(f"{message}, expected one for each")
    return count, found


def rank_list(pages: Sequence[str], evidence: Sequence[set[str]]) -> list[bool]:
    """Return the list whose first k entries are the first k ranks: True where an evidence set is complete.

    A page has an entry for each set that needs it, and the entry of a set replaces its earlier one.

    >>> rank_list(["x", "a", "c", "b"], [{"a", "b"}, {"c"}])
    [False, True, True]
    """
    left = [set(one) for one in evidence]
    found: list[tuple[int, bool]] = []
    for page in pages:
        of_sets = [number for number, one in enumerate(left) if page in one]
        for number in of_sets:
            left[number].remove(page)
            found = [entry for entry in found if entry != (number, False)]
            found.append((number, not left[number]))
        if not of_sets:
            found.append((-1, False))
    return [complete for _, complete in found]


def _entry_for_each(pages: Sequence[str], evidence: Sequence[set[str]]) -> list[bool]:
    """Return one entry for each page: True where it completes an evidence set."""
    found = []
    for rank, page in enumerate(pages, 1):
        known = set(pages[:rank])
        found.append(any(page in one and one <= known for one in evidence))
    return found


class KiltOptions(NamedTuple):
    """Options of the program: cut-offs, and the keys that make up the id of a page."""

    ranks: Sequence[int] = RANKS
    keys: Sequence[str] = KEYS


Scores = dict[str, float]


def _of_ranks(
    pages: Sequence[str],
    evidence: Sequence[set[str]],
    ranks: Sequence[int],
    entries: Callable[[Sequence[str], Sequence[set[str]]], list[bool]] = rank_list,
) -> Scores:
    """Precision, recall and success rate at each rank."""
    complete = entries(pages, evidence) if pages and evidence else []
    scores: Scores = {}
    for rank in ranks:
        found = sum(complete[:rank])
        scores[f"precision@{rank}"] = found / rank
        scores[f"recall@{rank}"] = found / (len(evidence) or 1)
        scores[f"success_rate@{rank}"] = float(found > 0)
    return scores


def _of_texts(question: GoldQuestion, guess: Guess, ranks: Sequence[int]) -> Scores:
    """Answers and titles in the question and in the first texts; empty ones are in every text."""
    scores = {"entity_in_input": float(any(title in question.text for title in question.titles))}
    has_answer, has_title = (
        [text is not None and any(one in text for one in names) for text in guess.texts]
        for names in (question.answers, question.titles)
    )
    both = [one and other for one, other in zip(has_answer, has_title, strict=True)]
    for rank in ranks:
        scores[f"answer_in_context@{rank}"] = float(any(has_answer[:rank]))
        scores[f"answer_and_ent_in_context@{rank}"] = float(any(both[:rank]))
        scores[f"entity_in_context@{rank}"] = float(any(has_title[:rank]))
    return scores


def _scores(question: GoldQuestion, guess: Guess, options: KiltOptions) -> Scores:
    """Return all scores of a question."""
    pages, outputs = guess.pages(options.keys), question.pages(options.keys)
    return {
        "Rprec": max(len(one.intersection(pages[: len(one)])) / len(one) if one else 0.0 for one in outputs),
        **_of_texts(question, guess, options.ranks),
        **_of_ranks(pages, question.evidence(options.keys), options.ranks),
    }


def _names(ranks: Iterable[int]) -> Iterator[str]:
    """Yield the names of all scores in the order of the output; recall needs more than one rank."""
    yield from ("Rprec", "entity_in_input")
    of_texts = ("answer_in_context", "answer_and_ent_in_context", "entity_in_context")
    for rank in sorted(ranks):
        beyond = ("recall", "success_rate") if rank > 1 else ()
        yield from (f"{name}@{rank}" for name in ("precision", *of_texts, *beyond))


_UNFOUND = (
    "evidence that no guess can find: an output with empty or incomplete provenance, which lowers recall"
)
_ENTRIES = "other figures because a page has an entry for each evidence set, and entries replace earlier ones"
_EMPTY = "other figures because an answer or title without letters, such as The, is in every text"


def _note_surprises(
    file: TrackFile, gold: KiltGold, guesses: Mapping[str, Guess], options: KiltOptions
) -> None:
    """Note the rules that change scores, each with a count of questions and the first."""
    noted: dict[str, list[str]] = {text: [] for text in (_UNFOUND, _ENTRIES, _EMPTY)}
    for name, question in gold.questions.items():
        guess = guesses[name]
        pages, evidence = guess.pages(options.keys), question.evidence(options.keys)
        findable = [one for one in _distinct(question.pages(options.keys)) if one]
        scores, texts = _of_ranks(pages, evidence, options.ranks), _of_texts(question, guess, options.ranks)
        named = GoldQuestion(name, question.text, (), question.answers - {""}, question.titles - {""})
        changed = {
            _UNFOUND: _of_ranks(pages, findable, options.ranks) != scores,
            _ENTRIES: _of_ranks(pages, evidence, options.ranks, _entry_for_each) != scores,
            _EMPTY: _of_texts(named, guess, options.ranks) != texts,
        }
        for text in filter(changed.get, noted):
            noted[text].append(name)
    for text, names in noted.items():
        file.note(text, names)


def score_guess(gold: KiltGold, given: Input, options: KiltOptions) -> Printout:
    """Score one file of guesses."""
    file = TrackFile.open(given)
    count, guesses = _read_guess(file, gold)
    of_questions = [_scores(one, guesses[name], options) for name, one in gold.questions.items()]
    means = {
        name: added(scores[name] for scores in of_questions) / len(of_questions)
        for name in _names(options.ranks)
    }
    _note_surprises(file, gold, guesses, options)
    pairs = [f"('{name}', {value!r})" for name, value in means.items()]
    lines = f"OrderedDict([   {f',{chr(10)}{_INDENT}'.join(pairs)}])".split("\n")
    if count != len(gold.questions):
        lines.insert(0, f"WARNING: DIFFERENT SIZE gold: {len(gold.questions)} guess: {count}")
    values = {(name, "all"): value for name, value in means.items()}
    return Printout(file.name, tuple(lines), tuple(file.notices), scores=values)


def kilt(
    gold: Input,
    guesses: Iterable[Input] | Input,
    *,
    ks: Iterable[int] = RANKS,
    rank_keys: Iterable[str] = KEYS,
) -> Printouts:
    """Score retrieved provenance of KILT as its eval_retrieval.py does, with its lines.

    `ks` are the cut-offs; `rank_keys` the keys of a provenance that make up the id of a page.

    >>> page = '{"provenance": [{"wikipedia_id": "%s"}]}'
    >>> gold = f'{{"id": 1, "input": "Who?", "output": [{page % 7}, {page % 8}]}}'.encode()
    >>> guess = f'{{"id": "1", "output": [{page % 8}]}}'.encode()
    >>> printed = kilt(gold, guess, ks=[2])
    >>> printed[0].values["Rprec", "all"], printed[0].values["recall@2", "all"]
    (1.0, 0.5)
    """
    options = options_of(ks, rank_keys)
    each, judged = each_run(guesses), read_gold(gold)
    return Printouts(score_guess(judged, one, options) for one in each)


def options_of(ks: Iterable[Any], rank_keys: Iterable[str]) -> KiltOptions:
    """Return the options; the program needs cut-offs of at least 1, each once."""
    ranks: list[int] = []
    for given in ks:
        text = str(given).strip()
        if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text)):
            raise ExcerptError(f"found cut-off {short(repr(given))}, expected a whole number of at least 1")
        if int(text) in ranks:
            raise ExcerptError(f"found cut-off {int(text)} twice, expected each once")
        ranks.append(int(text))
    keys = [key.strip() for key in rank_keys if key.strip()]
    if not ranks or not keys:
        raise ExcerptError("found no cut-off, or no key of a page, expected at least one of each")
    return KiltOptions(ranks, keys)
