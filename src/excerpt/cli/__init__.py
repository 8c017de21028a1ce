"""The command line: one module per command, imported only when it is called."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Collection, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from excerpt.cli.filling import fill, told
from excerpt.cli.inputs import keep_inputs
from excerpt.cli.manner import MANNER
from excerpt.cli.streams import forget, tell, usable_streams
from excerpt.cli.telling import add_telling, note, status_of, warn
from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.experiments.table import EXPERIMENTS

if TYPE_CHECKING:
    from excerpt.project.holding import Held

#: The commands of experiments, from their table; those on stability are commands of one.
_EXPERIMENTS = {
    **{name: experiment.help for name, experiment in EXPERIMENTS.items() if " " not in name},
    "stability": "is the ranking of runs stable with fewer judgments or topics?",
}
#: The commands of a campaign of judging, `excerpt assess NAME`, each in a module of its own.
CAMPAIGN = {
    "new": "make the folder of a campaign from documents, topics and a pool",
    "serve": "let people judge in their browsers, until Ctrl-C",
    "people": "add, remove and list those who judge; prints their links",
    "status": "how far it is: by topic and assessor, time per document, what is owed",
    "export": "write the judgments as qrels, with where they come from",
    "agreement": "how far do assessors agree, and what does it do to the ranking of runs?",
    "rebuild": "make the database of a campaign again from its journal",
    "demo": "judge documents of the collection that ships with the package, right away",
}
#: Every command with its one-line help.
COMMANDS = {
    "demo": "evaluate the runs of the collection that ships with the package",
    "evaluate": "score runs against judgments",
    "curve": "score runs at many cut-offs, as numbers or as a figure",
    "report": "one HTML file of scores, comparisons, topics and texts, to look at and pass on",
    "explore": "look at runs, topics and texts in the browser, from a server on this machine",
    "show": "one topic of a run on the terminal: retrieved against relevant text",
    "inex_eval": "drop-in replacement for the official tool inex_eval 3.1",
    "trec_eval": "the lines of trec_eval 10 for runs of whole documents beside TREC qrels",
    "place": "find where chunks stand in their documents, whatever their offsets say",
    "chunks": "score chunkers without a retriever: what they lose, cut and dilute",
    "explain": "where a run fails, and why: missed passages with the reason, and what was returned instead",
    "gate": "is a run worse than before? by its exit status, for continuous integration",
    "funnel": "how much relevant text was retrieved, and of that cited; what was cited in vain",
    "index": "index an XML corpus: where every element begins and ends",
    "pool": "choose what is to be judged: documents or passages that runs returned",
    "assess": "make judgments: a campaign in which people read and highlight",
    **_EXPERIMENTS,
    "rerun": "repeat an experiment from its record",
    "topics": "list topics with what they ask for, check them, write them in another format",
    "convert": "convert runs or judgments to another format",
    "check": "find every fault in run and judgment files, with its line",
    "measures": "list the measures, with definitions and references",
    "formats": "list the file formats",
    "quantisations": "list the quantisations: how grades of elements become numbers",
    "completion": "a script by which bash, zsh or fish completes commands, options and their values",
    "config": "which settings hold here, by excerpt.toml and variables, and where each comes from",
}


#: Commands that multiply large matrices (resampling, correlations). The others need no threads for that, and
#: numpy would start as many as the machine has cores: on two cores a tenth of the time of evaluating a run.
_MATRICES = {*_EXPERIMENTS, "rerun"}


def command_of(name: str) -> Any:
    """What has `parser()` and `main(given)` of a command: its module, or its entry among the experiments.

    Commands of two words have a module for each second one: `assess new` is `excerpt.cli.assess_new`.
    """
    if name in EXPERIMENTS:
        from excerpt.cli.experiment import Command

        return Command(name)
    return import_module(f"excerpt.cli.{name.replace(' ', '_')}")


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, as all errors of excerpt."""

    def __init__(
        self, command: str, *, example: str, help_: str = "", own: Collection[str] | None = ()
    ) -> None:
        """A parser of a command; `own` are arguments that mean something else than a project's setting.

        With None nothing is set elsewhere.
        """
        text = help_ or COMMANDS.get(command) or CAMPAIGN[command.removeprefix("assess ")]
        super().__init__(
            prog=f"excerpt {command}",
            description=text[0].upper() + text[1:] + ("" if text.endswith(("?", ")")) else "."),
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self._telling = add_telling(self)
        self._own = own
        self._needed: dict[str, str] = {}
        #: Options that the user gave, and what was set elsewhere, by the names of arguments.
        self.given: set[str] = set()
        self.filled: dict[str, Held] = {}

    def format_help(self) -> str:
        """The help; what all commands take stands last."""
        self._action_groups.sort(key=lambda group: group is self._telling)
        return super().format_help()

    def print_help(self, file: Any = None) -> None:
        """Print the help; argparse would be silent where it cannot be written."""
        print(self.format_help(), end="", file=file)

    def parse(self, given: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments; options may stand between files, and no output may be an input.

        What is not given may be set by the project's file or by variables.
        """
        arguments = self.parse_intermixed_args(given)
        if self._own is not None:
            self.filled = fill(self, arguments, self.given, own=self._own, needed=self._needed)
        lacking = [shown for dest, shown in self._needed.items() if not getattr(arguments, dest)]
        if lacking:
            self.error(f"the following arguments are required: {', '.join(lacking)}")
        if self.filled:
            note(f"by {told(self.filled)}")
        keep_inputs(arguments)
        return arguments

    def need(self, dest: str, shown: str) -> None:
        """An argument must be given, or set elsewhere; errors call it as `shown`."""
        self._needed[dest] = shown

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Note what is given: argparse does not tell it from what holds otherwise."""
        if action.option_strings:
            self.given.add(action.dest)
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        """Raise what argparse found as an error of the user's."""
        raise ExcerptError(message, hint=f"try {self.prog} --help")


def overview() -> str:
    """What `excerpt --help` prints."""
    lines = [f"  {name:<13}  {text}" for name, text in COMMANDS.items()]
    return "\n".join(
        [
            "usage: excerpt COMMAND …",
            "",
            "Measure focused retrieval: search that returns the right part of a document.",
            "",
            "commands:",
            *lines,
            "",
            "excerpt COMMAND --help explains a command; excerpt --version prints the version.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a user's mistake is printed in one line and gives exit status 2."""
    MANNER.begin()
    with usable_streams():
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        except ExcerptError as error:
            tell(f"{error.say(as_option)}{_advice(error)}")
            return 2
        except BrokenPipeError:  # the reader of our output has gone; nobody is left to tell
            forget(sys.stdout)
            return 1
        except OSError as error:
            forget(sys.stdout)
            tell(f"{error.filename or 'cannot write the output'}: {error.strerror or error}")
            return 2
        except MemoryError as error:
            tell(_shortage(error))
            return 2
        except KeyboardInterrupt as interrupt:
            tell("; ".join(["interrupted", *getattr(interrupt, "__notes__", [])]))
            if arguments is None:
                _end_by_interrupt()
            return 130


def _run(given: list[str]) -> int:
    try:
        return status_of(_dispatch(given))
    finally:
        sys.stdout.flush()  # while what cannot be written can still be told


def _shortage(error: MemoryError) -> str:
    """What to say where memory ends; numpy knows how much it wanted."""
    size = re.search(r"allocate ([\d.]+ \w+)", str(error))
    return f"not enough memory{f' (a piece of {size[1]} did not fit)' if size else ''}"


def _end_by_interrupt() -> None:
    """End this process by the signal itself, where there are signals: a loop of a shell stops only then."""
    if os.name == "posix":
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)


#: Settings whose option has another name, or takes a file.
_OPTIONS = {
    "corpus": "--corpus CORPUS",
    "index": "--index INDEX",
    "topics": "--topics FILE",
    "format": "--to {}",
    "output_format": "--format {}",
    "command": "excerpt {}",
}


def as_option(setting: str, value: str) -> str:
    """How a setting is written on the command line.

    >>> as_option("overlap", "first"), as_option("index", "")
    ('--overlap first', '--index INDEX')
    """
    return _OPTIONS.get(setting, f"--{setting.replace('_', '-')} {{}}").format(value).strip()


def _advice(error: ExcerptError) -> str:
    """What to try where the error itself does not say."""
    if (
        isinstance(error, FormatError)
        and error.line is not None
        and not error.hint
        and error.path
        and error.path[0] != "<"
        and error.listed_by
    ):
        return f"; excerpt {error.listed_by} {error.path} lists every fault"
    return ""


def _dispatch(given: list[str]) -> int:
    if not given or given[0] in {"-h", "--help", "help"}:
        print(overview())
        return 0
    if given[0] in {"-V", "--version"}:
        from excerpt import __version__

        print(f"excerpt {__version__}")
        return 0
    if given[0] not in COMMANDS:
        raise UnknownName("command", given[0], COMMANDS)
    if given[0] not in _MATRICES:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported
    name = " ".join(given[:2])
    if name in EXPERIMENTS or name in {f"assess {word}" for word in CAMPAIGN}:  # those of two words
        return int(command_of(name).main(given[2:]) or 0)
    return int(command_of(given[0]).main(given[1:]) or 0)


def show_warnings(warnings: Iterable[str]) -> None:
    """Print warnings on standard error, one line each."""
    for warning in warnings:
        warn(warning)
