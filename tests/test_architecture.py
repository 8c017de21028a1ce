"""The shape of the package: imports point down, files are short, tests mirror it, start-up is light."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "excerpt"
TESTS = ROOT / "tests"

#: Layers, lowest first; a module may import from its own layer and from those below.
LAYERS = (
    ("errors", "_lazy"),
    ("notices", "files", "collection", "engine", "nexi", "options"),
    ("model",),
    ("placing",),
    ("gold",),
    ("index", "documents"),
    ("corpus", "formats", "measures", "quantise"),
    ("evaluation", "official", "project", "stats"),
    ("pooling",),
    ("experiments",),
    ("assess", "view"),
    ("render",),
    ("web",),
    ("cli", "ir_measures"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.name not in {"__init__.py", "__main__.py"} or path.parent != PACKAGE
)
LONGEST = 300

#: Tests of no single module, each with what it looks at.
WHOLE = {
    "test_architecture.py": "the shape of the package",
    "test_contributing.py": "CONTRIBUTING.md, followed as it stands",
    "test_dev.py": "dev.py, the script of the checkout",
    "test_package.py": "sdist and wheel, installed without extras",
    "formats/test_bad_input.py": "damaged files, whatever their format",
    "cli/test_elements.py": "measures of elements, from assessments of all years to their scores",
    "test_docs.py": "README and the pages, run as they stand",
    "test_shown_commands.py": "commands on the pages, also those that are not run",
    "test_evaluation.py": "the one loop from runs to scores, against the oracle",
    "web/test_kill.py": "a campaign whose server is killed while people judge",
    "web/test_break_in.py": "the real server of a campaign, from outside",
    "test_exact.py": "all measures on whole collections, against exact arithmetic",
    "test_strategies.py": "that generated cases look where it matters",
}


def name_of(path: Path, folder: Path = PACKAGE) -> str:
    """A file inside of a folder, as it is written on every system."""
    return path.relative_to(folder).as_posix()


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The code of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """The modules of excerpt that a file imports, but for those only named in types."""
    found = set()
    tree = tree_of(path)
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("excerpt."):
            found.add(node.module)
        if isinstance(node, ast.ImportFrom) and node.module == "excerpt":
            found |= {f"excerpt.{name.name}" for name in node.names if name.name in LEVEL}
    return found


def test_imports_point_down() -> None:
    """A module imports only from its own layer or below."""
    found = []
    for path in MODULES:
        own = LEVEL[path.relative_to(PACKAGE).parts[0].removesuffix(".py")]
        # The reference pages describe the commands, so this one arrow is allowed to point up.
        exempt = {"excerpt.cli"} if name_of(path) == "render/reference.py" else set()
        upward = [module for module in imports(path) - exempt if LEVEL[module.split(".")[1]] > own]
        found += [f"{name_of(path)} imports {module}" for module in upward]
    assert found == []


def test_modules_say_what_they_are() -> None:
    """Every module starts with its purpose."""
    assert [name_of(path) for path in MODULES if not ast.get_docstring(tree_of(path))] == []


def test_modules_are_short() -> None:
    """No module of the package has more than 300 lines."""
    long = {name_of(path) for path in MODULES if path.read_text(encoding="utf-8").count("\n") > LONGEST}
    assert long == set()


def test_public_functions_and_classes_have_docstrings() -> None:
    """Every public name says what it is."""
    silent = [
        f"{name_of(path)}: {node.name}"
        for path in MODULES
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
        and "overload" not in map(ast.unparse, node.decorator_list)
    ]
    assert silent == []


def test_tests_mirror_the_package() -> None:
    """Every module has a file of tests of its name, in the folder of its name."""
    expected = {
        name_of(path.with_name(f"test_{path.stem.lstrip('_')}.py"))
        for path in MODULES
        if path.name != "__init__.py"
    }
    there = {name_of(path, TESTS) for path in TESTS.rglob("test_*.py")}
    assert expected - there == set()
    # A package may have tests of its own: tests/index/test_init.py for what index/__init__.py does.
    packages = {name_of(path.with_name("test_init.py")) for path in MODULES if path.name == "__init__.py"}
    # browser/ has the tests of the page, in a real one: its modules of JavaScript, the report, the explorer.
    elsewhere = {name for name in there if name.startswith(("benchmarks/", "browser/", "fuzz/"))}
    assert there - expected - packages - elsewhere - WHOLE.keys() == set()


def test_no_module_has_the_name_of_a_public_function() -> None:
    """Only commands are called as the functions that they call: `excerpt.check` is never a module."""
    import excerpt

    functions = {name for name in excerpt.__all__ if name.islower()}
    named = {name_of(path) for path in MODULES if path.stem in functions and path.parent.name != "cli"}
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


def test_evaluating_loads_no_plotting_or_statistics(tmp_path: Path) -> None:
    """An evaluation needs numpy and nothing else that is large."""
    (tmp_path / "q").write_text("1 Q0 A 60 200 10 10:40 100:20\n")
    (tmp_path / "r").write_text("1 Q0 A 1 1 r 0 50\n")
    code = (
        "import sys, excerpt.cli\n"
        f"excerpt.cli.main(['evaluate', {str(tmp_path / 'q')!r}, {str(tmp_path / 'r')!r}])\n"
        "heavy = {'scipy', 'matplotlib', 'pandas', 'polars', 'lxml', 'importlib.metadata', 'excerpt.index', "
        "'starlette', 'uvicorn', 'excerpt.web', 'excerpt.view'}\n"
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
    """The first heading of the changelog is the version of the package."""
    import excerpt

    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heading is not None
    assert heading[1] == excerpt.__version__


def test_every_command_has_help_with_an_example() -> None:
    """Every command of the table has a module with a parser that shows an example."""
    from excerpt.cli import COMMANDS, command_of

    for command in COMMANDS:
        assert f"example:\n  excerpt {command}" in command_of(command).help()
