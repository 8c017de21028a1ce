"""What a trial says: at most four sentences, each of which its tests and tables bear out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.experiments.comparison import compare
from excerpt.experiments.drops import power_of
from excerpt.experiments.study import generator
from excerpt.model.run import Run
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices
from excerpt.options import as_option
from excerpt.scores.score_table import ScoreTable
from excerpt.trials.trial_cells import CellFacts, Rendering

_ALPHA, _SAMPLES = 0.05, 10_000
#: More questions than so many times those that there are is no advice.
_MOST_TIMES = 10
_EXAMPLES, _SHOWN, _PASSAGE = 3, 3, 160
#: Smallest gain of a larger budget, and smallest gap of a ceiling, that a sentence names.
_GAIN = 0.05


class MissedQuestion(NamedTuple):
    """A question whose evidence no setting finds: a passage of it, and what was returned first instead."""

    topic: str
    question: str
    document: str
    passage: str
    returned_document: str
    returned: str
    run: str


def advise(
    table: ScoreTable,
    effects: Sequence[Mapping[str, Any]],
    *,
    facts: Mapping[str, CellFacts],
    curve: Mapping[str, Sequence[tuple[int, float]]],
    nothing: int,
    budget: int,
    gate: str,
) -> list[str]:
    """The sentences: what is better, what cannot be told, what nothing finds, what to do next."""
    names, scores = _ranked(table)
    pairs = _pairs(table)
    beaten = [row for row in pairs if row["run"] == names[0] and row["significant"]]
    equal = [name for name in names[1:] if name not in {row["other"] for row in beaten}]
    questions = scores.shape[1]
    said = [_better(names, beaten, effects, len(pairs))]
    visible = _visible(scores) if len(names) > 1 else None
    said.append(_untold(names, scores, equal, questions, visible))
    said.append(_missing(nothing, questions, budget, names[0], facts))
    said.append(_next(names[0], curve, budget, questions, scores, visible, gate))
    return [sentence for sentence in said if sentence]


def _ranked(table: ScoreTable) -> tuple[list[str], FloatArray]:
    """Names of the runs, best first, and their scores on the topics that have one."""
    values = table.values[:, :, 0]
    scored = values[:, ~np.isnan(values).any(axis=0)]
    order = np.argsort(-table.means()[:, 0], kind="stable")
    return [table.runs[place] for place in order.tolist()], scored[order]


def _pairs(table: ScoreTable) -> tuple[dict[str, Any], ...]:
    """Every pair of runs with one test of all pairs together, which allows for choosing the best."""
    if len(table.runs) < 2:
        return ()
    try:
        found = compare(table.select(table.measures[:1]), test="tukey", alpha=_ALPHA, notices=Notices())
    except ExcerptError:  # too few topics for a test
        return ()
    return found.rows


def _better(
    names: Sequence[str],
    beaten: Sequence[Mapping[str, Any]],
    effects: Sequence[Mapping[str, Any]],
    pairs: int,
) -> str:
    """What the tests find better; else that they find nothing."""
    levels = [row for row in effects if row["significant"] and row["effect"] > 0]
    parts = []
    if beaten:
        worst = max(beaten, key=lambda row: float(row["difference"]))
        others = f" and than {plural(len(beaten) - 1, 'other setting')}" if len(beaten) > 1 else ""
        parts.append(
            f"{names[0]} is better than {worst['other']} by {worst['difference']:.3f}{others} "
            f"(randomised Tukey HSD over {plural(pairs, 'pair')})"
        )
    if levels:
        top = max(levels, key=lambda row: float(row["effect"]))
        lead = "over all cells the" if parts else "Over all cells the"
        parts.append(
            f"{lead} {top['factor']} {top['level']} is better than the mean of its factor by "
            f"{top['effect']:.3f} (adjusted p {_p(top['adjusted'])})"
        )
    return "; ".join(parts) + "." if parts else ""


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.00005 else "<0.0001"


def _visible(scores: FloatArray) -> float | None:
    """Smallest difference of the best two settings that as many questions show four times out of five."""
    difference = scores[0] - scores[1]
    if len(difference) < 2:
        return None
    found = power_of(difference, 0.01, _ALPHA / 2, _SAMPLES, generator(1))
    return None if found is None else found.visible


def _untold(
    names: Sequence[str], scores: FloatArray, equal: Sequence[str], questions: int, visible: float | None
) -> str:
    """Which settings the questions cannot tell from the best."""
    if len(names) == 1 or not equal:
        return ""
    mean = [float(row.mean()) for row in scores]
    lowest = mean[names.index(equal[-1])]
    count = plural(questions, "question")
    verb = "does not tell" if questions == 1 else "do not tell"
    said = f"{count} {verb} {names[0]} ({mean[0]:.3f}) from {short_list(equal, 2)} (down to {lowest:.3f})"
    if visible is None:
        return f"{said}."
    return f"{said}; between the best two they show differences from {visible:.2f} on."


def _missing(nothing: int, questions: int, budget: int, best: str, facts: Mapping[str, CellFacts]) -> str:
    """How many questions nothing answers, and the ceiling of the best chunks."""
    upper = facts[best].upper
    bound = f"no retriever can exceed {upper:.3f} with the chunks of {best}" if upper < 1 - _GAIN else ""
    if nothing:
        verb = "has" if nothing == 1 else "have"
        said = f"{nothing} of {plural(questions, 'question')} {verb} evidence that no setting finds within "
        return said + f"{budget:,} characters" + (f"; {bound}" if bound else "") + "."
    found = f"Every question has some evidence found by at least one setting within {budget:,} characters"
    return found + (f"; {bound}" if bound else "") + "."


def _next(
    best: str,
    curve: Mapping[str, Sequence[tuple[int, float]]],
    budget: int,
    questions: int,
    scores: FloatArray,
    visible: float | None,
    gate: str,
) -> str:
    """What to do next: more questions, another budget, the gate."""
    parts = []
    gap = float(scores[0].mean() - scores[1].mean()) if len(scores) > 1 else 0.0
    if visible is not None and 0 < gap < visible:
        needed = int(np.ceil(questions * (visible / gap) ** 2))
        many = needed <= _MOST_TIMES * questions
        parts.append(
            f"about {needed} questions like these would show a difference of {gap:.3f} between the best two"
            if many
            else f"choose among the best by cost, since the best two differ by {gap:.3f} only"
        )
    at = dict(curve.get(best, ()))
    now, twice = at.get(budget), at.get(2 * budget)
    if now is not None and twice is not None and twice - now >= _GAIN:
        parts.append(f"with {2 * budget:,} characters {best} reaches {twice:.3f}")
    parts.append(f"keep what you choose: {gate}" if gate else "keep what you choose with the gate")
    return "Next: " + "; ".join(parts) + "."


def gate_command(folder: str, gold: str, docs: str, measure: str, baseline: str) -> str:
    """The command that compares a new run with a setting of a trial."""
    settings = {"qrels": gold, "corpus": docs, "measures": measure, "baseline": baseline}
    words = [as_option(name, shlex.quote(value)) for name, value in settings.items()]
    return " ".join(["excerpt gate", shlex.quote(f"{folder}/scores.json"), "new.jsonl", *words])


def missed_questions(
    table: ScoreTable, runs: Mapping[str, tuple[Run, Rendering]]
) -> tuple[int, tuple[MissedQuestion, ...]]:
    """How many questions score 0 by every run, and examples with what the best run returned first."""
    values = table.values[:, :, 0]
    with np.errstate(invalid="ignore"):
        none = np.flatnonzero(np.nanmax(np.where(np.isnan(values), -1.0, values), axis=0) == 0)
    best = table.runs[int(np.argmax(table.means()[:, 0]))]
    run, rendering = runs[best]
    found = list[MissedQuestion]()
    for place in none.tolist():
        if len(found) == _EXAMPLES:
            break
        example = _example(table.topics[place], best, run, rendering)
        found += [example] if example else []
    return len(none), tuple(found)


def _example(topic: str, name: str, run: Run, rendering: Rendering) -> MissedQuestion | None:
    judgments, corpus = rendering.judgments, rendering.corpus
    code = judgments.topic_codes[topic]
    rows = np.flatnonzero(judgments.pair_topic[judgments.spans.group] == code)
    if not len(rows):
        return None
    row = int(rows[0])
    document = judgments.documents[int(judgments.pair_document[judgments.spans.group[row]])]
    text = corpus.get(document, "")
    passage = text[int(judgments.spans.start[row]) : int(judgments.spans.end[row])]
    returned = next((one for one in run if one.topic == topic), None)
    shown = "" if returned is None else corpus.get(returned.document, "")[returned.start : returned.end]
    question = rendering.questions.get(topic, "")
    return MissedQuestion(
        topic,
        short(_line(question), _PASSAGE),
        document,
        short(_line(passage), _PASSAGE),
        "" if returned is None else returned.document,
        short(_line(shown), _PASSAGE),
        name,
    )


def _line(text: str) -> str:
    return " ".join(text.split())
