"""The documentation says what the code does: commands are run, pages are complete."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

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
        (("docs/corpus.md",), 3),
        (("docs/pooling.md",), 11),
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
    shim = tmp_path / "bin" / "excerpt"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m excerpt "$@"\n')
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


@pytest.mark.parametrize("page", ["docs/corpus.md", "docs/pooling.md", "docs/report.md", "docs/topics.md"])
def test_python_of_pages(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of a page gives what it shows."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    result = doctest.DocTestRunner().run(test)
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
        if path.suffix in {".md", ".py", ".toml", ".in", ".lock", ".txt", ""} and path.is_file():
            assert not pattern.search(path.read_bytes()), path
