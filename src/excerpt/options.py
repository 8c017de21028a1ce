"""The table of options: what each is called and takes, whether it names a file, and where else it counts.

Parsers of commands, settings of a project, records of experiments, the guard of inputs, the commands that
reports show, completion and reference pages follow from it. An option that several commands share is an
entry here, and its name among the options of the commands that use it; an option of one command stands there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

from excerpt.errors import short, short_list

#: What stands before the name of a setting in the environment, and the file of a project.
PREFIX = "EXCERPT_"
FILE = "excerpt.toml"
#: The variable that names the file, or `none` for no file; and variables of ours that are no settings.
NAMED = "EXCERPT_CONFIG"
OTHERS = {NAMED, "EXCERPT_MAX_SIZE", "EXCERPT_CHROMIUM"}
#: A number of more digits is no number of anything.
_DIGITS = 18
_SHOWN = 2  # of many files
#: Columns that text needs at least.
NARROWEST = 40
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Unfit(ValueError):
    """A value that a setting does not take; the message says what it takes."""


def whole(value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number of at least 1, or what is least; `most` is the largest, where there is one."""
    text = str(value)
    is_whole = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    number = int(text) if is_whole and not isinstance(value, bool) else least - 1
    if number < least or (most is not None and number > most):
        range_ = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"found {short(text)!r}, expected a whole number {range_}")
    return number


def share(value: Any, *, zero: bool = False) -> float:
    """A number between 0 and 1, or also `zero`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not (0 < number < 1 or (zero and number == 0)):
        range_ = "from 0 to below 1" if zero else "between 0 and 1"
        raise ValueError(f"found {str(value)!r}, expected a number {range_}")
    return number


def names(value: Any) -> tuple[str, ...]:
    """Names, with commas between them as text."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        raise ValueError(f"found {str(value)!r}, expected names separated by commas")  # noqa: TRY004
    return tuple(filter(None, (str(part).strip() for part in parts)))


def number(text: str, least: float = float("-inf")) -> float:
    """A number of at least what is least."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < float("inf"):
        range_ = "" if least == float("-inf") else f" of at least {least:g}"
        raise ValueError(f"found {text!r}, expected a number{range_}")
    return value


def limit(text: str) -> int | None:
    """A number of results, or none for all."""
    if text.lower() in {"none", "all"}:
        return None
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise ValueError(f"found {text!r}, expected a whole number of at least 1, or none")
    return int(text)


def _length(text: str) -> int | str:
    """A number of characters, or what to do without one."""
    if text in {"error", "mean"}:
        return text
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) < 1 << 31):
        raise ValueError(f"found {text!r}, expected error, mean or a number of characters")
    return int(text)


def _columns(text: str) -> int:
    """A number of columns that leaves room for text."""
    value = whole(text)
    if value < NARROWEST:
        raise ValueError(f"found {text!r}, expected at least {NARROWEST} columns")
    return value


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= 65535):
        raise ValueError(f"found {text!r}, expected a port from 0 to 65535")
    return int(text)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Unfit("expected a text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(each, str) and each for each in texts):
        raise Unfit("expected a text or a list of texts")
    return tuple(texts)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unfit("expected true or false")
    return value


def _number_or(*words: str) -> Callable[[Any], int | str | None]:
    """A whole number of at least 1, or one of some words; `none` is None."""

    def take(value: Any) -> int | str | None:
        if isinstance(value, str) and value in words:
            return None if value == "none" else value
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 31:
            raise Unfit(f"expected a whole number of at least 1, or {', or '.join(words)}")
        return value

    return take


def _number_of(text: str) -> Any:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else text


def names_of(text: str) -> list[str]:
    """Names with commas or blanks between them; those in brackets belong to a name.

    >>> names_of("MAiP, MAgP(score=BEP, n=1000) iP[0.01]")
    ['MAiP', 'MAgP(score=BEP, n=1000)', 'iP[0.01]']
    """
    return [name for name in re.split(r"[,\s]+(?![^(\[]*[)\]])", text.strip()) if name]


def paths_of(text: str) -> list[str]:
    """Paths as PATH has them, with the separator of the system between them."""
    return [path for path in text.split(os.pathsep) if path]


class Kind(NamedTuple):
    """What an option takes: as text on the command line, as a value of TOML, as text of a variable."""

    #: ValueError says what was found and expected.
    parse: Callable[[str], Any] = str
    #: A value of TOML; Unfit says what was expected.
    take: Callable[[Any], Any] = _text
    #: The text of a variable as a value of TOML.
    read: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()


def choice(*words: str) -> Kind:
    """One of some words."""

    def take(value: Any) -> str:
        if value not in words:
            raise Unfit(f"expected {', '.join(words[:-1])} or {words[-1]}")
        return str(value)

    return Kind(take=take, choices=words)


TEXT = Kind()
FLAG = Kind(take=_truth, read=lambda text: _TRUTH.get(text.lower(), text))
COUNT = Kind(whole)
COUNT_FROM_ZERO = Kind(lambda text: whole(text, 0))
LEVEL = Kind(share)
LIMITED = Kind(limit, _number_or("none"), _number_of)
NAMES = Kind(names)
NUMBER = Kind(number)

Role = Literal["reads", "writes", "plain"]
#: What a path names: a file; several, also as folders or @LIST; one of these, or one that is alone in them;
#: one or several; a folder; a corpus; an index; the folder of a campaign.
Holds = Literal["file", "files", "run", "side", "folder", "corpus", "index", "campaign"]


class Option(NamedTuple):
    """An option, or an argument that stands between options."""

    name: str
    help: str
    #: How it is written; nothing for an argument between options.
    flags: tuple[str, ...] | None = None
    kind: Kind = TEXT
    default: Any = None
    metavar: str | None = None
    #: Whether it is given as often as one likes.
    many: bool = False
    #: Whether it must be given or set; a text is how an error calls it.
    required: bool | str = False
    role: Role = "plain"
    holds: Holds = "file"
    #: The table of excerpt.toml where it is set (`""` is the top); None where it cannot be set.
    setting: str | None = None
    #: Whether results depend on it: it is recorded, and told in reports. Not so where they go, who works.
    decides: bool = True
    #: The part of the help where it stands.
    group: str = ""
    #: Options of the same name here exclude each other.
    either: str = ""
    #: What is written beside a file of the name, by what is added to that.
    beside: str = ""

    @property
    def dest(self) -> str:
        """Its name as an argument."""
        return self.name.replace("-", "_")

    @property
    def written(self) -> tuple[str, ...]:
        """How it is written: its flags, the long one last; nothing for an argument between options."""
        return (f"--{self.name}",) if self.flags is None else self.flags

    @property
    def shown(self) -> str:
        """How an error calls it where it is missing."""
        return (
            self.required if isinstance(self.required, str) else "/".join(self.written) or self.metavar or ""
        )

    @property
    def variable(self) -> str:
        """The variable that sets it.

        >>> SETTINGS["unknown-length"].variable
        'EXCERPT_UNKNOWN_LENGTH'
        """
        return PREFIX + self.dest.upper()

    def but(self, **changed: Any) -> Option:
        """The same option with something changed, such as its help."""
        return self._replace(**changed)

    def tell(self, value: Any) -> str:
        """A value as people read it.

        >>> SETTINGS["limit"].tell(None), SETTINGS["measures"].tell(("MAiP", "iP"))
        ('none', 'MAiP, iP')
        """
        if value is None:
            return "none" if self.kind is LIMITED else "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return short_list(value, _SHOWN if self.role == "reads" else len(value)) or "-"
        return str(value)


def found(value: Any) -> str:
    """A value as an error shows it.

    >>> found("x"), found(True), found(3)
    ("'x'", 'true', '3')
    """
    return str(value).lower() if isinstance(value, bool) else short(repr(value))


def project_file(environment: Mapping[str, str]) -> str | None:
    """The file of a project: that of the environment, or the nearest one upwards from the working folder."""
    named = environment.get(NAMED)
    if named:
        return None if named == "none" else named
    try:
        folder = os.getcwd()  # noqa: PTH109 - pathlib costs 3 ms
    except OSError:  # it was removed
        return None
    up = ""
    while True:
        if os.path.isfile(os.path.join(folder, FILE)):  # noqa: PTH113, PTH118
            return os.path.join(up, FILE)  # noqa: PTH118
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return None
        folder, up = above, os.path.join(up, os.pardir)  # noqa: PTH118


def without(options: tuple[Option, ...], *left: Option) -> tuple[Option, ...]:
    """Options but for some."""
    return tuple(option for option in options if option.name not in {each.name for each in left})


_DOCUMENTS = "a folder, an archive, a file, an index with text"
#: Parts of the help of several commands.
SHOWN = "what is shown"
_policy = partial(Option, setting="policy", group="policies")
_shown = partial(Option, decides=False)
_figure = partial(Option, decides=False, group="figures")
_latex = partial(Option, decides=False, group="LaTeX tables")
_server = partial(Option, decides=False, group="server")


def corpus_help(what: str) -> str:
    """What --corpus is for, and what it may be."""
    return f"{what}: {_DOCUMENTS}"


# Files that are read, and how; measures.
QRELS = Option(
    "qrels",
    "judgments: a file, or a folder with one file per topic",
    (),
    metavar="QRELS",
    required=True,
    role="reads",
    setting="",
)
RUNS = Option(
    "runs",
    "run files, folders of them, or @LIST of their names",
    (),
    kind=Kind(take=_texts, read=paths_of),
    default=(),
    metavar="RUN",
    many=True,
    required=True,
    role="reads",
    holds="files",
    setting="",
)
RUN = Option(
    "run",
    "run file, or the folder that it is alone in",
    (),
    metavar="RUN",
    required=True,
    role="reads",
    holds="run",
)
INDEX = Option(
    "index",
    "index of the corpus, needed for element paths (see excerpt index)",
    metavar="INDEX",
    role="reads",
    holds="index",
    setting="",
)
CORPUS = Option(
    "corpus",
    corpus_help("the documents, which tell how long they are"),
    metavar="CORPUS",
    role="reads",
    holds="corpus",
    setting="",
)
DOCUMENT_TAG = Option(
    "document-tag",
    "files have many documents each: every element TAG is one (files of TREC's are known as such)",
    metavar="TAG",
)
ID_FROM = Option(
    "id-from",
    "with --document-tag: where the id of a document stands in it, such as header/id or @id (default: DOCNO, "
    "else @id)",
    metavar="PATH",
)
RUN_FORMAT = Option(
    "run-format", "format of the runs (default: recognised; see excerpt formats)", metavar="FORMAT"
)
QRELS_FORMAT = Option(
    "qrels-format", "format of the judgments (default: recognised; see excerpt formats)", metavar="FORMAT"
)
CONTEXT = Option(
    "context",
    "documents of judgments of the SQuAD family: each paragraph (the default) or whole articles",
    kind=choice("paragraph", "article"),
)
QUANTISATIONS = Option(
    "quantisations",
    "TOML file with quantisations of your own (see the docs)",
    metavar="FILE",
    role="reads",
    group="measures of elements",
)
ID_PATTERN = Option(
    "id-pattern",
    "where ids of passages hide their place: an expression with the groups document, start and end, such as "
    r"'(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)'",
    metavar="REGEX",
    either="ids",
)
SEGMENTS = Option(
    "segments",
    "table with the place of each passage: id document start end",
    metavar="FILE",
    role="reads",
    either="ids",
)
TOPICS = Option(
    "topics",
    "titles and questions of the topics (see excerpt topics)",
    metavar="FILE",
    role="reads",
    setting="",
)
ONLY = Option("only", "only these topics, such as 201,205-210 or CU05-CU10 (default: all)", metavar="TOPICS")
EXCLUDE = Option("exclude", "all topics but these", metavar="TOPICS")
TARGET = Option(
    "target",
    "keep the results that the castitles of --topics ask for: by the tags that they name (strict), or by "
    "equivalent ones, too (vague); ignore, the default, keeps all",
    kind=choice("strict", "vague", "ignore"),
)
DROP_TAGS = Option(
    "drop-tags",
    "leave out elements with these tags, as INEX 2006 did with links",
    kind=NAMES,
    default=(),
    metavar="TAG,TAG",
    group="measures of elements",
)
MEASURES = Option(
    "measures",
    "measure; may be repeated (see excerpt measures)",
    ("-m", "--measure"),
    kind=Kind(take=_texts, read=names_of),
    default=(),
    metavar="NAME",
    many=True,
    setting="",
)

# What to do with runs that break a task's rules, and which topics count: the fields of a policy.
OVERLAP = _policy(
    "overlap",
    "results that share text: refuse the run (error, the default), count each character once (first), count "
    "it as relevant once but as read every time (penalise), or count it every time (allow); measures that "
    "define overlap themselves, such as charP, ignore this",
    kind=choice("error", "first", "penalise", "allow"),
    default="error",
)
INTERLEAVED = _policy(
    "interleaved",
    "documents whose results are not next to each other, for in-context measures: refuse the run (error, the "
    "default) or move them together (regroup)",
    kind=choice("error", "regroup"),
    default="error",
)
UNKNOWN = _policy(
    "unknown",
    "results that do not exist or end beyond their document: count them as irrelevant (count, the default) "
    "or refuse the run (error)",
    kind=choice("count", "error"),
    default="count",
)
UNKNOWN_LENGTH = _policy(
    "unknown-length",
    "whole documents of unknown length, for measures of text: refuse the run (error, the default), take the "
    "mean of the known lengths (mean), or take N characters",
    kind=Kind(_length, _number_or("error", "mean"), _number_of),
    default="error",
    metavar="error|mean|N",
)
LIMIT = _policy(
    "limit",
    "results per topic that count, or none for all (default: 1500; none for whole documents)",
    kind=LIMITED,
    default=1500,
    metavar="N",
)
ORDER = _policy(
    "order",
    "order of the results (default: that of the file; TREC runs by score, then by document id, both "
    "descending)",
    kind=choice("file", "rank", "score"),
)
ONLY_RUN_TOPICS = _policy(
    "only-run-topics", "leave out topics that are not in the run", kind=FLAG, default=False
)
INCLUDE_EMPTY = _policy("include-empty", "count topics without relevant text as 0", kind=FLAG, default=False)

# Who does the work, and what is too much.
MAX_SIZE = _shown(
    "max-size",
    "refuse compressed files that unpack to more, such as 8G (or set EXCERPT_MAX_SIZE)",
    metavar="SIZE",
)
WORKERS = _shown(
    "workers",
    "processes that share the runs (default: 1)",
    kind=COUNT,
    default=1,
    metavar="N",
    either="engine",
)
CLUSTER = _shown(
    "cluster",
    "Dask cluster that shares the runs, such as tcp://host:8786 (see the docs)",
    metavar="ADDRESS",
    either="engine",
)

# How results are printed and written.
FORMAT = _shown(
    "format",
    "how to print what was written: in a line (table, the default) or as json",
    kind=choice("table", "json"),
    default="table",
)
SAFE_CSV = _shown(
    "safe-csv",
    "csv and tsv: put a quote before text that a spreadsheet would take for a formula (= + - @)",
    kind=FLAG,
    default=False,
)
COLOR = _shown(
    "color",
    "colours in a table: on a terminal, unless NO_COLOR is set (auto, the default), always, or never",
    kind=choice("auto", "always", "never"),
    default="auto",
)
OUTPUT = _shown(
    "output",
    "write to FILE instead of standard output",
    ("-o", "--output"),
    default="-",
    metavar="FILE",
    role="writes",
)
RECORD = _shown(
    "record", "also write rows and record to FILE as JSON, for excerpt rerun", metavar="FILE", role="writes"
)
DIGITS = _shown("digits", "digits after the point (default: 4)", kind=COUNT_FROM_ZERO, default=4, metavar="N")
CAPTION = _latex("caption", "make it a table environment with this caption", metavar="TEXT")
LABEL = _latex("label", "make it a table environment with this label", metavar="NAME")
SIUNITX = _latex("siunitx", "S columns for numbers (package siunitx)", kind=FLAG, default=False)

# By topic or as means, how sure, by which groups.
PER_TOPIC = Option(
    "per-topic", "print the scores of every topic, not only the means", kind=FLAG, default=False
)
BY = Option(
    "by",
    "also print means of groups of topics: by the corpus or group that the judgments tell, or by document, "
    "where a topic has relevant text in one only",
    kind=choice("corpus", "group", "document"),
)
INTERVAL = Option(
    "interval", "means with intervals of this confidence, such as 0.95", kind=LEVEL, metavar="LEVEL"
)
INTERVAL_METHOD = Option(
    "interval-method",
    "intervals: by samples of the topics, or by Student's t (default: bootstrap)",
    kind=choice("bootstrap", "t"),
    default="bootstrap",
)
SAMPLES = Option("samples", "samples of the topics (default: 10000)", kind=COUNT, default=10_000, metavar="N")
SEED = Option("seed", "seed of the random numbers (default: 1)", kind=COUNT_FROM_ZERO, default=1, metavar="N")

# The folder of a campaign: every file in it is an input.
CAMPAIGN_FOLDER = Option(
    "folder", "folder of the campaign", (), metavar="FOLDER", required=True, role="reads", holds="campaign"
)

# What is shown of documents, and where a server listens.
BLOCKS = Option(
    "blocks",
    "TOML file with the blocks that further XML tags are (see the docs)",
    metavar="FILE",
    role="reads",
    group=SHOWN,
)
HOST = _server("host", "loopback address (default: 127.0.0.1)", default="127.0.0.1", metavar="ADDRESS")
PORT = _server("port", "port (default: 0, any that is free)", kind=Kind(_port), metavar="N")
NO_BROWSER = _server(
    "no-browser", "print the link only; do not open it in a browser", kind=FLAG, default=False
)

# Figures: the file, its data, and how it is drawn.
FIGURE = _figure(
    "figure", "draw a figure; the name ends in one of .svg, .pdf, .png", metavar="FILE", role="writes"
)
DATA = _figure(
    "data", "CSV file for the numbers of the figure, a row per mark", metavar="FILE", role="writes"
)
WIDTH = _figure("width", "as printed: 3.3in, 84mm, 240pt, or inches (default: 7in)", metavar="LENGTH")
HEIGHT = _figure("height", "as printed (default: what the content needs)", metavar="LENGTH")
GREY = _figure("grey", "no colours, for print in black and white", kind=FLAG)
FONT_SIZE = _figure("font-size", "size of the letters (default: 8)", metavar="POINTS")
TITLE = _figure("title", "title above the figure (default: none)", metavar="TEXT")
STYLE = _figure("style", "settings of matplotlib (an .mplstyle file)", metavar="FILE", role="reads")
TOP = _figure(
    "top", "the best N runs stand out, the rest is grey (default: 5 of more than 8 runs)", metavar="N"
)
HIGHLIGHT = _figure("highlight", "these runs stand out, too", metavar="RUN,RUN")

#: Every option above by its name, and those that a project can set, as `excerpt config` lists them.
TABLE = {option.name: option for option in list(globals().values()) if isinstance(option, Option)}
SETTINGS = {name: option for name, option in TABLE.items() if option.setting is not None}

# Groups of options; those of reading in the order of records.
SAVED_OR_QRELS = QRELS.but(help=f"{QRELS.help}; or saved scores", required="QRELS, RUN")
SAVED_OR_RUNS = RUNS.but(help=f"{RUNS.help} (none with saved scores, or more of them)", required=False)
CUTTING = (DOCUMENT_TAG, ID_FROM)
IDS = (ID_PATTERN, SEGMENTS)
CHOICE = (ONLY, EXCLUDE)
ELEMENTS = (QUANTISATIONS, DROP_TAGS)
READING = (
    *(INDEX, CORPUS, *CUTTING, RUN_FORMAT, QRELS_FORMAT, CONTEXT, ORDER, QUANTISATIONS),
    *(*IDS, TOPICS, *CHOICE, TARGET, DROP_TAGS),
)
POLICY = (OVERLAP, INTERLEAVED, UNKNOWN, UNKNOWN_LENGTH, LIMIT, ONLY_RUN_TOPICS, INCLUDE_EMPTY)
ENGINE = (WORKERS, CLUSTER)
LATEX = (CAPTION, LABEL, SIUNITX)
SAMPLING = (
    INTERVAL_METHOD,
    SAMPLES.but(help=f"intervals: {SAMPLES.help}"),
    SEED.but(help=f"intervals: {SEED.help}"),
)
SCORES = (PER_TOPIC, BY, INTERVAL.but(help=f"{INTERVAL.help}; JSON always has them"), *SAMPLING)
PAPER = (WIDTH, HEIGHT, GREY, FONT_SIZE, TITLE, STYLE, TOP, HIGHLIGHT)
FIGURES = (FIGURE, DATA, *PAPER)
SERVER = (HOST, PORT, NO_BROWSER)
TERMINAL = (
    _shown(
        "width",
        "columns (default: those of the terminal, else 80)",
        kind=Kind(_columns),
        metavar="N",
        group=SHOWN,
    ),
    COLOR.but(help=COLOR.help.replace("colours in a table", "colours instead of marks"), group=SHOWN),
)


def as_option(setting: str, value: str) -> str:
    """How a setting is written on the command line, for hints of errors.

    >>> as_option("overlap", "first"), as_option("index", "")
    ('--overlap first', '--index INDEX')
    """
    known = SETTINGS.get(setting)
    if known is not None and known.written and known.role == "reads":
        value = value or known.metavar or ""
    others = {"format": "--to {}", "output_format": "--format {}", "command": "excerpt {}"}
    return others.get(setting, f"--{setting.replace('_', '-')} {{}}").format(value).strip()
