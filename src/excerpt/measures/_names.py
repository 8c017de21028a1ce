"""Names of measures: their grammar, everyday names and sets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from excerpt.errors import ExcerptError, UnknownName
from excerpt.measures import base as _registry
from excerpt.measures.base import Measure, parameters

Item = TypeVar("Item")


class Meaning(NamedTuple):
    """The measures that an everyday name stands for."""

    #: Beside judgments of text; and beside judgments of whole documents, where it is what trec_eval computes.
    text: str
    documents: str


#: Everyday names as they are customarily written; they are accepted in any case.
EVERYDAY = {
    "recall": Meaning("charR", "articleR"),
    "precision": Meaning("charP", "articleP"),
    "f1": Meaning("charF", "articleF"),
    "iou": Meaning("IoU", "IoU"),
    "RR": Meaning("RR", "articleRR"),
    "mrr": Meaning("RR", "articleRR"),
    "recip_rank": Meaning("RR", "articleRR"),
    "hit": Meaning("hit", "articleHit"),
    "success": Meaning("hit", "articleHit"),
    "nDCG": Meaning("nDCG", "articleNDCG"),
    "P": Meaning("articleP", "articleP"),
    "AP": Meaning("articleAP", "articleAP"),
    "map": Meaning("articleAP", "articleAP"),
    "Rprec": Meaning("articleRprec", "articleRprec"),
    "bpref": Meaning("articleBpref", "articleBpref"),
    "infAP": Meaning("articleInfAP", "articleInfAP"),
    "judged": Meaning("judged", "judged"),
    "set_P": Meaning("articleP", "articleP"),
    "set_recall": Meaning("articleR", "articleR"),
    "set_F": Meaning("articleF", "articleF"),
    "SetP": Meaning("articleP", "articleP"),
    "SetR": Meaning("articleR", "articleR"),
    "SetF": Meaning("articleF", "articleF"),
}
_LOWERED = {name.lower(): meaning for name, meaning in EVERYDAY.items()}

#: Several measures under one name: what INEX reported for the focused task, what matters for chunks that a
#: language model reads, and what is customary for documents.
SETS: dict[str, tuple[str, ...]] = {
    "inex": ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP"),
    "rag": ("recall@5", "precision@5", "iou@5", "hit@5", "mrr", "recall(budget=4000)", "found@5", "read@5"),
    "trec": ("AP", "P@10", "nDCG@10", "RR", "recall@1000", "Rprec", "bpref"),
}


#: Cut-offs in names of trec_eval: P_10, recall_100, ndcg_cut_10.
_UNDERSCORED = re.compile(
    r"(p|recall|success|ndcg(?=_cut)|map(?=_cut))(?:_cut)?_(\d+)", re.IGNORECASE | re.ASCII
)


def split_cutoff(name: str) -> tuple[str, str | None]:
    """A name of trec_eval that has a cut-off, as name and cut-off; others without one.

    >>> split_cutoff("ndcg_cut_10"), split_cutoff("P_5"), split_cutoff("AiP")
    (('ndcg', '10'), ('P', '5'), ('AiP', None))
    """
    match = _UNDERSCORED.fullmatch(name)
    return (match[1], match[2]) if match else (name, None)


def meaning_of(name: str, *, documents: bool, cutoff: bool = False) -> str | None:
    """The measure that an everyday name stands for; None where it is no such name.

    `R` with a cut-off is recall, as in ir_measures; without one it is the measure of that name.

    >>> [meaning_of(name, documents=True) for name in ("Recall", "MRR", "AiP", "R")]
    ['articleR', 'articleRR', None, None]
    >>> meaning_of("R", documents=True, cutoff=True)
    'articleR'
    """
    found = _LOWERED.get("recall" if cutoff and name in {"R", "r"} else name.lower())
    return None if found is None else found.documents if documents else found.text


def expand(names: Iterable[Item]) -> list[Item | str]:
    """Names of measures, and measures, with the measures of each set in its place.

    >>> expand(["charP", "inex"])
    ['charP', 'iP[0.00]', 'iP[0.01]', 'iP[0.05]', 'iP[0.10]', 'MAiP']
    """
    found: list[Item | str] = []
    for name in names:
        of_set = SETS.get(name.strip().lower()) if isinstance(name, str) else None
        found += [name] if of_set is None else of_set
    return found


def with_at(printed: str) -> str:
    """A printed measure with its cut-off after an @, which needs no quotes in a shell.

    >>> with_at("charR(budget=4000)[5]"), with_at("MAiP")
    ('charR(budget=4000)@5', 'MAiP')
    """
    return re.sub(r"\[([^\[\]]*)\]$", r"@\1", printed)


_GRAMMAR = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\((?P<parameters>[^()]*)\))?\s*(?:\[(?P<bracket>[^\[\]]*)\]|@\s*(?P<at>\S+))?\s*"
)
#: Names of other tools that we do not know, and which measure of ours answers their question.
_NEAR = {
    ("gmap", "err"): "AP{cutoff} ranks documents, AiP ranks text",
    (
        *("gm_map", "gm_bpref", "iprec_at_recall", "11pt_avg", "rprec_mult", "relative_p", "set_map"),
        *("set_relative_p", "ndcg_rel", "rndcg", "bing", "utility", "relstring", "rbp", "rbp_resid", "unj"),
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "yaap", "ideal_dcg"),
    ): "⟨command=trec_eval⟩ prints it",
    ("f", "fscore"): "f1{cutoff} is the harmonic mean of precision and recall",
    ("dcg", "cg"): "nDCG{cutoff} has the discount, nxCG is for graded elements",
    ("ceiling", "cut", "omega"): "excerpt chunks and evaluate_chunks score chunkers by it",
    ("hits", "hitrate", "hit_rate"): "hit{cutoff} says whether anything relevant was found",
}


def parse(text: str | Measure, *, documents: bool = False) -> Measure:
    """The measure that a name stands for; a measure stands for itself.

    Everyday names are of text where there is a choice, or of `documents`, as beside TREC qrels.

    >>> from excerpt.measures import parse
    >>> print(parse("iP@0.1"), parse("MAgP(beta=0.25)"), parse("gP(score=T2I)[10]"))
    iP[0.10] AgP(beta=0.25) gP(score=T2I)[10]
    >>> print(parse("recall@5"), parse("recall@5", documents=True))
    charR[5] articleR[5]
    """
    if isinstance(text, Measure):
        return text.check_cutoff()
    match = _GRAMMAR.fullmatch(text)
    if not match:
        raise ExcerptError(
            f"found {text!r}, expected a measure such as iP[0.01], iP@0.01, MAiP or AgP(beta=0.25)",
            hint="⟨command=measures⟩ lists them",
        )
    cutoff = match["bracket"] if match["bracket"] is not None else match["at"]
    name = match["name"]
    if cutoff is None:
        name, cutoff = split_cutoff(name)
    kind, arguments = kind_of(name, cutoff, documents=documents), _arguments(match)
    if documents:
        _refuse_text(match[0].strip(), kind, kind_of(name, cutoff), arguments)
    measure = kind()(**arguments)
    return (measure if cutoff is None else measure @ cutoff.strip()).check_cutoff()


def kind_of(name: str, cutoff: str | None = None, *, documents: bool = False) -> type[Measure]:
    """The class of the measures of a name; the error for an unknown one may repeat the cut-off."""
    kind = _registry.find(meaning_of(name, documents=documents, cutoff=cutoff is not None) or name)
    if kind is None:
        raise _unknown(name, cutoff)
    return kind


def _refuse_text(text: str, kind: type[Measure], of_text: type[Measure], arguments: Iterable[str]) -> None:
    """An error for an everyday name with a parameter that it has beside judgments of text only."""
    has, has_beside_text = ({field.name for field, _ in parameters(one)} for one in (kind, of_text))
    for name in arguments:
        if name in has_beside_text - has:
            raise ExcerptError(
                f"found {text} beside judgments of whole documents, expected measures of documents",
                hint="the set rag is for judgments of text, trec for these",
            )


def check_names(names: Iterable[str | Measure]) -> None:
    """An error for what is no measure, whatever was judged."""
    for name in names:
        try:
            parse(name)
        except ExcerptError as error:
            try:
                parse(name, documents=True)
            except ExcerptError:
                raise error from None


def alias_of(name: str, measure: Measure) -> str | None:
    """The own name of a measure that was given by an everyday one, else None.

    >>> alias_of("recall@5", parse("recall@5")), alias_of("MAiP", parse("MAiP"))
    ('charR@5', None)
    """
    match = _GRAMMAR.fullmatch(name)
    if match is None or match["name"] in {measure.name, measure.mean_name}:
        return None
    return with_at(str(measure))


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


def _unknown(name: str, cutoff: str | None) -> ExcerptError:
    """An error that suggests a measure: the nearest name, or what answers a question of other tools."""
    if name.lower() in SETS:
        of_set = ", ".join(SETS[name.lower()])
        return ExcerptError(
            f"found {name}, a set of measures, expected one measure", hint=f"its are {of_set}"
        )
    error = UnknownName("measure", name, {*_registry.registry(), *EVERYDAY, *SETS})
    plain = re.sub(r"_?\d*$", "", name.lower())
    for names, answer in _NEAR.items():
        if plain in names:
            ours = answer.format(cutoff=f"@{cutoff}" if cutoff else "")
            error.hint = f"{ours}; ⟨command=measures⟩ lists all"
    return error
