"""Ids of documents and topics: rules that fold two spellings of one id, and what they join one to one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from excerpt.errors import short

#: Endings of documents' names, which are no part of an id.
ENDINGS = (
    *("xml", "txt", "md", "mdx", "rst", "adoc", "org", "tex", "html", "htm", "xhtml", "json", "ipynb"),
    *("pdf", "docx", "pptx", "xlsx", "odt", "epub"),
)
_ENDING = re.compile(rf"\.(?:{'|'.join(ENDINGS)})$", re.MULTILINE | re.IGNORECASE)
_AROUND = re.compile(r"^[^\S\n]+|[^\S\n]+$", re.MULTILINE)
_FRAGMENT, _ZEROS = re.compile(r"#.*$", re.MULTILINE), re.compile(r"^0+(?=\d)", re.MULTILINE)
_FOLDERS = re.compile(r"^.*/", re.MULTILINE)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")


class Rule(NamedTuple):
    """A rule that folds ids, in words and as a function of a text of lines, an id in each."""

    words: str
    fold: Callable[[str], str]


#: The rules, the simplest first; all together they are applied in this order.
RULES = (
    Rule("without the white space around", lambda text: _AROUND.sub("", text)),
    Rule("in composed Unicode (NFC)", lambda text: unicodedata.normalize("NFC", text)),
    Rule("with plain dashes", lambda text: text if text.isascii() else text.translate(_DASHES)),
    Rule("without the #fragment", lambda text: _FRAGMENT.sub("", text) if "#" in text else text),
    Rule("without the ending", lambda text: _ENDING.sub("", text)),
    Rule("if case is ignored", str.casefold),
    Rule("without leading zeros", lambda text: _ZEROS.sub("", text)),
)


def fold_all(names: Sequence[str], rules: Sequence[Rule] = RULES) -> list[str]:
    r"""Fold many ids by some rules; backslashes count as slashes.

    >>> fold_all(["D01.TXT", " d01", "docs\\007.md", "a.txt#p2"])
    ['d01', 'd01', 'docs/007', 'a']
    """
    text = "\n".join(names)
    if text.count("\n") != len(names) - 1:
        text = "\n".join(name.replace("\n", " ") for name in names)
    text = text.replace("\\", "/")
    for rule in rules:
        text = rule.fold(text)
    return text.split("\n") if names else []


class Folding(NamedTuple):
    """What one rule, or several, join: ids of one side with ids of another."""

    rule: str
    #: Ids of the one side with those of the other, one to one.
    pairs: dict[str, str]
    #: Ids of the one side that would match, but not one to one.
    ambiguous: list[str]

    @property
    def examples(self) -> str:
        """Two pairs of ids, for messages."""
        several = list(self.pairs.items())[:2]
        return ", ".join(f"{short(ours)} and {short(theirs)}" for ours, theirs in several)


class Sides(NamedTuple):
    """Ids of two sides that do not match, and those that do."""

    ours: list[str]
    theirs: list[str]
    common: list[str]

    @classmethod
    def of(cls, ours: Collection[str], theirs: Collection[str], apart: Collection[str] = ()) -> Sides:
        """Compare ids; those `apart` are ids of other documents whatever they look like."""
        known, other = set(theirs), set(ours)
        unmatched = (
            [name for name in ours if name not in known],
            [name for name in theirs if name not in other],
        )
        left = [[name for name in side if name not in apart] if apart else side for side in unmatched]
        return cls(*left, [name for name in ours if name in known])

    def foldings(self) -> Iterator[Folding]:
        """Yield what each rule joins, the simplest first, then what all of them do together.

        >>> [(one.rule, one.pairs) for one in Sides.of(["a/D1.txt", "a/D2.txt"], ["D1", "D2"]).foldings()]
        [('without the ending, without the folder a/', {'a/D1.txt': 'D1', 'a/D2.txt': 'D2'})]
        """
        if not (self.ours and self.theirs) or not self._may_match():
            return
        for rules in (*((rule,) for rule in RULES), (), RULES):
            ours, theirs = fold_all(self.ours, rules), fold_all(self.theirs, rules)
            taken = set(fold_all(self.common, rules))
            found = [self._joined(ours, theirs, taken, rules)] if rules else []
            for longer, shorter, is_ours in ((ours, theirs, True), (theirs, ours, False)):
                prefix = _common_prefix(longer, set(shorter), taken) if len(rules) != 1 else ""
                if prefix:
                    cut = [name.removeprefix(prefix) for name in longer]
                    sides = (cut, shorter) if is_ours else (shorter, cut)
                    found.append(self._joined(*sides, taken, rules, f"without the folder {short(prefix)}"))
            yield from (one for one in found if one.pairs or one.ambiguous)

    def loosest(self) -> Folding | None:
        """Return what all rules join if any folder is ignored; None if that is nothing."""
        if not (self.ours and self.theirs) or not self._may_match():
            return None
        sides = [[_FOLDERS.sub("", name) for name in fold_all(side)] for side in self]
        found = self._joined(sides[0], sides[1], set(), ())
        return found if found.pairs or found.ambiguous else None

    def _may_match(self) -> bool:
        """Return whether any ids match when all rules are applied and folders are ignored."""
        last = [set(_FOLDERS.sub("", "\n".join(fold_all(side))).split("\n")) for side in self[:2]]
        return not last[0].isdisjoint(last[1])

    def _joined(
        self, ours: list[str], theirs: list[str], taken: set[str], rules: Sequence[Rule], folder: str = ""
    ) -> Folding:
        """Join ids by their keys; those of which a side has several, or that match already, are ambiguous."""
        mine, other = _by_key(self.ours, ours), _by_key(self.theirs, theirs)
        pairs, ambiguous = dict[str, str](), list[str]()
        for key in mine.keys() & other.keys():
            if len(mine[key]) == len(other[key]) == 1 and key not in taken:
                pairs[mine[key][0]] = other[key][0]
            else:
                ambiguous += mine[key]
        words = [rule.words for rule in _needed(pairs, rules, folder != "")] + [folder] * bool(folder)
        order = {name: place for place, name in enumerate(self.ours)}
        ordered = dict(sorted(pairs.items(), key=lambda pair: order[pair[0]]))
        return Folding(", ".join(words), ordered, sorted(ambiguous, key=order.__getitem__))


def _needed(pairs: dict[str, str], rules: Sequence[Rule], folder: bool) -> list[Rule]:
    """Return the rules without which some pairs would not match."""
    kept = list(rules)
    for rule in rules if pairs else ():
        fewer = [one for one in kept if one is not rule]
        ours, theirs = fold_all(list(pairs), fewer), fold_all(list(pairs.values()), fewer)
        same = all(
            one == two or (folder and (one.endswith("/" + two) or two.endswith("/" + one)))
            for one, two in zip(ours, theirs, strict=True)
        )
        kept = fewer if same else kept
    return kept


def _by_key(names: Sequence[str], keys: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, key in zip(names, keys, strict=True):
        found.setdefault(key, []).append(name)
    return found


def _common_prefix(longer: Sequence[str], shorter: set[str], others: Collection[str]) -> str:
    """Return the folders that all ids of a side begin with and the other side lacks; "" if they differ."""
    for name in longer:
        at = name.find("/")
        while at >= 0 and name[at + 1 :] not in shorter:
            at = name.find("/", at + 1)
        if at >= 0:
            prefix = name[: at + 1]
            return prefix if all(one.startswith(prefix) for one in (*longer, *others)) else ""
    return ""


def propose(sides: Sides) -> Folding | None:
    """Return the simplest folding that is one to one and joins half of the ids of a side; None without one.

    >>> propose(Sides.of(["D1.txt", "D2.txt"], ["D1", "D3"])).pairs
    {'D1.txt': 'D1'}
    >>> propose(Sides.of(["index.md", "a/index.md"], ["b/index.md", "d.md"])) is None
    True
    """
    fewest = min(len(sides.ours), len(sides.theirs))
    fitting = (one for one in sides.foldings() if not one.ambiguous and 2 * len(one.pairs) >= fewest)
    return next((one for one in fitting if one.pairs), None)


def largest(sides: Sides) -> Folding | None:
    """Return the folding that joins most ids, the simplest of several; None if none joins any."""
    return max(sides.foldings(), key=lambda one: len(one.pairs), default=None)


class FoldedNames:
    """Documents by their folded ids and paths; those that share one have none."""

    def __init__(self, names: Sequence[str], numbers: Sequence[int], root: str = "") -> None:
        """Take ids and paths of documents with the numbers of these, and the folder they come from."""
        self._root = fold_all([root.replace("\\", "/").strip("/").rpartition("/")[2]])[0] if root else ""
        keys = fold_all(names)
        self._by_key = _unique(keys, numbers)
        self._by_name = _unique([key.rpartition("/")[2] for key in keys], numbers)

    def find(self, name: str) -> int:
        """Return the number of the one document that an id may mean; -1 without one, or with several.

        >>> folded = FoldedNames(["a/D01.txt", "a/d2.txt", "b/d2.txt"], [0, 1, 2], "texts")
        >>> folded.find("A/D1.TXT"), folded.find("x/a/D01"), folded.find("d2"), folded.find("texts/b/d2.txt")
        (-1, 0, -1, 2)
        """
        key = fold_all([name])[0]
        if (number := self._by_key.get(key, -1)) >= 0 or "/" not in key:
            return number
        single, at = self._by_name.get(key.rpartition("/")[2], -1), key.find("/")
        while at >= 0:
            number = self._by_key.get(key[at + 1 :], -1)
            if number >= 0 and (single >= 0 or key[:at].rpartition("/")[2] == self._root != ""):
                return number
            at = key.find("/", at + 1)
        return -1


def _unique(keys: Sequence[str], numbers: Sequence[int]) -> dict[str, int]:
    """Return the numbers by key, -1 for a key of several."""
    found: dict[str, int] = {}
    for key, number in zip(keys, numbers, strict=True):
        if found.setdefault(key, number) != number:
            found[key] = -1
    return found
