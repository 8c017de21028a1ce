"""The documentation says what the code does: commands are run, pages are complete."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib.util
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.forked_commands import Forking

import excerpt
from excerpt import collection

ROOT = Path(__file__).parents[1]
#: Libraries that answer where those of a page are not installed.
STAND_IN = str(ROOT / "tests" / "stand_in")
#: Made from the code when the site is built; what they show is tested where it is written.
GENERATED = {"measures.md", "formats.md", "commands.md", "api.md"}
GENERATED_FOLDERS = {"commands", "api"}
PAGES = [
    "README.md",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "docs").rglob("*.md")
        if not {"_build", *GENERATED_FOLDERS} & set(path.parts)
        and (path.parent.name != "docs" or path.name not in GENERATED)
    ),
]
NOTEBOOKS = sorted(path for path in (ROOT / "docs").rglob("*.ipynb") if "_build" not in path.parts)
#: Pages whose commands go on where those of another page ended.
GOES_ON = (("docs/assess/campaign.md", "docs/assess/organisers.md", "docs/assess/serving.md"),)
#: Files that the commands of a page find where they run.
DATA = {
    "docs/documents_that_change.md": ROOT / "tests" / "data" / "fastapi",
    "docs/papers/stability.md": ROOT / "tests" / "data" / "stability",
}
#: A page whose commands draw the pictures on it; `test_figures_of_the_gallery` runs them.
GALLERY = "docs/gallery.md"
BLOCK = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Blocks of these languages are run: commands with their output, Python with its values, programs to save.
RUN = {"console", "pycon", "python"}
#: Files of the reader, configuration of other programs, and parts of the site.
SHOWN = {"text", "toml", "yaml", "{toctree}", "{include}"}
#: Where commands stand that no test can run, and how many blocks of them: they install, wait for people or
#: other machines, or name the reader's files. `test_shown_commands.py` still knows their options.
NOT_RUN = {
    "README.md": 2,
    "docs/assess/campaign.md": 1,
    "docs/install.md": 3,
    "docs/ir_measures.md": 1,
    "docs/own_documents.md": 1,
    "docs/pdf_and_html.md": 1,
    "docs/scale.md": 4,
    "docs/shell.md": 1,
    "docs/tour.md": 1,
}


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for name, body in BLOCK.findall(text) if name == language]


def commands(page: str) -> list[tuple[str, str]]:
    """The commands of a page's console blocks, each with the output shown below it."""
    found: list[tuple[str, str]] = []
    for body in blocks(page, "console"):
        found += re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE)
    return found


def files(page: str) -> dict[str, str]:
    """Files that the reader saves: blocks that begin with the name of a file in a comment."""
    bodies = [body for language in ("python", "toml") for body in blocks(page, language)]
    named = {re.match(r"(?:# (\S+\.\w+)\b)?", body)[1]: body for body in bodies}  # type: ignore[index]
    return {name: body for name, body in named.items() if name}


def chapters() -> list[tuple[str, ...]]:
    """The pages that show commands, those together that go on."""
    later = {GALLERY, *(page for pages in GOES_ON for page in pages)}
    return [*GOES_ON, *((page,) for page in PAGES if page not in later and commands(page))]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_run(page: str) -> None:
    """Blocks of a page are run: commands, values and programs; blocks that cannot be run are counted."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = Counter(language for language, _ in BLOCK.findall(text))
    assert 2 * found.total() == len(re.findall(r"^```", text, re.MULTILINE))
    assert found.keys() <= RUN | SHOWN | {"sh"}
    assert found["sh"] == NOT_RUN.get(page, 0)
    assert all(re.match(r"\$ |>>> ", body) for name in ("console", "pycon") for body in blocks(page, name))
    together = next((pages for pages in chapters() if page in pages), (page,))
    called = "\n".join(command for each in together for command, _ in commands(each))
    programs = {name: body for name, body in files(page).items() if name.endswith(".py")}
    assert len(programs) == found["python"], "a program begins with its name, as in `# compare.py`"
    for name in programs:
        imported = re.compile(rf"^(?:from|import) {name.removesuffix('.py')}\b", re.MULTILINE)
        assert name in called or any(imported.search(body) for body in programs.values()), name


@pytest.fixture(scope="session")
def excerpt_command() -> Iterator[str]:
    """The command `excerpt` in sh: the fork of a process that has loaded large libraries already."""
    if sys.platform != "linux":
        yield f'"{sys.executable}" -m excerpt'
        return
    forking = Forking()
    yield forking.command
    forking.close()


@pytest.mark.slow
@pytest.mark.parametrize("pages", chapters(), ids=lambda pages: pages[-1])
def test_commands_give_what_the_page_shows(
    pages: tuple[str, ...], tmp_path: Path, excerpt_command: str
) -> None:
    """A new user who pastes the README, or a page, sees what it shows."""
    listed = [command for page in pages for command in commands(page)]
    if pages == ("README.md",) or any(command.endswith("&") for command, _ in listed):
        excerpt_command = f'"{sys.executable}" -m excerpt'  # as it is; servers are ended by their process
    programs = write_programs(tmp_path / "bin", excerpt=excerpt_command, python3=f'"{sys.executable}"')
    mark = "=== end of a command ==="
    write_files(pages, tmp_path)
    if any("curl" in command for command, _ in listed) and not shutil.which("curl"):
        pytest.skip("the page shows requests by curl, which is not installed")
    script = "trap 'kill $(jobs -p) 2>&- || true' EXIT\n"  # servers in the background end with the page
    script += "".join(f"{command}\necho '{mark}'\n" for command, _ in listed)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    if (found := importlib.util.find_spec("llama_index.core")) and STAND_IN in str(found.origin):
        environment["PYTHONPATH"] = STAND_IN
    if "docs/shell.md" in pages:  # which has a project
        del environment["EXCERPT_CONFIG"]
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
    for (command, shown), printed in zip(listed, outputs, strict=False):
        assert printed.strip("\n") == shown.strip("\n"), command
    for page in pages:
        for name in re.findall(r"!\[.*?\]\((\S+\.svg)\)", (ROOT / page).read_text(encoding="utf-8")):
            if (drawn := tmp_path / Path(name).name).exists():
                assert words_of(drawn) == words_of((ROOT / page).parent / name), name


def write_files(pages: tuple[str, ...], folder: Path) -> None:
    """Write the files that pages need, and those that their reader saves."""
    for page in pages:
        if page in DATA:
            shutil.copytree(DATA[page], folder, dirs_exist_ok=True)
        for name, body in files(page).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(body)


def write_programs(folder: Path, **calls: str) -> Path:
    """Write programs of sh that call others with their arguments, and return their folder."""
    folder.mkdir()
    for name, call in calls.items():
        (folder / name).write_text(f'#!/bin/sh\nexec {call} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


def words_of(figure: Path) -> list[str]:
    """The size and the words of a figure in SVG; lines and marks differ between versions of matplotlib."""
    return re.findall(r"<svg[^>]*>|(?<=>)[^<>]+(?=</text>)", figure.read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore")  # what other packages warn of is their own affair
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")])
def test_python_gives_what_the_page_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of a page gives what it shows, the numbers of measures what is derived there by hand."""
    monkeypatch.chdir(tmp_path)
    for name, body in files(page).items():
        (tmp_path / name).write_text(body)
    text = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/measures/")])
def test_families_of_measures_have_worked_examples(page: str) -> None:
    """Each page on a family of measures computes what it explains."""
    assert blocks(page, "pycon")


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


def test_settings_and_extras_have_their_lines() -> None:
    """Every setting of a project and every extra of the package is in the table of its page."""
    import tomllib

    from excerpt.options import SETTINGS

    shell = (ROOT / "docs" / "shell.md").read_text(encoding="utf-8")
    keys = "".join(line.split("|")[1] for line in shell.splitlines() if line.startswith("| `"))
    assert [name for name in SETTINGS if f"`{name}`" not in keys] == []
    install = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [name for name in extras if name != "all" and f"\n| `{name}` |" not in install] == []


def test_pictures_are_those_of_the_script() -> None:
    """The pictures of the pages are what docs/pictures.py draws."""
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    for picture in script["PICTURES"]:
        kept = ROOT / "docs" / "measures" / f"{picture.__name__}.svg"
        assert kept.read_text(encoding="utf-8") == picture().svg(), kept.name


@pytest.mark.slow
def test_figures_of_the_gallery(tmp_path: Path) -> None:
    """Commands of docs/gallery.md draw figures of the size and with the words of the pictures below them."""
    pytest.importorskip("matplotlib")
    script = runpy.run_path(str(ROOT / "docs" / "gallery.py"))
    drawn = [path.name for path in script["draw"](tmp_path)]
    shown = re.findall(r"\(gallery/(.*?)\)", (ROOT / GALLERY).read_text(encoding="utf-8"))
    assert drawn == shown
    assert sorted(drawn) == sorted(path.name for path in (ROOT / "docs" / "gallery").iterdir())
    for name in drawn:
        assert words_of(tmp_path / name) == words_of(ROOT / "docs" / "gallery" / name), name


@pytest.mark.parametrize("number", range(6))
def test_topics_of_the_topics_page(number: int) -> None:
    """Every example of a file on docs/topics.md is read, with title or question."""
    import excerpt

    examples = blocks("docs/topics.md", "text")
    assert len(examples) == 6
    assert all(topic.title or topic.text for topic in excerpt.read_topics(examples[number].encode()).values())


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


def test_no_page_installs_by_name() -> None:
    """The name is on no index: pages install from a clone or a wheel, never `excerpt` alone."""
    by_name = re.compile(r"\b(?:pip|pipx|uvx?|conda) [^`\n#]*(?<=[ \"'])excerpt\b(?![-/.\w])[^`\n#]*")
    assert by_name.search("pip install -U excerpt")
    assert by_name.search("uv add 'excerpt[plot]'")
    assert not by_name.search("pip install .  # in a clone of excerpt")
    for path in [ROOT / "CONTRIBUTING.md", *(ROOT / page for page in PAGES), *NOTEBOOKS]:
        for found in by_name.finditer(path.read_text(encoding="utf-8")):
            assert "--no-index" in found[0], f"{path.name}: {found[0]}"


def test_own_documents_take_two_commands() -> None:
    """A user with documents and gold types one command after installing, and a second one is the gate."""
    page = "docs/own_documents.md"
    typed = [command for command, _ in commands(page) if command.startswith("excerpt")]
    assert [command.split()[1] for command in typed] == ["try", "gate", "report"]
    assert list(files(page)) == ["example.py"]


def test_files_of_the_gold_page() -> None:
    """Every example of docs/formats/gold.md is in the format of its turn, and no format is missing."""
    import excerpt
    from excerpt.datasets.kinds import KINDS
    from excerpt.formats.registry import judgments_format_of
    from excerpt.formats.source import Source
    from excerpt.gold.quote_rows import KIND

    examples = blocks("docs/formats/gold.md", "text")
    found = [judgments_format_of(Source.open(example.encode())).name for example in examples]
    page = (ROOT / "docs" / "formats" / "gold.md").read_text(encoding="utf-8")
    assert found == re.findall(r"^\| ([a-z][a-z-]+) \| (?!question)", page, re.MULTILINE)
    assert {*found} == {kind.name for kind in (*KINDS, KIND)} | {"beir"}
    assert all(excerpt.read_gold(example.encode()).has_relevant.any() for example in examples)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # notebooks say themselves what they want to hear
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_show_what_they_compute(notebook: Path) -> None:
    """Every cell of a notebook gives the output that is kept in it."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert len(cells) > 10
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert shown_by(cell) == run_cell("".join(cell["source"]), names), cell["source"]


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_in_jupyter(notebook: Path) -> None:
    """The same in a kernel, where Jupyter's client is installed."""
    client = pytest.importorskip("nbclient", reason="nbclient comes with --thorough")
    nbformat: Any = importlib.import_module("nbformat")  # partly typed
    kept = nbformat.read(notebook, as_version=4)
    fresh = nbformat.from_dict(kept)
    client.NotebookClient(fresh, timeout=120, kernel_name="python3").execute()
    assert [shown_by(cell) for cell in kept.cells] == [shown_by(cell) for cell in fresh.cells]


def run_cell(source: str, names: dict[str, Any]) -> list[Any]:
    """Output of a cell of code: its prints, then its last value as text and as HTML."""
    *body, last = ast.parse(source).body
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(
            compile(ast.Module(body if isinstance(last, ast.Expr) else [*body, last], []), "cell", "exec"),
            names,
        )
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if value is None:
        return [printed.getvalue()]
    html = {"text/html": _without_folder(value._repr_html_())} if hasattr(value, "_repr_html_") else {}
    return [printed.getvalue(), {"text/plain": _without_folder(repr(value)), **html}]


def shown_by(cell: Any) -> list[Any]:
    """The outputs of a cell; printed pieces are one text, and none contains a folder of this machine."""
    outputs = cell.get("outputs", ())
    printed = "".join("".join(output["text"]) for output in outputs if "text" in output)
    data = [output["data"] for output in outputs if "data" in output]
    return [
        printed,
        *({name: _without_folder("".join(text)) for name, text in each.items()} for each in data),
    ]


def _without_folder(text: str) -> str:
    return re.sub(r"[^\s(>]*/(?=cuad_mini/)", "", text)


def test_the_report_in_the_docs_has_the_scores_of_today() -> None:
    """The report that README and the first page link to; `excerpt report` of these files writes it again."""
    page = (ROOT / "docs" / "report" / "demo.html").read_text(encoding="utf-8")
    runs = ("p-bm25", "sent-bm25", "win400-bm25", "sec-bm25")
    folder = collection.folder()
    files = [folder / "runs" / f"{run}.fol.gz" for run in runs]
    scores = excerpt.evaluate(folder / "qrels.fol", files, ["MAiP"])
    for run in runs:
        assert run in page
        assert f"{scores[run]['MAiP']:.4f}" in page
    assert str(ROOT) not in page
