"""Start-up: modules that commands import, and modules that they must not import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import excerpt

#: Prints the modules that a command has loaded, after what the command prints.
_CODE = """
import sys
from excerpt.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
print("loaded", *sys.modules)
"""
#: Modules and rooms of ours that a small evaluation has no use for.
_NOT_OURS = (
    "collection",
    "corpus",
    "experiments.outcome",
    "experiments.study",
    "inex.bulk",
    "datasets",
    "formats.passage_ids",
    "inex.assessments",
    "formats.judgments.spans_jsonl",
    "formats.quoted_text",
    "formats.runs.jsonl",
    "inex.submissions",
    "inex.xml_events",
    "queries",
    "checking.validation",
    "formats.writer",
    "gold",
    "index",
    "model.elements",
    "model.samples",
    "score_files.saved_scores",
    "model.texts",
    "nexi",
    "official",
    "evaluation.lengths",
    "queries.targets",
    "measures.characters",
    "measures.xcg",
    "placing",
    "pooling",
    "project",
    "quantise",
    "records",
    "render.figures",
    "render.latex",
    "render.page",
    "stats.intervals",
    "stats.significance",
    "view",
    "web",
)
#: Modules of Python and of others that it has no use for.
_NOT_OTHERS = (
    "csv",
    "decimal",
    "fractions",
    "heapq",
    "json",
    "numpy.typing",
    "pkgutil",
    "tomllib",
    "zstandard",
)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and a run, in columns."""
    qrels, run = tmp_path / "qrels.fol", tmp_path / "run.fol"
    qrels.write_text("1 Q0 A 140 2000 120 120:100 900:40\n1 Q0 B 0 800\n", encoding="ascii")
    run.write_text("1 Q0 A 1 1.5 mine 120 300\n1 Q0 B 2 1.2 mine 0 50\n", encoding="ascii")
    return [str(qrels), str(run)]


def loaded(*arguments: str) -> set[str]:
    """The modules that a command loads in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *arguments], check=True, capture_output=True, text=True
    )
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_a_small_evaluation_loads_what_it_needs(files: list[str]) -> None:
    """Neither the measures of others, nor formats that the files cannot have, nor what was not asked for."""
    modules = loaded("evaluate", *files, "-m", "MAiP")
    ours = {name for name in modules if name.partition(".")[0] == "excerpt"}
    assert "excerpt.measures.interpolated_precision" in ours
    assert len(ours) <= 60, sorted(ours)
    idle = [f"excerpt.{name}" for name in _NOT_OURS]
    assert [name for name in sorted(ours) if any(f"{name}.".startswith(f"{one}.") for one in idle)] == []
    assert modules.isdisjoint(_NOT_OTHERS)


def test_names_that_must_not_be_loaded_exist() -> None:
    """The list above must not contain modules that were moved."""
    folder = Path(excerpt.__file__).parent
    for name in _NOT_OURS:
        place = folder / name.replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file(), name


def test_what_is_asked_for_is_loaded_late(files: list[str], tmp_path: Path) -> None:
    """LaTeX, saved scores and runs in JSON cost those who use them."""
    run = tmp_path / "run.jsonl"
    run.write_text('{"topic": "1", "document": "A", "start": 120, "end": 420}\n', encoding="ascii")
    modules = loaded("evaluate", files[0], str(run), "-m", "MAiP", "--format", "latex")
    assert {"excerpt.render.latex", "excerpt.formats.runs.jsonl", "json"} <= modules
