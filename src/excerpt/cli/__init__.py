"""The command line: the table of commands; the module of each is imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from excerpt.cli.console import VERBOSITY, forget, status_of, tell, usable_streams
from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.experiments.table import EXPERIMENTS

TYPE_CHECKING = False  # as typing has it, which is half of what a start without numpy loads
if TYPE_CHECKING:
    from typing import Any

#: The commands of experiments, from their table; those on stability are commands of one.
_EXPERIMENTS = {
    **{name: experiment.help for name, experiment in EXPERIMENTS.items() if " " not in name},
    "stability": "is the ranking of runs stable with fewer judgments or topics?",
}
#: The commands of a campaign of judging, `excerpt assess NAME`.
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


#: Modules that several commands share: there, the functions of each begin with the last word of its name.
_SHARED = {
    "listings": ("measures", "formats", "quantisations", "config"),
    "check": ("check", "convert"),
    "place": ("place", "chunks"),
    "explain": ("explain", "funnel"),
    "report": ("report", "explore"),
    "experiment": ("stability", "stability all", "rerun"),
    "assess": ("assess", *(f"assess {word}" for word in CAMPAIGN if word not in {"new", "demo", "serve"})),
    "assess_new": ("assess new", "assess demo"),
}
_MODULES = {name: module for module, names in _SHARED.items() for name in names}


class Command:
    """A command: what runs it, and what makes its parser; usage stands for that of official tools."""

    def __init__(
        self,
        main: Callable[[Sequence[str]], int | None],
        parser: Callable[[], Any] | None,
        usage: Callable[[], str] = str,
    ) -> None:
        self.main, self.parser, self._usage = main, parser, usage

    def help(self) -> str:
        """What --help prints."""
        return str(self.parser().format_help()) if self.parser else self._usage()


def command_of(name: str) -> Command:
    """A command by its name, of one word or two."""
    if name in EXPERIMENTS:
        from excerpt.cli.experiment import experiment_main, experiment_parser

        return Command(partial(experiment_main, name), partial(experiment_parser, name))
    module = import_module(f"excerpt.cli.{_MODULES.get(name, name.replace(' ', '_'))}")
    if name not in _MODULES:
        return Command(module.main, getattr(module, "parser", None), getattr(module, "usage", str))
    function = name.removeprefix("assess ").replace(" ", "_")
    return Command(getattr(module, f"{function}_main"), getattr(module, f"{function}_parser"))


#: Every command of two words, with its one-line help.
FURTHER = {
    **{f"assess {word}": text for word, text in CAMPAIGN.items()},
    **{name: experiment.help for name, experiment in EXPERIMENTS.items() if " " in name},
    "stability all": "pool, topics and errors together",
}


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
    VERBOSITY.begin()
    with usable_streams():
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        except ExcerptError as error:
            from excerpt.options import as_option

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
    import re

    size = re.search(r"allocate ([\d.]+ \w+)", str(error))
    return f"not enough memory{f' (a piece of {size[1]} did not fit)' if size else ''}"


def _end_by_interrupt() -> None:
    """End this process by the signal itself, where there are signals: a loop of a shell stops only then."""
    if os.name == "posix":
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)


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
    words = 2 if " ".join(given[:2]) in FURTHER else 1
    return int(command_of(" ".join(given[:words])).main(given[words:]) or 0)
