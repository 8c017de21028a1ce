"""Command line: the table of commands. The module of a command is imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from excerpt.cli.console import (
    STATUSES,
    VERBOSITY,
    discard_output,
    heard,
    print_message,
    status_of,
    usable_streams,
)
from excerpt.errors import ExcerptError, FormatError, UnknownName, shorten
from excerpt.experiments.table import EXPERIMENTS

TYPE_CHECKING = False  # not from typing, which is half of what a start without numpy loads
if TYPE_CHECKING:
    from excerpt.cli.parser import Parser

#: Commands of experiments, from their table; `stability` has several of its own.
_EXPERIMENTS = {
    **{name: experiment.help for name, experiment in EXPERIMENTS.items() if " " not in name},
    "stability": "is the ranking of runs stable with fewer judgments or topics?",
}
#: Commands of an assessment campaign, `excerpt assess NAME`.
CAMPAIGN = {
    "new": "create a campaign folder from documents, topics and a pool",
    "serve": "serve a campaign to the browsers of assessors, until Ctrl-C",
    "people": "add, remove or list assessors, and print their links",
    "assign": "assign topics or documents to assessors, or print the assignment",
    "extend": "add the documents of a further pool to a campaign",
    "adjudicate": "list the documents on which assessors differ, to be decided",
    "status": "show progress by topic and assessor, time, missing input",
    "export": "export judgments as qrels, with their provenance",
    "agreement": "measure agreement of assessors and its effect on rankings",
    "release": "write judgments, topics, pool and origin into one archive",
    "rebuild": "rebuild the database of a campaign from its journal",
    "demo": "assess documents of the example collection right away",
}
#: Scorers of other tracks, `excerpt official NAME`.
OFFICIAL = {
    "genomics": "score runs with the lines of trecgen2007_score.py (TREC Genomics 2006, 2007)",
    "bioasq": "score systems with the figures of BioASQ's program (task B, phase A)",
    "kilt": "score retrieved pages with the lines of KILT's eval_retrieval.py",
    "nuggets": "score assignments of nuggets with the lines of nuggetizer (TREC RAG)",
    "epicqa": "score ranked answers with the lines of epic_eval.py (EPIC-QA)",
}
#: Every command with its one-line help.
COMMANDS = {
    "demo": "evaluate the example runs that ship with the package",
    "evaluate": "score runs against judgments",
    "curve": "score runs at many cut-offs, as numbers or as a figure",
    "report": "write one HTML file with scores, comparisons, topics and texts",
    "explore": "browse scores, topics and texts from a server on this machine",
    "show": "print one topic of a run: retrieved against relevant text",
    "inex_eval": "score runs with the options and output lines of inex_eval 3.1",
    "trec_eval": "score runs with the options and output lines of trec_eval 10",
    "official": "score runs with the official programs of other tracks",
    "try": "try chunkers and retrievers on your own documents and questions",
    "place": "locate chunks in their documents without trusting their offsets",
    "align": "carry spans to another version of the documents",
    "chunks": "score chunkers alone: text lost, passages split, precision",
    "explain": "show why passages were missed and what was retrieved instead",
    "gate": "fail a CI build if a run is significantly worse than a baseline",
    "funnel": "measure how much relevant text was retrieved and then cited",
    "citations": "check whether the quotes in answers are real",
    "index": "index an XML corpus: the offsets of every element",
    "pool": "build a judgment pool from runs",
    "assess": "run an assessment campaign in the browser",
    "gold": "write questions with quotes from your documents, in the browser",
    "judges": "how far do judgments agree: people, models, files, a campaign?",
    **_EXPERIMENTS,
    "rerun": "repeat an experiment from its record",
    "render": "print or draw what was saved: scores, rows of an experiment",
    "topics": "list and check topics, or convert them to another format",
    "convert": "convert runs or judgments to another format",
    "check": "list every fault in run and judgment files, with its line",
    "measures": "list the measures, with definitions and references",
    "formats": "list the file formats",
    "quantisations": "list the quantisations: how grades of elements become gains",
    "completion": "print a shell-completion script for bash, zsh or fish",
    "config": "show the effective settings and the source of each",
}

#: Commands by what one wants, the most frequent ones of each group first.
GROUPS: dict[str, tuple[str, ...]] = {
    "Score and look": (
        *("evaluate", "report", "explain"),
        *("demo", "render", "explore", "show", "curve", "official", "inex_eval", "trec_eval"),
    ),
    "Chunks and answers": ("try", "gate", "place", "chunks", "funnel", "citations"),
    "Compare and be sure": (
        *("compare", "stability"),
        *("power", "agreement", "testerror", "correlate", "anova", "rerun"),
    ),
    "Judge": ("pool", "assess", "gold", "judges"),
    "Files": (
        *("check", "convert"),
        *("align", "index", "topics", "measures", "formats", "quantisations", "config", "completion"),
    ),
}
#: Commands that the first page of help shows.
FIRST_COMMANDS = {
    *("evaluate", "report", "explain", "try", "gate", "compare", "stability", "pool", "assess", "judges"),
    *("check", "convert"),
}

#: Commands that multiply large matrices (resampling, correlations). The others do not gain from numpy's
#: threads, one per core, whose start takes a tenth of the time of evaluating a run on two cores.
_MATRICES = {*_EXPERIMENTS, "rerun"}

#: Modules with several commands.
_SHARED = {
    "listings": ("measures", "formats", "quantisations", "topics", "config"),
    "check": ("check", "convert"),
    "chunk_scoring": ("chunks",),
    "try_settings": ("try",),
    "explain": ("explain", "funnel", "citations"),
    "report": ("report", "explore", "show"),
    "experiment": ("stability", "stability all", "rerun"),
    "assess": (
        "assess",
        *(f"assess {word}" for word in ("people", "status", "export", "agreement", "rebuild")),
    ),
    "assess_new": ("assess new", "assess demo", "assess serve"),
    "assess_change": ("assess assign", "assess extend", "assess adjudicate", "assess release"),
    "gold": ("gold", "gold new"),
    "official": ("official", *(f"official {name}" for name in OFFICIAL)),
}
#: Commands that have two names.
_ALSO = {f"official {name}": name for name in ("inex_eval", "trec_eval")}
_MODULES = {name: module for module, names in _SHARED.items() for name in names}


class Command:
    """A command: its main function and its parser; instead of a parser, official tools have a usage text."""

    def __init__(
        self,
        main: Callable[[Sequence[str]], int | None],
        parser: Callable[[], Parser] | None,
        usage: Callable[[], str] = str,
    ) -> None:
        self.main, self.parser, self._usage = main, parser, usage

    def help(self) -> str:
        return self.parser().format_help() if self.parser else self._usage()


#: Commands of the modules that are imported; each module registers its own.
REGISTERED: dict[str, Command] = {}


def command_of(name: str) -> Command:
    """Return a command by its name of one or two words."""
    name = _ALSO.get(name, name)
    if name in EXPERIMENTS:
        from excerpt.cli.experiment import experiment_main, experiment_parser

        return Command(partial(experiment_main, name), partial(experiment_parser, name))
    if name not in REGISTERED:
        import_module(f"excerpt.cli.{_MODULES.get(name, name)}")
    return REGISTERED[name]


#: Exit status when the reader of standard output is gone, as of programs that the signal ends.
_READER_GONE = 141

#: Every command of two words, with its one-line help.
FURTHER = {
    **{f"assess {word}": text for word, text in CAMPAIGN.items()},
    **{name: experiment.help for name, experiment in EXPERIMENTS.items() if " " in name},
    "stability all": "run stability pool, topics and errors together",
    "gold new": COMMANDS["gold"],
    **{f"official {name}": text for name, text in OFFICIAL.items()},
    **{name: COMMANDS[other] for name, other in _ALSO.items()},
}


def overview(*, complete: bool = False) -> str:
    """Return the text of `excerpt --help`: twelve commands in groups, or all of them."""
    lines: list[str] = []
    for group, names in GROUPS.items():
        named = [name for name in names if complete or name in FIRST_COMMANDS]
        lines += ["", f"{group}:", *(f"  {name:<13}  {COMMANDS[name]}" for name in named)]
    if complete:
        lines += ["", "exit status:", *(f"  {status:<13}  {text}" for status, text in STATUSES.items())]
    return "\n".join(
        [
            "usage: excerpt COMMAND …",
            "",
            "Evaluate focused retrieval: search that returns the right part of a document.",
            *lines,
            "",
            "example:",
            "  excerpt demo",
            "",
            "excerpt COMMAND --help explains a command, excerpt --help all lists them all.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; errors of the user are printed in one line."""
    VERBOSITY.begin()
    with usable_streams(), heard():
        try:
            if arguments is None:
                _clean_up_when_terminated()
                # Products of small matrices: more threads double the work and save no time.
                os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        except ExcerptError as error:
            from excerpt.options import as_option

            print_message(f"{error.say(as_option)}{_advice(error)}")
            return 2
        except BrokenPipeError:  # the reader of standard output is gone, so a message has no use
            discard_output(sys.stdout)
            return _READER_GONE
        except OSError as error:
            discard_output(sys.stdout)
            name = shorten(str(error.filename or "cannot write the output"))
            print_message(f"{name}: {error.strerror or error}")
            return 2
        except MemoryError as error:
            size = str(error).partition("allocate ")[2].partition(" for")[0]  # if numpy names it
            print_message(f"not enough memory{f' (could not allocate {size})' if size else ''}")
            return 2
        except KeyboardInterrupt as interrupt:
            terminated = isinstance(interrupt, _Terminated)
            if not terminated:
                print_message("; ".join(["interrupted", *getattr(interrupt, "__notes__", [])]))
            if arguments is None:
                _end_by("SIGTERM" if terminated else "SIGINT")
            return 130


def _run(words: list[str]) -> int:
    try:
        return status_of(_dispatch(words))
    except Exception as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # argparse fails if it is interrupted
            raise error.__context__ from None
        raise
    finally:
        sys.stdout.flush()  # here, where a failure can still be reported


class _Terminated(KeyboardInterrupt):
    """Raised by SIGTERM: temporary files are removed, as after Ctrl-C."""


def _clean_up_when_terminated() -> None:
    """Make SIGTERM an exception, in this process and not in those that it starts."""
    if os.name != "posix":
        return
    import signal

    own = os.getpid()

    def terminate(*_: object) -> None:
        if os.getpid() != own:
            _end_by("SIGTERM")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would disturb the cleaning up
        raise _Terminated

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)


def _end_by(name: str) -> None:
    """End this process by the signal itself where signals exist; otherwise a loop of a shell would go on."""
    if os.name == "posix":
        import signal

        number = signal.Signals[name]
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _advice(error: ExcerptError) -> str:
    """Return a hint for errors in files that have no hint of their own."""
    placed = error.path and error.path[0] != "<" and error.line is not None
    if isinstance(error, FormatError) and placed and not error.hint and error.listed_by:
        return f"; excerpt {error.listed_by} {error.path} lists every fault"
    return ""


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help", "help"}:
        print(overview(complete=words[1:2] == ["all"]))
        return 0
    if words[0] in {"-V", "--version"}:
        from excerpt import __version__

        print(f"excerpt {__version__}")
        return 0
    if words[0] not in COMMANDS:
        raise UnknownName("command", words[0], COMMANDS)
    if words[0] not in _MATRICES:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported
    length = 2 if " ".join(words[:2]) in FURTHER else 1
    work = command_of(" ".join(words[:length])).main
    from excerpt.files import OPENINGS

    with OPENINGS.of_command():
        return int(work(words[length:]) or 0)
