"""The first view as plain data."""

from __future__ import annotations

import pytest
from support.small_world import JUDGMENTS, RUNS, small_world

from excerpt import Notices, Policy, parse_measure, read_topics
from excerpt.view import World
from excerpt.view.overview import FORMULAS, measure_data


def test_topics_say_what_is_known_of_them() -> None:
    """Counts of the judgments, texts of the topics, and why one is left out."""
    topics = read_topics({"1": "Who pays?"})
    first, second, third = small_world(topics=topics).overview()["topics"]
    facts = [first[name] for name in ("text", "passages", "documents", "characters")]
    assert facts == ["Who pays?", 1, 1, 62]
    assert [second[name] for name in ("passages", "documents", "judged", "counted")] == [2, 2, 2, True]
    assert (third["counted"], third["left"]) == (False, "no relevant text")


def test_runs_say_what_they_are() -> None:
    """Name, kind, number of results and of topics, and a description if there is one."""
    one, two = small_world(about={"two": "the second"}).overview()["runs"]
    assert one == {"name": "one", "file": "", "about": "", "kind": "spans", "results": 4, "topics": 3}
    assert (two["results"], two["topics"], two["about"]) == (4, 2, "the second")


def test_settings_are_the_policy_and_what_was_said() -> None:
    """Options of reading are listed only if they were given."""
    policy = Policy(overlap="first")
    world = World.of(JUDGMENTS, RUNS, ["charP"], text=False, policy=policy, order="file", notices=Notices())
    settings = world.overview()["made"]["settings"]
    assert (settings["overlap"], settings["limit"], settings["order"]) == ("first", 1500, "file")
    assert "run_format" not in settings


def test_scores_that_are_not_defined_are_null() -> None:
    """By measure, run and topic."""
    data = small_world().overview()
    assert [len(data["scores"]), len(data["scores"][0]), len(data["scores"][0][0])] == [2, 2, 3]
    assert data["scores"][0][0][2] is None
    assert data["means"][0][0] == sum(data["scores"][0][0][:2]) / 2


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
