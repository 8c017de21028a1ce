"""What pages say of measures."""

from __future__ import annotations

import pytest

from excerpt import parse_measure
from excerpt.view.measuring import FORMULAS, measure_data


@pytest.mark.parametrize(
    ("name", "topic", "family", "cutoff"),
    [
        ("MAiP", "AiP", "AiP", None),
        ("AiP", "AiP", "AiP", None),
        ("iP@0.01", "iP@0.01", "iP", 0.01),
        ("iP[1]", "iP[1]", "iP", 1),
        ("charF(beta=0.5)[10]", "charF(beta=0.5)[10]", "charF", 10),
        ("MAgP(beta=0.25)", "AgP(beta=0.25)", "other", None),
        ("articleMAP", "articleAP", "articleAP", None),
    ],
)
def test_names_and_families(name: str, topic: str, family: str, cutoff: float | None) -> None:
    """The name as given, that of a topic's score, and which arithmetic is shown."""
    data = measure_data(name, parse_measure(name))
    assert (data["name"], data["topic"], data["family"], data["cutoff"]) == (name, topic, family, cutoff)
    assert data["about"].endswith(".")
    assert bool(data["formula"]) == (family in FORMULAS)


def test_parameters_are_plain_values() -> None:
    """Fractions become numbers."""
    assert measure_data("charF", parse_measure("charF(beta=0.5)"))["parameters"]["beta"] == 0.5
    assert measure_data("charF", parse_measure("charF"))["parameters"]["beta"] == 1
