"""Table of command-line options: name, help, type, default, and the files that an option reads or writes.

Everything about options follows from this table: parsers, settings in excerpt.toml, records of experiments,
the guard against overwriting inputs, the commands that reports print, shell completion and reference pages.
Options that several commands share are defined here, options of one command in the module of that command.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

from excerpt.errors import short, short_list

#: Prefix of environment variables, and name of the project file.
PREFIX = "EXCERPT_"
FILE = "excerpt.toml"
#: The variable that names the project file (`none`: no file), and all variables that are not settings.
FILE_VARIABLE = "EXCERPT_CONFIG"
OTHER_VARIABLES = {FILE_VARIABLE, "EXCERPT_MAX_SIZE", "EXCERPT_CHROMIUM"}
#: Whole numbers with more digits are rejected.
_DIGITS = 18
_FILES_SHOWN = 2
#: Smallest width of a text, in columns.
NARROWEST = 40
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def in_error(value: Any) -> str:
    """Return a value as errors print it: text in quotes, anything else as TOML has it.

    >>> in_error("x"), in_error(True), in_error(3)
    ("'x'", 'true', '3')
    """
    if isinstance(value, str):
        return repr(short(value))
    return str(value).lower() if isinstance(value, bool) else short(str(value))


def invalid(value: Any, expected: str) -> ValueError:
    """Return the fault of a value that an option cannot have."""
    return ValueError(f"found {in_error(value)}, expected {expected}")


# Each converter takes text, of the command line or of a variable, and values of TOML, JSON and Python.


def whole(value: Any, least: int = 1, most: int | None = None) -> int:
    """Return a whole number of at least `least` and, if given, at most `most`."""
    text = str(value)
    is_whole = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    number = int(text) if is_whole and not isinstance(value, bool) else least - 1
    if number < least or (most is not None and number > most):
        range_ = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise invalid(value, f"a whole number {range_}")
    return number


def _float(value: Any) -> float:
    """Return a number, NaN for what is none."""
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def share(value: Any, *, zero: bool = False, one: bool = False) -> float:
    """Return a proportion: a number between 0 and 1, both excluded; `zero` and `one` allow these."""
    number = _float(value)
    if not (0 < number < 1 or (zero and number == 0) or (one and number == 1)):
        range_ = "from 0 to 1" if zero and one else "from 0 to below 1" if zero else "between 0 and 1"
        raise invalid(value, f"a number {range_}")
    return number


def number(value: Any, least: float = -math.inf) -> float:
    """Return a finite number of at least `least`."""
    found = _float(value)
    if not (math.isfinite(found) and found >= least):
        raise invalid(value, "a number" if least == -math.inf else f"a number of at least {least:g}")
    return found


def names(value: Any) -> tuple[str, ...]:
    """Return names, from a sequence or from text separated by commas."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or any(isinstance(part, list | dict) for part in parts):
        raise invalid(value, "names separated by commas")
    return tuple(filter(None, (str(part).strip() for part in parts)))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise invalid(value, "a text")
    return value


def _truth(value: Any) -> bool:
    word = str(value).lower() if isinstance(value, bool | str) else ""
    if word not in _TRUTH:
        raise invalid(value, "true or false")
    return _TRUTH[word]


def names_of(text: str) -> list[str]:
    """Return names separated by commas or spaces, except inside brackets.

    >>> names_of("MAiP, MAgP(score=BEP, n=1000) iP[0.01]")
    ['MAiP', 'MAgP(score=BEP, n=1000)', 'iP[0.01]']
    """
    return [name for name in re.split(r"[,\s]+(?![^(\[]*[)\]])", text.strip()) if name]


def paths_of(text: str) -> list[str]:
    """Return paths separated as in the variable PATH."""
    return [path for path in text.split(os.pathsep) if path]


class OptionKind(NamedTuple):
    """Type of an option: its converter, and the words that it may be if they are few."""

    #: Convert text or a value of TOML; a ValueError names the value found and the one expected.
    convert: Callable[[Any], Any]
    choices: tuple[str, ...] = ()


def choice(*words: str) -> OptionKind:
    """Return the type of an option whose value is one of `words`."""

    def convert(value: Any) -> str:
        if value not in words:
            raise invalid(value, f"one of: {', '.join(words)}")
        return str(value)

    return OptionKind(convert, words)


def _whole_or(words: Mapping[str, Any], expected: str, most: int | None = None) -> OptionKind:
    """Return the type of a whole number of at least 1, or one of `words` with their meanings."""

    def convert(value: Any) -> Any:
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        try:
            return whole(value, most=most)
        except ValueError:
            raise invalid(value, expected) from None

    return OptionKind(convert)


TEXT = OptionKind(_text)
FLAG = OptionKind(_truth)
COUNT = OptionKind(whole)
COUNT_FROM_ZERO = OptionKind(partial(whole, least=0))
LEVEL = OptionKind(share)
SHARE = OptionKind(partial(share, zero=True, one=True))
LIMITED = _whole_or({"none": None, "all": None}, "a whole number of at least 1, or none")
NAMES = OptionKind(names)
NUMBER = OptionKind(number)
NUMBER_FROM_ZERO = OptionKind(partial(number, least=0))

Role = Literal["reads", "writes", "plain"]
#: Content of a path: a file; files (also folders or @LIST); one run file (also a folder with exactly one);
#: one run file or several; a folder; a corpus; an index; the folder of a campaign.
Holds = Literal["file", "files", "run", "side", "folder", "corpus", "index", "campaign"]


class Option(NamedTuple):
    """A command-line option, or a positional argument."""

    name: str
    help: str
    #: Spellings, `--name` if None; empty for a positional argument.
    flags: tuple[str, ...] | None = None
    kind: OptionKind = TEXT
    default: Any = None
    metavar: str | None = None
    #: Whether it may be repeated.
    many: bool = False
    #: Whether it must be given or set; a text replaces its name in errors.
    required: bool | str = False
    role: Role = "plain"
    holds: Holds = "file"
    #: Its table in excerpt.toml (`""`: the top level); None if it is not a setting.
    setting: str | None = None
    #: Whether results depend on it, so that records and reports include it (not so: outputs, workers).
    decides: bool = True
    #: Title of its group in the help.
    group: str = ""
    #: Options with the same value here exclude each other.
    either: str = ""
    #: Suffix of a second file that is written next to the named one.
    companion: str = ""
    #: Number of words of a value.
    words: int = 1
    #: Value of the option without a value; None if it needs one.
    alone: Any = None

    @property
    def dest(self) -> str:
        """Name of the parsed argument."""
        return self.name.replace("-", "_")

    @property
    def written(self) -> tuple[str, ...]:
        """Spellings of the option, the long one last; empty for a positional argument."""
        return (f"--{self.name}",) if self.flags is None else self.flags

    @property
    def shown(self) -> str:
        """Name of the option in the error that it is missing."""
        return (
            self.required if isinstance(self.required, str) else "/".join(self.written) or self.metavar or ""
        )

    @property
    def variable(self) -> str:
        """Environment variable that sets the option.

        >>> SETTINGS["unknown-length"].variable
        'EXCERPT_UNKNOWN_LENGTH'
        """
        return PREFIX + self.dest.upper()

    def but(self, **changed: Any) -> Option:
        """Return a copy with changed fields, such as the help."""
        return self._replace(**changed)

    def of_toml(self, value: Any) -> Any:
        """Return a setting from its value in TOML, which may be a list if the option may be repeated.

        >>> SETTINGS["limit"].of_toml(20), SETTINGS["measures"].of_toml("MAiP")
        (20, ('MAiP',))
        """
        values = value if self.many and isinstance(value, list) else [value]
        found = tuple(map(self.kind.convert, values))
        if not found or any(isinstance(one, str) and not one.strip() for one in found):
            raise invalid(value, "a text")
        return found if self.many else found[0]

    def of_variable(self, text: str) -> Any:
        """Return a setting from the text of a variable; several paths are separated as in PATH.

        >>> SETTINGS["limit"].of_variable("20"), SETTINGS["measures"].of_variable("MAiP, iP[0.01]")
        (20, ('MAiP', 'iP[0.01]'))
        """
        cut = names_of if self.role == "plain" else paths_of
        return self.of_toml(cut(text) if self.many else text)

    def display(self, value: Any) -> str:
        """Return a value as text for people.

        >>> SETTINGS["limit"].display(None), SETTINGS["measures"].display(("MAiP", "iP"))
        ('none', 'MAiP, iP')
        """
        if value is None:
            return "none" if self.kind is LIMITED else "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return short_list(value, _FILES_SHOWN if self.role == "reads" else len(value)) or "-"
        return str(value)


#: Options of frequent kinds: without a value, a number of at least 1, a file that is read, and a positional
#: argument for one.
flag = partial(Option, kind=FLAG, default=False)
count = partial(Option, kind=COUNT, metavar="N")
input_file = partial(Option, metavar="FILE", role="reads")
argument = partial(Option, flags=(), required=True, role="reads")


def project_file(environment: Mapping[str, str]) -> str | None:
    """Return the project file: from the environment, or the nearest one of this user up to the repository.

    Files are searched from the working folder up to the root of its repository; without git, only there.
    """
    named = environment.get(FILE_VARIABLE)
    if named:
        return None if named == "none" else named
    found = _nearest_file()
    return None if found is None or is_foreign(found) else found


def foreign_file(environment: Mapping[str, str]) -> str | None:
    """Return the project file that is ignored, since it belongs to another user; None if there is none."""
    found = None if environment.get(FILE_VARIABLE) else _nearest_file()
    return found if found is not None and is_foreign(found) else None


def is_foreign(path: str) -> bool:
    """Return whether a file belongs to another user; never where files have no such owner."""
    try:
        return hasattr(os, "getuid") and os.stat(path).st_uid != os.getuid()  # noqa: PTH116
    except OSError:
        return False


def _nearest_file() -> str | None:
    try:
        folder = os.getcwd()  # noqa: PTH109 - pathlib costs 3 ms
    except OSError:  # the working folder was removed
        return None
    up, found = "", None
    while True:
        if found is None and os.path.isfile(os.path.join(folder, FILE)):  # noqa: PTH113, PTH118
            found = os.path.join(up, FILE)  # noqa: PTH118
            if not up:
                return found
        if os.path.exists(os.path.join(folder, ".git")):  # noqa: PTH110, PTH118
            return found
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return None
        folder, up = above, os.path.join(up, os.pardir)  # noqa: PTH118


def without(options: tuple[Option, ...], *left: Option) -> tuple[Option, ...]:
    """Return the options except those `left` out."""
    return tuple(option for option in options if option.name not in {each.name for each in left})


_DOCUMENTS = (
    "a folder, an archive, a file or an index with text, also as DOCS@PARSER (see docs/pdf_and_html.md)"
)
#: Titles of groups in the help of several commands, and tables of excerpt.toml that are named like them.
READ, POLICIES, DISPLAY, DRAWING, SIGNIFICANCE = "read", "policy", "print", "figure", "significance"
#: The table of excerpt.toml with what only concerns looks, the options of `excerpt render`.
LOOKS = "render"
_read = partial(Option, group=READ)
_rarely = partial(_read, setting=READ)
_opening = partial(_read, setting="corpus")
_policy = partial(Option, setting=POLICIES, group=POLICIES)
_neutral = partial(Option, decides=False)
_print = partial(_neutral, group=DISPLAY)
_look = partial(_print, setting=LOOKS)
_written = partial(_neutral, metavar="FILE", role="writes")
_figure = partial(Option, decides=False, group=DRAWING, setting=LOOKS)
_interval = partial(Option, group=SIGNIFICANCE)
_server = partial(Option, decides=False, group="server")


def corpus_help(what: str) -> str:
    """Return the help of --corpus: its purpose, then the kinds of corpus."""
    return f"{what}: {_DOCUMENTS}"


# Input files, how they are read, and measures.
QRELS = argument(
    "qrels", "judgments: a file, or a folder with one file per topic", metavar="QRELS", setting=""
)
RUNS = argument(
    "runs",
    "run files, folders of run files, or @LIST for a file that lists their names",
    default=(),
    metavar="RUN",
    many=True,
    holds="files",
    setting="",
)
RUN = argument("run", "run file, or folder with exactly one run", metavar="RUN", holds="run")
INDEX = input_file(
    "index",
    "index of the corpus, such as corpus.index, to resolve element paths (see excerpt index)",
    metavar="INDEX",
    holds="index",
    setting="",
    group=READ,
)
CORPUS = input_file(
    "corpus",
    corpus_help("documents, used for their lengths"),
    metavar="CORPUS",
    holds="corpus",
    setting="",
    group=READ,
)
DOCUMENT_TAG = _opening(
    "document-tag",
    "split files into documents at element TAG, such as page (default: DOC in TREC files, else one document "
    "per file)",
    metavar="TAG",
)
ID_FROM = _opening(
    "id-from",
    "with --document-tag: element or attribute with the document id, such as header/id or @id (default: "
    "DOCNO, else @id)",
    metavar="PATH",
)
INCLUDE = _opening(
    "include",
    "files of text that are documents of a folder as well, such as '*.py' (default: only prose)",
    metavar="PATTERN",
    many=True,
)
ENCODING = _opening(
    "encoding",
    "encoding of text that is not UTF-8, such as cp1252 (default: an error)",
    metavar="NAME",
)
RUN_FORMAT = _rarely(
    "run-format", "format of the runs, such as fol (default: detected; see excerpt formats)", metavar="FORMAT"
)
QRELS_FORMAT = _rarely(
    "qrels-format",
    "format of the judgments, such as fol (default: detected; see excerpt formats)",
    metavar="FORMAT",
)
CONTEXT = _rarely(
    "context",
    "unit of a document in gold files such as SQuAD: each paragraph (default) or whole articles",
    kind=choice("paragraph", "article"),
)
COPIES = _rarely(
    "copies",
    "any: every other place in the corpus with the text of relevant text (40 characters or more, white space "
    "folded) is an alternative (default: only the marked place counts)",
    kind=choice("any"),
)
UNPLACED = _rarely(
    "unplaced",
    "quotes of the judgments that do not occur in their documents: error (default), miss to count them as "
    "relevant text that no result has (default with DOCS@PARSER), or drop to leave them out, which flatters "
    "what lost them",
    kind=choice("error", "drop", "miss"),
)
#: Options of judgments from annotation tools.
OF_TOOLS = (
    Option(
        "topic",
        "files of annotation tools: topic of highlights that name none (default: their metadata topic, else "
        "their label)",
        metavar="ID",
    ),
    Option("layer", "XMI of UIMA: layer of the highlights, such as custom.Span, if there are several"),
)
QUANTISATIONS = input_file(
    "quantisations",
    "TOML file with your own quantisations (see docs/measures/precall.md)",
    group=READ,
    setting=READ,
)
ID_PATTERN = _rarely(
    "id-pattern",
    "regex that extracts document, start and end from passage ids, such as "
    r"'(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)'",
    metavar="REGEX",
    either="ids",
)
SEGMENTS = input_file(
    "segments",
    "file that maps passage ids to spans, one per line: id document start end",
    either="ids",
    group=READ,
    setting=READ,
)
IDS_MATCH = _rarely(
    "ids",
    "ids of run and judgments that match only without ending or folder, or ignoring case or leading zeros: "
    "an error if many do (default), fold to join them, or exact to compare ids as they are",
    kind=choice("exact", "fold"),
)
TOPICS = input_file(
    "topics",
    "titles and questions of the topics, such as topics.xml (see excerpt topics)",
    setting="",
    group=READ,
)
ONLY = _read(
    "only",
    "use only these topics, such as 201,205-210 or CU05-CU10 (default: all)",
    metavar="TOPICS",
)
EXCLUDE = _read("exclude", "leave out these topics, such as 201,205-210 (default: none)", metavar="TOPICS")
TARGET = _rarely(
    "target",
    "keep only elements that the topic's NEXI query (castitle in --topics) names: by exact tags (strict) or "
    "also equivalent tags (vague); ignore (default) keeps all results",
    kind=choice("strict", "vague", "ignore"),
)
DROP_TAGS = _rarely(
    "drop-tags",
    "leave out elements with these tags, such as collectionlink in INEX 2006 (default: none)",
    kind=NAMES,
    default=(),
    metavar="TAG,TAG",
)
TOKENS = _rarely(
    "tokens",
    "tokenizer for cost=tokens, if run or chunks have no tokens: tiktoken:NAME, transformers:NAME, "
    "tokenizers:FILE.json or words, such as tiktoken:cl100k_base (default: none)",
    ("--tokenizer",),
    metavar="TOKENIZER",
)
PROBABILITIES = input_file(
    "probabilities",
    "pool file with the probability of inclusion of every judged document, for judgments of a sample (see "
    "docs/pooling.md); measures are then estimates with standard errors",
    setting=READ,
)
MEASURES = Option(
    "measures",
    "measure, such as MAiP; may be repeated (see excerpt measures)",
    ("-m", "--measure"),
    default=(),
    metavar="MEASURE",
    many=True,
    setting="",
)

# Fields of a policy: how runs that break the rules of a task are treated, and the topics that count.
OVERLAP = _policy(
    "overlap",
    "results that share text: reject the run (error, default), count each character once (first), count it "
    "as relevant once but as retrieved every time (penalise), or count it every time (allow); measures with "
    "their own rule on overlap, such as charP, ignore this",
    kind=choice("error", "first", "penalise", "allow"),
    default="error",
)
INTERLEAVED = _policy(
    "interleaved",
    "results of a document that are not next to each other, under in-context measures: reject the run "
    "(error, default) or move them together (regroup)",
    kind=choice("error", "regroup"),
    default="error",
)
UNKNOWN = _policy(
    "unknown",
    "results that do not exist or end beyond their document: count them as not relevant (count, default) or "
    "reject the run (error)",
    kind=choice("count", "error"),
    default="count",
)
UNKNOWN_LENGTH = _policy(
    "unknown-length",
    "length of documents of unknown length, under measures of text: reject the run (error, default), use the "
    "mean of the known lengths (mean), or N characters",
    kind=_whole_or(
        {"error": "error", "mean": "mean"}, "error, mean or a number of characters", (1 << 31) - 1
    ),
    default="error",
    metavar="error|mean|N",
)
LIMIT = _policy(
    "limit",
    "use the first N results per topic, or none for all (default: 1500; none for whole documents)",
    kind=LIMITED,
    default=1500,
    metavar="N",
)
ORDER = _policy(
    "order",
    "order of the results (default: file; in TREC runs by score, then document id, both descending)",
    kind=choice("file", "rank", "score"),
)
ONLY_RUN_TOPICS = _policy(
    "only-run-topics", "leave out judged topics without results (default: score 0)", kind=FLAG, default=False
)
INCLUDE_EMPTY = _policy(
    "include-empty", "score topics without relevant text as 0 (default: leave out)", kind=FLAG, default=False
)
CHANGED_JUDGMENTS = Option(
    "changed-judgments",
    "saved scores whose judgments differ: stop (error, default), or compare only the topics whose judgments "
    "are the same (allow)",
    kind=choice("error", "allow"),
    default="error",
)
MISSING = Option(
    "missing",
    "topics that a run of saved scores lacks: they score 0 (zero), or they are left out for all runs (drop) "
    "(default: an error with their number)",
    kind=choice("zero", "drop"),
)
#: Options of saved scores.
SAVED = (CHANGED_JUDGMENTS, MISSING)

# Processes, and the limit of unpacked files.
MAX_SIZE = _neutral(
    "max-size",
    "reject compressed files that unpack to more, such as 8G (default: EXCERPT_MAX_SIZE, else 100 times the "
    "packed size, from 256M to 2G)",
    metavar="SIZE",
)
WORKERS = count(
    "workers",
    "number of processes that share the runs (default: 1)",
    default=1,
    decides=False,
    either="engine",
)
CLUSTER = _neutral(
    "cluster",
    "Dask cluster that shares the runs, such as tcp://host:8786 (see docs/scale.md)",
    metavar="ADDRESS",
    either="engine",
    setting="",
)

# Formats and files of output.
FORMAT = _print(
    "format",
    "format of the summary that is printed: one line of text (table, default) or json",
    kind=choice("table", "json"),
    default="table",
)
SAFE_CSV = _look(
    "safe-csv",
    "in csv and tsv, put a quote before text that a spreadsheet would run as a formula (= + - @)",
    kind=FLAG,
    default=False,
)
COLOR = _look(
    "color",
    "colours in a table: on a terminal unless NO_COLOR is set (auto, default), always, or never",
    kind=choice("auto", "always", "never"),
    default="auto",
)
OUTPUT = _written(
    "output", "file to write (default: standard output)", ("-o", "--output"), default="-", group=DISPLAY
)
NO_FINGERPRINT = _print(
    "no-fingerprint",
    "leave out the fingerprints of the documents' texts, by which other commands tell that a file was made "
    "on another version",
    kind=FLAG,
    default=False,
)
RECORD = _written("record", "also write rows and settings as JSON, for excerpt rerun", group=DISPLAY)
LABELS = input_file(
    "labels",
    "file with labels that replace the names of runs in tables, figures and reports, one per line: run TAB "
    "label (csv and json keep the names)",
    decides=False,
    group=DISPLAY,
    setting=LOOKS,
)
DIGITS = _look("digits", "decimal places (default: 4)", kind=COUNT_FROM_ZERO, default=4, metavar="N")
CAPTION = _look(
    "caption", "put the table into a table environment with this caption; $…$ is mathematics", metavar="TEXT"
)
LABEL = _look(
    "label", "put the table into a table environment with this label, such as tab:scores", metavar="NAME"
)
SIUNITX = _look("siunitx", "align numbers in S columns (package siunitx)", kind=FLAG, default=False)
WIDE = _look("wide", "let the table span both columns of a page (table*)", kind=FLAG, default=False)

# Scores by topic, means of groups, confidence intervals.
PER_TOPIC = flag("per-topic", "also print the scores of every topic", group=DISPLAY)
BY = Option(
    "by",
    "also print means per group of topics: the corpus or group named in the judgments, or the document, if "
    "each topic has relevant text in only one document",
    kind=choice("corpus", "group", "document"),
    group=DISPLAY,
)
INTERVAL = _interval(
    "interval",
    "confidence level of intervals of the means, such as 0.95 (default: no intervals)",
    kind=LEVEL,
    metavar="LEVEL",
)
INTERVAL_METHOD = _interval(
    "interval-method",
    "method of the intervals: bootstrap over topics, or Student's t (default: bootstrap)",
    kind=choice("bootstrap", "t"),
    default="bootstrap",
)
SAMPLES = count("samples", "bootstrap samples (default: 10000)", default=10_000, group=SIGNIFICANCE)
SEED = _interval(
    "seed", "seed of the random numbers (default: 1)", kind=COUNT_FROM_ZERO, default=1, metavar="N"
)

# The folder of a campaign: every file in it is an input.
CAMPAIGN_FOLDER = argument("folder", "folder of the campaign", metavar="FOLDER", holds="campaign")

# Display of documents, and address of a server.
BLOCKS = input_file(
    "blocks", "TOML file with the block types of further XML tags (see docs/show.md)", group=DISPLAY
)
HOST = _server(
    "host", "loopback address to listen on (default: 127.0.0.1)", default="127.0.0.1", metavar="ADDRESS"
)
PORT = _server(
    "port",
    "port to listen on (default: 0, a free port)",
    kind=OptionKind(partial(whole, least=0, most=65535)),
    metavar="N",
)
NO_BROWSER = _server("no-browser", "print the link without opening a browser", kind=FLAG, default=False)

# Figures: the file, its data, and how it is drawn.
FIGURE = _written("figure", "draw a figure into FILE (.svg, .pdf or .png)", group=DRAWING)
DATA = _written("data", "with --figure: CSV file for the data of the figure, a row per mark", group=DRAWING)
WIDTH = _figure("width", "width in print: 3.3in, 84mm, 240pt, or inches (default: 7in)", metavar="LENGTH")
HEIGHT = _figure("height", "height in print, such as 2in (default: as the content needs)", metavar="LENGTH")
GREY = _figure("grey", "draw without colours, for print in black and white", kind=FLAG)
FONT_SIZE = _figure("font-size", "font size in points (default: 8)", metavar="POINTS")
TITLE = _figure("title", "title above the figure (default: none)", metavar="TEXT")
STYLE = _figure(
    "style", "matplotlib style sheet, such as paper.mplstyle (default: none)", metavar="FILE", role="reads"
)
TOP = _figure(
    "top", "emphasise the N best runs; others are grey (default: 5 if more than 8 runs)", metavar="N"
)
HIGHLIGHT = _figure("highlight", "emphasise these runs as well, such as p-bm25,sent-bm25", metavar="RUN,RUN")

#: Every option above by its name, and the settings of a project in the order of `excerpt config`.
TABLE = {option.name: option for option in list(globals().values()) if isinstance(option, Option)}
SETTINGS = {name: option for name, option in TABLE.items() if option.setting is not None}

# Groups of options. READING has the order of records.
SAVED_OR_QRELS = QRELS.but(help=f"{QRELS.help}; or a file of saved scores", required="QRELS, RUN")
SAVED_OR_RUNS = RUNS.but(help=f"{RUNS.help}; after saved scores, more of them or none", required=False)
CUTTING = (DOCUMENT_TAG, ID_FROM)
FILES = (INCLUDE, ENCODING)
OPENING = (*CUTTING, *FILES)
IDS = (ID_PATTERN, SEGMENTS)
CHOICE = (ONLY, EXCLUDE)
ELEMENTS = (QUANTISATIONS, DROP_TAGS)
READING = (
    *(INDEX, CORPUS, *CUTTING, RUN_FORMAT, QRELS_FORMAT, CONTEXT, ORDER, QUANTISATIONS),
    *(*IDS, TOPICS, *CHOICE, TARGET, DROP_TAGS),
    *(IDS_MATCH, COPIES, UNPLACED, TOKENS, PROBABILITIES, *FILES),
)
POLICY = (OVERLAP, INTERLEAVED, UNKNOWN, UNKNOWN_LENGTH, LIMIT, ONLY_RUN_TOPICS, INCLUDE_EMPTY)
ENGINE = (WORKERS, CLUSTER)
LATEX = (CAPTION, LABEL, SIUNITX, WIDE)
SAMPLING = (
    INTERVAL_METHOD,
    SAMPLES.but(help=f"with --interval: {SAMPLES.help}"),
    SEED.but(help=f"with --interval: {SEED.help}"),
)
SCORES = (PER_TOPIC, BY, INTERVAL.but(help=f"{INTERVAL.help}; json always includes them"), *SAMPLING)
PAPER = (WIDTH, HEIGHT, GREY, FONT_SIZE, TITLE, STYLE, TOP, HIGHLIGHT)
FIGURES = (FIGURE, DATA, *PAPER)
SERVER = (HOST, PORT, NO_BROWSER)
TERMINAL = (
    _neutral(
        "width",
        "width in columns, at least 40 (default: the terminal's, else 80)",
        kind=OptionKind(partial(whole, least=NARROWEST)),
        metavar="N",
        group=DISPLAY,
    ),
    COLOR.but(help=COLOR.help.replace("colours in a table", "colours instead of marks"), group=DISPLAY),
)


# Options that leave a command: still accepted, with a note of what takes their place, but no help shows them.
#: Options for rare input, which only these commands keep; elsewhere they are settings of excerpt.toml.
_MATCHING = ("id-pattern", "segments", "ids", "tokens", "unplaced", "run-format", "qrels-format")
_FOR_RARE_INPUT = {
    "compare": {"probabilities"},
    "evaluate": {
        *_MATCHING,
        "probabilities",
        "unknown-length",
        "limit",
        "only-run-topics",
        "include-empty",
    },
    "report": {"labels", "unplaced", "limit"},
    "explore": {"labels", "limit"},
    "explain": {"tokens", "limit"},
    "gate": {"id-pattern", "segments", "unplaced", "tokens", "limit"},
    "curve": {"tokens", "limit"},
    "funnel": {"qrels-format", "tokens", "unplaced"},
    "chunks": {"qrels-format"},
    "pool": {"run-format"},
}
#: Commands that read or write one kind of file, and keep all options for it.
_OF_FILES = {"align", "check", "citations", "config", "convert", "index", "judges", "place"}
_RARELY = {
    *("interleaved", "unknown", "unknown-length", "order", "limit"),
    *("only-run-topics", "include-empty"),
}
#: Options that only concern how something is shown; of commands that are not here, the data of a figure.
_SHOWN_BY_RENDER: dict[str, set[str]] = {
    "evaluate": {
        *("interval-method", "samples", "seed", "changed-judgments", "missing", "data"),
        *("baseline", "test", "correction", "alpha", "no-marks"),
    },
    "chunks": set(),
    "curve": set(),
}


def taken_by(command: str, option: Option) -> str:
    """Return what takes the place of an option that leaves a command; empty if the command keeps it.

    >>> taken_by("compare", CAPTION), taken_by("render", CAPTION)
    ('excerpt render, or [render] caption in excerpt.toml', '')
    >>> taken_by("compare", SEGMENTS)
    '[read] segments in excerpt.toml, or EXCERPT_SEGMENTS'
    """
    name, setting = option.name, option.setting
    instead = ""
    if not option.written or command == "render" or name in _FOR_RARE_INPUT.get(command, ()):
        pass
    elif name in _SHOWN_BY_RENDER.get(command, {"data"}):
        instead = "excerpt render"
    elif setting == LOOKS:
        instead = f"excerpt render, or [{LOOKS}] {name} in excerpt.toml"
    elif command in _OF_FILES or command.startswith(("assess", "official")):
        pass
    elif name == "max-size":
        instead = "EXCERPT_MAX_SIZE"
    elif setting in {READ, "corpus"} or (setting is not None and name in _RARELY):
        instead = f"{f'[{setting}] ' if setting else ''}{name} in excerpt.toml, or {option.variable}"
    return instead


def as_option(setting: str, value: str) -> str:
    """Return a setting as an option of the command line, for the hints of errors.

    >>> as_option("overlap", "first"), as_option("index", "")
    ('--overlap first', '--index INDEX')
    """
    known = SETTINGS.get(setting)
    if known is not None and known.written and known.role == "reads":
        value = value or known.metavar or ""
    others = {"format": "--to {}", "tokens": "--tokenizer {}", "output_format": "--format {}"}
    others |= {"command": "excerpt {}", "measures": "-m {}"}
    return others.get(setting, f"--{setting.replace('_', '-')} {{}}").format(value).strip()
