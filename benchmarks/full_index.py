"""An index at full size: 5 GB of generated XML, built, killed in the middle of a build, built again.

Run: python benchmarks/full_index.py FOLDER [--documents 659388] [--distinct 20000] [--workers 2] [--tar]
FOLDER gets the corpus and the index, and is removed at the end. Linux only.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from corpora import WikipediaLike

from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex

_PER_DIRECTORY = 1000
_LOOKUPS = 1000


class Used(NamedTuple):
    """Resources of a command: seconds, and peak MiB (of the largest process, and of all together)."""

    wall: float
    cpu: float
    largest: float
    together: float


def main(arguments: Sequence[str] | None = None) -> None:
    """Generate, build, look up, kill, build again; print one JSON object."""
    options = _options(arguments)
    if not options.keep and options.folder.exists() and any(options.folder.iterdir()):
        raise SystemExit(f"full_index: {options.folder} is not empty; it would be removed at the end")
    corpus = options.folder / ("corpus.tar" if options.tar else "corpus")
    index = options.folder / "corpus.index"
    results: dict[str, Any] = {"documents": options.documents, "workers": options.workers}
    try:
        if not corpus.exists():
            results["corpus bytes"] = _generate(corpus, options.documents, options.distinct, tar=options.tar)
        command = [sys.executable, "-m", "excerpt", "index", str(corpus), "-o", str(index)]
        command += ["--workers", str(options.workers), "--format", "json"]
        report, used = _measured(command)
        results |= {"build": used._asdict(), "elements": report["elements"]}
        size = sum(path.stat().st_size for path in index.iterdir())
        results |= {"index bytes": size, "bytes per element": size / report["elements"]}
        results |= _look_up(index)
        shutil.rmtree(index)
        results |= _kill(command, index, used.wall / 2)
        _, again = _measured(command)
        results["build after the kill"] = again._asdict()
        results["left beside the index"] = _other_files(index, corpus)
    finally:
        if not options.keep:
            shutil.rmtree(options.folder)
    print(json.dumps(results, indent=1))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure an index at full size.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=659_388)
    parser.add_argument(
        "--distinct", type=int, default=20_000, help="number of different texts, which are then repeated"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--tar", action="store_true", help="write one tar archive instead of a folder of files"
    )
    parser.add_argument("--keep", action="store_true", help="keep the files, and use an existing corpus")
    return parser.parse_args(arguments)


def _documents(count: int, distinct: int) -> Iterator[tuple[str, bytes]]:
    source = WikipediaLike()
    texts: list[bytes] = []
    for number in range(count):
        if number < distinct:
            texts.append(source.document(0).encode())
        text = texts[number % distinct].replace(b'id="0"', b'id="%d"' % number, 1)
        yield f"part-{number // _PER_DIRECTORY:04}/{number + 1000}.xml", text


def _generate(corpus: Path, count: int, distinct: int, *, tar: bool) -> int:
    total = 0
    corpus.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(corpus, "w") if tar else _Folder(corpus) as target:
        for name, text in _documents(count, distinct):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            target.addfile(member, io.BytesIO(text))
            total += len(text)
    return total


class _Folder:
    """A folder with the interface of an archive."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def addfile(self, member: tarfile.TarInfo, content: io.BytesIO) -> None:
        """Write one file."""
        path = self._folder / member.name
        try:
            path.write_bytes(content.getvalue())
        except FileNotFoundError:
            path.parent.mkdir(parents=True)
            path.write_bytes(content.getvalue())


def _measured(command: list[str]) -> tuple[dict[str, Any], Used]:
    """Run a command that prints JSON; memory is sampled five times a second."""
    begin = time.monotonic()
    largest = together = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while True:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            sizes = [_proportional(child) for child in _family(process.pid)]
            largest, together = max([largest, *sizes]), max(together, sum(sizes))
            time.sleep(0.2)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.stdout is not None
        printed = process.stdout.read()
    assert process.returncode == 0, command
    wall = time.monotonic() - begin
    return json.loads(printed), Used(wall, usage.ru_utime + usage.ru_stime, largest, together)


def _family(process: int) -> Iterator[int]:
    """A process and all its descendants, whichever of its threads started them."""
    yield process
    try:
        lists = [task.joinpath("children").read_text() for task in Path(f"/proc/{process}/task").iterdir()]
    except OSError:
        return
    for child in " ".join(lists).split():
        yield from _family(int(child))


def _proportional(process: int) -> float:
    """Memory in MiB, with shared pages counted proportionally."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _look_up(index: Path) -> dict[str, Any]:
    """Time opening the index, then resolving paths all over the corpus, twice."""
    begin = time.monotonic()
    opened = OffsetIndex.open(index)
    results: dict[str, Any] = {"seconds to open": time.monotonic() - begin}
    rng = random.Random(5)
    documents = [rng.randrange(len(opened)) for _ in range(_LOOKUPS)]
    paths = [f"/article[1]/body[1]/section[{rng.randint(1, 3)}]/p[1]" for _ in documents]
    for name in ("first", "second"):
        begin = time.monotonic()
        found = opened.resolve(documents, paths)
        results[f"seconds for {_LOOKUPS} paths, {name} time"] = time.monotonic() - begin
    results["paths found"] = int((found.start >= 0).sum())
    return results


def _kill(command: list[str], index: Path, after: float) -> dict[str, Any]:
    """Start a build, kill its first process halfway, and list the files that remain."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        time.sleep(after)
        family = list(_family(process.pid))
        os.kill(process.pid, signal.SIGKILL)
    time.sleep(2)
    try:
        OffsetIndex.open(index)
    except ExcerptError as error:
        opened = str(error).partition(": ")[2]
    else:
        opened = "opened"
    alive = [process for process in family if Path(f"/proc/{process}").exists()]
    return {"after kill -9": opened, "seconds until the kill": after, "processes left": len(alive)}


def _other_files(index: Path, corpus: Path) -> list[str]:
    return [path.name for path in sorted(index.parent.iterdir()) if path not in {index, corpus}]


if __name__ == "__main__":
    main()
