"""Each file of a command is opened once: to see what it is, to read it, and for its digest."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt import collection
from excerpt.errors import FormatError
from excerpt.files import OPENINGS, read_beginning, read_bytes

#: Runs commands one after the other; prints for each how often it opened the files of a folder.
_CODE = """
import json, sys
from collections import Counter
from pathlib import Path

opened = Counter()
folder = sys.argv[1]

def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(folder):
        opened[Path(arguments[0]).name] += 1

sys.addaudithook(watch)
from excerpt.cli import main
found = []
for words in json.loads(sys.argv[2]):
    opened.clear()
    try:
        main(words)
    except SystemExit as end:
        assert end.code in (None, 0, 1), (words, end.code)
    found.append(dict(opened))
print("\\n" + json.dumps(found))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Judgments, two packed runs and saved scores."""
    folder, runs = tmp_path_factory.mktemp("files"), collection.folder() / "runs"
    made = {"qrels": folder / "qrels.fol", "scores": folder / "scores.json"}
    made["qrels"].write_bytes((collection.folder() / "qrels.fol").read_bytes())
    for name in ("p-bm25", "sec-bm25"):
        made[name] = folder / f"{name}.fol.gz"
        made[name].write_bytes((runs / f"{name}.fol.gz").read_bytes())
    saved = ["evaluate", *(str(made[name]) for name in ("qrels", "p-bm25", "sec-bm25"))]
    saved += ["-m", "MAiP", "--save", str(made["scores"]), "--quiet"]
    subprocess.run([sys.executable, "-m", "excerpt", *saved], check=True, capture_output=True)
    return {name: str(path) for name, path in made.items()}


def test_a_command_opens_each_file_once(files: dict[str, str], tmp_path: Path) -> None:
    """Packed files, too, whose beginning is unpacked to see what they are."""
    judged = [files["qrels"], files["p-bm25"], files["sec-bm25"]]
    measured = [*judged, "-m", "MAiP", "--quiet"]
    commands = [
        ["evaluate", *measured],
        ["compare", *measured, "--samples", "20", "-o", str(tmp_path / "rows.json")],
        ["stability", "pool", *measured, "--samples", "2"],
        ["stability", "all", *measured, "--samples", "2", "-o", str(tmp_path / "all.txt")],
        ["report", *measured, "--no-text", "-o", str(tmp_path / "report.html")],
        ["compare", files["scores"], "--quiet"],
        ["render", files["scores"]],
        ["gate", files["scores"], *judged[1:2], "--qrels", judged[0], "--baseline", "p-bm25", "--quiet"],
        ["check", *judged],
        ["pool", *judged[1:], "-o", str(tmp_path / "pool.tsv")],
    ]
    folder = str(Path(files["qrels"]).parent) + os.sep
    done = subprocess.run(
        [sys.executable, "-c", _CODE, folder, json.dumps(commands)],
        capture_output=True,
        check=True,
        text=True,
    )
    found = json.loads(done.stdout.rsplit("\n", 2)[-2])
    for words, opened in zip(commands, found, strict=True):
        given = {Path(word).name for word in words if word.startswith(folder)}
        assert opened == dict.fromkeys(given, 1), words


def test_digests_are_those_of_the_content_that_was_read(files: dict[str, str]) -> None:
    """Of a packed file the record has the digest of what it unpacks to, as before it was read."""
    from excerpt.experiments.outcome import InputFile

    name = files["p-bm25"]
    alone = InputFile.of(name)
    with OPENINGS.of_command():
        OPENINGS.note_digests()
        assert OPENINGS.digest(name, unpacked=True) is None
        read_bytes(name)
        assert InputFile.of(name) == alone
        assert OPENINGS.digest(name, unpacked=True) == alone.sha256
        assert OPENINGS.digest(name, unpacked=False) not in {None, alone.sha256}
    assert OPENINGS.digest(name, unpacked=True) is None


def test_a_file_that_is_replaced_after_a_look_is_opened_again(tmp_path: Path) -> None:
    """The name decides, not the open file; what is written into the open file is read, too."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"old")
    with OPENINGS.of_command():
        assert read_beginning(file) == b"old"
        other = tmp_path / "b.txt"
        other.write_bytes(b"new content")
        other.replace(file)
        assert read_bytes(file) == b"new content"
        assert read_beginning(file) == b"new content"
        file.write_bytes(b"more")
        assert read_bytes(file) == b"more"


def test_few_files_stay_open(tmp_path: Path) -> None:
    """Beyond the limit a file is opened again; at the end of the command none is open."""
    listed = Path("/proc/self/fd")

    def descriptors() -> int:
        return len([*listed.iterdir()]) if listed.exists() else 0

    several = [tmp_path / f"{number}.gz" for number in range(OPENINGS.MOST + 5)]
    for number, file in enumerate(several):
        file.write_bytes(gzip.compress(f"{number}".encode()))
    with OPENINGS.of_command():
        assert [read_beginning(file) for file in several] == [str(n).encode() for n in range(len(several))]
        before = descriptors()
        assert [read_bytes(file) for file in several] == [str(n).encode() for n in range(len(several))]
    assert before - descriptors() == (OPENINGS.MOST if before else 0)


def test_a_damaged_packed_file_is_an_error_when_it_is_read(tmp_path: Path) -> None:
    """A look at its beginning says nothing."""
    file = tmp_path / "run.gz"
    file.write_bytes(gzip.compress(b"1 Q0 A 1 1 r\n" * 9)[:20])
    assert read_beginning(file) == b""
    with pytest.raises(FormatError, match="damaged or truncated gzip data"):
        read_bytes(file)
