"""Ids of documents and topics: rules that fold two spellings of one id, and what they join one to one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import filterfalse
from typing import NamedTuple

from excerpt.errors import plural, short

#: Endings of documents' names, which are no part of an id.
ENDINGS = (
    *("xml", "txt", "md", "mdx", "rst", "adoc", "org", "tex", "html", "htm", "xhtml", "json", "ipynb"),
    *("pdf", "docx", "pptx", "xlsx", "odt", "epub"),
)
_ENDING = re.compile(rf"\.(?:{'|'.join(ENDINGS)})(?:\.gz)?$", re.MULTILINE | re.IGNORECASE)
_AROUND = re.compile(r"^[^\S\n]+|[^\S\n]+$", re.MULTILINE)
_FRAGMENT, _ZEROS = re.compile(r"#.*$", re.MULTILINE), re.compile(r"(^|[\n/])0+(?=\d)")
_HERE = re.compile(r"^(?:\./)+", re.MULTILINE)
_FOLDERS = re.compile(r"^.*/", re.MULTILINE)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")


class FoldingRule(NamedTuple):
    """A rule that folds ids, in words and as a function of a text of lines, an id in each."""

    words: str
    fold: Callable[[str], str]


#: The rules, the simplest first; all together they are applied in this order.
RULES = (
    FoldingRule(
        "without the white space around", lambda text: _AROUND.sub("", text) if _blank(text) else text
    ),
    FoldingRule("in composed Unicode (NFC)", lambda text: unicodedata.normalize("NFC", text)),
    FoldingRule("with plain dashes", lambda text: text if text.isascii() else text.translate(_DASHES)),
    FoldingRule("without the #fragment", lambda text: _FRAGMENT.sub("", text) if "#" in text else text),
    FoldingRule("without the ending", lambda text: _ENDING.sub("", text) if "." in text else text),
    FoldingRule("if case is ignored", str.casefold),
    FoldingRule("without leading zeros", lambda text: _ZEROS.sub(r"\1", text) if _has_zero(text) else text),
)


def _blank(text: str) -> bool:
    return not text.isascii() or any(blank in text for blank in " \t\r\v\f\x1c\x1d\x1e\x1f")


def _has_zero(text: str) -> bool:
    return text.startswith("0") or "\n0" in text or "/0" in text


def fold_all(names: Sequence[str], rules: Sequence[FoldingRule] = RULES) -> list[str]:
    r"""Fold many ids by some rules; backslashes count as slashes.

    >>> fold_all(["D01.TXT", " d01", "docs\\007.md", "a.txt#p2"])
    ['d01', 'd01', 'docs/7', 'a']
    """
    return _fold_lines(names, rules).split("\n")


def _fold_lines(names: Sequence[str], rules: Sequence[FoldingRule]) -> str:
    text = "\n".join(names)
    if text.count("\n") != len(names) - 1:
        text = "\n".join(name.replace("\n", " ") for name in names)
    text = text.replace("\\", "/")
    return reduce(
        lambda folded, rule: rule.fold(folded), rules, _HERE.sub("", text) if "./" in text else text
    )


def last_parts(names: Sequence[str]) -> list[str]:
    """Fold ids by all rules, and return them without their folders."""
    return _last_parts(_fold_lines(names, RULES))


def _last_parts(lines: str) -> list[str]:
    return (_FOLDERS.sub("", lines) if "/" in lines else lines).split("\n")


def last_part(key: str) -> str:
    """Return a folded id without its folders."""
    return key.rpartition("/")[2]


def _ends(one: str, other: str) -> bool:
    """Return whether two folded ids are the same but for folders in front of one of them."""
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


class Folding(NamedTuple):
    """What one rule, or several, join: ids of one side with ids of another."""

    rule: str
    #: Ids of the one side with those of the other, one to one.
    pairs: dict[str, str]
    #: Ids of the one side that would match, but not one to one.
    ambiguous: list[str]

    def found(self, noun: str, of: str = "") -> str:
        """Say what would match, for errors.

        >>> Folding("without the ending", {"D1.txt": "D1"}, []).found("document", " of runs")
        'found 1 document of runs that would match without the ending (D1.txt as D1)'
        """
        return f"found {plural(len(self.pairs), noun)}{of} that would match {self.rule} ({self.examples})"

    @property
    def examples(self) -> str:
        """Two pairs of ids, for messages."""
        several = list(self.pairs.items())[:2]
        return ", ".join(f"{short(ours)} as {short(theirs)}" for ours, theirs in several)


@dataclass(frozen=True)
class Sides:
    """Ids of two sides that do not match, and those that do."""

    ours: list[str]
    theirs: list[str]
    common: list[str]
    #: Finds the numbers of known documents by their ids: ids with two numbers are never one document.
    known: Callable[[list[str]], Mapping[str, int]] = lambda _: {}

    @classmethod
    def of(
        cls,
        ours: Iterable[str],
        theirs: Collection[str],
        known: Callable[[list[str]], Mapping[str, int]] = lambda _: {},
    ) -> Sides:
        """Compare ids; `known` finds those of known documents."""
        judged = theirs if isinstance(theirs, Mapping) else set(theirs)
        common = list(filter(judged.__contains__, ours))
        mine = list(filterfalse(judged.__contains__, ours))
        return cls(mine, list(filterfalse(set(common).__contains__, theirs)) if mine else [], common, known)

    @cached_property
    def resembling(self) -> dict[str, list[str]]:
        """Ids of the one side with those of the other that some rules, or folders, would join.

        >>> Sides.of(["index.md", "D1"], ["a/index.md", "b/index.md", "D2"]).resembling
        {'index.md': ['a/index.md', 'b/index.md']}
        """
        theirs = [*self.theirs, *self.common]
        if not (self.ours and theirs):
            return {}
        lines = [_fold_lines(names, RULES) for names in (self.ours, theirs)]
        parts = list(map(_last_parts, lines))
        known = set(parts[1])
        if known.isdisjoint(parts[0]):  # fast
            return {}
        by_part: dict[str, list[tuple[str, str]]] = {}
        for part, *other in zip(parts[1], theirs, lines[1].split("\n"), strict=True):
            by_part.setdefault(part, []).append((other[0], other[1]))
        found = {
            name: [other for other, own in by_part[part] if _ends(key, own)]
            for part, name, key in zip(parts[0], self.ours, lines[0].split("\n"), strict=True)
            if part in known
        }
        number = self.known([*found, *{other for others in found.values() for other in others}])
        if number:
            found = {
                name: [
                    one
                    for one in others
                    if number.get(name, -1) == number.get(one, -2) or {name, one} - number.keys()
                ]
                for name, others in found.items()
            }
        return {name: others for name, others in found.items() if others}

    def foldings(self) -> Iterator[Folding]:
        """Yield what each rule joins, the simplest first, then what all of them do together.

        >>> [(one.rule, one.pairs) for one in Sides.of(["a/D1.txt", "a/D2.txt"], ["D1", "D2"]).foldings()]
        [('without the ending, without the folder a/', {'a/D1.txt': 'D1', 'a/D2.txt': 'D2'})]
        """
        near = {other for others in self.resembling.values() for other in others}
        ours, theirs = list(self.resembling), list(filter(near.__contains__, self.theirs))
        common = list(filter(near.__contains__, self.common))
        for rules in (*((rule,) for rule in RULES), (), RULES) if ours and theirs else ():
            mine, other = fold_all(ours, rules), fold_all(theirs, rules)
            taken = set(fold_all(common, rules)) if common else set()
            found = [_joined(ours, theirs, (mine, other), taken, rules)] if rules else []
            if len(rules) != 1:
                for is_ours, prefix in ((True, _prefix(mine, other)), (False, _prefix(other, mine))):
                    whole = [*(self.ours if is_ours else self.theirs), *self.common]
                    if prefix and all(key.startswith(prefix) for key in fold_all(whole, rules)):
                        keys = [[key.removeprefix(prefix) for key in mine], other]
                        if not is_ours:
                            keys = [mine, [key.removeprefix(prefix) for key in other]]
                        folder = f"without the folder {short(prefix)}"
                        found.append(_joined(ours, theirs, keys, taken, rules, folder))
            yield from (one for one in found if one.pairs or one.ambiguous)


def _joined(
    ours: list[str],
    theirs: list[str],
    keys: Sequence[list[str]],
    taken: set[str],
    rules: Sequence[FoldingRule],
    folder: str = "",
) -> Folding:
    """Join ids by their keys; those of which a side has several, or that match already, are ambiguous."""
    mine, other = _by_key(ours, keys[0]), _by_key(theirs, keys[1])
    pairs, ambiguous = dict[str, str](), list[str]()
    for key, names in mine.items():
        if len(names) == len(other.get(key, ())) == 1 and key not in taken:
            pairs[names[0]] = other[key][0]
        elif key in other or key in taken:
            ambiguous += names
    words = [rule.words for rule in _needed(pairs, rules, folder != "")] + [folder] * bool(folder)
    return Folding(", ".join(words), pairs, ambiguous)


def _needed(pairs: dict[str, str], rules: Sequence[FoldingRule], folder: bool) -> list[FoldingRule]:
    """Return the rules without which some pairs would not match."""
    kept = list(rules)
    for rule in rules if pairs else ():
        fewer = [one for one in kept if one is not rule]
        ours, theirs = fold_all(list(pairs), fewer), fold_all(list(pairs.values()), fewer)
        same = all(one == two or (folder and _ends(one, two)) for one, two in zip(ours, theirs, strict=True))
        kept = fewer if same else kept
    return kept


def _by_key(names: Sequence[str], keys: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, key in zip(names, keys, strict=True):
        found.setdefault(key, []).append(name)
    return found


def _prefix(longer: Sequence[str], shorter: Collection[str]) -> str:
    """Return the folders in front of the first id that is one of the other side without them; "" if none."""
    others = shorter if isinstance(shorter, set | dict) else set(shorter)
    for name in longer:
        at = name.find("/")
        while at >= 0 and name[at + 1 :] not in others:
            at = name.find("/", at + 1)
        if at >= 0:
            return name[: at + 1]
    return ""


def common_folders(keys: Sequence[str], others: Collection[str]) -> str:
    """Return the folders in front of all folded ids without which one of them is among others; "" if none.

    >>> common_folders(["docs/en/a", "docs/en/b"], ["b"]), common_folders(["docs/a", "b"], ["a"])
    ('docs/en/', '')
    """
    prefix = _prefix(keys, others)
    return prefix if prefix and all(key.startswith(prefix) for key in keys) else ""


def propose(sides: Sides, *, partly: bool = False) -> Folding | None:
    """Return the folding that joins most ids, one to one and at least half of a side; None without one.

    If there is none, `partly` returns the one that joins most ids, but not all of them one to one.

    >>> propose(Sides.of(["D1.txt", "D2.txt"], ["D1", "D3"])).pairs
    {'D1.txt': 'D1'}
    >>> propose(Sides.of(["index.md", "a/index.md"], ["b/index.md", "d.md"])) is None
    True
    """
    fewest = min(len(sides.ours), len(sides.theirs))
    found = [one for one in sides.foldings() if one.pairs]
    fitting = [one for one in found if not one.ambiguous and 2 * len(one.pairs) >= fewest]
    return max(fitting or (found if partly else []), key=lambda one: len(one.pairs), default=None)


class FoldedNames:
    """Documents by their folded ids and paths; those that share one have none."""

    def __init__(
        self,
        names: Sequence[str],
        numbers: Sequence[int],
        roots: Sequence[str] = (),
        later: Collection[int] = (),
    ) -> None:
        """Take ids and paths of documents with the numbers of these, and the folders they come from.

        The `later` documents take no name that another one has.

        >>> FoldedNames(["a.html", "a.md"], [0, 1], (), {0}).find("A")
        1
        """
        self._roots = [f"{root}/" for root in fold_all(roots)] if roots else []
        self._by_key, self._by_name = dict[str, int](), dict[str, tuple[int, str]]()
        pairs = list(zip(fold_all(names) if names else (), numbers, strict=True))
        self._add([pair for pair in pairs if pair[1] not in later] if later else pairs)
        if later:
            keys, parts = set(self._by_key), set(self._by_name)
            self._add([pair for pair in pairs if pair[1] in later], keys, parts)

    def _add(
        self, pairs: Sequence[tuple[str, int]], keys: Collection[str] = (), parts: Collection[str] = ()
    ) -> None:
        """Add documents by their folded names, but not by `keys` and last `parts` that others have."""
        for key, number in pairs:
            if key not in keys and self._by_key.setdefault(key, number) != number:
                self._by_key[key] = -1
            part = last_part(key)
            if part not in parts and self._by_name.setdefault(part, (number, key))[0] != number:
                self._by_name[part] = -1, ""

    def find(self, name: str) -> int:
        """Return the number of the one document that an id may mean; -1 without one, or with several.

        >>> folded = FoldedNames(["a/D01.txt", "a/d2.txt", "b/d2.txt", "e.md"], [0, 1, 2, 3], ["texts"])
        >>> [folded.find(name) for name in ("A/D01.TXT", "texts/a/D01", "d01", "/data/texts/b/d2.txt")]
        [0, 0, 0, 2]
        >>> [folded.find(name) for name in ("d2", "y/d01", "x/e")]
        [-1, -1, -1]
        >>> FoldedNames(["https://a.org/docs/"], [0]).find("")
        -1
        """
        return self._find(fold_all([name])[0])

    def _find(self, key: str) -> int:
        if key in self._by_key:
            return self._by_key[key]
        number, own = self._by_name.get(last_part(key), (-1, ""))
        if key and number >= 0 and own.endswith(f"/{key}"):
            return number
        for prefix in self._roots:
            rests = f"/{key}".split(f"/{prefix}")
            for first in range(1, len(rests)):
                if (rest := f"/{prefix}".join(rests[first:])) in self._by_key:
                    return self._by_key[rest]
        return -1

    def find_all(self, names: Sequence[str]) -> list[int]:
        """Return what `find` returns for each id."""
        return list(map(self._find, fold_all(names))) if names else []

    def find_behind_folders(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of documents by ids that all have the same folders in front; -1 without one.

        >>> folded = FoldedNames(["D1.txt", "a/d2.txt"], [0, 1])
        >>> folded.find_behind_folders(["x/d1", "x/a/d2", "x/d3"])
        [0, 1, -1]
        >>> folded.find_behind_folders(["x/d1", "a/d2"])
        [-1, -1]
        """
        keys = fold_all(names)
        prefix = common_folders(keys, self._by_key)
        found = [self._by_key.get(key.removeprefix(prefix), -1) if prefix else -1 for key in keys]
        return one_to_one(names, found)


def one_to_one(names: Sequence[str], found: Sequence[int], taken: Collection[int] = ()) -> list[int]:
    """Return the numbers of documents that ids may mean; -1 for ids of a `taken` one, and of one with others.

    Ids that differ in a #fragment may mean one document.

    >>> one_to_one(["d1", "d2#p3", "d2#p4"], [0, 1, 1]), one_to_one(["d1"], [0], taken=[0])
    ([0, 1, 1], [-1])
    >>> one_to_one(["d1.pdf", "D1", "d2"], [0, 0, 1])
    [-1, -1, 1]
    """
    meant: dict[int, set[str]] = {}
    for name, number in zip(names, found, strict=True):
        meant.setdefault(number, set()).add(name.partition("#")[0])
    return [-1 if number in taken or len(meant[number]) > 1 else number for number in found]
