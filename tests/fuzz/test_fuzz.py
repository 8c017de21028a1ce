"""Damaged files of every format: status 0 or one located line; no traceback, hang, leak or odd score."""

from __future__ import annotations

import pytest
from support.fuzz.harness import Harness
from support.fuzz.targets import Target, targets

#: Each kind of file has its own inputs, the same in every run: a failure can be repeated.
SEED = 1
INPUTS = 50


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A folder of valid files."""
    return Harness(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("target", targets().values(), ids=lambda target: str(target.name))
def test_damaged_files(harness: Harness, target: Target, request: pytest.FixtureRequest) -> None:
    """No damage of a file comes to more than one line that says which file it is."""
    for number in range(INPUTS // 10 if request.config.getoption("--quick") else INPUTS):
        data, command = harness.damage(target, f"{SEED} {target.name} {number}")
        wrong = harness.attempt(target, data, command).wrong
        assert not wrong, f"input {number}, excerpt {' '.join(command)}: {data[:200]!r}"


@pytest.mark.parametrize("target", targets().values(), ids=lambda target: str(target.name))
def test_whole_files(harness: Harness, target: Target) -> None:
    """Every file that the damage starts from is read by some command: else the damage would teach nothing."""
    seeds = target.seeds or ((harness.folder / target.made).read_bytes(),)
    for seed in seeds:
        outcomes = [harness.attempt(target, seed, command) for command in target.commands or [()]]
        assert [outcome.wrong for outcome in outcomes if outcome.wrong] == []
        assert [outcome.err for outcome in outcomes if outcome.status == 0]
