"""excerpt completion: a script by which a shell completes commands, options and their values."""

from __future__ import annotations

from collections.abc import Sequence

from excerpt.cli.parser import Parser
from excerpt.errors import UnknownName
from excerpt.options import OUTPUT, Option, choice

_SHELLS = ("bash", "zsh", "fish")


def parser() -> Parser:
    """The arguments of the command."""
    return Parser(
        "completion",
        Option("shell", "bash, zsh or fish", (), kind=choice(*_SHELLS), metavar="SHELL", required=True),
        OUTPUT,
        example="excerpt completion bash > ~/.excerpt.bash   # then: source ~/.excerpt.bash",
    )


def main(given: Sequence[str]) -> None:
    """Write the script."""
    arguments = parser().parse(given)
    from excerpt.files import write_bytes

    write_bytes(arguments.output, completion(arguments.shell).encode())


def completion(shell: str = "bash") -> str:
    """The script by which a shell (bash, zsh or fish) completes commands, options and their values."""
    from excerpt.cli.shells import SHELLS
    from excerpt.cli.words import known_commands

    if shell not in SHELLS:
        raise UnknownName("shell", shell, SHELLS)
    return SHELLS[shell](known_commands())
