"""The shape of the package: imports point down, names of modules are distinct, start-up is light."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "excerpt"

#: Rooms of the core by layers, lowest first; a module may import from its own layer and from those below.
CORE = (
    ("errors", "_lazy"),
    ("notices", "files"),
    ("model", "records", "engine"),
    ("stats", "quantise", "quotes", "gold"),
    ("measures", "index", "scores"),
    ("corpus",),
    ("formats",),
    ("evaluation",),
)
#: Rooms of the apps, which may import the whole core; the core imports none of them.
APPS = (
    ("options", "nexi", "collection", "parse", "run_labels", "score_files"),
    ("documents",),
    ("bridges", "cluster", "datasets", "grouping", "indexing", "inex", "project", "placing"),
    ("checking", "ceilings"),
    ("answers", "queries"),
    ("official", "pooling", "ir_measures"),
    ("estimates",),
    ("experiments",),
    ("judging", "pytest_gate"),
    ("assess", "view"),
    ("authoring",),
    ("render",),
    ("trials",),
    ("web",),
    ("cli",),
)
#: The core is what a newcomer reads in a day, and each of its types on two screens.
CORE_LINES = 26_000
TYPES = {
    "Run": "model/run.py",
    "Judgments": "model/judgments.py",
    "ScoreTable": "scores/score_table.py",
    "Pool": "pooling/pools.py",
}
TYPE_LINES = 220
LEVEL = {name: level for level, names in enumerate(CORE + APPS) for name in names}
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.name not in {"__init__.py", "__main__.py"} or path.parent != PACKAGE
)


def name_of(path: Path, folder: Path = PACKAGE) -> str:
    """A file inside of a folder, as it is written on every system."""
    return path.relative_to(folder).as_posix()


def room_of(path: Path) -> str:
    """The room of a module, or the module itself at the top."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The code of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def is_for_types(node: ast.AST) -> bool:
    """Return whether a statement is for the type checker only."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def modules_of(node: ast.AST) -> set[str]:
    """The modules of excerpt that one statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if alias.name.startswith("excerpt.")}
    if not isinstance(node, ast.ImportFrom) or (node.module or "").partition(".")[0] != "excerpt":
        return set()
    return {f"{node.module}.{alias.name}" for alias in node.names}


def imports(tree: ast.Module) -> set[str]:
    """The rooms that code imports from, at the top or inside of a function, but for types."""
    typing_only = {id(inner) for node in ast.walk(tree) if is_for_types(node) for inner in ast.walk(node)}
    found = {name for node in ast.walk(tree) if id(node) not in typing_only for name in modules_of(node)}
    return {name.split(".")[1] for name in found} & LEVEL.keys()


def doors(tree: ast.Module) -> set[str]:
    """The rooms that code names in texts such as `render.tables:show` or `excerpt.stats`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = re.fullmatch(r"(excerpt\.)?([a-z_]+)(?:\.[a-z_]+)*(:\w+)?", node.value)
            if named and named[2] in LEVEL and (named[1] or named[3]):
                found.add(named[2])
    return found


def test_imports_point_down() -> None:
    """A module imports, and names in texts, only what is in its own layer or below: there are no doors up."""
    found = [
        f"{name_of(path)}: {room}"
        for path in MODULES
        for room in imports(tree_of(path)) | doors(tree_of(path))
        if LEVEL[room] > LEVEL[room_of(path)]
    ]
    assert found == []


def test_every_room_is_of_the_core_or_an_app() -> None:
    """The map is whole, and no room stands on it twice."""
    assert sorted({room_of(path) for path in MODULES}) == sorted(sum(CORE + APPS, ()))


def test_the_core_is_read_in_a_day() -> None:
    """All lines of its modules, blank ones too."""
    core = set(sum(CORE, ()))
    files = [path for path in PACKAGE.rglob("*.py") if room_of(path) in core]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= CORE_LINES


@pytest.mark.parametrize("name", TYPES)
def test_a_type_is_read_on_two_screens(name: str) -> None:
    """Its class has its data; readers, tokenizers and outputs stand elsewhere."""
    classes = [node for node in tree_of(PACKAGE / TYPES[name]).body if isinstance(node, ast.ClassDef)]
    lines = {node.name: int(node.end_lineno or 0) - node.lineno + 1 for node in classes}
    assert lines[name] <= TYPE_LINES


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import excerpt.render.tables", {"render"}),
        ("from excerpt import render", {"render"}),
        ("from excerpt.render.tables import show", {"render"}),
        ("def f():\n    from excerpt.cli import main", {"cli"}),
        ("if TYPE_CHECKING:\n    import excerpt.cli", set()),
        ("from excerpt import __version__", set()),
        ("DOOR = 'render.tables:show'", {"render"}),
        ("load('excerpt.stats')", {"stats"}),
        ("'stats'", set()),
    ],
)
def test_every_way_to_another_room_is_seen(code: str, expected: set[str]) -> None:
    """Statements of both kinds, late ones too, and doors by texts."""
    tree = ast.parse(code)
    assert imports(tree) | doors(tree) == expected


def test_modules_import_each_other_one_way() -> None:
    """No module needs, when it is imported, one that needs it."""
    names = {
        ".".join(("excerpt", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in MODULES
    }
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    needed = {
        name: {
            next(part for part in (target, target.rpartition(".")[0]) if part in names or "." not in part)
            for node in tree_of(path).body
            for target in modules_of(node)
        }
        & names.keys() - {name}
        for name, path in names.items()
    }
    left = dict(needed)
    while free := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in free:
            del left[name]
    assert left == {}


def test_a_name_tells_a_module_apart() -> None:
    """Three names occur twice: a command and its function, an experiment and its statistics."""
    stems = Counter(path.stem for path in MODULES if path.name != "__init__.py")
    several = {stem for stem, count in stems.items() if count > 1}
    assert several == {"correlation", "gate", "report"}


def types_of(tree: ast.Module) -> Iterator[str]:
    """The classes of a module, and its names for types, which are in camel case or private and so."""
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        for target in [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", []):
            if isinstance(target, ast.Name) and re.fullmatch("_?[A-Z][a-z]+([A-Z][a-z]*)*", target.id):
                yield target.id


def test_a_name_tells_a_type_apart() -> None:
    """No class, alias or type variable has the name of another one; type variables of one letter may."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for name in types_of(tree_of(path)):
            places.setdefault(name, []).append(name_of(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_every_way_to_name_a_type_is_seen() -> None:
    """Classes, also those inside of others, aliases, unions and type variables; no constants."""
    code = (
        "class Run:\n    class Part: ...\n"
        "Kind: TypeAlias = int\nText = str | None\nItem = TypeVar('Item')\n"
        "_Few = 1\nMANY = 2\nT = TypeVar('T')"
    )
    assert list(types_of(ast.parse(code))) == ["Run", "Part", "Kind", "Text", "Item", "_Few"]


def named_twice(tree: ast.Module) -> set[str]:
    """What code imports under two names; `_` is none."""
    names: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                names.setdefault(origin + alias.name, set()).add(alias.asname or alias.name)
    return {name for name, found in names.items() if len(found - {"_"}) > 1}


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks"])
def test_what_is_imported_has_one_name(folder: str) -> None:
    """A file calls a module, and anything in it, by one name."""
    files = sorted((ROOT / folder).rglob("*.py"))
    found = {name_of(path, ROOT): named_twice(tree_of(path)) for path in files}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from a import b\nfrom a import b as c", {"a.b"}),
        ("import a.b as c\ndef f():\n    from a import b", {"a.b"}),
        ("from a import b, c as d\nimport a\nimport e as _\nimport e", set()),
    ],
)
def test_every_second_name_is_seen(code: str, expected: set[str]) -> None:
    """Of modules and functions, at the top and inside of a function."""
    assert named_twice(ast.parse(code)) == expected


def test_modules_say_what_they_are() -> None:
    """Every module starts with its purpose."""
    assert [name_of(path) for path in MODULES if not ast.get_docstring(tree_of(path))] == []


def test_public_functions_and_classes_have_docstrings() -> None:
    """Every public name says what it is; that of a command's parser does already."""
    silent = [
        f"{name_of(path)}: {node.name}"
        for path in MODULES
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not (path.parent.name == "cli" and re.fullmatch("(.+_)?parser", node.name))
        and not ast.get_docstring(node)
        and "overload" not in map(ast.unparse, node.decorator_list)
    ]
    assert silent == []


def test_helpers_of_tests_are_in_one_folder() -> None:
    """Whatever is in a folder of tests is a test; what several need is in `tests/support`, under a noun.

    `run.py` is for those who test other programs on our worlds.
    """
    tests = ROOT / "tests"
    helpers = [path for path in tests.rglob("*.py") if not re.match("test_|conftest|__init__", path.name)]
    loose = {path.relative_to(tests).as_posix() for path in helpers}
    assert {name for name in loose if name.partition("/")[0] not in {"support", "stand_in"}} == {
        "conformance/run.py"
    }


def test_no_module_has_the_name_of_a_public_function() -> None:
    """`excerpt.check` is a function, never a module; inside of a room a module may have that name."""
    import excerpt

    functions = {name for name in excerpt.__all__ if name.islower()}
    named = {name_of(path) for path in MODULES if path.stem in functions and path.parent == PACKAGE}
    assert named == set()


def strings(path: Path) -> Iterator[ast.Constant]:
    """The texts of a module that are no docstrings."""
    tree = tree_of(path)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def test_the_library_does_not_speak_of_options() -> None:
    """Hints name settings as `⟨overlap=first⟩`; only the command line and its table write them as options."""
    found = {
        name_of(path)
        for path in MODULES
        if path.relative_to(PACKAGE).parts[0] not in {"cli", "options.py"}
        for text in strings(path)
        if re.search(r"(?<![\w-])--[a-z]", str(text.value))
    }
    assert found == set()


@pytest.mark.parametrize(
    "call",
    [
        *(["--help"], ["--version"], ["assess", "serve", "--help"]),
        *([name, "--help"] for name in ("evaluate", "inex_eval", "explore")),
    ],
)
def test_help_is_light(call: list[str]) -> None:
    """Help loads neither numpy nor any other large library, nor the measures."""
    code = (
        "import sys, excerpt, excerpt.cli\n"
        f"try: excerpt.cli.main({call})\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'lxml', 'zstandard', 'pandas', 'excerpt.measures', 'excerpt.model', "
        "'starlette', 'uvicorn', 'asyncio', 'excerpt.web', 'excerpt.render'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_public_names_are_exact_and_sorted() -> None:
    """`__all__` is the table of lazily loaded names, and every name is there."""
    import excerpt

    assert sorted(excerpt.__all__) == list(excerpt.__all__) == sorted(excerpt._PUBLIC)
    for name in excerpt.__all__:
        assert getattr(excerpt, name) is not None
        assert name in dir(excerpt)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        excerpt.nothing  # noqa: B018


def test_links_of_the_architecture_page_exist() -> None:
    """Every file that ARCHITECTURE.md and README.md link to is there."""
    for page in ("ARCHITECTURE.md", "README.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{page}: {target}"


def test_changelog_starts_with_the_version() -> None:
    """The first heading of the changelog is the version of the package, or what comes after it."""
    import excerpt

    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = [name for name in re.findall(r"^## (\S+)", text, re.MULTILINE) if name != "Unreleased"]
    assert text.count("## Unreleased") <= 1
    assert headings[0] == excerpt.__version__


def test_every_command_has_help_with_an_example() -> None:
    """Every command of the table has a module with a parser that shows an example."""
    from excerpt.cli import COMMANDS, command_of

    for command in COMMANDS:
        assert f"example:\n  excerpt {command}" in command_of(command).help()
