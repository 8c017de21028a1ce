"""The documentation says what the code does: commands are run, pages are complete."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for name, body in BLOCK.findall(text) if name == language]


def commands(page: str) -> list[tuple[str, str]]:
    """The commands of a page's console blocks, each with the output shown below it."""
    found: list[tuple[str, str]] = []
    for body in blocks(page, "console"):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def programs(page: str) -> dict[str, str]:
    """The programs of a page, which the reader saves: blocks of Python that begin with their name."""
    found = {body.partition(" ")[2].split()[0]: body for body in blocks(page, "python")}
    return {name: body for name, body in found.items() if name.endswith(".py")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pages", "least"),
    [
        (("README.md",), 9),
        (("docs/report.md",), 2),
        (("docs/show.md",), 2),
        (("docs/explain.md",), 3),
        (("docs/corpus.md",), 3),
        (("docs/pooling.md",), 11),
        (("docs/chunks.md",), 7),
        (("docs/gate.md",), 3),
        (("docs/formats/runs.md",), 7),
        (("docs/citations.md",), 7),
        (
            tuple(f"docs/assess/{page}.md" for page in ("campaign", "organisers", "serving")),
            40,
        ),  # one goes on
    ],
    ids=lambda value: Path(value[-1]).stem if isinstance(value, tuple) else "",
)
def test_commands_give_what_the_page_shows(pages: tuple[str, ...], least: int, tmp_path: Path) -> None:
    """A new user who pastes the README, or a page, sees what it shows."""
    (tmp_path / "bin").mkdir()
    for name, call in (("excerpt", " -m excerpt"), ("python3", "")):
        shim = tmp_path / "bin" / name
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}"{call} "$@"\n')
        shim.chmod(0o755)
    mark = "=== end of a command ==="
    for name, body in (found for page in pages for found in programs(page).items()):
        (tmp_path / name).write_text(body)
    listed = [command for page in pages for command in commands(page)]
    if any("curl" in command for command, _ in listed) and not shutil.which("curl"):
        pytest.skip("the page shows requests by curl, which is not installed")
    script = "trap 'kill $(jobs -p) 2>&- || true' EXIT\n"  # servers in the background end with the page
    script += "".join(f"{command}\necho '{mark}'\n" for command, _ in listed)
    environment = {**os.environ, "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    outputs = done.stdout.split(f"{mark}\n")
    assert len(listed) >= least
    for (command, shown), printed in zip(listed, outputs, strict=False):
        assert printed.strip("\n") == shown.strip("\n"), command


@pytest.mark.parametrize("number", range(len(blocks("README.md", "pycon"))))
def test_readme_python_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of the README gives what the README shows."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks("README.md", "pycon")[: number + 1])
    test = doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "measures").glob("*.md")), ids=lambda page: page.stem
)
def test_worked_examples_of_measure_pages(page: Path) -> None:
    """The Python of each page on a family of measures gives the numbers that the page derives by hand."""
    name = str(page.relative_to(ROOT))
    text = "\n".join(blocks(name, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, page.stem, name, 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 0
    assert result.failed == 0


def test_every_measure_has_a_page() -> None:
    """Each measure is linked to from the page that explains its family, and that page is in the contents."""
    from excerpt.render.reference import distinct_measures

    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = ""
    for page in (ROOT / "docs" / "measures").glob("*.md"):
        assert f"\nmeasures/{page.stem}\n" in index
        linked += page.read_text(encoding="utf-8")
    for measure in distinct_measures():
        if measure.__module__.startswith("excerpt."):
            assert f"[{measure.name}](../measures.md#" in linked


def test_pictures_are_those_of_the_script() -> None:
    """The pictures of the pages are what docs/pictures.py draws."""
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    for picture in script["PICTURES"]:
        kept = ROOT / "docs" / "measures" / f"{picture.__name__}.svg"
        assert kept.read_text(encoding="utf-8") == picture().svg(), kept.name


def test_own_measure_of_the_library_page(tmp_path: Path) -> None:
    """The measure that docs/library.md shows works as it stands (in its own process: it registers itself)."""
    code = blocks("docs/library.md", "python")[0] + (
        "\nimport excerpt\nfrom excerpt import Judgments, Result, Run, Span\n"
        "judgments = Judgments.of([('1', Span('A', 0, 9))])\n"
        "run = Run.of('r', [Result('1', 'A', 5, 20), Result('1', 'B', 0, 9)])\n"
        "print(excerpt.evaluate(judgments, [run], ['hitP']).mean('r', 'hitP'))\n"
    )
    (tmp_path / "own.py").write_text(code)
    done = subprocess.run([sys.executable, tmp_path / "own.py"], capture_output=True, text=True, check=False)
    assert done.stdout == "0.5\n", done.stderr


@pytest.mark.parametrize("number", range(5))
def test_topics_of_the_topics_page(number: int) -> None:
    """Every example of a file on docs/topics.md is read, with title or question."""
    import excerpt

    examples = blocks("docs/topics.md", "text")
    assert len(examples) == 5
    assert all(topic.title or topic.text for topic in excerpt.read_topics(examples[number].encode()).values())


@pytest.mark.parametrize(
    "page",
    [
        "docs/budget.md",
        "docs/citations.md",
        "docs/coming_from.md",
        "docs/corpus.md",
        "docs/formats/gold.md",
        "docs/formats/runs.md",
        "docs/gate.md",
        "docs/ir_measures.md",
        "docs/pooling.md",
        "docs/report.md",
        "docs/topics.md",
    ],
)
def test_python_of_pages(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of a page gives what it shows."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.attempted > 0
    assert result.failed == 0


def test_no_machine_paths_or_registry_hosts() -> None:
    """Nothing in the project names a machine's folders."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False).stdout
    if not tracked:
        pytest.skip("not a git checkout")
    pattern = re.compile(rb"(^|[^\w.])/(work|root|home/\w+)/", re.MULTILINE)
    for name in filter(None, tracked.split(b"\0")):
        path = ROOT / os.fsdecode(name)
        if path.suffix in {".md", ".py", ".toml", ".in", ".lock", ".txt", ".ipynb", ""} and path.is_file():
            assert not pattern.search(path.read_bytes()), path


def test_files_of_the_gold_page() -> None:
    """Every example of docs/formats/gold.md is in the format of its turn, and no format is missing."""
    import excerpt
    from excerpt.formats.registry import judgments_format_of
    from excerpt.formats.source import Source
    from excerpt.gold.kinds import KINDS

    examples = blocks("docs/formats/gold.md", "text")
    found = [judgments_format_of(Source.open(example.encode())).name for example in examples]
    page = (ROOT / "docs" / "formats" / "gold.md").read_text(encoding="utf-8")
    assert found == re.findall(r"^\| ([a-z][a-z-]+) \| (?!question)", page, re.MULTILINE)
    assert {*found} == {kind.name for kind in KINDS} | {"beir"}
    assert all(excerpt.read_gold(example.encode()).has_relevant.any() for example in examples)


@pytest.mark.slow
def test_the_notebook_shows_what_it_computes() -> None:
    """Every cell of docs/chunkers.ipynb gives the output that is kept in it."""
    from nbclient import NotebookClient

    nbformat: Any = importlib.import_module("nbformat")  # partly typed
    kept = nbformat.read(ROOT / "docs" / "chunkers.ipynb", as_version=4)
    fresh = nbformat.from_dict(kept)
    NotebookClient(fresh, timeout=120, kernel_name="python3").execute()
    assert len(kept.cells) == len(fresh.cells) > 10
    for old, new in zip(kept.cells, fresh.cells, strict=True):
        assert shown_by(old) == shown_by(new), old.source


def shown_by(cell: Any) -> list[Any]:
    """The outputs of a cell; printed pieces are one text, and no folder of ours is told."""
    outputs = cell.get("outputs", ())
    printed = "".join(output.text for output in outputs if "text" in output)
    data = [dict(output.data) for output in outputs if "data" in output]
    return [printed, *({name: _without_folder(text) for name, text in each.items()} for each in data)]


def _without_folder(text: str) -> str:
    return re.sub(r"[^\s(>]*/(?=cuad_mini/)", "", text)
