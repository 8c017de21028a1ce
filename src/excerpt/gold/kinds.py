"""Every format of gold files, and which one a file is in."""

from __future__ import annotations

from excerpt.gold import (
    bioasq,
    chunking,
    clapnq,
    contract_nli,
    genomics,
    hicbench,
    legalbench,
    natural_questions,
    qasper,
    squad,
)
from excerpt.gold.content import Kind
from excerpt.gold.file import GoldFile

KINDS: tuple[Kind, ...] = tuple(
    module.KIND
    for module in (
        squad,
        legalbench,
        chunking,
        qasper,
        clapnq,
        contract_nli,
        hicbench,
        natural_questions,
        bioasq,
        genomics,
    )
)


def kind_of(file: GoldFile) -> Kind | None:
    """The format of a file, as its content shows; None where it is none of these."""
    return next((kind for kind in KINDS if kind.recognise(file)), None)
