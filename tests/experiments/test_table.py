"""The table of experiments: every entry is complete, and commands follow from it."""

from __future__ import annotations

import pytest

import excerpt
from excerpt.cli import COMMANDS, command_of
from excerpt.experiments import EXPERIMENTS, Experiment


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_part_is_there(name: str) -> None:
    """Options and function can be loaded; the command has the example."""
    entry = EXPERIMENTS[name]
    assert callable(entry.load("options"))
    assert callable(entry.load("function"))
    help_ = command_of(name).help()
    assert f"example:\n  excerpt {name} qrels.fol" in help_
    for option in entry.example:
        assert f"--{option.replace('_', '-')}" in help_


@pytest.mark.parametrize("name", sorted({name.split()[0] for name in EXPERIMENTS}))
def test_every_experiment_is_a_command(name: str) -> None:
    """Commands have the names of the experiments; so have the public functions of most."""
    assert name in COMMANDS
    assert name not in excerpt.__all__ or callable(getattr(excerpt, name))


def test_a_new_experiment_is_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command with help comes from an entry alone."""
    entry = Experiment("stability mine", "mine", {"seed": "2"}, "experiments.parameters:TopicsOptions", "x:y")
    monkeypatch.setitem(EXPERIMENTS, entry.name, entry)
    assert "--levels" in command_of("stability mine").help()
