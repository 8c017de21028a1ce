"""Every figure of official programs of other tracks, on made-up worlds."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from support.track_worlds import content, figures, write

from excerpt.cli import main
from excerpt.official import bioasq, epicqa, genomics, kilt, nuggets

#: The file that all runs of a world are scored against.
GOLD = {"genomics": "gold.txt", "bioasq": "gold.json", "kilt": "gold.jsonl", "epicqa": "judgments.json"}


class Named(io.BytesIO):
    """An open file with a name."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def printed(track: str, world: dict[str, Any], options: list[str], name: str, *, verbose: bool) -> str:
    """What the function of a track prints for one file."""
    file = Named(content(world, name), name)
    if track == "nuggets":
        return str(nuggets(file))
    gold, given = content(world, GOLD[track]), dict(zip(options[::2], options[1::2], strict=True))
    if track == "genomics":
        return str(genomics(gold, file))
    if track == "bioasq":
        return str(bioasq(gold, file, version=int(given["-e"]), verbose=verbose))
    if track == "epicqa":
        return str(epicqa(gold, file, given["--task"]))  # type: ignore[arg-type]
    ranks, keys = given.get("--ks", "1,5,10,20"), given.get("--rank_keys", "wikipedia_id")
    return str(kilt(gold, file, ks=map(int, ranks.split(",")), rank_keys=keys.split(",")))


@pytest.mark.parametrize("track", ["genomics", "bioasq", "kilt", "nuggets", "epicqa"])
def test_every_line_is_that_of_the_program(track: str) -> None:
    """All printed digits are equal."""
    count = 0
    for world, options, name, official in figures(track):
        assert printed(track, world, options, name, verbose="MPrec" in official) == official.rstrip("\n"), (
            world["world"]
        )
        count += 1
    assert count > 30


@pytest.mark.parametrize("track", ["genomics", "bioasq", "kilt", "nuggets", "epicqa"])
def test_commands_print_the_same(
    track: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Several files are scored one after the other, in the order given."""
    world, options, _, _ = next(
        one for one in figures(track) if len(one[0]["files"]) > 2 or track == "nuggets"
    )
    write(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    outputs = world["official"] if track != "bioasq" else world["official"][" ".join(options)]
    gold = [GOLD[track]] if track in GOLD else []
    status = main(["official", track, *gold, *outputs, *options, "--quiet"])
    expected = [*outputs.values()]
    if track == "genomics":  # one heading for all runs
        expected = [expected[0], *(text.split("\n", 1)[1] for text in expected[1:])]
    assert status == 0
    assert capsysbinary.readouterr().out.decode() == "".join(text.rstrip("\n") + "\n" for text in expected)
