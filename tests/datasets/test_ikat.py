"""iKAT and CAsT: runs of conversations, as the tracks' own scripts convert them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.track_worlds import content, worlds

from excerpt import ExcerptError, Notices, Run, check, read_run
from excerpt.formats.registry import run_format_of
from excerpt.formats.source import Source

RUNS = [world for world in worlds("readers") if "official" in world]


def read(data: bytes) -> Run:
    """The run of a file."""
    return read_run(data, notices=Notices())


@pytest.mark.parametrize("world", RUNS, ids=lambda world: world["world"])
def test_official_conversion(world: dict[str, Any]) -> None:
    """Every passage has the rank and the score of the official TREC run; iKAT 2025 also its order."""
    [(name, official)] = world["official"].items()
    run = read(content(world, name))
    found = [
        (topic, document, rank, score)
        for (topic, document, *_), rank, score in zip(run, run.rank.tolist(), run.score.tolist(), strict=True)
    ]
    rows = [line.split("\t") for line in official.splitlines()]
    expected = [(row[0], row[2], int(row[3]), float(row[4])) for row in rows]
    assert {run.name} == {row[5] for row in rows}
    assert found == expected if name.endswith("l") else sorted(found) == sorted(expected)


def turns(*responses: tuple[int | None, dict[str, float]], turn: str = "1_1") -> bytes:
    """A run with one turn."""
    listed = [
        ({"rank": rank} if rank is not None else {})
        | {"passage_provenance": [{"id": one, "score": score} for one, score in some.items()]}
        for rank, some in responses
    ]
    whole = {"run_name": "mine", "run_type": "automatic", "turns": [{"turn_id": turn, "responses": listed}]}
    return json.dumps(whole, indent=1).encode()


def test_ranks_and_scores() -> None:
    """A passage counts at its first response, its score divided by the rank plus 1, in order of score."""
    run = read(turns((9, {"a": 0.5, "b": 0.25}), (None, {"b": 9.0, "c": 0.125})))
    assert run.rank.tolist() == [3, 1, 2]
    assert run.score.tolist() == [0.125, pytest.approx(0.05, rel=1e-7), pytest.approx(0.025, rel=1e-7)]
    notices = Notices()
    read_run(turns((9, {"a": 0.5}), (0, {"c": 1.0})), notices=notices)
    assert "scores contradict the ranks" in next(iter(notices))


def test_names_of_the_formats() -> None:
    """They are detected, and known by name."""
    line = {"metadata": {"run_id": "r"}, "turn_id": "1_1", "references": {"a": 1, "b": 2.5, "c": 2.5}}
    given = json.dumps(line).encode()
    assert run_format_of(Source.open(given)).name == "ikat-2025"
    assert run_format_of(Source.open(turns((0, {"a": 1.0})))).name == "ikat"
    assert [(one, score) for (_, one, *_), score in zip(read(given), read(given).score, strict=True)] == [
        ("b", 2.5),
        ("c", 2.5),
        ("a", 1.0),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (turns((0, {})), "found no result, expected at least one"),
        (turns((0, {"a": "x"})), 'found score "x", expected a number'),  # type: ignore[dict-item]
        (b'{"run_name": "r", "turns": [{"responses": []}]}', "key turn_id is missing"),
        (b'{"turn_id": "1", "references": {"a": null}}', "found score null, expected a number"),
        (b'{"turn_id": "1", "references": {}}', "found no result"),
        (b'{"run_name": "r", "turns": [', "found JSON that is broken here"),
    ],
)
def test_faults(given: bytes, message: str) -> None:
    """One line each; a file without any passage is no run with no faults."""
    with pytest.raises(ExcerptError, match=message):
        read(given)
    assert not check(given)
