"""Names of measures: grammar, everyday names and sets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, UnknownName
from excerpt.measures import base as _registry
from excerpt.measures.base import Measure, parameters

Item = TypeVar("Item")
_GRAMMAR = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\((?P<parameters>[^()]*)\))?\s*(?:\[(?P<bracket>[^\[\]]*)\]|@\s*(?P<at>\S+))?\s*"
)
#: What stands between two measures in one text: a comma or white space outside brackets, and a name after it.
_SEPARATOR = re.compile(r"(?:,\s*|\s+)(?=[A-Za-z])(?![^(\[]*[)\]])")
#: Measures of other tools that excerpt does not have, and the nearest measure that it has.
_NEAR = {
    (
        *("gm_map", "gm_bpref", "iprec_at_recall", "11pt_avg", "rprec_mult", "relative_p", "set_map"),
        *("set_relative_p", "ndcg_rel", "rndcg", "bing", "utility", "relstring", "rbp_resid", "unj", "gmap"),
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "yaap", "ideal_dcg", "dcg"),
    ): "⟨command=trec_eval⟩ prints it",
    ("iprec",): "⟨command=trec_eval⟩ prints it as iprec_at_recall; iP is that of highlighted text",
    ("f", "fscore"): "f1{cutoff} is the harmonic mean of precision and recall",
    ("ceiling", "cut", "omega"): "excerpt chunks and evaluate_chunks score chunkers by it",
    ("hits", "hitrate", "hit_rate"): "hit{cutoff} is 1 if anything relevant was found",
}
_NDEVAL = "ndeval, also in ir_measures (pyndeval), from judgments by subtopic,"
_SAMPLE_EVAL = "sample_eval.pl of NIST, from sampled judgments,"
#: Measures that excerpt does not have, in lower case without signs, and the tool that has them.
_OTHER_TOOLS = {
    ("alphandcg", "alphadcg", "andcg", "erria", "nerria", "nrbp", "nnrbp", "apia", "mapia", "pia"): _NDEVAL,
    ("strec", "srecall", "subtopicrecall"): _NDEVAL,
    ("infndcg", "infgap"): _SAMPLE_EVAL,
    ("mtc",): "statAP_MQ_eval of the TREC Million Query track",
    ("bpm", "inst", "insq", "sdcg", "compat", "compatibility"): "ir_measures",
    ("msndcg", "irbu", "pplus", "dsharp", "dmeasure", "umeasure", "nerr"): "NTCIREVAL",
}


class Meaning(NamedTuple):
    """Measures that an everyday name stands for."""

    #: With judgments of text; and with judgments of whole documents, where it is trec_eval's measure.
    text: str
    documents: str


#: Everyday names in their customary spelling; upper and lower case are both accepted.
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
    "ERR": Meaning("articleERR", "articleERR"),
    "RBP": Meaning("articleRBP", "articleRBP"),
    "judged": Meaning("judged", "judged"),
    "set_P": Meaning("articleP", "articleP"),
    "set_recall": Meaning("articleR", "articleR"),
    "set_F": Meaning("articleF", "articleF"),
    "SetP": Meaning("articleP", "articleP"),
    "SetR": Meaning("articleR", "articleR"),
    "SetF": Meaning("articleF", "articleF"),
}
_LOWERED = {name.lower(): meaning for name, meaning in EVERYDAY.items()}

#: Sets of measures: reported by INEX for the focused task, useful for chunks that a language model reads,
#: customary for documents, and HiXEval's at all of its cut-offs. The first measure of a set is its headline.
SETS: dict[str, tuple[str, ...]] = {
    "inex": ("MAiP", "iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]"),
    "rag": ("recall(budget=4000)", "recall@5", "precision@5", "iou@5", "hit@5", "mrr", "found@5", "read@5"),
    "hixeval": tuple(
        f"{name}{cutoff}"
        for name in ("charP", "charR", "charF")
        for cutoff in ("@5", "@10", "@25", "@50", "@100", "")
    ),
    "sampled": ("statAP", "judged@10"),
    "trec": ("AP", "P@10", "nDCG@10", "RR", "recall@1000", "Rprec", "bpref"),
}


#: Cut-offs in names of trec_eval: P_10, recall_100, ndcg_cut_10.
_UNDERSCORED = re.compile(
    r"(p|recall|success|ndcg(?=_cut)|map(?=_cut))(?:_cut)?_(\d+)", re.IGNORECASE | re.ASCII
)


def split_cutoff(name: str) -> tuple[str, str | None]:
    """Split a name of trec_eval such as P_5 into name and cut-off; other names have no cut-off.

    >>> split_cutoff("ndcg_cut_10"), split_cutoff("P_5"), split_cutoff("AiP")
    (('ndcg', '10'), ('P', '5'), ('AiP', None))
    """
    match = _UNDERSCORED.fullmatch(name)
    return (match[1], match[2]) if match else (name, None)


def meaning_of(name: str, *, documents: bool, cutoff: bool = False) -> str | None:
    """Measure that an everyday name stands for; None for other names.

    `R` with a cut-off is recall, as in ir_measures; without a cut-off it is the measure R.

    >>> [meaning_of(name, documents=True) for name in ("Recall", "MRR", "AiP", "R")]
    ['articleR', 'articleRR', None, None]
    >>> meaning_of("R", documents=True, cutoff=True)
    'articleR'
    """
    meaning = _LOWERED.get("recall" if cutoff and name in {"R", "r"} else name.lower())
    return None if meaning is None else meaning.documents if documents else meaning.text


def expand(names: Iterable[Item]) -> list[Item | str]:
    """Replace the names of sets by their measures.

    >>> expand(["charP", "inex"])
    ['charP', 'MAiP', 'iP[0.00]', 'iP[0.01]', 'iP[0.05]', 'iP[0.10]']
    """
    expanded: list[Item | str] = []
    for name in names:
        of_set = SETS.get(name.strip().lower()) if isinstance(name, str) else None
        expanded += [name] if of_set is None else of_set
    return expanded


def with_at(printed: str) -> str:
    """Write the cut-off of a measure after an @, which needs no quotes in a shell.

    >>> with_at("charR(budget=4000)[5]"), with_at("MAiP")
    ('charR(budget=4000)@5', 'MAiP')
    """
    return re.sub(r"\[([^\[\]]*)\]$", r"@\1", printed)


def _plain(name: str) -> str:
    """Return a name in lower case without signs and cut-off.

    >>> _plain("alpha-nDCG"), _plain("ERR-IA@20")
    ('alphandcg', 'erria')
    """
    return re.sub(r"@.*|\(.*|[\W_]|\d+$", "", name.lower().replace("\u03b1", "alpha"))


def parse(text: str | Measure, *, documents: bool = False) -> Measure:
    """Parse the name of a measure; a measure is returned unchanged.

    Everyday names mean measures of text, or document measures with `documents`, as for TREC qrels.

    >>> from excerpt.measures import parse
    >>> print(parse("iP@0.1"), parse("MAgP(beta=0.25)"), parse("gP(score=T2I)[10]"))
    iP[0.10] AgP(beta=0.25) gP(score=T2I)[10]
    >>> print(parse("recall@5"), parse("recall@5", documents=True))
    charR[5] articleR[5]
    """
    if isinstance(text, Measure):
        return text.check_cutoff()
    match = _GRAMMAR.fullmatch(text)
    listed = _SEPARATOR.split(text.strip()) if "," in text or not match else [text]
    if len(listed) > 1:
        each = " ".join(f"⟨measures={name}⟩" for name in listed)
        raise ExcerptError(f"found {text!r}, expected one measure", hint=f"name each by itself: {each}")
    if not match and _tool_of(text):
        raise _unknown(text, None)
    if not match:
        raise ExcerptError(
            f"found {text!r}, expected a measure such as iP[0.01], iP@0.01, MAiP or AgP(beta=0.25)",
            hint="⟨command=measures⟩ lists the measures",
        )
    cutoff = match["bracket"] if match["bracket"] is not None else match["at"]
    name = match["name"]
    if cutoff is None:
        name, cutoff = split_cutoff(name)
    kind, arguments = kind_of(name, cutoff, documents=documents), _arguments(match)
    if arguments:  # else the other measure is not imported
        other = kind_of(name, cutoff, documents=not documents)
        _reject_other(match[0].strip(), kind, other, arguments, documents=documents)
    measure = kind()(**arguments)
    try:
        return (measure if cutoff is None else measure @ cutoff.strip()).check_cutoff()
    except ExcerptError as error:  # in the words of the user
        error.message = error.message.replace(f"cut-off of {measure.name},", f"cut-off of {name},")
        raise


def kind_of(name: str, cutoff: str | None = None, *, documents: bool = False) -> type[Measure]:
    """Class of a measure by its name; the error for an unknown name may repeat the cut-off."""
    kind = _registry.find(meaning_of(name, documents=documents, cutoff=cutoff is not None) or name)
    if kind is None:
        raise _unknown(name, cutoff)
    return kind


def _reject_other(
    text: str, kind: type[Measure], other: type[Measure], arguments: Iterable[str], *, documents: bool
) -> None:
    """Raise if an everyday name has a parameter that only its measure for the other judgments has."""
    allowed, elsewhere = ({field.name for field, _ in parameters(one)} for one in (kind, other))
    if not elsewhere.difference(allowed).intersection(arguments):
        return
    if documents:
        raise ExcerptError(
            f"{text} needs judgments of text, but these are of whole documents",
            hint="the set rag is for judgments of text, trec for judgments of documents",
        )
    name = _GRAMMAR.fullmatch(text)["name"]  # type: ignore[index] # it was parsed
    raise ExcerptError(
        f"{text} is a measure of documents, but these judgments are of text",
        hint=f"try {text.replace(name, other.name, 1)}",
    )


def check_names(names: Iterable[str | Measure]) -> None:
    """Raise for a name that is not a measure, neither of text nor of documents."""
    for name in names:
        try:
            parse(name)
        except ExcerptError as error:
            try:
                parse(name, documents=True)
            except ExcerptError:
                raise error from None


def alias_of(name: str, measure: Measure) -> str | None:
    """Name of the measure that an everyday name stands for; None for other names.

    >>> alias_of("recall@5", parse("recall@5")), alias_of("MAiP", parse("MAiP"))
    ('charR@5', None)
    """
    match = _GRAMMAR.fullmatch(name)
    if match is None or match["name"] in {measure.name, measure.mean_name}:
        return None
    return with_at(str(measure))


def _arguments(match: re.Match[str]) -> dict[str, str]:
    arguments: dict[str, str] = {}
    for item in filter(str.strip, (match["parameters"] or "").split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            raise ExcerptError(f"found {item.strip()!r} in {match[0]!r}, expected key=value")
        if key in arguments:
            raise ExcerptError(f"found {key} twice in {match[0]!r}, expected it once")
        arguments[key] = value
    return arguments


def _tool_of(name: str) -> str:
    """Return the tool, or the command, that has a measure which `evaluate` has not; empty without one."""
    plain, scorer_of = _plain(name), offered("scorers")
    if scorer_of is not None and (scorer := scorer_of(name)):
        return f"⟨command=official {scorer.name}⟩"
    return next((tool for names, tool in _OTHER_TOOLS.items() if plain in names), "")


def _unknown(name: str, cutoff: str | None) -> ExcerptError:
    """Return the error for an unknown measure, which suggests a similar name or the nearest measure."""
    if name.lower() in SETS:
        of_set = ", ".join(SETS[name.lower()])
        return ExcerptError(
            f"found {name}, a set of measures, expected one measure", hint=f"the set contains {of_set}"
        )
    if tool := _tool_of(name):
        lacks = "evaluate" if tool.startswith("⟨") else "excerpt"
        return ExcerptError(f"{lacks} does not have the measure {name}", hint=f"{tool} has it")
    error = UnknownName("measure", name, {*_registry.registry(), *EVERYDAY, *SETS})
    plain = re.sub(r"_?\d*$", "", name.lower())
    for names, answer in _NEAR.items():
        if plain in names:
            nearest = answer.format(cutoff=f"@{cutoff}" if cutoff else "")
            error.hint = f"{nearest}; ⟨command=measures⟩ lists all measures"
    return error
