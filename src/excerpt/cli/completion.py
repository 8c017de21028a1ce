"""excerpt completion: completion of commands, options and values in bash, zsh and fish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from excerpt.cli import COMMANDS, FURTHER, command_of
from excerpt.cli.parser import MESSAGES, Parser
from excerpt.errors import UnknownName
from excerpt.options import FLAG, OUTPUT, TEXT, Option, choice

#: A line in the usage text of a command with its own parser: `-n N   help`.
_USED = re.compile(r"^ {2}(-\S+)((?: [A-Z]+)?) {2,}(\S.*)$", re.MULTILINE)
_HELP = Option("help", "show this help message and exit", ("-h", "--help"), kind=FLAG)


def parser() -> Parser:
    """Return the parser of the command."""
    return Parser(
        "completion",
        Option("shell", "bash, zsh or fish", (), choice(*_SHELLS), metavar="SHELL", required=True),
        OUTPUT,
        example="excerpt completion bash > ~/.excerpt.bash   # then: source ~/.excerpt.bash",
    )


def main(given: Sequence[str]) -> None:
    """Write the script."""
    arguments = parser().parse(given)
    from excerpt.files import write_bytes

    write_bytes(arguments.output, completion(arguments.shell).encode())


def completion(shell: str = "bash") -> str:
    """Return the script with which a shell (bash, zsh or fish) completes commands, options and values."""
    if shell not in _SHELLS:
        raise UnknownName("shell", shell, _SHELLS)
    return _SHELLS[shell](known_commands())


class Value(NamedTuple):
    """Completion of a value: some words, file names, or nothing."""

    words: tuple[str, ...] = ()
    file: bool = False


class Command(NamedTuple):
    """A command of one or two words, its options, and the completion of its positional arguments."""

    name: str
    help: str
    options: tuple[Option, ...] = (_HELP,)
    rest: Value = Value()

    def values(self) -> Iterator[tuple[Option, Value | None]]:
        """Yield each option with the completion of its value; None for a flag."""
        for option in self.options:
            yield option, None if option.kind is FLAG else value_of(option, self.name)


def known_commands() -> list[Command]:
    """Return every command; the first word of commands of two words completes the second."""
    commands = []
    for name, help_ in COMMANDS.items():
        within = [(further, text) for further, text in FURTHER.items() if further.startswith(f"{name} ")]
        if within:
            words = tuple(further.split()[1] for further, _ in within)
            commands += [Command(name, help_, rest=Value(words)), *(_command(*each) for each in within)]
        else:
            commands.append(_command(name, help_))
    return commands


def _command(name: str, help_: str) -> Command:
    command = command_of(name)
    if command.parser is None:
        parsed = [
            Option(flag, text, (flag,), FLAG if not metavar else TEXT, metavar=metavar.strip())
            for flag, metavar, text in _USED.findall(command.help())
        ]
        return Command(name, help_, (_HELP, *parsed), Value(file=True))
    known: tuple[Option, ...] = command.parser().options
    values = [value_of(option, name) for option in known if not option.written]
    words = tuple(dict.fromkeys(word for value in values for word in value.words))
    options = (option for option in (*known, *MESSAGES) if option.written and option.help != "==SUPPRESS==")
    return Command(name, help_, (_HELP, *options), Value(words, any(value.file for value in values)))


def value_of(option: Option, command: str) -> Value:
    """Return the completion of an option's value: its choices, registered names, a file, or nothing."""
    if option.metavar == "MEASURE" and command == "trec_eval":
        from excerpt.official.trec.names import MEASURES, SETS

        return Value(tuple(sorted({*MEASURES, *SETS})))
    if option.name == "measures" or (option.name == "names" and command == "measures"):
        return Value(_measures())
    if option.metavar == "FORMAT" or (option.name == "name" and command == "formats"):
        kinds = {"run-format": ("run",), "qrels-format": ("judgments",)}.get(
            option.name, ("run", "judgments")
        )
        return Value(_formats(*kinds, written=option.name == "to"))
    return Value(option.kind.choices, option.role != "plain" or option.metavar == "RUN")


@cache
def _measures() -> tuple[str, ...]:
    """Return the names of measures, of sets of measures and of measures of chunkers."""
    from excerpt.evaluation.chunkers import DEFINITIONS
    from excerpt.measures import SETS, registry
    from excerpt.measures._names import EVERYDAY

    return tuple(sorted({*registry(), *SETS, *EVERYDAY, *DEFINITIONS}, key=lambda name: (name.lower(), name)))


@cache
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


_BASH = """# Completion of excerpt, made by: excerpt completion bash
_excerpt() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
    local command=${{COMP_WORDS[1]}} words=
    COMPREPLY=()
    if [[ $cur == "=" ]]; then cur=
    elif [[ $prev == "=" ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W {first} -- "$cur"))
        return
    fi
    case $command in {double})
        if ((COMP_CWORD > 2)); then command="$command ${{COMP_WORDS[2]}}"; fi ;;
    esac
    case "$command $prev" in
{values}
    esac
    case $command in
{options}
    esac
    if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}}
_excerpt_no_files() {{ compopt +o default +o bashdefault 2> /dev/null; }}
complete -o default -o bashdefault -F _excerpt excerpt
"""


def bash(commands: Sequence[Command]) -> str:
    """Return the script for bash 3.2 and later; bash itself completes file names."""
    places: dict[Value, list[str]] = {}
    options = []
    for command in commands:
        for option, value in command.values():
            if value is not None:
                places.setdefault(value, []).extend(f'"{command.name} {name}"' for name in option.written)
        names = " ".join(name for option in command.options for name in option.written)
        options.append(
            f'        "{command.name}")\n            if [[ $cur == -* ]]; then words="{names}"\n'
            f"            else words={_quoted(command.rest.words)}; fi\n"
            f"            {'' if command.rest.file else '_excerpt_no_files '};;"
        )
    first = [command.name for command in commands if " " not in command.name]
    return _BASH.format(
        first=_quoted([*first, "--help", "--version"]),
        double="|".join(_doubles(commands)),
        values="\n".join(
            f"        {' | '.join(at)})\n            {_reply(one)} ;;" for one, at in places.items()
        ),
        options="\n".join(options),
    )


def _doubles(commands: Iterable[Command]) -> list[str]:
    """Return the first words of commands of two words."""
    return list(dict.fromkeys(command.name.split()[0] for command in commands if " " in command.name))


def _reply(value: Value) -> str:
    if value.words:
        return f'COMPREPLY=($(compgen -W {_quoted(value.words)} -- "$cur")); _excerpt_no_files; return'
    return "return" if value.file else "_excerpt_no_files; return"


def _quoted(words: Iterable[str]) -> str:
    return "'" + " ".join(words) + "'"


_ZSH = """#compdef excerpt
# Completion of excerpt, made by: excerpt completion zsh
_excerpt() {{
    local -a commands
    local command
    commands=(
{first}
    )
    if (( CURRENT == 2 )); then
        _describe -t commands command commands
        _arguments '1:' '--help[explain the commands]' '--version[print the version]'
        return
    fi
    command=$words[2]
{double}
    shift words
    (( CURRENT-- ))
    case $command in
{options}
    esac
}}
if [[ $funcstack[1] == _excerpt ]]; then _excerpt "$@"; else compdef _excerpt excerpt; fi
"""
_ZSH_WITHIN = """    if [[ $command == {name} ]]; then
        if (( CURRENT == 3 )); then
            commands=(
{words}
            )
            _describe -t commands command commands
            return
        fi
        command="$command $words[3]"
        shift words
        (( CURRENT-- ))
    fi"""


def zsh(commands: Sequence[Command]) -> str:
    """Return the script for zsh, with the help of commands and options."""
    within = {
        name: [one for one in commands if one.name.startswith(f"{name} ")] for name in _doubles(commands)
    }
    options = []
    for command in commands:
        name = command.name.replace(" ", "\\ ")
        lines = [line for option, value in command.values() for line in _zsh_option(option, value)]
        listed = "".join(f"                {line} \\\n" for line in lines)
        words, file = " ".join(command.rest.words), command.rest.file
        rest = (
            f"'1:word:({words})' '*:file:_files'"
            if words and file
            else f"'*:file:{_zsh_value(command.rest)}'"
        )
        options.append(f"        ({name})\n            _arguments -S \\\n{listed}                {rest} ;;")
    return _ZSH.format(
        first="\n".join(f"        {_zsh_item(one)}" for one in commands if " " not in one.name),
        double="\n".join(
            _ZSH_WITHIN.format(
                name=name, words="\n".join(f"                {_zsh_item(one)}" for one in ones)
            )
            for name, ones in within.items()
        ),
        options="\n".join(options),
    )


def _zsh_item(command: Command) -> str:
    return "'" + command.name.split()[-1] + ":" + _first(command.help).replace("'", "'\\''") + "'"


def _zsh_text(text: str) -> str:
    r"""Escape text between brackets of `_arguments`.

    >>> print(_zsh_text("it's a [x]: y"))
    it'\''s a \[x\]\: y
    """
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _zsh_option(option: Option, value: Value | None) -> Iterator[str]:
    """Yield a line for each spelling of an option, which may be repeated."""
    taken = "" if value is None else f":{_zsh_text(option.metavar or option.dest)}:{_zsh_value(value)}"
    for name in option.written:
        yield f"'*{name}[{_zsh_text(_first(option.help))}]{taken}'"


def _zsh_value(value: Value) -> str:
    return f"({' '.join(value.words)})" if value.words else "_files" if value.file else " "


_FISH = """# Completion of excerpt, made by: excerpt completion fish
function __excerpt_is
    set -l words (commandline -opc)
    test (count $words) -gt (count $argv); or return 1
    for place in (seq (count $argv))
        test "$words[(math $place + 1)]" = "$argv[$place]"; or return 1
    end
end
function __excerpt_words
    test (count (commandline -opc)) -eq $argv[1]
end
complete -c excerpt -f
complete -c excerpt -n '__excerpt_words 1' -l help -d 'explain the commands'
complete -c excerpt -n '__excerpt_words 1' -l version -d 'print the version'
"""


def fish(commands: Sequence[Command]) -> str:
    """Return the script for fish: a line for every command and option."""
    return _FISH + "\n".join(_fish_lines(commands)) + "\n"


def _fish_lines(commands: Sequence[Command]) -> Iterator[str]:
    for command in commands:
        *before, last = command.name.split()
        within = "".join(f"__excerpt_is {word}; and " for word in before)
        yield _fish_line(f"{within}__excerpt_words {len(before) + 1}", f"-a {last}", command.help)
    for command in commands:
        here = f"__excerpt_is {command.name}"
        if command.rest.file:
            yield f"complete -c excerpt -n '{here}' -F"
        elif command.rest.words and command.name not in _doubles(commands):
            yield f"complete -c excerpt -n '{here}' -a '{' '.join(command.rest.words)}'"
        for option, value in command.values():
            yield _fish_line(here, _fish_option(option, value), option.help)


def _fish_line(condition: str, what: str, help_: str) -> str:
    text = _first(help_).replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c excerpt -n '{condition}' {what} -d '{text}'"


def _fish_option(option: Option, value: Value | None) -> str:
    """Return the spellings of an option for fish (long, short, long with a single dash), and its values."""
    names = [
        f"-l {name[2:]}" if name[:2] == "--" else f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"
        for name in option.written
    ]
    if value is not None:
        names.append("-r -F" if value.file else "-x")
        names += [f"-a '{' '.join(value.words)}'"] if value.words else []
    return " ".join(names)


#: Every shell with the function that writes its script.
_SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
