"""Drop-in for EPIC-QA's epic_eval.py: NDNS, the novelty of the nuggets in ranked answers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from excerpt.errors import UnknownName, short
from excerpt.files import Input
from excerpt.gold.file import GoldItem
from excerpt.model.spans import FloatArray, IntArray
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.official.track_file import TrackFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BITS = 64
_ONES = np.array([number.bit_count() for number in range(256)], np.int64)
Bits: TypeAlias = "NDArray[np.uint64]"
#: Number of sentences that lower a gain, from those without nuggets, with seen ones alone, and with new ones.
Effort: TypeAlias = Callable[[IntArray, IntArray, IntArray], IntArray]


def bits_of(sentences: Sequence[Sequence[int]], nuggets: int) -> Bits:
    """Return the numbered nuggets of each sentence as bits of as many words as needed."""
    bits = np.zeros((len(sentences), -(-nuggets // _BITS) or 1), np.uint64)
    for row, numbers in enumerate(sentences):
        for number in numbers:
            bits[row, number // _BITS] |= np.uint64(1 << number % _BITS)
    return bits


def _count(bits: Bits) -> IntArray:
    """Number of bits of each row."""
    return np.asarray(_ONES[np.ascontiguousarray(bits).view(np.uint8)].sum(axis=1))


@dataclass(frozen=True, eq=False)
class PossibleAnswers:
    """All answers with a nugget: runs of sentences of one context, in order of context, first and last.

    Sets of nuggets are bits of words, so that the gains of all answers are computed at once.
    """

    #: Nuggets of each sentence, context after context.
    sentences: Bits
    #: First and last sentence of each answer, and its nuggets.
    first: IntArray
    last: IntArray
    nuggets: Bits

    @classmethod
    def of(cls, sentences: Bits, contexts: Sequence[tuple[int, int]]) -> PossibleAnswers:
        """List the answers inside of contexts, which are ranges of sentences."""
        first, last, nuggets = [], [], []
        for low, high in contexts:
            for begin in range(low, high):
                union = np.bitwise_or.accumulate(sentences[begin:high])
                filled = np.flatnonzero(union.any(axis=1))
                first.append(np.full(len(filled), begin))
                last.append(begin + filled)
                nuggets.append(union[filled])
        return cls(sentences, np.concatenate(first), np.concatenate(last), np.concatenate(nuggets))

    def _inside(self, nuggets: Bits) -> IntArray:
        """Number of sentences of each answer that have one of some nuggets."""
        total = np.concatenate(([0], np.cumsum(nuggets.any(axis=1))))
        return np.asarray(total[self.last + 1] - total[self.first])

    @cached_property
    def _with_nuggets(self) -> IntArray:
        return self._inside(self.sentences)

    @cached_property
    def _size(self) -> IntArray:
        return self.last - self.first + 1

    def gains(self, seen: Bits, effort: Effort) -> FloatArray:
        """Gain of each answer after some nuggets were seen; 0 without a new one."""
        new = _count(self.nuggets & ~seen)
        novel = self._inside(self.sentences & ~seen)
        weight = effort(self._size - self._with_nuggets, self._with_nuggets - novel, novel)
        return np.where(new > 0, new * (new + 1) / np.maximum(new + weight, 1), 0.0)

    def ideals(self, effort: Effort, width: int) -> list[float]:
        """Best score of the lists of each length, from 0, that a beam of some width keeps.

        The program takes the last: a list that cannot be extended is dropped if another one can, even if its
        score is better. Of equal lists the earlier stay.
        """
        beam = [(0.0, np.zeros(self.sentences.shape[1], np.uint64))]
        best: list[float] = []
        while beam:
            best.append(max(score for score, _ in beam))
            discount = math.log2(len(best) + 1)
            reached = []
            for score, seen in beam:
                gain = self.gains(seen, effort)
                rows = np.flatnonzero(gain > 0)
                reached.append((score + gain[rows] / discount, rows))
            beam = self._kept(beam, reached, width)
        return best

    def _kept(
        self,
        beam: Sequence[tuple[float, Bits]],
        reached: Sequence[tuple[FloatArray, IntArray]],
        width: int,
    ) -> list[tuple[float, Bits]]:
        """Return the best of all extended lists."""
        score = np.concatenate([scores for scores, _ in reached])
        row = np.concatenate([rows for _, rows in reached])
        owner = np.repeat(np.arange(len(beam)), [len(rows) for _, rows in reached])
        if len(score) > width:
            some = np.flatnonzero(score >= np.partition(score, -width)[-width])
        else:
            some = np.arange(len(score))
        order = some[np.argsort(-score[some], kind="stable")][:width]
        return [(float(score[at]), beam[owner[at]][1] | self.nuggets[row[at]]) for at in order.tolist()]


EpicTask: TypeAlias = Literal["all", "expert", "consumer"]
#: First letters of the questions of a task.
_LETTERS: dict[EpicTask, tuple[str, ...]] = {"all": ("",), "expert": ("E",), "consumer": ("C",)}
MEASURES = ("NDNS-Partial", "NDNS-Relaxed", "NDNS-Exact")
#: How many sentences lower the gain, of those without nuggets, with seen nuggets alone, and with new ones.
_EFFORTS: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda filler, _redundant, novel: filler + (novel > 0),
    lambda filler, redundant, novel: filler + redundant + (novel > 0),
    lambda filler, redundant, novel: filler + redundant + novel,
)
_MOST = 1000  # answers of a question
_WIDTH = 10  # lists that the search for the ideal keeps
#: Lists that a wider search keeps, and the number of answers up to which it is made.
_WIDER, _FEW = 40, 5000
_LARGEST = 10_000  # sentences of a context
_SENTENCE = re.compile(r"(.*)-S([0-9]{1,9})", re.DOTALL)
_JUDGMENTS = (
    'a JSON list of objects with "question_id", "annotations" and their "sentence_id" and "nugget_ids"'
)
_RUN = "question Q0 FIRST:LAST rank score tag"


class Sentence(NamedTuple):
    """Context and number of a sentence."""

    context: str
    number: int

    def __str__(self) -> str:
        return f"{self.context}-S{self.number:03d}"

    @classmethod
    def of(cls, text: str) -> Sentence | None:
        """Parse an id such as `x-C003-S012`; None for other texts."""
        found = _SENTENCE.fullmatch(text)
        return cls(found[1], int(found[2])) if found else None


class RankedAnswer(NamedTuple):
    """A line of a run."""

    first: Sentence
    last: int
    #: The score as it is written.
    score: str
    line: int


@dataclass(frozen=True)
class JudgedQuestion:
    """The judgments of a question: nuggets of its annotated sentences, in the order of the file."""

    name: str
    sentences: Mapping[Sentence, frozenset[str]]
    item: GoldItem

    @cached_property
    def contexts(self) -> dict[str, tuple[int, int]]:
        """First and last annotated sentence of each context, in order of first annotation."""
        found: dict[str, tuple[int, int]] = {}
        for context, number in self.sentences:
            low, high = found.get(context, (number, number))
            found[context] = min(low, number), max(high, number)
        return found

    @cached_property
    def by_context(self) -> dict[str, dict[int, frozenset[str]]]:
        """Nuggets of the sentences of each context, by their number."""
        found: dict[str, dict[int, frozenset[str]]] = {}
        for (context, number), nuggets in self.sentences.items():
            found.setdefault(context, {})[number] = nuggets
        return found

    @cached_property
    def ideals(self) -> tuple[float, ...]:
        """Score of the ideal answers by each measure, as the program finds them."""
        return tuple(best[-1] for best in self._searched)

    @cached_property
    def better(self) -> tuple[float, ...]:
        """Score of the best answers of any number; the search is wider unless there are too many."""
        searched = self._searched
        if len(self._answers.first) <= _FEW:
            searched = [self._answers.ideals(effort, _WIDER) for effort in _EFFORTS]
        return tuple(map(max, searched))

    @cached_property
    def _searched(self) -> list[list[float]]:
        return [self._answers.ideals(effort, _WIDTH) for effort in _EFFORTS]

    @cached_property
    def _answers(self) -> PossibleAnswers:
        numbers = {name: number for number, name in enumerate(frozenset().union(*self.sentences.values()))}
        rows: list[list[int]] = []
        ranges = []
        for context, (low, high) in self.contexts.items():
            known = self.by_context[context]
            ranges.append((len(rows), len(rows) + high - low + 1))
            rows += [[numbers[one] for one in known.get(number, ())] for number in range(low, high + 1)]
        return PossibleAnswers.of(bits_of(rows, len(numbers)), ranges)

    def score(self, answers: Sequence[RankedAnswer]) -> tuple[float, ...]:
        """Discounted gains of ranked answers by each measure."""
        totals = [0.0] * len(MEASURES)
        seen: set[str] = set()
        for rank, answer in enumerate(answers[:_MOST], 1):
            known = self.by_context.get(answer.first.context, {})
            inside = [
                nuggets for number, nuggets in known.items() if answer.first.number <= number <= answer.last
            ]
            new = frozenset().union(*inside) - seen
            if not new:
                continue
            novel = sum(not nuggets <= seen for nuggets in inside)
            redundant = sum(bool(nuggets) for nuggets in inside) - novel
            filler = answer.last - answer.first.number + 1 - novel - redundant
            for place, effort in enumerate(_EFFORTS):
                gain = len(new) * (len(new) + 1) / (len(new) + effort(filler, redundant, novel))
                totals[place] += gain / math.log2(rank + 1)
            seen |= new
        return tuple(totals)


@dataclass(frozen=True)
class SentenceJudgments:
    """The judged questions of a task, in the order of the file."""

    file: TrackFile
    questions: Mapping[str, JudgedQuestion]


def read_judgments(given: Input, task: EpicTask) -> SentenceJudgments:
    """Read the questions of a task."""
    file = TrackFile.open(given)
    found: dict[str, JudgedQuestion] = {}
    for item in file.objects(_JUDGMENTS):
        name = item.text("question_id")
        if name in found:
            item.fault(f"found question {short(name)} again, expected each once")
        found[name] = JudgedQuestion(name, _sentences(item), item)
    file.settle()
    chosen = {name: one for name, one in found.items() if name.startswith(_LETTERS[task])}
    if not chosen:
        raise file.fault(f"found no question of task {task}, expected {_JUDGMENTS}")
    for question in chosen.values():
        _check(question)
    file.settle()
    return SentenceJudgments(file, chosen)


def _check(question: JudgedQuestion) -> None:
    """Report a question that makes the program divide by zero, or whose contexts are too long for it."""
    if not any(question.sentences.values()):
        hint = "the official program divides by the score of its ideal"
        question.item.fault(f"found no nugget in the annotations of question {short(question.name)}", hint)
    for context, (low, high) in question.contexts.items():
        if high - low >= _LARGEST:
            found = f"found sentences {low} and {high} of context {short(context)}"
            question.item.fault(f"{found}, expected fewer than {_LARGEST} between them")


def _sentences(question: GoldItem) -> dict[Sentence, frozenset[str]]:
    found: dict[Sentence, frozenset[str]] = {}
    for annotation in question.each("annotations"):
        text, nuggets = annotation.text("sentence_id"), frozenset(annotation.texts("nugget_ids", needed=True))
        sentence = Sentence.of(text)
        if sentence is None:
            annotation.fault(f"found sentence {short(text)!r}, expected one such as x-C003-S012")
        else:  # ids with fewer digits are never looked up
            known = found.get(sentence, frozenset())
            found[sentence] = known | nuggets if str(sentence) == text else known
    return found


@dataclass(frozen=True)
class AnswerRun:
    """A run: its name, and the answers to each question in the order of the file."""

    file: TrackFile
    name: str
    answers: Mapping[str, list[RankedAnswer]]


def _read_run(given: Input) -> AnswerRun:
    file = TrackFile.open(given)
    answers: dict[str, list[RankedAnswer]] = {}
    name = ""
    if not file.lines:
        raise file.fault(f"found no answer, expected lines of {_RUN}")
    for line, text in enumerate(file.lines, 1):
        columns = text.split()
        if len(columns) != 6:
            raise file.fault(f"found {len(columns)} columns, expected 6 ({_RUN})", line)
        question, _, span, _, score, name = columns
        ends = [Sentence.of(part) for part in span.split(":")]
        if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[1].number < ends[0].number:
            found = f"found answer {short(span)!r}"
            raise file.fault(f"{found}, expected two sentences such as x-C003-S010:x-C003-S012", line)
        answers.setdefault(question, []).append(RankedAnswer(ends[0], ends[1].number, score, line))
    return AnswerRun(file, name, answers)


def _ranked(answers: Iterable[RankedAnswer]) -> list[RankedAnswer]:
    """Answers by descending score, compared as text; ties stay in the order of the file."""
    return sorted(answers, key=lambda answer: answer.score, reverse=True)


def _by_number(answers: Sequence[RankedAnswer]) -> list[RankedAnswer] | None:
    """Answers by descending score, compared as numbers; None if some are none."""
    try:
        return sorted(answers, key=lambda answer: float(answer.score), reverse=True)
    except ValueError:
        return None


_AS_TEXT = (
    "question has another score because scores of answers are compared as texts (9 before 10)",
    "questions have other scores because scores of answers are compared as texts (9 before 10)",
)
_NOT_IDEAL = (
    "question has an ideal that is not the best: the program's search keeps ten lists, and the longest",
    "questions have ideals that are not the best: the program's search keeps ten lists, and the longest",
)


def _note_surprises(
    judgments: SentenceJudgments, run: AnswerRun, scores: Mapping[str, tuple[float, ...]]
) -> None:
    """Note questions that the order of scores as text changes, and those whose ideal is not the best."""
    reordered, exceeded = [], []
    for name, question in judgments.questions.items():
        answers = run.answers.get(name, [])
        by_number = _by_number(answers)
        if by_number is not None and question.score(by_number) != scores[name]:
            reordered.append(name)
        found = zip(question.ideals, question.better, scores[name], strict=True)
        if any(max(better, own) > ideal for ideal, better, own in found):
            exceeded.append(name)
    for texts, names in ((_AS_TEXT, reordered), (_NOT_IDEAL, exceeded)):
        where = f"question {short(names[0])} of {run.file.name}" if names else ""
        run.file.notices.add(*texts, len(names), where=where)


def score_run(judgments: SentenceJudgments, given: Input) -> Printout:
    """Score one run."""
    run = _read_run(given)
    gains = {
        name: question.score(_ranked(run.answers.get(name, ())))
        for name, question in judgments.questions.items()
    }
    rows: dict[str, tuple[float, ...]] = {}
    for name, question in judgments.questions.items():
        rows[name] = tuple(gain / ideal for gain, ideal in zip(gains[name], question.ideals, strict=True))
    rows["MEAN"] = tuple(
        float(sum(map(Fraction, column)) / len(column)) for column in zip(*rows.values(), strict=True)
    )
    _note_surprises(judgments, run, gains)
    scores = {
        (measure, name): value
        for name, values in rows.items()
        for measure, value in zip(MEASURES, values, strict=True)
    }
    lines = tuple(f"{run.name}\t{name}\t{measure}\t{value!r}" for (measure, name), value in scores.items())
    return Printout(run.file.name, lines, tuple(run.file.notices), scores=scores)


def epicqa(judgments: Input, runs: Iterable[Input] | Input, task: EpicTask) -> Printouts:
    """Score ranked answers of EPIC-QA as its epic_eval.py does, with its lines.

    `task` chooses the questions: `expert` those that begin with E, `consumer` with C, or `all`.

    >>> judgments = b'''[{"question_id": "EQ001", "nuggets": [], "annotations": [
    ... {"sentence_id": "d1-C001-S000", "nugget_ids": ["A"]},
    ... {"sentence_id": "d1-C001-S001", "nugget_ids": ["B"]},
    ... {"sentence_id": "d1-C001-S003", "nugget_ids": ["C"]},
    ... {"sentence_id": "d2-C004-S000", "nugget_ids": ["A"]}]}]'''
    >>> run = b"EQ001 Q0 d1-C001-S000:d1-C001-S001 1 9 mine\\n"
    >>> printed = epicqa(judgments, run, "all")
    >>> printed[0].values["NDNS-Exact", "EQ001"]
    0.7039180890341347
    """
    if task not in get_args(EpicTask):
        raise UnknownName("task", str(task), get_args(EpicTask))
    each, judged = each_run(runs), read_judgments(judgments, task)
    return Printouts(score_run(judged, run) for run in each)
