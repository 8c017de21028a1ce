"""Drop-in for trec_eval 10, for runs of whole documents and TREC qrels, with its bugs reproduced.

It follows the tool; `excerpt.evaluate` follows the definitions of the measures, with means over all judged
topics. Differences from the tool: without `-c`, topics that the run does not have are left out, as its manual
says (release 10.0 stops there); scores are compared in single precision, as in releases up to 9.0.8 and in
pytrec_eval (10.0 compares doubles); a bad number is an error.
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
from excerpt.official.trec.names import Average, SelectedMeasure, ask
from excerpt.official.trec.ranked_run import RankedRun, TrecEvalOptions, TrecQrels, rank_run, read_qrels

#: Measures that are 0, or empty, for topics that the run does not have.
_ZERO_IF_MISSING = {"num_ret", "utility", "relstring", "rbp_resid"}
_SUMMARY: set[Average] = {"geometric", "number", "run"}  # averages of measures that have no lines per topic


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
    """Evaluate runs of documents against TREC qrels as trec_eval 10 does, with the same output lines.

    Measures are named as for its option -m: `map`, `P.5,10`, `ndcg_cut.10`, `official` (the default),
    `all_trec`, `set`. `per_topic` is -q, `summary=False` -n, `complete` -c, `judged_only` -J, `level` -l,
    `most` -M, `documents` -N.

    >>> qrels = b"1 0 A 1\\n1 0 B 0\\n1 0 C 2\\n"
    >>> printed = trec_eval(qrels, b"1 Q0 B 1 0.9 mine\\n1 Q0 A 2 0.8 mine\\n", ["map", "recip_rank"])
    >>> printed[0].lines
    ('map                   \\tall\\t0.2500', 'recip_rank            \\tall\\t0.5000')
    >>> printed[0].values["map", "all"]
    0.25
    """
    selected = ask([measures] if isinstance(measures, str) else listed(measures, str, "measure", "names"))
    for name, value, least in (("level", level, 0), ("most", most, 1), ("documents", documents, 0)):
        if value is not None and (not isinstance(value, int) or value < least):
            raise ExcerptError(f"found {value!r} as {name}, expected a whole number of at least {least}")
    options = TrecEvalOptions(complete, judged_only, level, most, documents)
    each, judged = each_run(runs), read_qrels(qrels)
    return Printouts(
        evaluate_run(judged, run, selected, options, per_topic=per_topic, summary=summary) for run in each
    )


def evaluate_run(
    qrels: TrecQrels,
    run: Input,
    selected: Sequence[SelectedMeasure],
    options: TrecEvalOptions,
    *,
    per_topic: bool = False,
    summary: bool = True,
) -> Printout:
    """Make the output lines of one run; raise where the tool stops."""
    ranked = rank_run(run, qrels, options)
    columns = [
        (measure.definition.average, *_without_missing(name, values, ranked))
        for measure in selected
        for name, values in measure.values(ranked)
    ]
    lines: list[str] = []
    if per_topic:
        shown = [
            _lines(name, values, ranked.topics, average)
            for average, name, values in columns
            if average not in _SUMMARY
        ]
        lines += [line for of_topic in zip(*shown, strict=True) for line in of_topic]
    if summary:
        for average, name, values in columns:
            if average == "run":
                lines.append(f"{name:<22}\tall\t{ranked.run_id}")
            elif average != "none":
                value = _average(name, values, average, ranked, qrels)
                lines += _lines(name, np.array([value]), ("all",), average)
    return Printout(display_name(run), tuple(lines))


def _without_missing(name: str, values: Any, ranked: RankedRun) -> tuple[str, Any]:
    """Replace values of topics that the run does not have by 0 or empty text, for some measures."""
    if not ranked.missing.any() or not (name in _ZERO_IF_MISSING or name.startswith("unj")):
        return name, values
    if isinstance(values, list):
        return name, ["" if gone else text for text, gone in zip(values, ranked.missing, strict=True)]
    return name, np.where(ranked.missing, 0, values)


def _lines(name: str, values: Any, topics: Sequence[str], average: Average) -> list[str]:
    if average in {"sum", "number"}:
        texts = [str(int(value)) for value in values.tolist()]
    elif average == "none":
        texts = [f"'{text}'" for text in values]
    else:
        texts = [f"{value:6.4f}" if value == value else "  -nan" for value in values.tolist()]  # noqa: PLR0124
    return [f"{name:<22}\t{topic}\t{text}" for topic, text in zip(topics, texts, strict=True)]


def _average(name: str, values: FloatArray, average: Average, ranked: RankedRun, qrels: TrecQrels) -> float:
    """One value for all topics, added sequentially."""
    if name == "num_rel" and ranked.options.complete:
        return float((qrels.grade > 0).sum())  # the tool ignores the level here
    total = float(np.cumsum(values)[-1])
    if average in {"sum", "number"}:
        return total
    mean = total / len(ranked.topics)
    return math.exp(mean) if average == "geometric" else mean


__all__ = ["TrecEvalOptions", "ask", "evaluate_run", "read_qrels", "trec_eval"]
