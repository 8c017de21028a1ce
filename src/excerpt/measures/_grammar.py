"""Names of measures as users write them → measures."""

from __future__ import annotations

import re

from excerpt.errors import ExcerptError, UnknownName
from excerpt.measures import _registry
from excerpt.measures.base import Measure

_GRAMMAR = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\((?P<parameters>[^()]*)\))?\s*(?:\[(?P<bracket>[^\[\]]*)\]|@\s*(?P<at>\S+))?\s*"
)
#: Names that users of other tools ask for, and which measure of ours answers their question.
_EVERYDAY = {
    ("map", "ap", "gmap"): "articleAP is the average precision of documents, AiP that of text",
    ("p", "precision"): "charP{cutoff} is the precision of text, articleP that of documents",
    ("recall", "r"): "charR{cutoff} is the recall of text, articleR that of documents",
    ("f", "f1", "fscore"): "charF{cutoff} is the F-measure of text, articleF that of documents",
    ("ndcg", "dcg", "cg"): "articleAP ranks documents; graded elements have nxCG, without a discount",
    ("rr", "mrr", "recip_rank"): "articleAP is the same where one document is relevant",
    ("rprec", "bpref", "infap", "rbp", "err"): "articleAP ranks documents, AiP ranks text",
    ("success", "hit", "hits", "hitrate", "hit_rate"): "gR{cutoff} is the share of relevant documents found",
}


def parse(text: str | Measure) -> Measure:
    """The measure that a name stands for; a measure stands for itself.

    >>> from excerpt.measures import parse
    >>> print(parse("iP@0.1"), parse("MAgP(beta=0.25)"), parse("gP(score=T2I)[10]"))
    iP[0.10] AgP(beta=0.25) gP(score=T2I)[10]
    """
    if isinstance(text, Measure):
        return text.check_cutoff()
    match = _GRAMMAR.fullmatch(text)
    if not match:
        raise ExcerptError(
            f"found {text!r}, expected a measure such as iP[0.01], iP@0.01, MAiP or AgP(beta=0.25)",
            hint="excerpt measures lists them",
        )
    cutoff = match["bracket"] if match["bracket"] is not None else match["at"]
    measure = kind_of(match["name"], cutoff)()(**_arguments(match))
    return (measure if cutoff is None else measure @ cutoff.strip()).check_cutoff()


def kind_of(name: str, cutoff: str | None = None) -> type[Measure]:
    """The class of the measures of a name; the error for an unknown one may repeat the cut-off."""
    kind = _registry.find(name)
    if kind is None:
        raise _unknown(name, cutoff)
    return kind


def _arguments(match: re.Match[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for item in filter(str.strip, (match["parameters"] or "").split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise ExcerptError(f"found {item.strip()!r} in {match[0]!r}, expected key=value")
        if key in given:
            raise ExcerptError(f"found {key} twice in {match[0]!r}, expected it once")
        given[key] = value
    return given


def _unknown(name: str, cutoff: str | None) -> UnknownName:
    """An error that suggests a measure: the nearest name, or what answers a question of other tools."""
    error = UnknownName("measure", name, _registry.registry())
    plain = re.sub(r"(_cut)?_?\d*$", "", name.lower())
    for names, answer in _EVERYDAY.items():
        if plain in names:
            ours = answer.format(cutoff=f"@{cutoff}" if cutoff else "")
            error.hint = f"{ours}; excerpt measures lists all"
    return error
