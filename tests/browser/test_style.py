"""Sources of the pages: nothing that older browsers or safety forbid; contrast of colours."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from support.browsing import PAGE

SOURCES = sorted((*PAGE.rglob("*.js"), *PAGE.rglob("*.css")))
#: The sheets that hold colours: those of all pages first, then what some pages add.
TOKENS = [
    PAGE / "base.css",
    *sorted(
        {path for path in PAGE.rglob("*.css") if "@layer tokens" in path.read_text()} - {PAGE / "base.css"}
    ),
]

_STORAGE = r"localStorage|sessionStorage|indexedDB|document\.cookie"
#: What must not stand in the sources, and why.
FORBIDDEN = {
    r"innerHTML|outerHTML|insertAdjacentHTML|setHTML|createContextualFragment": "text enters as text nodes",
    r"document\.write|DOMParser|\beval\(|new Function": "text enters as text nodes",
    r"setAttribute\([\"']style|cssText|(?<!-)\bstyle: ": "the policy forbids style attributes",
    _STORAGE: "all pages opened from files share it",
    r"\balert\(|\bconfirm\(|\bprompt\(": "failures are sentences in the page",
    r"catch\s*(\([^)]*\))?\s*\{\s*\}": "no failure is swallowed",
    r"export default|(?<![{<])\bimport\(|export \{|\bimport \*": "not understood by the joiner",
    r"https?://(?!www\.w3\.org/)": "the page asks for nothing",
    r"toSorted|toReversed|toSpliced|groupBy|withResolvers|fromAsync|\.with\(": "newer than our floor",
    r"fromBase64|Promise\.try|Iterator\.|\.union\(|\.intersection\(|\.isSubsetOf\(": "newer than our floor",
    r"light-dark\(|color-mix\(|oklch|@scope|@starting-style|[0-9](dvh|svh|lvh)\b": "newer than our floor",
    r"\bpopover\b|showPopover|field-sizing|anchor-name": "newer than our floor",
    r"requestIdleCallback|randomUUID|navigator\.locks": "not in all browsers, or not without TLS",
    r"TODO|FIXME|XXX": "nothing is left over",
}


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_nothing_forbidden_stands_in_the_sources(pattern: str) -> None:
    """Each with its reason; pages that write come from a server and keep what is not saved yet."""
    found = [
        f"{path.name}:{number}: {line.strip()[:80]}"
        for path in SOURCES
        if not (pattern == _STORAGE and path.parent.name in {"assess", "gold"})
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if re.search(pattern, line)
    ]
    assert found == [], FORBIDDEN[pattern]


def test_rules_of_style_sheets_are_not_nested() -> None:
    """Nesting is newer than Chromium 105; at-rules may hold rules."""
    for path in PAGE.rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        stack: list[bool] = []
        for head, brace in re.findall(r"([^{}]*)([{}])", text):
            if brace == "}":
                stack.pop()
                continue
            rule = not head.split(";")[-1].strip().startswith("@")
            assert not any(stack), f"{path.name}: {head.strip()}"
            stack.append(rule)
        assert stack == [], path.name


def test_colours_stand_only_among_the_tokens() -> None:
    """Elsewhere they are named by meaning; shadows may be see-through black."""
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if path in TOKENS:
            text = re.sub(r"--\w+: #[0-9a-f]{6};", "", text)
        colours = set(re.findall(r"[:\s\"](#[0-9a-fA-F]{3,8})\b", text)) - {"#0003", "#0004"}
        assert colours == set(), path.name


def schemes() -> dict[str, dict[str, str]]:
    """The tokens of the light scheme and of the dark one; some are other tokens in both."""
    light: dict[str, str] = {}
    dark: dict[str, str] = {}
    same = []
    for path in TOKENS:
        text = path.read_text(encoding="utf-8").split("\n@layer tokens")[1].split("\n@layer")[0]
        for scheme, start in ((light, ":root {"), (dark, ":root[data-theme=dark] {")):
            scheme.update(re.findall(r"--(\w+): (#[0-9a-f]{6});", text[text.index(start) :].split("}")[0]))
        same += re.findall(r"--(\w+): var\(--(\w+)\);", text)
    assert light.keys() == dark.keys()
    return {
        name: tokens | {new: tokens[known] for new, known in same}
        for name, tokens in (("light", light), ("dark", dark))
    }


SCHEMES = schemes()


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2 between two colours."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


GROUNDS = ("bg", "surface", "sunken")
#: Upper, lower, least contrast: text 4.5, lines and borders 3, as designed where more was.
PAIRS = [
    *((ink, ground, 4.6) for ink in ("ink", "ink2", "ink3") for ground in GROUNDS),
    *(("line2", ground, 3.1) for ground in GROUNDS),
    *(("ink", fill, 8.2) for fill in ("hit", "miss", "vain")),
    *(("ink", f"r{level}", 7.3) for level in range(1, 9)),
    *(("hitL", "hit", 4.5), ("missL", "miss", 4.4), ("vainL", "vain", 3.0)),
    *((line, ground, 3.0) for line in ("hitL", "missL", "vainL", "againL") for ground in ("bg", "surface")),
    *((run, ground, 4.5) for run in "ABC" for ground in ("bg", "surface")),
    *(
        ("warnL", "warn", 4.5),
        ("onInv", "inv", 7.0),
        ("ink", "warn", 7.0),
    ),
    *(("warnL", "surface", 4.5), ("ink3", "bg", 4.6)),
    *(("ink", "mark", 8.2), ("markL", "mark", 3.5), ("badL", "bad", 4.5), ("ink", "bad", 7.0)),
    *((colour, ground, 4.5) for colour in ("ok", "badL", "markL") for ground in ("bg", "surface")),
    *(("ink", f"t{colour}", 8.2) for colour in range(1, 5)),
    *((ink, "warn", 4.5) for ink in ("ink2", "ink3")),
]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_colours_can_be_told_apart(scheme: str) -> None:
    """Every pair that is put on each other, by the contrast of WCAG 2."""
    tokens = SCHEMES[scheme]
    weak = [
        f"{upper} on {lower}: {found:.2f} < {least}"
        for upper, lower, least in PAIRS
        if (found := contrast(tokens[upper], tokens[lower])) < least
    ]
    assert weak == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_digits_of_the_heat_map_can_be_read(scheme: str) -> None:
    """Ink on the pale bins, the colour on ink from the sixth, in dark from the fifth: so the sheet says."""
    tokens, sheet = SCHEMES[scheme], (PAGE / "overview.css").read_text(encoding="utf-8")
    dark = ('[data-theme=dark] [data-shade="5"]', '[data-shade="6"]', '[data-shade="7"]')
    assert f"{', '.join(dark)} {{ color: var(--onInv); }}" in " ".join(sheet.split())
    first = 6 if scheme == "light" else 5
    for level in range(1, 8):
        colour = tokens["onInv" if level >= first else "ink"]
        assert contrast(colour, tokens[f"h{level}"]) >= 4.5, level


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("scale", ["r", "h"])
def test_more_is_farther_from_the_ground(scheme: str, scale: str) -> None:
    """Both scales are steady in both schemes."""
    tokens = SCHEMES[scheme]
    levels = [luminance(tokens[f"{scale}{level}"]) for level in range(1, 8 if scale == "h" else 9)]
    darker = scheme == "light"
    assert all((one > other) == darker for one, other in pairwise(levels))
