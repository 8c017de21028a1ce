"""Joining modules: order, names, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt import ExcerptError
from excerpt.render.page.join import folder, join, join_styles


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
    assert found == "const a = 1;\nfunction start() {}\nasync function b() {\n  return a;\n}\nstart(a, b);\n"


def test_imports_may_take_several_lines(tmp_path: Path) -> None:
    """As a formatter writes them."""
    found = joined(tmp_path, main='import {\n  a,\n} from "./x.js";\nstart(a);', x="export const a = 1;")
    assert found == "const a = 1;\nstart(a);\n"


def test_comments_stay_in_the_sources(tmp_path: Path) -> None:
    """Whole lines of comments are left out; what looks like one in text is not."""
    code = 'const x = 2\n  * 3; // kept\nconst y = "/* text */";\n'
    assert joined(tmp_path, main="/** What.\n * @param {string} x */\n  // A note.\n" + code) == code
    lines = "const x = `one\n  // two\n\n  three ${\n  y}`;\n"
    assert joined(tmp_path, main=lines) == lines


@pytest.mark.parametrize(
    ("modules", "says"),
    [
        (
            {"main": 'import {a} from "./x.js";', "x": 'import {b} from "./main.js";\nexport const a = 1;'},
            "circle of imports: main.js → x.js → main.js",
        ),
        (
            {
                "main": 'import {a} from "./x.js";\nfunction same() {}',
                "x": "export const a = 1;\nconst same = 2;",
            },
            "found same in x.js and in main.js, expected each name once",
        ),
        (
            {
                "main": 'import {a} from "./x.js";\nconst b = 1, c = 2;',
                "x": "export const a = [1, 2], c = 3;",
            },
            "found c in x.js and in main.js, expected each name once",
        ),
        (
            {"main": 'import {a} from "./x.js";', "x": "const a = 1;"},
            "import of a, which x.js does not export",
        ),
        ({"main": 'import {a} from "./gone.js";'}, "found no module gone.js, which main.js imports"),
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
def test_what_is_not_understood_is_refused(tmp_path: Path, modules: dict[str, str], says: str) -> None:
    """One line that names the files."""
    with pytest.raises(ExcerptError) as raised:
        joined(tmp_path, **modules)
    assert says in str(raised.value)


def test_style_sheets_have_their_order(tmp_path: Path) -> None:
    """As they are given."""
    order = ("base", "a", "b", "print")
    for name in ("print", "b", "base", "a"):
        (tmp_path / f"{name}.css").write_text(f"/* about */\n.{name} {{\n  margin: 0;\n}}\n")
    found = join_styles(tmp_path, [f"{name}.css" for name in order])
    places = [found.index(f".{name} ") for name in order]
    assert places == sorted(places)
    assert "about" not in found
    (tmp_path / "a.css").write_text("</style>")
    with pytest.raises(ExcerptError, match="ends or hides a style sheet"):
        join_styles(tmp_path, ["a.css"])


def test_a_folder_inside_uses_the_modules_around_it(tmp_path: Path) -> None:
    """Each module stands once, whoever names it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "a.js").write_text("export const a = 1;\n")
    (tmp_path / "in" / "b.js").write_text('import {a} from "../a.js";\nexport const b = a;\n')
    (tmp_path / "in" / "c.js").write_text(
        'import {a} from "../a.js";\nimport {b} from "./b.js";\nconsole.log(a, b);\n'
    )
    assert join(tmp_path, "in/c.js") == "const a = 1;\nconst b = a;\nconsole.log(a, b);\n"


def test_the_page_is_joined() -> None:
    """All modules of the page understand each other; only what changes a text waits for its own page."""
    script = join(folder(), "explore.js")
    assert "import {" not in script
    unused = {path.name for path in folder().glob("*.js")} - _reached("explore.js", set())
    assert unused <= {"selection.js"}


def _reached(name: str, known: set[str]) -> set[str]:
    """The modules that one imports, and those that they import."""
    import re

    if name not in known:
        known.add(name)
        text = (folder() / name).read_text(encoding="utf-8")
        for other in re.findall(r'^import .* from "\./(.*)";$', text, re.MULTILINE):
            _reached(other, known)
    return known
