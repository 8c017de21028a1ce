"""Parsers of commands, made from the table of options: arguments are parsed, filled in, expanded, guarded.

What is not given may be set by excerpt.toml or by variables; names of files are expanded; what a command
reads is never what it writes.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from excerpt.cli import CAMPAIGN, COMMANDS
from excerpt.cli.console import DOUBTFUL, VERBOSITY, note
from excerpt.errors import ExcerptError, plural, short_list
from excerpt.options import (
    CUTTING,
    ENGINE,
    FLAG,
    OTHERS,
    POLICY,
    PREFIX,
    READING,
    SETTINGS,
    Option,
    project_file,
    without,
)

if TYPE_CHECKING:
    from excerpt.model import Policy
    from excerpt.project import Held

_STDIN = "-"
#: What may also be a folder, or @LIST.
_EXPANDED = {"files", "run", "side"}
_POLICY = {option.dest for option in POLICY}
_PLACES = {name: place for place, name in enumerate(SETTINGS)}
#: What every command takes.
SAID = (
    Option("quiet", "say errors only: no warnings, notes or progress", kind=FLAG, decides=False),
    Option(
        "strict",
        f"take warnings for errors: exit status {DOUBTFUL} if there are any",
        kind=FLAG,
        decides=False,
    ),
)


def _terminal_width() -> int:
    """The width of help, as argparse finds it, but without what it loads for that."""
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


class Parser(argparse.ArgumentParser):
    """A parser of some options, whose errors are one line, as all errors of excerpt."""

    def __init__(
        self, command: str, *options: Option, example: str, help_: str = "", settings: bool = True
    ) -> None:
        """A parser of a command; without `settings` nothing is set elsewhere."""
        text = help_ or COMMANDS.get(command) or CAMPAIGN[command.removeprefix("assess ")]
        width = _terminal_width()  # asked for once, not for every argument
        super().__init__(
            prog=f"excerpt {command}",
            description=text[0].upper() + text[1:] + ("" if text.endswith(("?", ")")) else "."),
            epilog=f"example:\n  {example}",
            formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=width),
            allow_abbrev=False,
        )
        self.options = options
        self._settings = settings
        #: Texts that the user gave, and what was set elsewhere, by the names of arguments.
        self.given: dict[str, list[str]] = {}
        self.filled: dict[str, Held] = {}
        groups: dict[str, Any] = {"": self}
        for option in options:
            if option.group not in groups:
                groups[option.group] = self.add_argument_group(option.group)
            place, rivals = groups[option.group], f"either {option.either}"
            if option.either and rivals not in groups:
                groups[rivals] = place.add_mutually_exclusive_group()
            _add(groups[rivals] if option.either else place, option)
        said = self.add_argument_group("what is said")
        for option in SAID:
            _add(said, option, default=argparse.SUPPRESS)

    def print_help(self, file: Any = None) -> None:
        """Print the help; argparse would be silent where it cannot be written."""
        print(self.format_help(), end="", file=file)

    def parse(self, given: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments; options may stand between files, and no output may be an input."""
        arguments = self.parse_intermixed_args(given)
        for option in SAID:
            if hasattr(arguments, option.dest):
                setattr(VERBOSITY, option.dest, True)
                delattr(arguments, option.dest)
        VERBOSITY.plain = getattr(arguments, "color", "auto") == "never"
        if size := getattr(arguments, "max_size", None):
            set_limit(size)
        for option in self.options:
            _expand(option, arguments)
        if self._settings and _set_elsewhere():
            self._fill(arguments)
        lacking = [each.shown for each in self.options if each.required and not getattr(arguments, each.dest)]
        if lacking:
            self.error(f"the following arguments are required: {', '.join(lacking)}")
        if self.filled:
            note(f"by {_told_sources(self.filled.values())}")
        read = [
            name for option in self.options if option.role == "reads" for name in _names(arguments, option)
        ]
        if read.count(_STDIN) > 1:
            raise ExcerptError("standard input can be read once", hint="give one of the two as a file")
        keep_inputs(self.options, arguments, self._further())
        return arguments

    def _further(self) -> Iterator[tuple[str, str]]:
        """Files that are read beside those that options name: lists of files, the file of a project."""
        for dest in (option.dest for option in self.options if option.holds in _EXPANDED):
            filled = _texts_of(self.filled[dest]) if dest in self.filled else []
            yield from (
                ("file", name[1:]) for name in (*self.given.get(dest, ()), *filled) if name[:1] == "@"
            )
        if project := project_file(os.environ):
            yield "file", project

    def _fill(self, arguments: argparse.Namespace) -> None:
        """Fill in what a project's file or variables set, where it is not given."""
        from excerpt.project import Project

        project = Project.here()
        named = {
            option.dest: option
            for option in self.options
            if option.setting is not None and not self.given.get(option.dest) and project.names(option.name)
        }
        if not named:
            return
        from excerpt.files import is_scores

        saved = {dest for dest in ("qrels", "baseline") if is_scores(getattr(arguments, dest, None) or b"")}
        for dest, option in sorted(named.items(), key=lambda item: _PLACES[item[1].name]):
            if "qrels" in saved:  # saved scores were made by settings of their own, and have their measures
                if dest != "measures" or not option.required:
                    continue
            elif saved and dest == "measures":
                continue
            self.filled[dest] = held = project.value(option.name)
            setattr(arguments, dest, list(held.value) if isinstance(held.value, tuple) else held.value)
            _expand(option, arguments)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Note what is given: argparse does not tell it from what holds otherwise."""
        texts = [text for text in arg_strings if text != "--"]
        if action.option_strings:
            self._refuse_second(action, texts)
            self.given.setdefault(action.dest, []).extend(texts or [""])
        elif texts:
            self.given[action.dest] = texts
        return super()._get_values(action, arg_strings)

    def _refuse_second(self, action: argparse.Action, texts: list[str]) -> None:
        """An error where a corpus is given twice: one of the two would not count."""
        if action.dest == "corpus" and action.dest in self.given:
            name = action.option_strings[-1]
            raise ExcerptError(
                f"found {name} {self.given['corpus'][0]} and {name} {texts[0]}, expected it once",
                hint="a folder, or a pattern such as 'docs/*', names several files",
            )

    def error(self, message: str) -> NoReturn:
        """Raise what argparse found as an error of the user's."""
        raise ExcerptError(message, hint=f"try {self.prog} --help")

    def command(self) -> str:
        """The command that was given, for a report: without output and workers, and without any folder."""
        import shlex

        words: list[str] = []
        options: list[str] = []
        known = {option.dest: option for option in self.options}
        set_ = {dest: _texts_of(held) for dest, held in self.filled.items()}
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


def _add(place: argparse._ActionsContainer, option: Option, **more: Any) -> None:
    """Tell argparse of an option."""
    how: dict[str, Any] = {"help": option.help, "default": option.default, **more}
    if option.setting == "policy":  # which has its own defaults
        how["default"] = argparse.SUPPRESS
    elif option.many and option.written:
        how["default"] = None
    if option.kind is FLAG:
        place.add_argument(*option.written, dest=option.dest, action="store_const", const=True, **how)
        return
    how |= {"metavar": option.metavar, "choices": option.kind.choices or None, "type": _typed(option)}
    if option.written:
        how |= {"dest": option.dest, "required": bool(option.required) and option.setting is None}
        place.add_argument(*option.written, action="append" if option.many else "store", **how)
        return
    must = bool(option.required) and option.setting is None
    nargs = ("+" if must else "*") if option.many else (None if must else "?")
    place.add_argument(option.dest, nargs=nargs, **how)


def _typed(option: Option) -> Callable[[str], Any]:
    """What parses the text of an option as argparse wants it."""

    def parse(text: str) -> Any:
        try:
            return option.kind.parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def set_limit(size: str) -> None:
    """Set how much a compressed file may unpack to where the processes that share the work find it, too."""
    from excerpt.files import LIMIT, parse_size

    os.environ[LIMIT] = str(parse_size(size))


def _set_elsewhere() -> bool:
    """Whether there is a file of a project, or a variable of ours."""
    others = any(name.startswith(PREFIX) and name not in OTHERS for name in os.environ)
    return others or project_file(os.environ) is not None


def _expand(option: Option, arguments: argparse.Namespace) -> None:
    """Put the files in the place of folders and of @LIST, where an option takes these."""
    given = getattr(arguments, option.dest, None)
    if not given or option.holds not in _EXPANDED:
        return
    from excerpt.files import expand

    files = expand(given if option.many else [given])
    if option.holds == "run" and len(files) > 1:
        raise ExcerptError(
            f"found {plural(len(files), 'file')} ({short_list(files, 3)}), expected one",
            path=given,
            hint="name one of them",
        )
    setattr(arguments, option.dest, files if option.many or len(files) > 1 else files[0])


def _names(arguments: argparse.Namespace, option: Option) -> list[str]:
    """The paths that an option names."""
    given = getattr(arguments, option.dest, None)
    listed = given if isinstance(given, list | tuple) else [given]
    return [name for name in listed if isinstance(name, str)]


def read_by(options: Iterable[Option], arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """What is read, each with what it holds: what options name, and the documents of a campaign."""
    for option in options:
        for name in _names(arguments, option) if option.role == "reads" else ():
            yield option.holds, name
            if option.holds == "campaign":
                from pathlib import Path

                from excerpt.assess.settings import read_settings

                with contextlib.suppress(ExcerptError):  # whoever opens it says why
                    corpus = read_settings(Path(name)).corpus
                    yield from (("corpus", os.path.join(name, path)) for path in corpus)  # noqa: PTH118


def keep_inputs(
    options: Iterable[Option], arguments: argparse.Namespace, further: Iterable[tuple[str, str]] = ()
) -> None:
    """An error where a file would be written that is also read, or two results into one file.

    `further` is what is read beside what options name, each with what it holds.
    """
    options = list(options)
    outputs = [
        (name, path)
        for option in options
        for name in (_names(arguments, option) if option.role == "writes" else ())
        for path in ([name, name + option.beside] if option.beside else [name])
        if name != _STDIN
    ]
    read = [each for each in (*read_by(options, arguments), *further) if each[1] != _STDIN] if outputs else []
    written: set[str] = set()
    for name, path in outputs:
        place = os.path.realpath(path)
        if any(_reads(holds, given, place) for holds, given in read):
            raise ExcerptError("is an input, expected another name for the output", path=name)
        if place in written and (os.path.isfile(place) or not os.path.exists(place)):  # noqa: PTH110, PTH113
            raise ExcerptError("is named for two outputs, expected a name for each", path=name)
        written.add(place)


def _reads(holds: str, given: str, place: str) -> bool:
    """Whether a file is what an argument names, or is there in what it names; of a folder, what is in it."""
    own = os.path.realpath(given)
    inside = place.startswith(own.rstrip(os.sep) + os.sep)
    if holds == "campaign":
        return place == own or inside
    if os.path.isdir(place) and os.path.exists(own):  # noqa: PTH110, PTH112 - folders are written as a whole
        return own == place or (holds == "corpus" and own.startswith(place.rstrip(os.sep) + os.sep))
    if not os.path.isfile(place):  # noqa: PTH113 - devices take what comes
        return place == own and not os.path.exists(place)  # noqa: PTH110
    if os.path.exists(own):  # noqa: PTH110
        same = os.path.samefile(own, place)  # noqa: PTH121 - also by another name
        return same or (inside and (holds != "corpus" or _is_of_corpus(own, place)))
    if holds != "corpus":
        return False
    import glob

    return place in map(os.path.realpath, glob.glob(given, recursive=True))  # noqa: PTH207


def _is_of_corpus(folder: str, place: str) -> bool:
    """Whether a file of a folder is one of its documents, or of an index; others may lie there."""
    from pathlib import Path

    from excerpt.documents.entry import kind_of
    from excerpt.index.disk import is_index

    return bool(kind_of(os.path.basename(place))) or is_index(Path(folder))  # noqa: PTH119


def _told_sources(held: Iterable[Held]) -> str:
    """Who has set what: `excerpt.toml: qrels, runs, overlap first; EXCERPT_LIMIT: limit 100`."""
    by: dict[str, list[str]] = {}
    for each in held:
        place = each.origin.rpartition(":")[0] or each.origin
        named = each.setting.role == "reads" or isinstance(each.value, tuple)
        by.setdefault(place, []).append(each.setting.name if named else f"{each.setting.name} {each.told}")
    return "; ".join(f"{place}: {', '.join(names)}" for place, names in by.items())


def _texts_of(held: Held) -> list[str]:
    """What was set elsewhere as it would have been given."""
    if held.setting.kind is FLAG:
        return [""] if held.value else []
    return list(held.value) if isinstance(held.value, tuple) else [held.told]


def _base(name: str) -> str:
    """A name without folders; lists of names and standard input keep their marks."""
    mark = "@" if name.startswith("@") else ""
    return mark + (os.path.basename(name[len(mark) :].rstrip("/\\")) or name)  # noqa: PTH119


def check_cutting(arguments: argparse.Namespace) -> bool:
    """Whether a corpus is to be cut into documents; an error where there is none."""
    given = [option for option in CUTTING if getattr(arguments, option.dest, None) is not None]
    if given and arguments.corpus is None:
        raise ExcerptError(f"found --{given[0].name} without --corpus, expected files to cut into documents")
    return bool(given)


def chosen_corpus(arguments: argparse.Namespace) -> Any:
    """The corpus that was named; opened where it is to be cut, since its name does not say how."""
    if not check_cutting(arguments):
        return arguments.corpus
    from excerpt.corpus import Corpus

    context: Any = getattr(arguments, "context", None) or "paragraph"
    return Corpus.read(arguments.corpus, context=context, **chosen(arguments, CUTTING))


def chosen(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """The values of options that a command has, but for those that say nothing."""
    values = {option.dest: getattr(arguments, option.dest, None) for option in options}
    return {name: value for name, value in values.items() if value is not None}


def chosen_policy(arguments: argparse.Namespace) -> Policy:
    """The policy that was given or set elsewhere; it has its own defaults."""
    from excerpt.model import Policy

    return Policy(**{name: value for name, value in vars(arguments).items() if name in _POLICY})


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """How runs are read and scored, by the options for it that a command has: arguments of `evaluate`."""
    how = chosen(arguments, without(READING, *CUTTING))
    if "corpus" in arguments:
        how["corpus"] = chosen_corpus(arguments)
    if not _POLICY.isdisjoint(vars(arguments)):
        how["policy"] = chosen_policy(arguments)
    return {name: value for name, value in how.items() if value is not None}


def scoring(arguments: argparse.Namespace) -> dict[str, Any]:
    """How runs are read and scored, and by whom."""
    return {**reading(arguments), **chosen(arguments, ENGINE)}
