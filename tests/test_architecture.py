"""The shape of the package: imports point down, start-up is light, public things are documented."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "excerpt"

#: Layers, lowest first; a module may import from its own layer and from those below.
LAYERS = (
    ("errors",),
    ("notices", "files", "collection", "engine", "processes", "cluster", "cluster_door"),
    ("model",),
    ("index",),
    ("formats", "measures", "quantise"),
    ("evaluation", "curves", "official", "stats"),
    ("experiments",),
    ("render",),
    ("cli",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.name not in {"__init__.py", "__main__.py"} or path.parent != PACKAGE
)


def layer_of(module: str) -> str:
    """The part of the package that a module belongs to."""
    return module.split(".")[1]


def imports(path: Path) -> set[str]:
    """The modules of excerpt that a file imports, but for those only named in types."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
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


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    """A module imports only from its own layer or below."""
    own = LEVEL[path.relative_to(PACKAGE).parts[0].removesuffix(".py")]
    # The reference pages describe the commands, so this one arrow is allowed to point up.
    exempt = {"excerpt.cli"} if path.name == "reference.py" else set()
    for module in imports(path) - exempt:
        assert LEVEL[layer_of(module)] <= own, f"{path.name} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_are_small_and_say_what_they_are(path: Path) -> None:
    """Every module starts with its purpose and stays under 400 lines."""
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), path
    assert text.count("\n") < 400, path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_public_functions_and_classes_have_docstrings(path: Path) -> None:
    """Every public name says what it is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{path.name}: {node.name}"


@pytest.mark.parametrize(
    "call", ["['--help']", "['--version']", "['evaluate', '--help']", "['inex_eval', '--help']"]
)
def test_help_is_light(call: str) -> None:
    """Help loads neither numpy nor any other large library, nor the measures."""
    code = (
        "import sys, excerpt, excerpt.cli\n"
        f"try: excerpt.cli.main({call})\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'lxml', 'zstandard', 'pandas', 'excerpt.measures', 'excerpt.model'}\n"
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
        "heavy = {'scipy', 'matplotlib', 'pandas', 'polars', 'lxml', 'importlib.metadata', 'excerpt.index'}\n"
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
        module = command_of(command)
        text = module.parser().format_help() if hasattr(module, "parser") else module.usage()
        assert f"example:\n  excerpt {command}" in text
