"""Parsers of commands, built from the table of options.

Arguments that are not given are taken from excerpt.toml and environment variables; folders and @LIST are
expanded into files; a guard keeps outputs from overwriting inputs.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from excerpt.cli import COMMANDS, FURTHER, REGISTERED, Command
from excerpt.cli.console import VERBOSITY, note, note_at_the_end
from excerpt.errors import ExcerptError, UnknownName, plural, short_list
from excerpt.options import (
    CUTTING,
    ENGINE,
    FLAG,
    LATEX,
    LOOKS,
    OPENING,
    OTHER_VARIABLES,
    PAPER,
    POLICY,
    PREFIX,
    READING,
    SETTINGS,
    Option,
    foreign_file,
    project_file,
    taken_by,
    without,
)

if TYPE_CHECKING:
    from excerpt.model import Policy
    from excerpt.project import EffectiveSetting

_STDIN = "-"
#: Contents of paths that may also be a folder, or @LIST.
_EXPANDED = {"files", "run", "side"}
_POLICY = {option.dest for option in POLICY}
_RANKS = {name: rank for rank, name in enumerate(SETTINGS)}
#: Options of every command.
MESSAGES = (
    Option("quiet", "print errors only: no warnings, notes or progress", kind=FLAG, decides=False),
    Option("strict", "treat warnings as errors (exit status 3)", kind=FLAG, decides=False),
)


def _terminal_width() -> int:
    """Return the width of help as argparse does, but without the modules that argparse loads for it."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 0
        except (AttributeError, ValueError, OSError):
            columns = 0
    return (columns or 80) - 2


#: Messages of argparse, and the words of other messages.
_ARGPARSE = {
    r"^unrecognized arguments: ": "unknown argument ",
    r"^argument (\S+): not allowed with argument (\S+)$": r"\1 and \2 cannot be combined",
    r"^argument (\S+): expected one argument$": r"\1 needs a value",
}


class Arguments(argparse.Namespace):
    """The arguments of a command, and beside them their parser."""

    __slots__ = ("parser",)
    parser: Parser


class Parser(argparse.ArgumentParser):
    """Parser of a command, whose errors are one line as all errors of excerpt."""

    def __init__(
        self,
        command: str,
        *options: Option,
        example: str,
        help_: str = "",
        more: str = "",
        settings: bool = True,
    ) -> None:
        """Build the parser of a command; `settings` says whether it uses excerpt.toml and variables.

        The description is the command's line of help, or `help_`, and `more`.
        """
        text = help_ or COMMANDS.get(command) or FURTHER[command]
        width = _terminal_width()  # once, not for every argument
        super().__init__(
            prog=f"excerpt {command}",
            description=text[0].upper() + text[1:] + ("" if text.endswith(("?", ")")) else ".") + more,
            usage=_usage_of(command, options),
            epilog=f"example:\n  {example}",
            formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=width),
            allow_abbrev=False,
        )
        self.options, self.is_list = options, False
        self._example = example
        #: What takes the place of options that leave this command, by their names.
        self.leaving = {each.name: instead for each in options if (instead := taken_by(command, each))}
        self._settings = settings
        #: Texts given by the user, and values from excerpt.toml and variables, by names of arguments.
        self.given: dict[str, list[str]] = {}
        self.filled: dict[str, EffectiveSetting] = {}
        groups: dict[str, Any] = {"": self}
        for option in options:
            if option.group not in groups:
                groups[option.group] = self.add_argument_group(option.group)
            group, rivals = groups[option.group], f"either {option.either}"
            if option.either and rivals not in groups:
                groups[rivals] = group.add_mutually_exclusive_group()
            hidden = {"help": argparse.SUPPRESS} if option.name in self.leaving else {}
            _add(groups[rivals] if option.either else group, option, **hidden)
        messages = self.add_argument_group("messages")
        for option in MESSAGES:
            _add(messages, option, default=argparse.SUPPRESS)

    @property
    def shown(self) -> tuple[Option, ...]:
        """The options that help shows: not those that leave this command."""
        return tuple(option for option in self.options if option.name not in self.leaving)

    def print_help(self, file: Any = None) -> None:
        """Print the first page of help; argparse would hide an error of the stream."""
        print(self.first_page(), end="", file=file)

    def first_page(self) -> str:
        """Return the help with the first options of the command; of a list of commands all of it."""
        if self.is_list:
            return self.format_help()
        from excerpt.cli.help import first_page

        command = self.prog.removeprefix("excerpt ")
        about = " ".join((self.description or "").partition("\n\n")[0].split())
        return first_page(command, self.usage or "", about, (*self.shown, *MESSAGES), self._example)

    def parse(self, given: Sequence[str]) -> Arguments:
        """Parse the arguments, in any order, and reject outputs that are inputs."""
        if asks_for_all(given):
            print(self.format_help(), end="")
            raise SystemExit(0)
        arguments = Arguments()
        arguments.parser = self
        self.parse_intermixed_args(given, arguments)
        _set_verbosity(arguments)
        if size := getattr(arguments, "max_size", None):
            set_limit(size)
        self._note_leaving()
        for option in self.options:
            _expand(option, arguments)
        variables = any(name.startswith(PREFIX) and name not in OTHER_VARIABLES for name in os.environ)
        if self._settings and (variables or project_file(os.environ) is not None):
            self._fill(arguments)
        if self._settings and (ignored := foreign_file(os.environ)):
            note(f"{ignored} belongs to another user and is ignored; EXCERPT_CONFIG={ignored} uses it")
        missing = [each.shown for each in self.options if each.required and not _given(each, arguments)]
        if missing:
            self.error(f"the following arguments are required: {', '.join(missing)}")
        if self.filled:
            note(f"settings from {_listed_sources(self.filled.values())}")
        read = [
            name for option in self.options if option.role == "reads" for name in _names(arguments, option)
        ]
        if read.count(_STDIN) > 1:
            raise ExcerptError("standard input can only be read once", hint="give one of the two as a file")
        keep_inputs(self.options, arguments, self._further())
        return arguments

    def _note_leaving(self) -> None:
        """Say of options that leave the command what takes their place."""
        by: dict[str, list[str]] = {}
        for option in self.options:
            if option.name in self.leaving and option.dest in self.given:
                by.setdefault(self.leaving[option.name], []).append(option.written[-1])
        for instead, names in by.items():
            note_at_the_end(f"{self.prog} takes {short_list(names)} in this version only; instead: {instead}")

    def _further(self) -> Iterator[tuple[str, str]]:
        """Yield input files that no option names: lists of files and the project file."""
        for dest in (option.dest for option in self.options if option.holds in _EXPANDED):
            filled = _texts_of(self.filled[dest]) if dest in self.filled else []
            yield from (
                ("file", name[1:]) for name in (*self.given.get(dest, ()), *filled) if name[:1] == "@"
            )
        if project := project_file(os.environ):
            yield "file", project

    def _fill(self, arguments: argparse.Namespace) -> None:
        """Fill in arguments that are not given from excerpt.toml and variables."""
        from excerpt.project import Project

        project = Project.here()
        named = {
            option.dest: option
            for option in self.options
            if option.setting is not None
            and not self.given.get(option.dest)
            and project.names(option.name)
            and _has_place(option, arguments)
        }
        if not named:
            return
        from excerpt.score_files.score_rows import is_scores

        saved = {dest for dest in ("qrels", "baseline") if is_scores(getattr(arguments, dest, None) or b"")}
        for dest, option in sorted(named.items(), key=lambda item: _RANKS[item[1].name]):
            if "qrels" in saved:  # saved scores were made with their own settings and measures
                if dest != "measures" or not option.required:
                    continue
            elif saved and dest == "measures":
                continue
            self.filled[dest] = setting = project.value(option.name)
            several = list(setting.value) if isinstance(setting.value, tuple) else [setting.value]
            setattr(arguments, dest, several if option.many else setting.value)
            _expand(option, arguments)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Keep the given texts, which argparse does not distinguish from defaults."""
        texts = [text for text in arg_strings if text != "--"]
        if action.option_strings:
            self._reject_second_corpus(action, texts)
            self.given.setdefault(action.dest, []).extend(texts or [""])
        elif texts:
            self.given[action.dest] = texts
        return super()._get_values(action, arg_strings)

    def _reject_second_corpus(self, action: argparse.Action, texts: list[str]) -> None:
        """Raise an error if a corpus is given twice, since only one would be used."""
        several = any(option.dest == "corpus" and option.many for option in self.options)
        if action.dest == "corpus" and action.dest in self.given and not several:
            name = action.option_strings[-1]
            message = f"{name} {self.given['corpus'][0]} and {name} {texts[0]} cannot be combined"
            raise ExcerptError(message, hint="a folder, or a pattern such as 'docs/*', names several files")

    def error(self, message: str) -> NoReturn:
        """Raise an error of argparse as an ExcerptError, in the words of other messages."""
        for pattern, words in _ARGPARSE.items():
            message = re.sub(pattern, words, message)
        raise ExcerptError(message, hint=f"try {self.prog} --help")

    def command(self) -> str:
        """Return the command for a report: without outputs, workers and folders."""
        import shlex

        words: list[str] = []
        options: list[str] = []
        known = {option.dest: option for option in self.options}
        set_ = {dest: _texts_of(setting) for dest, setting in self.filled.items()}
        for dest in dict.fromkeys([*(o.dest for o in self.options if not o.written), *self.given, *set_]):
            option, texts = known.get(dest), self.given.get(dest) or set_.get(dest) or []
            if option is None or not option.decides or option.role == "writes":
                continue
            shown = [_base(text) for text in texts] if option.role == "reads" else texts
            if not option.written:
                words += shown
            elif option.kind is FLAG:
                options.append(option.written[0])
            else:
                options += [word for text in shown for word in (option.written[0], text)]
        return shlex.join([*self.prog.split(), *words, *options])


def _usage_of(command: str, shown: Iterable[Option]) -> str:
    """Return the usage of a command in one line: `excerpt evaluate [options] QRELS RUN…`."""
    words = [f"excerpt {command}", "[options]"]
    for option in shown:
        if not option.written:
            name = option.metavar or option.name.upper()
            name += "…" if option.many and "…" not in name else ""
            is_needed = option.required or option.setting is not None
            words.append(name if is_needed else f"[{name}]")
    return " ".join(words)


def asks_for_all(given: Sequence[str]) -> bool:
    """Return whether `--help all` is among the words of a command, which always means help.

    >>> asks_for_all(["qrels.fol", "--help", "all"]), asks_for_all(["--", "--help", "all"])
    (True, False)
    """
    words = [*given][: [*given, "--"].index("--")]
    return any(pair in {("-h", "all"), ("--help", "all")} for pair in itertools.pairwise(words))


#: What a command does with its arguments; it may return an exit status.
CommandWork: TypeAlias = Callable[[Arguments], int | None]


def command(name: str, *options: Option, **how: Any) -> Callable[[CommandWork], CommandWork]:
    """Make a function of parsed arguments a command with these options; `how` is for its parser."""
    parser = partial(Parser, name, *options, **how)

    def register(work: CommandWork) -> CommandWork:
        REGISTERED[name] = Command(lambda given: work(parser().parse(given)), parser)
        return work

    return register


def command_of_several(
    name: str, noun: str, known: Mapping[str, str], column: int, example: str, kind: str = ""
) -> None:
    """Make a command of two words without the second one: its help has a line for each of the `known` ones.

    Their helps begin in a `column`; `kind` names them in errors, by default as `noun of name`.
    """
    article = "an" if noun[0] in "aeiou" else "a"
    hint = f"excerpt {name} {noun.upper()} --help explains {article} {noun}."

    def parser() -> Parser:
        import textwrap

        words = (f"  {word:<{column - 2}}{text}" for word, text in known.items())
        lines = "\n".join(textwrap.fill(line, 80, subsequent_indent=" " * column) for line in words)
        named = Option(noun, f"one of the {noun}s above", (), metavar=noun.upper(), required=True)
        result = Parser(name, named, example=example, more=f"\n\n{noun}s:\n{lines}\n\n{hint}")
        result.usage, result.is_list = f"excerpt {name} {noun.upper()} …", True
        return result

    def main(given: Sequence[str]) -> NoReturn:
        """Print the help; existing commands of two words never get here."""
        if not given or given[0] in {"-h", "--help"}:
            parser().parse(given)
        raise UnknownName(kind or f"{noun} of {name}", given[0], known)

    REGISTERED[name] = Command(main, parser)


def _has_place(option: Option, arguments: argparse.Namespace) -> bool:
    """Return whether a setting of looks concerns the output: those of LaTeX and of figures need these."""
    if option.setting != LOOKS:
        return True
    named = [getattr(arguments, name, None) or "" for name in ("figure", "output")]
    if option in LATEX:
        return getattr(arguments, "format", None) == "latex" or ".tex" in named[1]
    return option not in PAPER or any(name.endswith((".svg", ".pdf", ".png")) for name in named)


def _given(option: Option, arguments: argparse.Namespace) -> bool:
    """Return whether a required option is given; saved scores and pairs of measures name measures."""
    if getattr(arguments, option.dest) or (option.name == "measures" and getattr(arguments, "pair", None)):
        return True
    from excerpt.score_files.score_rows import is_scores

    return option.name == "measures" and is_scores(getattr(arguments, "qrels", None) or b"")


def _add(group: argparse._ActionsContainer, option: Option, **more: Any) -> None:
    how: dict[str, Any] = {"help": option.help, "default": option.default, **more}
    if option.setting == "policy":  # a Policy has its own defaults
        how["default"] = argparse.SUPPRESS
    elif option.many and option.written:
        how["default"] = None
    if option.kind is FLAG:
        group.add_argument(*option.written, dest=option.dest, action="store_const", const=True, **how)
        return
    how |= {"metavar": option.metavar, "choices": option.kind.choices or None, "type": _typed(option)}
    if option.written:
        how |= {"dest": option.dest, "required": bool(option.required) and option.setting is None}
        if option.words > 1 or option.alone is not None:
            how |= {"nargs": "?" if option.alone is not None else option.words, "const": option.alone}
        group.add_argument(*option.written, action="append" if option.many else "store", **how)
        return
    must = bool(option.required) and option.setting is None
    nargs = ("+" if must else "*") if option.many else (None if must else "?")
    group.add_argument(option.dest, nargs=nargs, **how)


def _typed(option: Option) -> Callable[[str], Any]:
    """Return the parser of an option's text, with argparse's type of error."""

    def parse(text: str) -> Any:
        try:
            return option.kind.convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def _set_verbosity(arguments: argparse.Namespace) -> None:
    """Set the verbosity of this command, and leave out the options that did."""
    for option in MESSAGES:
        if hasattr(arguments, option.dest):
            setattr(VERBOSITY, option.dest, True)
            delattr(arguments, option.dest)
    VERBOSITY.plain = getattr(arguments, "color", "auto") == "never"


def set_limit(size: str) -> None:
    """Set the limit of unpacked files in the environment, where worker processes find it as well."""
    from excerpt.files import LIMIT, parse_size

    os.environ[LIMIT] = str(parse_size(size))


def _expand(option: Option, arguments: argparse.Namespace) -> None:
    """Replace folders and @LIST by files, if an option allows them."""
    given = getattr(arguments, option.dest, None)
    if not given or option.holds not in _EXPANDED:
        return
    from excerpt.files import expand

    files = expand(given if option.many else [given])
    if option.holds == "run" and len(files) > 1:
        message = f"found {plural(len(files), 'file')} ({short_list(files, 3)}), expected one"
        raise ExcerptError(message, path=given, hint="name one of them")
    setattr(arguments, option.dest, files if option.many or len(files) > 1 else files[0])


def _names(arguments: argparse.Namespace, option: Option) -> list[str]:
    given = getattr(arguments, option.dest, None)
    listed = given if isinstance(given, list | tuple) else [given]
    return [name for name in listed if isinstance(name, str)]


def read_by(options: Iterable[Option], arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the kind of content and path of each input: named by options, or documents of a campaign."""
    for option in options:
        for name in _names(arguments, option) if option.role == "reads" else ():
            yield option.holds, name
            if option.holds == "campaign":
                from pathlib import Path

                from excerpt.assess.settings import read_settings

                with contextlib.suppress(ExcerptError):  # reported when the campaign is opened
                    corpus = read_settings(Path(name)).corpus
                    yield from (("corpus", os.path.join(name, path)) for path in corpus)  # noqa: PTH118


def keep_inputs(
    options: Iterable[Option], arguments: argparse.Namespace, further: Iterable[tuple[str, str]] = ()
) -> None:
    """Raise an error if an output is also an input, or if two outputs have the same name.

    `further` are inputs that no option names, each with the kind of its content.
    """
    options = list(options)
    outputs = [
        (name, path)
        for option in options
        for name in (_names(arguments, option) if option.role == "writes" else ())
        for path in ([name, name + option.companion] if option.companion else [name])
        if name != _STDIN
    ]
    read = [each for each in (*read_by(options, arguments), *further) if each[1] != _STDIN] if outputs else []
    written: set[str] = set()
    for name, path in outputs:
        target = os.path.realpath(path)
        if any(_reads(holds, given, target) for holds, given in read):
            raise ExcerptError("is an input; choose another name for the output", path=name)
        if target in written and (os.path.isfile(target) or not os.path.exists(target)):  # noqa: PTH110, PTH113
            raise ExcerptError("is named for two outputs; choose a name for each", path=name)
        written.add(target)


def _reads(holds: str, given: str, target: str) -> bool:
    """Return whether an output is an input, inside an input folder, or a folder with an input."""
    if holds == "corpus":
        from excerpt.files import split_parser

        given, _ = split_parser(given)
    source = os.path.realpath(given)
    inside = target.startswith(source.rstrip(os.sep) + os.sep)
    if holds == "campaign":
        return target == source or inside
    if os.path.isdir(target) and os.path.exists(source):  # noqa: PTH110, PTH112 - folders are replaced as a whole
        return source == target or (holds == "corpus" and source.startswith(target.rstrip(os.sep) + os.sep))
    if not os.path.isfile(target):  # noqa: PTH113 - devices may be read and written
        return target == source and not os.path.exists(target)  # noqa: PTH110
    if os.path.exists(source):  # noqa: PTH110
        same = os.path.samefile(source, target)  # noqa: PTH121 - also by another name
        return same or (inside and (holds != "corpus" or _is_of_corpus(source, target)))
    if holds != "corpus":
        return False
    import glob

    return target in map(os.path.realpath, glob.glob(given, recursive=True))  # noqa: PTH207


def _is_of_corpus(folder: str, file: str) -> bool:
    """Return whether a file of a folder is one of its documents, or part of an index."""
    from pathlib import Path

    from excerpt.documents.outputs import is_output
    from excerpt.index.disk import is_index
    from excerpt.model.document_names import kind_of

    named = bool(kind_of(os.path.basename(file)))  # noqa: PTH119
    return (named and not is_output(file)) or is_index(Path(folder))


def _listed_sources(settings: Iterable[EffectiveSetting]) -> str:
    """Return settings by source: `excerpt.toml: qrels, runs, overlap first; EXCERPT_LIMIT: limit 100`."""
    by: dict[str, list[str]] = {}
    for each in settings:
        source = each.origin.rpartition(":")[0] or each.origin
        named = each.setting.role == "reads" or isinstance(each.value, tuple)
        by.setdefault(source, []).append(each.setting.name if named else f"{each.setting.name} {each.text}")
    return "; ".join(f"{source}: {', '.join(names)}" for source, names in by.items())


def _texts_of(setting: EffectiveSetting) -> list[str]:
    """Return a setting as the words of a command line."""
    if setting.setting.kind is FLAG:
        return [""] if setting.value else []
    return list(setting.value) if setting.setting.many else [setting.text]


def _base(name: str) -> str:
    """Return a name without folders; a leading @ stays."""
    mark = "@" if name.startswith("@") else ""
    documents, at, parser = name[len(mark) :].rpartition("@")
    if at and documents and not os.path.exists(name):  # noqa: PTH110 - a corpus with its parser
        return f"{mark}{_base(documents)}@{_base(parser)}"
    return mark + (os.path.basename(name[len(mark) :].rstrip("/\\")) or name)  # noqa: PTH119


def check_cutting(arguments: argparse.Namespace) -> bool:
    """Return whether files of the corpus are to be split into documents; raise an error without a corpus."""
    given = [option for option in CUTTING if getattr(arguments, option.dest, None) is not None]
    if given and arguments.corpus is None:
        raise ExcerptError(f"--{given[0].name} needs --corpus")
    return bool(given)


def chosen_corpus(arguments: argparse.Namespace) -> Any:
    """Return the name of the corpus, or the opened corpus if options say how its files are read."""
    given = chosen(arguments, OPENING)
    if not check_cutting(arguments) and not any(given.values()):
        return arguments.corpus
    if arguments.corpus is None:  # settings of a corpus that this call does not have
        return None
    from excerpt.corpus import Corpus

    context: Any = getattr(arguments, "context", None) or "paragraph"
    return Corpus.read(arguments.corpus, context=context, **given)


def chosen(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """Return the values of options that are not None, by name."""
    values = {option.dest: getattr(arguments, option.dest, None) for option in options}
    return {name: value for name, value in values.items() if value is not None}


def chosen_policy(arguments: argparse.Namespace) -> Policy:
    """Return the policy from options and settings."""
    from excerpt.model import Policy

    return Policy(**{name: value for name, value in vars(arguments).items() if name in _POLICY})


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return how runs are read and scored, as keyword arguments of `evaluate`."""
    how = chosen(arguments, without(READING, *OPENING))
    if "corpus" in arguments:
        how["corpus"] = chosen_corpus(arguments)
    if not _POLICY.isdisjoint(vars(arguments)):
        how["policy"] = chosen_policy(arguments)
    return {name: value for name, value in how.items() if value is not None}


def scoring(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return how runs are read and scored, and by which processes."""
    return {**reading(arguments), **chosen(arguments, ENGINE)}
