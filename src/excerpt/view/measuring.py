"""What a page says of a measure: its family, its parameters, one sentence, and its formula."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from excerpt.measures import Measure
from excerpt.measures.base import definition, parameters

#: Families whose arithmetic a page can show, with the formula of a topic's score.
FORMULAS = {
    "AiP": "mean of interpolated precision at recall 0.00, 0.01, …, 1.00",
    "iP": "best precision at or after the rank where recall is reached",
    "charP": "relevant characters found / characters read",
    "charR": "relevant characters found / relevant characters of the topic",
    "charF": "(1 + β²) · found / (β² · relevant + read)",
    "IoU": "found / (read + relevant \u2212 found)",
    "articleP": "relevant documents returned / documents returned",
    "articleR": "relevant documents returned / relevant documents of the topic",
    "articleF": "2 · relevant returned / (returned + relevant)",
    "articleAP": "mean over the relevant documents of the precision at their ranks",
    "judged": "judged results / results",
}
#: The formulas of some families with a cut-off, where it is in them.
_AT_RANK = {
    "articleP": "relevant documents among the first k / k",
    "articleR": "relevant documents among the first k / relevant documents of the topic",
    "articleF": "2 · relevant among the first k / (k + relevant)",
    "articleAP": "sum of the precision at the relevant ranks up to k / relevant documents of the topic",
}


def measure_data(name: str, measure: Measure) -> dict[str, Any]:
    """A measure under the name that it was given."""
    cutoff, others = None, {}
    for field, kind in parameters(type(measure)):
        value = getattr(measure, field.name)
        if kind.cutoff:
            cutoff = _plain(value)
        else:
            others[field.name] = _plain(value)
    family = measure.name if measure.name in FORMULAS else "other"
    return {
        "name": name,
        "topic": str(measure) if _is_mean(name, measure) else name,
        "family": family,
        "cutoff": cutoff,
        "parameters": others,
        "about": _first_sentence(definition(type(measure))),
        "formula": (FORMULAS if cutoff is None else FORMULAS | _AT_RANK).get(family, ""),
    }


def _is_mean(name: str, measure: Measure) -> bool:
    """Whether a name is that of the mean over topics."""
    return measure.mean_name is not None and name.startswith(measure.mean_name)


def _plain(value: Any) -> Any:
    """A value of a parameter as JSON has it."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)


def _first_sentence(text: str) -> str:
    """What a definition begins with.

    >>> _first_sentence("The share of a.\\nAnd of b; more. Then c.")
    'The share of a.'
    """
    paragraph = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    end = paragraph.find(". ")
    return paragraph if end < 0 else paragraph[: end + 1]
