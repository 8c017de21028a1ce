"""Names that users of other tools know: what they stand for goes by what was judged, text or documents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

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
    "rag": (
        "recall@5",
        "precision@5",
        "iou@5",
        "hit@5",
        "mrr",
        "recall(budget=4000)",
        "found@5",
        "read@5",
    ),
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
