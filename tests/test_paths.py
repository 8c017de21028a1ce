"""The paths of ARCHITECTURE.md: the files of ours that a command runs, as traced."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Prints the files in which a function runs, in the order of the first call, after what a command prints.
_TRACE = """
import sys, threading
from pathlib import Path
import excerpt
folder, files = str(Path(excerpt.__file__).parent), {}
def trace(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_filename.startswith(folder):
        files.setdefault(Path(code.co_filename).relative_to(folder).with_suffix("").as_posix())
threading.setprofile(trace)
sys.setprofile(trace)
from excerpt.cli import main
status = main(sys.argv[1:])
sys.setprofile(None)
assert not status, status
print(*files)
"""
#: The commands of the page, each with how many files it may run at most.
MOST = {
    "excerpt evaluate QRELS RUN -m MAiP": 36,
    "excerpt evaluate PASSAGES RUN.jsonl -m recall@5": 40,
    "excerpt evaluate QUOTES RUN.jsonl --corpus docs -m recall@5": 58,
    "excerpt index docs.zip -o INDEX": 24,
    "excerpt stability pool QRELS RUN RUN -m MAiP --least 1": 44,
    "excerpt place docs chunks.jsonl -o PLACED": 33,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Small files, by their names on the page."""
    import zipfile

    folder = tmp_path_factory.mktemp("paths")
    (folder / "qrels.fol").write_text("1 Q0 A 60 200 10 10:40 100:20\n2 Q0 A 9 200 0 0:9\n", encoding="ascii")
    (folder / "run.fol").write_text("1 Q0 A 1 1 r 0 50\n2 Q0 A 1 1 r 0 50\n", encoding="ascii")
    (folder / "other.fol").write_text("1 Q0 A 1 1 s 0 20\n2 Q0 A 1 1 s 4 50\n", encoding="ascii")
    (folder / "docs").mkdir()
    (folder / "docs" / "A.txt").write_text("One sentence. Another one.", encoding="ascii")
    (folder / "chunks.jsonl").write_text('{"document": "A.txt", "text": "Another one."}\n', encoding="ascii")
    result = '{"topic": "1", "document": "A", "start": 0, "end": 12, "score": 1.5}\n'
    (folder / "run.jsonl").write_text(result, encoding="ascii")
    passage = '{"topic": "1", "document": "A", "start": 4, "end": 12}\n'
    (folder / "passages.jsonl").write_text(passage, encoding="ascii")
    quote = '{"id": "1", "question": "What?", "document": "A", "quote": "Another one"}\n'
    (folder / "quotes.jsonl").write_text(quote, encoding="ascii")
    with zipfile.ZipFile(folder / "docs.zip", "w") as archive:
        archive.writestr("A.xml", "<article><p>One sentence.</p></article>")
    return {
        "QRELS": str(folder / "qrels.fol"),
        "RUN": str(folder / "run.fol"),
        "RUN.jsonl": str(folder / "run.jsonl"),
        "PASSAGES": str(folder / "passages.jsonl"),
        "QUOTES": str(folder / "quotes.jsonl"),
        "docs": str(folder / "docs"),
        "docs.zip": str(folder / "docs.zip"),
        "chunks.jsonl": str(folder / "chunks.jsonl"),
        "INDEX": str(folder / "index"),
        "PLACED": str(folder / "placed.jsonl"),
    }


def traced(command: str, files: dict[str, str]) -> list[str]:
    """The files that a command runs; its second run is another one."""
    words = [files.get(word, word) for word in command.split()[1:]]
    if words.count(files["RUN"]) > 1:
        words[words.index(files["RUN"])] = files["RUN"].replace("run.fol", "other.fol")
    done = subprocess.run([sys.executable, "-c", _TRACE, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize("command", MOST)
def test_the_page_has_the_files_that_run(command: str, files: dict[str, str]) -> None:
    """All of them, and few enough to follow."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    line = page.partition(f"**`{command}`**")[2].strip().partition("\n\n")[0]
    found = traced(command, files)
    assert len(found) <= MOST[command]
    assert re.findall(r"`([\w/]+)`", line) == found
