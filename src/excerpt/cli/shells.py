"""Scripts by which bash, zsh and fish complete our commands, written from the words of all commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from excerpt.cli.words import Command, Option, Value

_MADE = "# Completion of excerpt, made by: excerpt completion"


def _first(help_: str, most: int = 70) -> str:
    """The beginning of a help, up to a parenthesis or a semicolon."""
    text = re.split(r" \(|; |: ", help_, maxsplit=1)[0].strip()
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"


def bash(commands: Sequence[Command]) -> str:
    """A function for bash 3.2 and later; where it gives nothing, bash completes names of files."""
    return "\n".join([f"{_MADE} bash", *_bash_lines(commands), ""])


def _bash_lines(commands: Sequence[Command]) -> Iterator[str]:
    first = [command.name for command in commands if " " not in command.name]
    double = "|".join(dict.fromkeys(command.name.split()[0] for command in commands if " " in command.name))
    yield from (
        "_excerpt() {",
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}",
        "    local command=${COMP_WORDS[1]} words=",
        "    COMPREPLY=()",
        '    if [[ $cur == "=" ]]; then cur=',
        '    elif [[ $prev == "=" ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi',
        "    if ((COMP_CWORD == 1)); then",
        f'        COMPREPLY=($(compgen -W {_quoted([*first, "--help", "--version"])} -- "$cur"))',
        "        return",
        "    fi",
        f"    case $command in {double})",
        '        if ((COMP_CWORD > 2)); then command="$command ${COMP_WORDS[2]}"; fi ;;',
        "    esac",
        '    case "$command $prev" in',
    )
    for value, places in _by_value(commands):
        names = " | ".join(f'"{name}"' for name in places)
        yield f"        {names})"
        yield f"            {_bash_reply(value)} ;;"
    yield "    esac"
    yield "    case $command in"
    for command in commands:
        options = " ".join(name for option in command.options for name in option.names)
        yield f'        "{command.name}")'
        yield f'            if [[ $cur == -* ]]; then words="{options}"'
        yield f"            else words={_quoted(command.rest.words)}; fi"
        yield "            ;;" if command.rest.file else "            _excerpt_no_files ;;"
    yield from (
        "    esac",
        '    if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi',
        "}",
        "_excerpt_no_files() { compopt +o default +o bashdefault 2> /dev/null; }",
        "complete -o default -o bashdefault -F _excerpt excerpt",
    )


def _by_value(commands: Iterable[Command]) -> list[tuple[Value, list[str]]]:
    """Values of options, each with the `command option` that take it; those that take none left out."""
    found: dict[Value, list[str]] = {}
    for command in commands:
        for option in command.options:
            if option.value is not None:
                found.setdefault(option.value, []).extend(f"{command.name} {name}" for name in option.names)
    return list(found.items())


def _bash_reply(value: Value) -> str:
    if value.words:
        return f'COMPREPLY=($(compgen -W {_quoted(value.words)} -- "$cur")); _excerpt_no_files; return'
    return "return" if value.file else "_excerpt_no_files; return"


def _quoted(words: Iterable[str]) -> str:
    return "'" + " ".join(words) + "'"


def zsh(commands: Sequence[Command]) -> str:
    """A function of zsh's own completion; with what each command and option is for."""
    return "\n".join(["#compdef excerpt", f"{_MADE} zsh", *_zsh_lines(commands), ""])


def _zsh_lines(commands: Sequence[Command]) -> Iterator[str]:
    yield from ("_excerpt() {", "    local -a commands", "    local command", "    commands=(")
    yield from (
        f"        {_zsh_item(command.name, command.help)}" for command in commands if " " not in command.name
    )
    yield from (
        "    )",
        "    if (( CURRENT == 2 )); then",
        "        _describe -t commands command commands",
        "        _arguments '1:' '--help[explain the commands]' '--version[print the version]'",
        "        return",
        "    fi",
        "    command=$words[2]",
    )
    for name in dict.fromkeys(command.name.split()[0] for command in commands if " " in command.name):
        within = [command for command in commands if command.name.startswith(f"{name} ")]
        yield f"    if [[ $command == {name} ]]; then"
        yield "        if (( CURRENT == 3 )); then"
        yield "            commands=("
        yield from (f"                {_zsh_item(one.name.split()[1], one.help)}" for one in within)
        yield from (
            "            )",
            "            _describe -t commands command commands",
            "            return",
            "        fi",
            '        command="$command $words[3]"',
            "        shift words",
            "        (( CURRENT-- ))",
            "    fi",
        )
    yield from ("    shift words", "    (( CURRENT-- ))", "    case $command in")
    for command in commands:
        yield f"        ({_zsh_name(command.name)})"
        yield "            _arguments -S \\"
        yield from (
            f"                {line} \\" for option in command.options for line in _zsh_option(option)
        )
        yield f"                {_zsh_rest(command.rest)} ;;"
    yield from (
        "    esac",
        "}",
        'if [[ $funcstack[1] == _excerpt ]]; then _excerpt "$@"; else compdef _excerpt excerpt; fi',
    )


def _zsh_name(name: str) -> str:
    return name.replace(" ", "\\ ")


def _zsh_item(name: str, help_: str) -> str:
    return "'" + name + ":" + _first(help_).replace("'", "'\\''") + "'"


def _zsh_text(text: str) -> str:
    r"""Text between brackets of `_arguments`.

    >>> print(_zsh_text("it's a [x]: y"))
    it'\''s a \[x\]\: y
    """
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def _zsh_option(option: Option) -> Iterator[str]:
    """An option by each of its names; it may be repeated."""
    about = f"[{_zsh_text(_first(option.help))}]"
    for name in option.names:
        value = "" if option.value is None else f":{_zsh_text(option.metavar)}:{_zsh_value(option.value)}"
        yield f"'*{name}{about}{value}'"


def _zsh_value(value: Value) -> str:
    if value.words:
        return f"({' '.join(value.words)})"
    return "_files" if value.file else " "


def _zsh_rest(rest: Value) -> str:
    if rest.words and rest.file:
        return f"'1:word:({' '.join(rest.words)})' '*:file:_files'"
    return f"'*:file:{_zsh_value(rest)}'"


def fish(commands: Sequence[Command]) -> str:
    """A line of fish for every command and option, after a function that says which command it is."""
    return "\n".join([f"{_MADE} fish", *_fish_lines(commands), ""])


def _fish_lines(commands: Sequence[Command]) -> Iterator[str]:
    yield from (
        "function __excerpt_is",
        "    set -l words (commandline -opc)",
        "    test (count $words) -gt (count $argv); or return 1",
        "    for place in (seq (count $argv))",
        '        test "$words[(math $place + 1)]" = "$argv[$place]"; or return 1',
        "    end",
        "end",
        "function __excerpt_words",
        "    test (count (commandline -opc)) -eq $argv[1]",
        "end",
        "complete -c excerpt -f",
        "complete -c excerpt -n '__excerpt_words 1' -l help -d 'explain the commands'",
        "complete -c excerpt -n '__excerpt_words 1' -l version -d 'print the version'",
    )
    for command in commands:
        *before, last = command.name.split()
        within = "".join(f"__excerpt_is {word}; and " for word in before)
        yield _fish_line(f"{within}__excerpt_words {len(before) + 1}", f"-a {last}", command.help)
    for command in commands:
        here = f"__excerpt_is {command.name}"
        if command.rest.file:
            yield f"complete -c excerpt -n '{here}' -F"
        elif command.rest.words and not any(one.name.startswith(f"{command.name} ") for one in commands):
            yield f"complete -c excerpt -n '{here}' -a '{' '.join(command.rest.words)}'"
        for option in command.options:
            yield _fish_line(here, _fish_option(option), option.help)


def _fish_line(condition: str, what: str, help_: str) -> str:
    text = _first(help_).replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c excerpt -n '{condition}' {what} -d '{text}'"


def _fish_option(option: Option) -> str:
    names = [_fish_name(name) for name in option.names]
    if option.value is not None:
        names.append("-r -F" if option.value.file else "-x")
        if option.value.words:
            names.append(f"-a '{' '.join(option.value.words)}'")
    return " ".join(names)


def _fish_name(name: str) -> str:
    """The name of an option as fish is told it: long, short, or long with a single dash.

    >>> [_fish_name(name) for name in ("--format", "-m", "-beta")]
    ['-l format', '-s m', '-o beta']
    """
    if name.startswith("--"):
        return f"-l {name[2:]}"
    return f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"


#: Every shell with what writes its script.
SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
