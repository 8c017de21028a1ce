"""Guard against overwriting inputs: every command, by the table of options."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

from excerpt.cli import COMMANDS, FURTHER, command_of
from excerpt.cli.parser import Parser, keep_inputs
from excerpt.errors import ExcerptError
from excerpt.options import FLAG, TABLE, Option

from .conftest import Excerpt

CAMPAIGN_FILES = ("journal.jsonl", "judgments.sqlite", "campaign.toml", "backups/judgments-1.sqlite")
#: Of commands that read their own options, and of those that only list others, there is nothing to guard.
NAMES = [name for name in (*COMMANDS, *FURTHER) if command_of(name).parser is not None]


def made(name: str) -> Parser:
    """The parser of a command."""
    parser = command_of(name).parser
    assert parser is not None
    found = parser()
    assert isinstance(found, Parser)
    return found


def words(option: Option, value: str) -> list[str]:
    """An option as it is given."""
    return [option.written[-1], value] if option.written else [value]


def call(parser: Parser, **values: str) -> list[str]:
    """A command line with what the command needs, and some values."""
    given: list[str] = []
    for option in parser.options:
        needed = option.required or (not option.written and option.dest != "document")
        if option.dest in values:
            given += words(option, values[option.dest])
        elif needed and not (option.written and option.kind is FLAG):
            usual = option.kind.choices[0] if option.kind.choices else f"some-{option.dest}"
            given += words(option, usual)
    return given


def pairs(parser: Parser) -> Iterator[tuple[Option, Option]]:
    """Every option by which a command reads a file, with every one by which it writes one."""
    for read in (option for option in parser.options if option.role == "reads"):
        for written in (option for option in parser.options if option.role == "writes"):
            yield read, written


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, and a folder of a campaign, behind a link as well."""
    monkeypatch.chdir(tmp_path)
    Path("held.jsonl").write_text("held")
    Path("link.jsonl").symlink_to("held.jsonl")
    os.link("held.jsonl", "twin.jsonl")
    for name in CAMPAIGN_FILES:
        Path("camp", name).parent.mkdir(parents=True, exist_ok=True)
        Path("camp", name).write_text(name)
    Path("to-camp").symlink_to("camp")
    return tmp_path


def content(folder: Path) -> dict[Path, bytes]:
    """All files and their bytes."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", NAMES)
def test_no_command_writes_what_it_reads(command: str, files: Path, excerpt: Excerpt) -> None:
    """A file that any option reads, as any option that writes: status 2, and nothing is touched."""
    before = content(files)
    parser = made(command)
    for read, written in pairs(parser):
        if read.holds == "campaign":
            targets = [
                ("camp", f"to-camp/{file}") for file in (*CAMPAIGN_FILES, "new.txt", "backups/new.json")
            ]
            targets += [
                ("./to-camp/", "camp/journal.jsonl"),
                ("camp/backups/..", "camp/new.html"),
                ("camp", "camp"),
            ]
        else:
            targets = [
                ("held.jsonl", "./held.jsonl"),
                ("held.jsonl", "link.jsonl"),
                ("twin.jsonl", "held.jsonl"),
            ]
        few = read.holds != "campaign" and read is not parser.options[0]  # links are the same for all
        for source, target in targets[: 1 if few else None]:
            given = call(parser, **{read.dest: source, written.dest: target})
            done = excerpt(*command.split(), *given)
            assert done.status == 2, given
            assert done.err == f"excerpt: {target}: is an input; choose another name for the output\n", given
    assert content(files) == before


def test_there_is_something_to_guard() -> None:
    """All that reads and writes is seen: options of commands, of experiments, of figures, of campaigns."""
    found = {(name, read.dest, written.dest) for name in NAMES for read, written in pairs(made(name))}
    assert len(found) > 500
    for pair in (
        *(("evaluate", read, "save") for read in ("qrels", "runs", "segments", "quantisations", "style")),
        *(("assess status", "folder", "output"), ("assess agreement", "folder", "output")),
        *(("stability unpooled", read, "record") for read in ("pool", "groups")),
        *(("correlate", "qrels2", "data"), ("convert", "input", "output"), ("rerun", "saved", "figure")),
        *(("gate", "baseline", "output"), ("explain", "chunks", "output"), ("report", "cited", "output")),
    ):
        assert pair in found


def test_paths_are_known_by_their_placeholder() -> None:
    """An option that takes a file says whether it reads or writes it."""
    for name in NAMES:
        for option in made(name).options:
            named = (option.metavar or "") in {
                "FILE",
                "QRELS",
                "CORPUS",
                "INDEX",
                "FOLDER",
                "IN",
                "OUT",
            }
            assert not named or option.role != "plain", (name, option.name)


def test_lists_and_files_of_a_list_are_inputs(excerpt: Excerpt) -> None:
    """Neither @LIST nor what it names is written."""
    Path("list").write_text("held.jsonl\n")
    for target in ("list", "held.jsonl"):
        done = excerpt("evaluate", "qrels", "@list", "--save", target)
        assert (done.status, done.err) == (
            2,
            f"excerpt: {target}: is an input; choose another name for the output\n",
        )


def test_what_only_looks_like_a_list_is_none(excerpt: Excerpt) -> None:
    """`--id-from @id` names an attribute, not a file."""
    Path("qrels").write_text("1 Q0 A 60 200 10 10:40\n")
    Path("docs").mkdir()
    Path("docs/a.xml").write_text("<d><e id='A'>" + 200 * "x" + "</e></d>")
    given = ("--corpus", "docs", "--document-tag", "e", "--id-from", "@id", "--format", "csv", "-o", "id")
    Path("run").write_text("1 Q0 A 1 9 mine 0 50\n")
    assert excerpt("evaluate", "qrels", "run", "-m", "charP", *given).status == 0


def test_further_files_are_guarded(files: Path, excerpt: Excerpt) -> None:
    """Files of `stability all`, inputs of `rerun`, and the second file of an export are guarded."""
    Path("study-pool.txt").write_text("held")
    Path("q.about.json").symlink_to("camp/journal.jsonl")
    before = content(files)
    for given, target in (
        (
            ("stability", "all", "held.jsonl", "study-pool.txt", "twin.jsonl", "-o", "study.txt"),
            "study-pool.txt",
        ),
        (("assess", "export", "camp", "-o", "q"), "q"),
    ):
        done = excerpt(*given)
        assert (done.status, done.err) == (
            2,
            f"excerpt: {target}: is an input; choose another name for the output\n",
        )
    assert content(files) == before


@pytest.fixture
def project(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments, runs, documents, and the file of a project that names a list of runs."""
    monkeypatch.delenv("EXCERPT_CONFIG", raising=False)
    Path("qrels").write_text("1 Q0 A 5 20 0 0:5\n2 Q0 A 5 20 5 5:5\n")
    for name, start in (("one", 0), ("two", 3)):
        Path(name).write_text(f"1 Q0 A 1 9 {name} {start} 9\n2 Q0 A 1 9 {name} {start} 9\n")
    Path("list").write_text("one\ntwo\n")
    Path("docs").mkdir()
    Path("docs/A.xml").write_text("<a>" + 20 * "x" + "</a>")
    Path("docs/notes.json").write_text("notes")
    Path("topics.tsv").write_text("1\tfirst\n2\tsecond\n")
    Path("excerpt.toml").write_text('runs = ["@list"]\n')
    return files


@pytest.mark.parametrize(
    ("given", "target"),
    [
        (("evaluate", "qrels", "-m", "MAiP", "--format", "csv", "-o"), "list"),
        (("evaluate", "qrels", "one", "-m", "MAiP", "--format", "csv", "-o"), "excerpt.toml"),
        (("config", "--format", "json", "-o"), "excerpt.toml"),
        (("assess", "export", "made", "--to", "inex", "-o"), "docs"),
        (("assess", "status", "made", "--format", "json", "-o"), "docs/A.xml"),
        (("rerun", "record.json", "-o"), "docs/A.xml"),
        (("rerun", "record.json", "-o"), "qrels"),
    ],
)
def test_what_is_read_by_another_file_is_not_written(
    project: Path, excerpt: Excerpt, given: tuple[str, ...], target: str
) -> None:
    """Lists and the file of a project, the documents of a campaign, the files of a record."""
    made = ("assess", "new", "made", "--corpus", "docs/A.xml", "--topics", "topics.tsv")
    compared = (
        "compare",
        "qrels",
        "one",
        "two",
        "-m",
        "charP",
        "--corpus",
        "docs",
        "--record",
        "record.json",
    )
    for earlier in (made, compared):
        assert excerpt(*earlier).status == 0
    before = content(project)
    done = excerpt(*given, target)
    assert done.status == 2, done
    assert f"{target}: is an input; choose another name for the output" in done.err
    assert content(project) == before


def test_an_experiment_is_repeated_beside_its_documents(project: Path, excerpt: Excerpt) -> None:
    """Files that are not documents may be written into the folder of a corpus."""
    given = ("compare", "qrels", "one", "two", "-m", "charP", "--corpus", "docs", "--record", "record.json")
    assert excerpt(*given).status == 0
    assert excerpt("rerun", "record.json", "-o", "docs/notes.json").status == 0
    assert Path("docs/notes.json").read_text() != "notes", project


@pytest.fixture
def folders(files: Path) -> Path:
    """A corpus, an index and judgments in the working folder."""
    for name in ("c/a.txt", "c/d/b.xml.gz", "c/notes.html", "x/index.json", "x/text.zst", "q/1.fol", "t.tsv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text('{"format": "excerpt-index"}' if name == "x/index.json" else "text")
    Path("c/report.html").write_text('<!DOCTYPE html>\n<html lang="en" data-state="loading">\n<p>…')
    Path("c/gate.md").write_text("**No verdict.** found no run")
    Path("link").symlink_to("c")
    return files


def keep(given: dict[str, str]) -> None:
    """Guard options of the table."""
    save = TABLE["record"].but(name="save")
    keep_inputs([*TABLE.values(), save], Namespace(**given))


@pytest.mark.parametrize(
    "given",
    [
        {"corpus": "c", "output": "c/a.txt"},
        {"corpus": "c", "output": "c/notes.html"},
        {"corpus": "link", "output": "./c/d/b.xml.gz"},
        {"corpus": "c", "output": "link/a.txt"},
        {"corpus": "c/*.txt", "output": "c/a.txt"},
        {"corpus": "x", "output": "x/text.zst"},
        {"index": "x", "save": "x/index.json"},
        {"qrels": "q", "record": "q/1.fol"},
        {"runs": ["c/a.txt", "t.tsv"], "figure": "t.tsv"},
        {"topics": "t.tsv", "output": "t.tsv"},
        {"blocks": "gone.toml", "output": "gone.toml"},
        {"corpus": "c", "output": "link"},
        {"corpus": "c/d/b.xml.gz", "output": "c"},
    ],
)
def test_what_is_read_is_not_written(folders: Path, given: dict[str, str]) -> None:
    """A document of a folder is an input, however the folder is named."""
    assert folders
    with pytest.raises(ExcerptError, match="is an input; choose another name for the output"):
        keep(given)


@pytest.mark.parametrize(
    "given",
    [
        {"corpus": "c", "output": "c/new.html"},
        {"corpus": "c", "output": "c/report.html"},
        {"corpus": "c", "output": "c/gate.md"},
        {"corpus": "c/*.txt", "output": "c/d/b.xml.gz"},
        {"qrels": "q", "output": "scores.csv"},
        {"corpus": "c", "output": "q/1.fol"},
        {"corpus": "-", "output": "-"},
        {"corpus": "c", "output": "x"},
        {"folder": "camp", "output": "camp.txt"},
        {"output": "/dev/null", "record": "/dev/null"},
    ],
)
def test_other_files_are_written(folders: Path, given: dict[str, str]) -> None:
    """Other files may be written next to documents."""
    assert folders
    keep(given)


def test_two_results_need_two_names(folders: Path) -> None:
    """One would be lost."""
    assert folders
    with pytest.raises(ExcerptError, match="is named for two outputs; choose a name for each"):
        keep({"output": "a.csv", "figure": "./a.csv"})
