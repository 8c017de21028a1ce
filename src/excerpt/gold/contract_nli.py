"""ContractNLI: hypotheses, each judged in every contract, with the spans that entail or contradict it.

A hypothesis is a topic, judged in all documents; where it is not mentioned nothing is relevant.
"""

from __future__ import annotations

from typing import Any

from excerpt.errors import short
from excerpt.gold.content import Gold, Kind, first_has, list_in
from excerpt.gold.file import GoldFile, Item, show

LAYOUT = (
    '{"documents": [{"id": …, "text": …, "spans": [[start, end], …], "annotation_sets": '
    '[{"annotations": {label: {"choice": …, "spans": [number, …]}}}]}], "labels": {label: {"hypothesis": …}}}'
)
EXAMPLE = """\
{"documents": [{"id": "A", "text": "The rent is due in May. Pets are allowed.", "spans": [[0, 23], [24, 41]],
  "annotation_sets": [{"annotations": {"1": {"choice": "Entailment", "spans": [0]}}}]}],
 "labels": {"1": {"short_description": "Rent", "hypothesis": "The rent is due in spring."}}}
"""


def read(file: GoldFile) -> Gold:
    """The hypotheses of a file, and what is said of each in each contract."""
    gold = Gold(file)
    whole = file.object()
    whole.know(frozenset({"documents", "labels"}))
    labels = whole.inner("labels")
    for label in labels.value:
        told = labels.inner(label)
        gold.ask(told, label, told.text("hypothesis", "short_description"))
    for number, document in enumerate(whole.each("documents"), 1):
        name, text = document.name("id", "file_name", missing=str(number)), document.text("text")
        gold.carry(document, name, text)
        spans = document.value.get("spans")
        for one in document.each("annotation_sets"):
            annotations = one.inner("annotations")
            for label in annotations.value:
                _add(gold, annotations.inner(label), label, name, spans if isinstance(spans, list) else [])
    return gold


def _add(gold: Gold, annotation: Item, label: str, document: str, spans: list[Any]) -> None:
    """What one annotation says of a contract."""
    if label not in gold.questions:
        annotation.fault(f"found label {short(label)}, expected one of the labels of the file")
        return
    gold.judged.append((label, document))
    for number in annotation.value.get("spans") or ():
        span = spans[number] if type(number) is int and 0 <= number < len(spans) else None
        if not isinstance(span, list) or [type(place) for place in span] != [int, int]:
            annotation.fault(f"found span {show(number)} of {len(spans)}, expected the number of a pair")
        elif not 0 <= span[0] < span[1]:
            annotation.fault(f"found span [{span[0]}, {span[1]}], expected an end after the start")
        else:
            gold.add(annotation, label, document, *span)


def _fits(value: Any) -> bool:
    documents = list_in(value, "documents")
    return first_has(documents, "annotation_sets") and isinstance(value.get("labels"), dict)


KIND = Kind(
    "contract-nli",
    LAYOUT,
    "hypotheses with spans of contracts (ContractNLI)",
    EXAMPLE,
    read,
    _fits,
    keys=("documents", "annotation_sets"),
    carries=True,
)
