"""Errors and warnings for users: exceptions with file, line, message and hint, and helpers for their text.

ExcerptError          any error of the user; the command line prints it in one line and exits with 2
├── FormatError       a file breaks the rules of its format (has a file and a line)
├── UnknownName       an unknown name: of a measure, a parameter, a format
├── PolicyError       a run breaks a rule of a measure's task: overlap, interleaved documents
│   └── OverlapError  results of a run overlap
└── MissingData       a measure needs data that the run or the judgments do not contain

Messages and hints name settings as `⟨overlap=first⟩` or `⟨index⟩`, and hints name commands as
`⟨command=place⟩`. `str(error)` writes them as Python, the command line as options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from types import UnionType

TYPE_CHECKING = False  # not from typing, which is half of what a start without numpy loads
if TYPE_CHECKING:
    from typing import Any

_SETTING = "⟨([a-z_0-9]+)(?:=([^⟩]*))?⟩"

#: Number of known names that an error lists, and that it searches for a similar one.
_MOST_NAMES = 12
_MOST_COMPARED = 5000
#: C0, C1, line ends of Unicode, and marks that change the direction of writing.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: repr(chr(code))[1:-1] for code in _CONTROLS}
_LATER_CONTROLS = re.compile(f"[{''.join(chr(code) for code in _CONTROLS if code > 0x20)}]")


def one_line(text: str) -> str:
    r"""Return a message with control characters escaped, since file names may contain any.

    >>> print(one_line("a\nb.xml: \x1b[31mfound …"))
    a\nb.xml: \x1b[31mfound …
    """
    return text.translate(_ESCAPES)


def json_text(value: object, *, indent: int | None = None, nan: bool = True) -> str:
    r"""Return a value as JSON with all control characters escaped; without `nan`, NaN is an error.

    >>> print(json_text({"é": "\x9b31m"}))
    {"é": "\u009b31m"}
    """
    import json

    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=nan)
    return _LATER_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def short(text: str, most: int = 60) -> str:
    """Return a text for messages, cut after `most` characters.

    >>> short("abc"), short("abcdef", 4)
    ('abc', 'abc…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def listed(given: object, kinds: type | UnionType, what: str, expected: str) -> tuple[Any, ...]:
    """Return one value or several as a tuple; an error for other types names the argument `what`.

    >>> listed("a", str, "drop_tags", "names of elements"), listed(["a", "b"], str, "drop_tags", "names")
    (('a',), ('a', 'b'))
    """
    items = (given,) if isinstance(given, kinds) or not isinstance(given, Iterable) else tuple(given)
    for item in items:
        if not isinstance(item, kinds):
            raise ExcerptError(f"found {short(repr(item))} as {what}, expected {expected}")
    return items


def plural(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "topic"), plural(2, "topic")
    ('1 topic', '2 topics')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def short_list(names: Iterable[str], most: int = 8) -> str:
    """Return names separated by commas, at most the first `most`.

    >>> short_list("abcd", 2)
    'a, b and 2 more'
    """
    listed = list(names)
    shown = ", ".join(short(name) for name in listed[:most])
    return shown if len(listed) <= most else f"{shown} and {len(listed) - most} more"


_MOST = 450  # characters of a path, a message or a hint, since content of files may have any length


def shorten(text: str) -> str:
    """Return a message, without its middle if it is long.

    >>> len(shorten("found " + 1000 * "a" + ", expected a number")), shorten("short")
    (451, 'short')
    """
    return text if len(text) <= _MOST else f"{text[: _MOST * 3 // 4]}…{text[-_MOST // 4 :]}"


def spell(text: str, write: Callable[[str, str], str]) -> str:
    """Return a text with its settings, such as `⟨min⟩`, as `write(setting, value)` spells them.

    >>> spell("add ⟨min⟩ or try ⟨overlap=first⟩", lambda setting, value: f"{setting} {value}".strip())
    'add min or try overlap first'
    """
    return re.sub(_SETTING, lambda match: write(match[1], match[2] or ""), text)


#: Values of settings that are neither text nor number.
_VALUES = {"corpus": "Corpus.read(…)", "index": "OffsetIndex.open(…)", "keep_text": "True"}
#: Settings that are not keyword arguments in Python.
_ELSEWHERE = {
    "max_size": "EXCERPT_MAX_SIZE={}",
    "output_format": "outcome.to_json()",
    "no_text": "text=False",
    "save": "save_scores(table, '{}')",
}

#: Commands named by hints, as Python.
_COMMANDS = {
    "place": "corpus.place(chunks)",
    "measures": "excerpt.measures.registry()",
    "topics": "excerpt.topics(file)",
    "trec_eval": "excerpt.trec_eval(qrels, run)",
}


def in_python(setting: str, value: str) -> str:
    """Return a setting as Python.

    >>> in_python("overlap", "first"), in_python("order", "file"), in_python("index", "")
    ('overlap="first"', 'order="file"', 'index=OffsetIndex.open(…)')
    """
    if setting == "command":
        if value.startswith("official "):
            return f"excerpt.{value.replace(' ', '.')}"
        return _COMMANDS.get(value, value)  # content of a file may look like a command
    if setting in _ELSEWHERE:
        return _ELSEWHERE[setting].format(value)
    shown = value if re.fullmatch(r"[\d.]+", value) else f'"{value}"' if value else _VALUES.get(setting, "…")
    return f"{setting}={shown}"


class ExcerptError(Exception):
    """An error of the user; `str(error)` is the whole message, on one line."""

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        unit: str = "line",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        #: What `line` counts: lines, or the rows of lists, tables and objects.
        self.unit = unit
        self.hint = hint

    @property
    def place(self) -> str:
        """File and line, or row; empty if the error has neither.

        >>> ExcerptError("x", path="a", line=3).place, ExcerptError("x", path="a", line=3, unit="row").place
        ('a:3', 'a: row 3')
        """
        path = "" if self.path is None else shorten(self.path)
        if self.line is None or (self.unit == "line" and not path):
            return path
        row = f"row {self.line}"
        return f"{path}:{self.line}" if self.unit == "line" else f"{path}: {row}" if path else row

    @property
    def settings(self) -> tuple[str, ...]:
        """Settings named by the hint: `overlap`, `index`, …"""
        return tuple(match[1] for match in re.finditer(_SETTING, self.hint))

    def say(self, write: Callable[[str, str], str]) -> str:
        """Return the whole message, on one line; `write(setting, value)` spells a setting."""
        prefix = f"{self.place}: " if self.place else ""
        hint = spell(self.hint, write)
        message = re.sub(
            _SETTING, lambda match: write(match[1], match[2] or "").removesuffix("=…"), self.message
        )
        return one_line(prefix + shorten(message) + (f"; {shorten(hint)}" if hint else ""))

    def __str__(self) -> str:
        return self.say(in_python)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors are sent between worker processes; the default would lose the keyword arguments.
        known = (type(self), self.message, self.path, self.line, self.unit, self.hint)
        return (_rebuild, known, self.__dict__)


def _rebuild(
    kind: type[ExcerptError], message: str, path: str | None, line: int | None, unit: str, hint: str
) -> ExcerptError:
    error = kind.__new__(kind)
    ExcerptError.__init__(error, message, path=path, line=line, unit=unit, hint=hint)
    return error


#: Hears what a corpus leaves out, and whether that is a warning, while a command runs; Python has warnings.
HEARS: list[Callable[[str, bool], None]] = []


class ExcerptWarning(UserWarning):
    """Warning about legal but doubtful input, for Python's `warnings` unless a call has `notices`."""


class FormatError(ExcerptError):
    """A file breaks the rules of its format."""

    #: The command that lists every fault of such a file; empty if there is none.
    listed_by: str = "check"


class PolicyError(ExcerptError):
    """A run breaks a rule of a measure's task."""

    #: Name of the run, if it is known.
    run: str = ""


class OverlapError(PolicyError):
    """Results of a run overlap, and no rule says how their common text counts."""

    @classmethod
    def of(cls, errors: Sequence[OverlapError], runs: int) -> OverlapError:
        """The first of several errors, which names all runs whose results overlap."""
        first = errors[0]
        if runs == 1:
            return first
        named = f"results overlap in {len(errors)} of {runs} runs: {short_list(one.run for one in errors)}"
        error = cls(f"{first.message} ({named})", path=first.path, line=first.line, hint=first.hint)
        error.run = first.run
        return error


class MissingData(ExcerptError):
    """A measure needs data that the run or the judgments do not contain."""


#: Measures that differ only in case; neither is suggested for the other.
_OTHER_CASE = {"gr": "gR", "gR": "gr"}


def _word(name: str) -> str:
    """Return the name of a measure without parameters and cut-off."""
    return re.split(r"\W", name, maxsplit=1)[0]


class UnknownName(ExcerptError):
    """An unknown name; the message suggests the nearest one and lists the known ones."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, path: str | None = None, line: int | None = None
    ) -> None:
        import difflib

        name = str(name)  # a caller in Python may give any type
        names = sorted(known)
        other = _OTHER_CASE.get(_word(name))
        lowered = {candidate.lower(): candidate for candidate in reversed(names) if _word(candidate) != other}
        given = name[:_MOST].lower()
        likely = lowered if len(lowered) <= _MOST_COMPARED else lowered.keys() & {given}
        near = difflib.get_close_matches(given, likely, n=1, cutoff=0.6)
        hint = f"did you mean {lowered[near[0]]!r}? known: " if near else "known: "
        listed = ", ".join(names[:_MOST_NAMES]) or "none"
        more = f", … ({len(names)} in all)" if len(names) > _MOST_NAMES else ""
        super().__init__(f"unknown {kind} {short(name)!r}", path=path, line=line, hint=hint + listed + more)
