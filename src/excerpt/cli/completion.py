"""excerpt completion: completion of commands, options and values in bash, zsh and fish.

The script of a shell is a few lines that ask `excerpt completion words …` at each TAB, so that it stays right
after an update. The answer has a line for each word, with its help after a TAB; `:` stands for file names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from excerpt.cli import COMMANDS, FURTHER, OFFICIAL, REGISTERED, Command, command_of
from excerpt.cli.parser import MESSAGES, Parser
from excerpt.errors import UnknownName
from excerpt.options import FLAG, OUTPUT, TEXT, Option, choice

#: A line in the usage text of a command with its own parser: `-n N   help`.
_USED = re.compile(r"^ {2}(-\S+)((?: [A-Z]+)?) {2,}(\S.*)$", re.MULTILINE)
_HELP = Option("help", "show this help message and exit", ("-h", "--help"), kind=FLAG)
_SHELLS = {
    "bash": r"""# Completion of excerpt, made by: excerpt completion bash
_excerpt() {
    local line files= IFS=$'\n'
    COMPREPLY=()
    for line in $("${COMP_WORDS[0]}" completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null); do
        if [[ $line == : ]]; then files=yes; else COMPREPLY+=("${line%%$'\t'*}"); fi
    done
    if [[ -z $files ]]; then compopt +o default +o bashdefault 2> /dev/null; fi
}
complete -o default -o bashdefault -F _excerpt excerpt
""",
    "zsh": r"""#compdef excerpt
# Completion of excerpt, made by: excerpt completion zsh
_excerpt() {
    local line files
    local -a items
    for line in "${(@f)$("${words[1]}" completion words "${(@)words[2,CURRENT]}" 2> /dev/null)}"; do
        if [[ $line == : ]]; then files=yes
        elif [[ -n $line ]]; then items+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}"); fi
    done
    if (( $#items )); then _describe -o excerpt items; fi
    if [[ -n $files ]]; then _files; fi
}
if [[ $funcstack[1] == _excerpt ]]; then _excerpt "$@"; else compdef _excerpt excerpt; fi
""",
    "fish": r"""# Completion of excerpt, made by: excerpt completion fish
function __excerpt_words
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] completion words $words[2..-1] 2> /dev/null)
        if test "$line" = :
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c excerpt -f -a '(__excerpt_words)'
""",
}


def parser() -> Parser:
    return Parser(
        "completion",
        Option("shell", "bash, zsh or fish", (), choice(*_SHELLS), metavar="SHELL", required=True),
        OUTPUT,
        example="excerpt completion bash > ~/.excerpt.bash   # then: source ~/.excerpt.bash",
    )


def main(given: Sequence[str]) -> None:
    """Write the script, or answer its questions."""
    if given[:1] == ["words"]:
        print("".join(f"{line}\n" for line in answer(given[1:])), end="")
        return
    arguments = parser().parse(given)
    from excerpt.files import write_bytes

    write_bytes(arguments.output, completion(arguments.shell).encode())


REGISTERED["completion"] = Command(main, parser)


def completion(shell: str = "bash") -> str:
    """Return the script with which a shell (bash, zsh or fish) completes commands, options and values."""
    if shell not in _SHELLS:
        raise UnknownName("shell", shell, _SHELLS)
    return _SHELLS[shell]


class ValueCompletion(NamedTuple):
    """Completion of a value: some words, file names, or nothing."""

    words: tuple[str, ...] = ()
    file: bool = False


def answer(words: Sequence[str]) -> Iterator[str]:
    """Yield the words that complete the last of some words after `excerpt`, each with its help.

    >>> list(answer(["stab"]))
    ['stability\\tis the ranking of runs stable with fewer judgments or topics?']
    >>> list(answer(["evaluate", "q", "--overlap", "=", "f"]))  # as bash cuts words
    ['first']
    >>> list(answer(["evaluate", "q", "--overlap=f"]))
    ['--overlap=first']
    """
    *before, current = words or ("",)
    lead = ""
    if current == "=" and before:
        current = ""
    elif before[-1:] == ["="]:
        before.pop()
    elif current.startswith("--") and "=" in current:
        option, _, current = current.partition("=")
        before.append(option)
        lead = f"{option}="
    offered, file = _offered(before, current)
    for word, help_ in offered.items():
        if word.startswith(current):
            yield f"{lead}{word}\t{_first(help_)}" if help_ else f"{lead}{word}"
    if file:
        yield ":"


def _offered(before: list[str], current: str) -> tuple[dict[str, str], bool]:
    """Return the words that may follow some words, with their help, and whether a file may."""
    if not before:
        return {**COMMANDS, "--help": "explain the commands", "--version": "print the version"}, False
    name = " ".join(before[:2]) if " ".join(before[:2]) in FURTHER else before[0]
    within = {further.split()[1]: text for further, text in FURTHER.items() if further.startswith(f"{name} ")}
    if within:
        return within if len(before) == 1 else {}, False
    if name not in COMMANDS and name not in FURTHER:
        return {}, False
    options = options_of(name)
    if value := next((one for one in options if before[-1] in one.written and one.kind is not FLAG), None):
        completed = value_of(value, name)
    elif current.startswith("-"):
        return {word: option.help for option in options for word in option.written}, False
    else:
        rest = [value_of(option, name) for option in options if not option.written]
        completed = ValueCompletion(
            tuple(word for one in rest for word in one.words), any(one.file for one in rest)
        )
    return dict.fromkeys(completed.words, ""), completed.file


def options_of(name: str) -> list[Option]:
    """Return the options and positional arguments of a command, without hidden ones."""
    command = command_of(name)
    if command.parser is None:
        parsed = [
            Option(flag, text, (flag,), FLAG if not metavar else TEXT, metavar=metavar.strip())
            for flag, metavar, text in _USED.findall(command.help())
        ]
        return [_HELP, *parsed, Option("files", "input files", (), role="reads")]
    known: tuple[Option, ...] = command.parser().options
    return [option for option in (_HELP, *known, *MESSAGES) if option.help != "==SUPPRESS=="]


def value_of(option: Option, command: str) -> ValueCompletion:
    """Return the completion of an option's value: its choices, registered names, a file, or nothing."""
    if option.metavar == "MEASURE" and command == "trec_eval":
        from excerpt.official.trec.names import MEASURES, SETS

        return ValueCompletion(tuple(sorted({*MEASURES, *SETS})))
    if option.name == "measures" or (option.name == "names" and command == "measures"):
        scorers = OFFICIAL if option.name == "names" else ()
        return ValueCompletion((*_measures(), *scorers))
    if option.metavar == "FORMAT" or (option.name == "name" and command == "formats"):
        kinds = {"run-format": ("run",), "qrels-format": ("judgments",)}.get(
            option.name, ("run", "judgments")
        )
        return ValueCompletion(_formats(*kinds, written=option.name == "to"))
    return ValueCompletion(option.kind.choices, option.role != "plain" or option.metavar == "RUN")


def _measures() -> tuple[str, ...]:
    """Return the names of measures, of sets of measures and of measures of chunkers."""
    from excerpt.measures import SETS, registry
    from excerpt.measures._names import EVERYDAY
    from excerpt.placing.chunkers import DEFINITIONS

    return tuple(sorted({*registry(), *SETS, *EVERYDAY, *DEFINITIONS}, key=lambda name: (name.lower(), name)))


def _formats(*kinds: str, written: bool) -> tuple[str, ...]:
    """Return the names of formats; with `written`, only of those that can be written."""
    from excerpt.formats import judgments_formats, run_formats

    registries: dict[str, Any] = {"run": run_formats, "judgments": judgments_formats}
    formats = [format_ for kind in kinds for format_ in registries[kind]().values()]
    return tuple(sorted({format_.name for format_ in formats if format_.write or not written}))


def _first(help_: str, most: int = 70) -> str:
    """Return the beginning of a help text, up to a parenthesis, semicolon or colon."""
    text = re.split(r" \(|; |: ", help_, maxsplit=1)[0].strip()
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
