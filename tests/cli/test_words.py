"""The words of all commands."""

from __future__ import annotations

from excerpt.cli import CAMPAIGN, COMMANDS
from excerpt.cli.words import Value, known_commands

FOUND = {command.name: command for command in known_commands()}


def test_all_commands_are_there() -> None:
    """Those of two words come with the first of them."""
    assert set(COMMANDS) <= set(FOUND)
    assert {f"assess {word}" for word in CAMPAIGN} <= set(FOUND)
    assert {"pool", "topics", "errors", "all"} <= set(FOUND["stability"].rest.words)
    assert FOUND["assess"].rest == Value(tuple(CAMPAIGN))


def test_what_options_take() -> None:
    """Choices, names, files, or something that nobody can complete; nothing for a switch."""
    options = {name: option for option in FOUND["evaluate"].options for name in option.names}
    assert options["--overlap"].value == Value(("error", "first", "penalise", "allow"))
    assert options["--index"].value == Value(file=True)
    assert options["--limit"].value == options["--unknown-length"].value == Value()
    assert options["--per-topic"].value is None
    names = options["-m"].value
    assert names is not None
    assert {"MAiP", "iP", "recall", "rag"} <= set(names.words)
    assert options["-m"] is options["--measure"]


def test_commands_that_read_their_options_themselves() -> None:
    """What their usage says is what they take."""
    options = {name: option for option in FOUND["inex_eval"].options for name in option.names}
    assert options["-beta"].value == Value()
    assert options["-q"].value is None
    assert {"-t", "-f", "-r", "-b", "-i", "--quiet", "--strict", "--help"} <= set(options)
    assert FOUND["trec_eval"].rest.file
    assert "--shard" not in {name for option in FOUND["index"].options for name in option.names}  # hidden


def test_formats_that_are_written_and_measures_of_trec_eval() -> None:
    """--to offers what can be written only; -m of trec_eval offers its measures and sets."""
    options = {name: option for option in FOUND["convert"].options for name in option.names}
    assert options["--to"].value is not None
    assert {"fol", "trec"} <= set(options["--to"].value.words)
    assert not {"citations", "clapnq", "indri"} & set(options["--to"].value.words)
    (asked,) = (option.value for option in FOUND["trec_eval"].options if option.names == ("-m",))
    assert asked is not None
    assert {"map", "P", "official", "all_trec"} <= set(asked.words)
