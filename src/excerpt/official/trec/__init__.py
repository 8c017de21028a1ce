"""What trec_eval 10 prints for runs of whole documents beside TREC qrels, line by line.

The rules are those of the tool, oddities included; `excerpt.evaluate` follows the definitions of the measures
and averages over all judged topics. Differences from the tool: topics that the run does not have are left out
without `-c`, as its manual says (release 10.0 stops there), scores are compared in single precision, as
releases up to 9.0.8 and pytrec_eval do (10.0 compares doubles), and what is no number is an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, listed
from excerpt.files import Input, display_name
from excerpt.model.spans import FloatArray
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.official.trec.names import Asked, Average, ask
from excerpt.official.trec.ranked_run import Options, Qrels, RankedRun, rank_run, read_qrels

#: What is 0, or nothing, for topics that the run does not have, if it bears this name.
_NOTHING = {"num_ret", "utility", "relstring", "rbp_resid"}
#: Averages whose topics are not shown.
_SUMMARY: set[Average] = {"geometric", "number", "run"}


def trec_eval(
    qrels: Input,
    runs: Iterable[Input] | Input,
    measures: Iterable[str] | str = (),
    *,
    per_topic: bool = False,
    summary: bool = True,
    complete: bool = False,
    judged_only: bool = False,
    level: int = 1,
    most: int | None = None,
    documents: int = 0,
) -> Printouts:
    """What trec_eval 10 prints for runs of documents beside TREC qrels, line by line.

    Measures are named as its option -m takes them: `map`, `P.5,10`, `ndcg_cut.10`, `official` (the default),
    `all_trec`, `set`. `per_topic` is -q, `summary=False` -n, `complete` -c, `judged_only` -J, `level` -l,
    `most` -M, `documents` -N.

    >>> qrels = b"1 0 A 1\\n1 0 B 0\\n1 0 C 2\\n"
    >>> printed = trec_eval(qrels, b"1 Q0 B 1 0.9 mine\\n1 Q0 A 2 0.8 mine\\n", ["map", "recip_rank"])
    >>> printed[0].lines
    ('map                   \\tall\\t0.2500', 'recip_rank            \\tall\\t0.5000')
    >>> printed[0].figures["map", "all"]
    0.25
    """
    asked = ask([measures] if isinstance(measures, str) else listed(measures, str, "measure", "names"))
    for name, value, least in (("level", level, 0), ("most", most, 1), ("documents", documents, 0)):
        if value is not None and (not isinstance(value, int) or value < least):
            raise ExcerptError(f"found {value!r} as {name}, expected a whole number from {least} on")
    options = Options(complete, judged_only, level, most, documents)
    each, judged = each_run(runs), read_qrels(qrels)
    return Printouts(
        evaluate_run(judged, run, asked, options, per_topic=per_topic, summary=summary) for run in each
    )


def evaluate_run(
    qrels: Qrels,
    run: Input,
    asked: Sequence[Asked],
    options: Options,
    *,
    per_topic: bool = False,
    summary: bool = True,
) -> Printout:
    """The lines of one run; an error where the tool stops."""
    ranked = rank_run(run, qrels, options)
    found = [(each, _settled(*figure, ranked)) for each in asked for figure in each.figures(ranked)]
    lines: list[str] = []
    if per_topic:
        figures = [figure for figure in found if figure[0].sort.average not in _SUMMARY]
        shown = [_lines(*figure, ranked.topics, each.sort.average) for each, figure in figures]
        lines += [line for of_topic in zip(*shown, strict=True) for line in of_topic]
    if summary:
        for each, (name, values) in found:
            if each.sort.average == "run":
                lines.append(f"{name:<22}\tall\t{ranked.run_id}")
            elif each.sort.average != "none":
                figure = _average(name, values, each.sort.average, ranked, qrels)
                lines += _lines(name, np.array([figure]), ("all",), each.sort.average)
    return Printout(display_name(run), tuple(lines))


def _settled(name: str, values: Any, ranked: RankedRun) -> tuple[str, Any]:
    """The values of a figure; topics that the run does not have gain or lose nothing by some."""
    if not ranked.missing.any() or not (name in _NOTHING or name.startswith("unj")):
        return name, values
    if isinstance(values, list):
        return name, ["" if gone else text for text, gone in zip(values, ranked.missing, strict=True)]
    return name, np.where(ranked.missing, 0, values)


def _lines(name: str, values: Any, topics: Sequence[str], average: Average) -> list[str]:
    """A line for each topic."""
    if average in {"sum", "number"}:
        texts = [str(int(value)) for value in values.tolist()]
    elif average == "none":
        texts = [f"'{text}'" for text in values]
    else:
        texts = [f"{value:6.4f}" if value == value else "  -nan" for value in values.tolist()]  # noqa: PLR0124
    return [f"{name:<22}\t{topic}\t{text}" for topic, text in zip(topics, texts, strict=True)]


def _average(name: str, values: FloatArray, average: Average, ranked: RankedRun, qrels: Qrels) -> float:
    """One figure for all topics, added one after the other."""
    if name == "num_rel" and ranked.options.complete:
        return float((qrels.grade > 0).sum())  # whatever the level
    total = float(np.cumsum(values)[-1])
    if average in {"sum", "number"}:
        return total
    mean = total / len(ranked.topics)
    return math.exp(mean) if average == "geometric" else mean


__all__ = ["Options", "ask", "evaluate_run", "read_qrels", "trec_eval"]
