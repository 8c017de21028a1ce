"""Every part of the benchmarks at a very small size: it runs and says what it must; times are not judged."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import partial
from pathlib import Path

import b_documents
import d_resolve
import h_start
import i_report
import inputs as made
import pytest
import run as command
from generated_runs import write_documents, write_spans
from inputs import Inputs, Scale
from measuring import excerpt, interleave
from results import Part, markdown

from excerpt import Corpus

TINY = Scale(
    full=False,
    rounds=1,
    few=1,
    spans=((3, 20),),
    runs=2,
    documents=((3, 20),),
    corpus=3,
    resolve_documents=4,
    queries=50,
    study_runs=2,
    study_rounds=1,
    topics=12,
    results=10,
    resamples=2000,
    peer_pairs=1,
    judged_runs=(2, 4),
    growth_results=2,
    growth_study_results=2,
    growth_documents=1,
    growth_runs=2,
    growth_characters=1000,
    growth_factors=(2, 4),
    questions=(20, 40),
    shared_questions=30,
    assessed=60,
    assessors=(3, 1),
    kills=(1, 10),
    long=(2000, 10),
    chunked=(300, 2),
)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """Inputs in a folder of their own."""
    return Inputs(tmp_path)


def measured(part: Part) -> list[str]:
    """Names of the rows with numbers."""
    return [row.what for row in part.rows if row.cpu is not None]


@pytest.mark.slow
@pytest.mark.parametrize("letter", [letter for letter in command.PARTS if letter not in "bkl"])
def test_part(letter: str, inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The part gives rows with numbers, and none of its targets is judged at this size."""
    monkeypatch.setattr(made, "EVIDENCE", inputs.folder / "absent")
    measure = command.PARTS[letter]
    # Times are not judged, so no round is needed that only fills the caches.
    once = partial(interleave, warm_up=False)
    monkeypatch.setattr(sys.modules[measure.__module__], "interleave", once, raising=False)
    part = measure(inputs, TINY)
    assert part.letter == letter
    assert len(measured(part)) > 1
    assert part.targets == []
    assert "| CPU s |" in markdown(part).replace("  ", " ").replace("  ", " ")
    if letter == "c":
        assert any("not available next to the checkout" in note for note in part.notes)


@pytest.mark.slow
def test_starts_are_those_of_an_installed_wheel(inputs: Inputs) -> None:
    """The package is that of the new environment, not the checkout; numpy and the command are also there."""
    python = h_start.install(inputs.place("installed"))
    code = "import excerpt, numpy; print(excerpt.__file__)"
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    assert Path(done.stdout.strip()).is_relative_to(inputs.folder)
    assert python.with_name("excerpt").is_file()


def test_documents_agree_with_the_peers(inputs: Inputs) -> None:
    """Peers that are here are measured, once their means agreed; for the others the row says why."""
    part = b_documents.part(inputs, TINY)
    notes = {row.what.split(", ")[1]: row.note for row in part.rows if row.cpu is None}
    assert "3 x 20, excerpt" in measured(part)
    for name, module in (("pytrec_eval-terrier", "pytrec_eval"), ("ranx", "ranx")):
        if importlib.util.find_spec(module) is None:
            assert notes[name] == "not installed in this environment"
        else:
            assert name not in notes


def test_a_peer_that_disagrees_is_not_timed(inputs: Inputs) -> None:
    """A different mean is noted with both numbers, a failure with its message."""
    files = inputs.documents(3, 20)
    right = b_documents.TOOLS[0]
    wrong = b_documents.Tool("wrong", right.command, lambda printed: [9.0 for _ in right.means(printed)])
    broken = b_documents.Tool("broken", lambda *_: ["no-such-program"], right.means)
    assert b_documents._disagreement(right, files) == ""
    assert b_documents._disagreement(wrong, files).startswith("disagrees on articleAP: 9.0000000, excerpt ")
    assert b_documents._disagreement(broken, files).startswith("failed: ")


def test_inputs_are_the_same_every_time(tmp_path: Path) -> None:
    """The same sizes give the same bytes, in as many rows as asked for."""
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        qrels, runs = write_spans(folder, topics=3, results=700, runs=2)
        files = [qrels, *runs, *write_documents(folder, topics=2, results=300)]
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1]
    assert [text.count(b"\n") for text in written[0]] == [360, 2100, 2100, 240, 600]
    assert len(set(written[0])) == 5


def test_a_long_document_is_judged_and_returned(inputs: Inputs) -> None:
    """As many characters and passages as asked for; results do not overlap."""
    files = inputs.document(20_000, 100)
    text = (files.corpus / "A.txt").read_bytes().decode()
    assert len(text) == 20_000
    assert Corpus.read(inputs.document(20_000, 100, xml=True).corpus)["A"] == text
    assert files.qrels.read_text(encoding="ascii").count(":") == 100
    command_ = excerpt(
        *("evaluate", files.qrels, files.run, "-m", "MAiP", "--corpus", files.corpus, "--overlap", "error")
    )
    done = subprocess.run(command_, check=True, capture_output=True, text=True)
    # The relevant passages are at random places.
    assert all("begin or end inside words" in line for line in done.stderr.splitlines())


def test_without_a_browser_the_reason_is_told(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is measured, and the row names the reason, also if the browser fails."""
    part = Part("i", "T", "A.")
    monkeypatch.setenv("EXCERPT_CHROMIUM", "no-such-program")
    assert i_report.show(part, inputs, TINY) == []
    monkeypatch.setattr(i_report, "find_browser", lambda: ("no-such-program", ""))
    assert i_report.show(part, inputs, TINY) == []
    monkeypatch.undo()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert i_report.show(part, inputs, TINY) == []
    assert [row.note.partition(" (")[0] for row in part.rows][::2] == [
        "not measured: no browser for the tests of pages",
        "not measured: playwright is not installed in this environment",
    ]
    assert part.rows[1].note.startswith("not measured: the browser failed: ")
    assert part.figures == []


def test_runs_are_focused(tmp_path: Path) -> None:
    """No results overlap: excerpt refuses a run where they do."""
    qrels, runs = write_spans(tmp_path, topics=2, results=3000, runs=1)
    command_ = excerpt("evaluate", qrels, runs[0], "-m", "MAiP", "--overlap", "error", "--limit", "none")
    subprocess.run(command_, check=True, capture_output=True)


def test_queries_are_found(inputs: Inputs) -> None:
    """Questions are made of elements of the index, each once."""
    index = inputs.folder / "some.index"
    subprocess.run(excerpt("index", inputs.corpus(2), "-o", index), check=True, capture_output=True)
    lines = d_resolve.write_queries(index, 100).read_text(encoding="utf-8").splitlines()
    assert len(set(lines)) == 100
    assert all(line.split("\t")[1].startswith("/article[1]") for line in lines)
    d_resolve.drop_pages(index)


def test_quick_and_partial_runs_write_no_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only a whole run at full size replaces the results; JSON is written where asked for."""
    monkeypatch.setattr(command, "HERE", tmp_path)
    monkeypatch.setattr(command, "PARTS", {x: lambda *_: Part("x", "T", "A.") for x in "ab"})
    for arguments in (["--quick"], ["--only", "a"]):
        command.main([*arguments, "--json", str(tmp_path / "found.json")])
        assert [file.name for file in tmp_path.iterdir()] == ["found.json"]
    monkeypatch.setattr(command, "draw", lambda parts, format_: b"drawn")
    command.main([])
    assert (tmp_path / "RESULTS.md").exists()
    assert "(a) took" in capsys.readouterr().err
