"""Campaigns with judgments for tests of exports: one for every procedure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from support.small_campaign import do, small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.procedures import procedure_of
from excerpt.assess.rules import Node

#: A run on the documents of the small campaign.
RUN = b"7 Q0 a 1 2.0 mine 0 20\n7 Q0 b 2 1.0 mine 3 8\n8 Q0 b 1 1.0 mine 0 26\n"
OTHER = b"7 Q0 b 1 2.0 other 0 26\n8 Q0 a 1 1.0 other 0 9\n8 Q0 b 2 0.5 other 2 9\n"


def judge(campaign: Campaign, name: str, *spans: tuple[int, int], finish: bool = True, **pair: str) -> None:
    """Highlight text, add what the procedure requires, and finish."""
    for start, end in spans:
        do(campaign, name, "highlight", start, end, **pair)
    if campaign.procedure.entry and spans:
        do(campaign, name, "bep", spans[0][0], **pair)
    if campaign.procedure.labels:
        for start, end in spans:
            do(campaign, name, "label", start, end, label="supports", **pair)
    if finish:
        if campaign.procedure.phases and spans:
            do(campaign, name, "close-phase", **pair)
        owed = do(campaign, name, "note", note=f"of {name}", **pair)["owed"]
        for number, path in enumerate(owed):
            values = [value for value, _ in campaign.procedure.scale[0].values]
            if campaign.procedure.carried:  # the grades of a path fall, and all of them occur
                values = values[min(path.count("/"), len(values)) - 1 :]
            graded = {"path": path, "grade": values[number % len(values)], "sure": True}
            do(campaign, name, "grade", **graded, **pair)
        do(campaign, name, "done", **pair)


def grade(campaign: Campaign, name: str, first: int, path: str, **pair: str) -> None:
    """Grade an element and all that its grade requires, and finish."""
    coverage = campaign.procedure.scale[1].name == "Coverage"

    def give(level: int, path: str) -> dict[str, Any]:
        second = ("N" if not level else "L") if coverage else level
        return do(campaign, name, "grade", path=path, grade=[level, second], **pair)

    state = give(first, path)
    while state["owed"]:
        owing = state["owed"][0]
        state = give(first if path.startswith(owing) else 0, owing)
    do(campaign, name, "done", **pair)


def judged_campaign(folder: Path, procedure: str = "inex2007", **how: Any) -> Campaign:
    """Ann and bob have both judged document a of topic 7, ann two more, bob one more; one is unfinished."""
    campaign = small_campaign(folder, procedure=procedure, **how)
    for name in ("ann", "bob"):
        campaign.add_person(name)
    if not campaign.procedure.marks:
        paragraph = "/article[1]/body[1]/sec[1]/p[1]"
        grade(campaign, "ann", 2, paragraph, document="a")
        grade(campaign, "bob", 3, paragraph, document="a")
        grade(campaign, "ann", 0, "/article[1]", document="b")
        grade(campaign, "ann", 1, "/article[1]/body[1]/p[1]", topic="8", document="b")
        second = "L" if procedure == "inex2002" else 1
        do(campaign, "bob", "grade", topic="8", path="/article[1]", grade=[1, second])
        return campaign
    judge(campaign, "ann", (5, 20), (60, 70), document="a")
    judge(campaign, "bob", (10, 30), document="a")
    judge(campaign, "ann", document="b")
    judge(campaign, "ann", (0, 5), topic="8", document="b")
    judge(campaign, "bob", (1, 3), topic="8", document="a", finish=False)
    return campaign


def bare_campaign(procedure: str, lengths: Mapping[str, int], parts: Sequence[Node] = ()) -> Campaign:
    """A campaign for conversion to judgments only: lengths of documents and their elements."""
    material = SimpleNamespace(structure=SimpleNamespace(nodes=parts))
    found = SimpleNamespace(procedure=procedure_of(procedure), lengths=lengths, material=lambda _: material)
    return cast("Campaign", found)
