"""Joining modules: order, names, and what is refused."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.page_modules import check

from excerpt.render import page as shell
from excerpt.render.page import folder, join, join_styles


def joined(tmp_path: Path, **modules: str) -> str:
    """Modules by their names, joined from `main`."""
    for name, text in modules.items():
        (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
    return join(tmp_path, "main.js")


def test_what_is_needed_comes_first(tmp_path: Path) -> None:
    """Each module once, imports and exports gone."""
    found = joined(
        tmp_path,
        main='import {b} from "./second.js";\nimport {a} from "./first.js";\nstart(a, b);\n',
        first="export const a = 1;\nfunction start() {}\n",
        second='import {a} from "./first.js";\nexport async function b() {\n  return a;\n}\n',
    )
    assert found == "const a = 1;\nfunction start() {}\nasync function b() {return a;}\nstart(a, b);\n"


def test_imports_may_take_several_lines(tmp_path: Path) -> None:
    """As a formatter writes them."""
    found = joined(tmp_path, main='import {\n  a,\n} from "./x.js";\nstart(a);', x="export const a = 1;")
    assert found == "const a = 1;\nstart(a);\n"


def test_comments_stay_in_the_sources(tmp_path: Path) -> None:
    """Whole lines of comments are left out, and indentation; what looks like one in text is not."""
    code = 'const x = 2\n* 3; // kept\nconst y = "/* text */";\n'
    source = code.replace("* 3", "  * 3")
    assert joined(tmp_path, main="/** What.\n * @param {string} x */\n  // A note.\n" + source) == code
    lines = "const x = `one\n  // two\n\n  three ${\n  y}`;\n"
    assert joined(tmp_path, main=lines) == lines


@pytest.mark.parametrize(
    ("modules", "says"),
    [
        (
            {"main": 'import {a} from "./x.js";', "x": 'import {b} from "./main.js";\nexport const a = 1;'},
            "modules import each other: main.js → x.js → main.js",
        ),
        (
            {
                "main": 'import {a} from "./x.js";\nfunction same() {}',
                "x": "export const a = 1;\nconst same = 2;",
            },
            "same is declared in x.js and in main.js; names must be unique",
        ),
        (
            {
                "main": 'import {a} from "./x.js";\nconst b = 1, c = 2;',
                "x": "export const a = [1, 2], c = 3;",
            },
            "c is declared in x.js and in main.js; names must be unique",
        ),
        (
            {"main": 'import {a} from "./x.js";', "x": "const a = 1;"},
            "imports a, which x.js does not export",
        ),
        ({"main": 'import {a} from "./gone.js";'}, "module gone.js is missing, which main.js imports"),
        ({"main": 'import * as x from "./x.js";', "x": ""}, "expected imports as import"),
        ({"main": 'import x from "./x.js";', "x": ""}, "expected imports as import"),
        (
            {"main": 'import {a as b} from "./x.js";', "x": "export const a = 1;"},
            "which x.js does not export",
        ),
        ({"main": 'const x = await import("./x.js");', "x": ""}, "expected no import while the page runs"),
        ({"main": "export default 7;"}, "expected named exports in place"),
        ({"main": "const a = 1;\nexport {a};"}, "expected named exports in place"),
        ({"main": 'export * from "./x.js";', "x": ""}, "expected named exports in place"),
        ({"main": "const {a, b} = c;"}, "expected one name for each declaration"),
        ({"main": 'const a = "</script>";'}, "expected no text that ends or hides a script"),
        ({"main": 'const a = "<!--";'}, "expected no text that ends or hides a script"),
    ],
)
def test_rules_for_modules(tmp_path: Path, modules: dict[str, str], says: str) -> None:
    """One line that names the files."""
    for name, text in modules.items():
        (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(says)):
        check(tmp_path, "main.js")


def test_style_sheets_have_their_order(tmp_path: Path) -> None:
    """As they are given."""
    order = ("base", "a", "b", "print")
    for name in ("print", "b", "base", "a"):
        (tmp_path / f"{name}.css").write_text(f"/* about */\n.{name} {{\n  margin: 0;\n}}\n")
    found = join_styles(tmp_path, [f"{name}.css" for name in order])
    assert found == "".join(f".{name}{{margin:0}}" for name in order)


def test_comments_are_left_out(tmp_path: Path) -> None:
    """Of lines, and on types inside of them; after an escaped backslash a template ends; its text is kept."""
    source = (
        "/** About. */\nconst a = /** @type {number} */ (1);\nconst b = `x\\\\`;\n// about\n"
        "/** About. */\nconst c = `\n  /* kept */\n`, d = f(\n  a,\n  `,\n)`,\n);\n"
    )
    (tmp_path / "main.js").write_text(source, encoding="utf-8")
    assert join(tmp_path, "main.js") == (
        "const a = (1);\nconst b = `x\\\\`;\nconst c = `\n  /* kept */\n`, d = f(a,`,\n)`);\n"
    )


def test_a_folder_inside_uses_the_modules_around_it(tmp_path: Path) -> None:
    """Each module occurs once, whichever module imports it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    (tmp_path / "in" / "b.js").write_text('import {a} from "../a.js";\nexport const b = a;\n')
    (tmp_path / "in" / "c.js").write_text(
        'import {a} from "../a.js";\nimport {b} from "./b.js";\nconsole.log(a, b);\n'
    )
    assert join(tmp_path, "in/c.js") == "const a = 1;\nconst b = a;\nconsole.log(a, b);\n"


@pytest.mark.parametrize("page", [shell.EXPLORE, shell.ASSESS, shell.ORGANISE], ids=lambda page: page.entry)
def test_pages_can_be_joined(page: shell.Page) -> None:
    """Modules of a page follow the rules, and nothing ends or hides its script or its style sheet."""
    check(folder(), page.entry)
    assert "import {" not in shell.script_text(page)
    assert not re.search(
        "</style|</script|<!--", shell.script_text(page) + shell.style_text(page), re.IGNORECASE
    )


def test_modules_are_used() -> None:
    """Only what changes a text waits for its own page."""
    unused = {path.name for path in folder().glob("*.js")} - _reached("explore.js", set())
    assert not unused


def _reached(name: str, known: set[str]) -> set[str]:
    """The modules that one imports, and those that they import."""
    import re

    if name not in known:
        known.add(name)
        text = (folder() / name).read_text(encoding="utf-8")
        for other in re.findall(r'^import .* from "\./(.*)";$', text, re.MULTILINE):
            _reached(other, known)
    return known


def test_lines_of_the_sources_are_short() -> None:
    """Scripts, types and style sheets of all pages have at most 110 columns."""
    web = folder().parents[1] / "web" / "pages"
    sources = [*folder().rglob("*.js"), *folder().rglob("*.ts"), *folder().rglob("*.css"), *web.glob("*.*s*")]
    long = {
        f"{path.name}:{number}"
        for path in sources
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if path.suffix != ".html" and len(line) > 110
    }
    assert len(sources) > 40
    assert not long


def test_the_policy_names_script_and_style_by_their_hashes() -> None:
    """Nothing else may run or load, and nothing may be framed by a rule that a meta element cannot set."""
    page = (shell.head("x") + shell.tail()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy[1].split("; "))
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        content = re.search(f"<{tag}[^>]*>(.*?)</{tag}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert rules.pop(rule) == f"'sha256-{digest}'"
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_titles_and_addresses_are_escaped() -> None:
    """Names of users are text everywhere."""
    page = shell.head(
        '</title><script>alert(1)</script>"', attributes={"start": '#a="><img onerror=x>'}
    ).decode()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert 'data-start="#a=&quot;&gt;&lt;img onerror=x&gt;"' in page


def test_there_is_a_sentence_without_scripts() -> None:
    """And a language, a viewport, an icon that needs no request."""
    page = shell.head("x").decode()
    assert '<html lang="en" data-state="loading">' in page
    assert "<noscript><p>This page needs JavaScript" in page
    assert '<link rel="icon" href="data:image/svg+xml;base64,' in page
    assert 'name="viewport"' in page


def test_compressed_data_has_no_time_name_or_system() -> None:
    """The header of gzip is the same everywhere."""
    packed = shell.compress(b"text " * 100)
    assert packed[:10] == b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"
    assert gzip.decompress(packed) == b"text " * 100


def test_names_that_are_no_text_are_escaped_in_json() -> None:
    """A file may hold bytes that are no UTF-8; JSON can say them."""
    assert json.loads(shell.encode({"é": "a\udc80b"})) == {"é": "a\udc80b"}
    assert shell.encode({"é": 1}) == '{"é":1}'.encode()


@given(st.lists(st.one_of(st.text(), st.sampled_from(["", "a", 'a","b', "\\", "\n", "\udc80"]), st.none())))
def test_lists_of_strings_are_what_json_writes(values: list[str | None]) -> None:
    """Whatever signs are in them, and whatever else is among them."""
    assert json.loads(shell.encode({"names": values})) == {"names": values}
    assert json.loads(shell.encode(values)) == values


NUMBERS = [0, -1, 9, 10, 9_999, 10_000, -10_000, 10_001, 99_999_999, 10**8, 2**32, 2**63 - 1, -(2**63)]
SMALL = st.lists(st.integers(-(2**63), 2**63 - 1) | st.sampled_from(NUMBERS))
COLUMNS = st.builds(lambda some, times: np.array(some * times, np.int64), SMALL, st.sampled_from([1, 500]))
PAGES = st.recursive(
    COLUMNS | st.text() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(COLUMNS) | st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(PAGES)
def test_columns_are_those_of_json(data: Any) -> None:
    """Columns of integers, in mappings and lists, are written as the standard library writes lists."""
    assert shell.encode(data) == by_json(data)


def by_json(data: Any) -> bytes:
    """What the standard library alone writes."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=lambda column: column.tolist())
    return text.encode()


@pytest.mark.parametrize("number", NUMBERS)
def test_every_number_is_written(number: int) -> None:
    """In long columns that are as wide as it, or wider, or as narrow as uint32."""
    assert shell.encode(np.full(600, number)) == by_json([number] * 600)
    assert shell.encode(np.array([number, 0, 2**63 - 1, 5] * 200)) == by_json([number, 0, 2**63 - 1, 5] * 200)
    if 0 <= number < 2**32:
        assert shell.encode(np.full(600, number, np.uint32)) == by_json([number] * 600)


LONG = np.arange(-300, 900)


@pytest.mark.parametrize(
    "data",
    [
        {2: LONG, None: LONG, True: 1.5},
        {"a": {"b": {2: LONG}, "c": LONG}},
        {"a": LONG.reshape(2, 600), "b": np.array(5), "c": LONG},
        [LONG, [LONG], {"a": LONG}, "x", LONG[::2], LONG[::-1]],
        ["x", LONG],
        {"é": (LONG, LONG), "": [], "empty": LONG[:0]},
        {kind: LONG[300:].astype(kind) for kind in ("i1", "i2", "i4", "u8", "f4", "f8", "bool", ">i8", "O")},
    ],
)
def test_other_data_with_columns(data: Any) -> None:
    """Keys of other types, several dimensions, other types of numbers, columns that are not contiguous."""
    assert shell.encode(data) == by_json(data)


def test_a_served_page_asks_its_server_only() -> None:
    """Its policy is the one of its header."""
    page, policy = shell.served_page("x")
    assert b'data-source="server"' in page
    assert "connect-src 'self'; " in policy
    assert policy.encode() in page
    assert b"<template" not in page


def test_a_served_page_has_a_sentence_before_its_script() -> None:
    """Bar and sentence are drawn without waiting for the script or the server."""
    page, _ = shell.served_page("<b>", waiting="Comparing 66 pairs over 472 topics …")
    before = page.decode().partition("<script")[0]
    assert '<header id="bar"><strong>&lt;b&gt;</strong></header>' in before
    assert '<p class="page">Comparing 66 pairs over 472 topics …</p></main>' in before


@pytest.mark.parametrize("page", [shell.EXPLORE, shell.ASSESS, shell.ORGANISE], ids=lambda page: page.entry)
def test_script_and_style_stay_small(
    page: shell.Page, record_property: Callable[[str, object], None]
) -> None:
    """Script and style of a page are below 200 kB before gzip; the summary of the tests prints their size."""
    size = len((shell.script_text(page) + shell.style_text(page)).encode())
    record_property("summary", f"{page.entry}: {size:,} bytes of script and style")
    assert size < 200_000
