"""Kills the server of a campaign again and again while people judge, and looks for what was lost.

    python benchmarks/assess_kill.py [--kills 50] [--events 10000] [--assessors 8] [--seed 1]

Everybody judges as fast as they are answered; after a seeded number of answers the server gets SIGKILL, its
folder is looked at, it is started again, and who was not answered sends the same event again. In between the
disk is full for a while (the server may not make files longer) and the clock goes back by a day.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assess_check import DATABASE, JOURNAL, check, read_notes
from assessor_client import Assessor, Lost, Refused, Server, add_people, excerpt

HERE = Path(__file__).resolve().parent
TOPICS = ("CU05", "CU08", "CU16", "CU19", "CU26")
_UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill, look, say; status 1 if anything was lost."""
    options = parse(arguments)
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        found = kill_often(Path(place), options.kills, options.events, options.assessors, options.seed)
    print(json.dumps(found, indent=1))
    raise SystemExit(bool(found["faults"]))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description="Kills the server of a campaign while people judge.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--events", type=int, default=10_000, help="acknowledged ones, in all")
    parser.add_argument("--assessors", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to work (default: where temporary files are)")
    return parser.parse_args(arguments)


def make_campaign(folder: Path) -> None:
    """A campaign on the embedded collection: every document for some topics."""
    path = Path(
        subprocess.run(excerpt("demo", "--path"), check=True, capture_output=True, text=True).stdout.strip()
    )
    documents = sorted(line.split("\t")[0] for line in (path / "docids.tsv").read_text().splitlines())
    rows = [f"{topic}\t{document}\n" for topic in TOPICS for document in documents]
    pool = folder.with_name("pool.tsv")
    pool.write_text("topic\tdocument\n" + "".join(rows), encoding="utf-8")
    files = ("--corpus", path / "docs.zip", "--topics", path / "topics.xml", "--pool", pool)
    subprocess.run(excerpt("assess", "new", folder, *files), check=True, capture_output=True)


class Crowd:
    """People who judge as fast as they can, also across servers."""

    def __init__(self, assessors: Sequence[Assessor]) -> None:
        self.assessors = assessors
        self.faults: Counter[str] = Counter()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def acknowledged(self) -> int:
        """How many events were."""
        return sum(each.acknowledged for each in self.assessors)

    def start(self) -> None:
        """Begin, each in a thread."""
        self._stop.clear()
        self._threads = [threading.Thread(target=self._work, args=(each,)) for each in self.assessors]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Wait until nobody waits for an answer any more."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _work(self, assessor: Assessor) -> None:
        while not self._stop.is_set():
            try:
                if not assessor.opened:
                    assessor.read()
                assessor.act()
            except Lost:
                return  # the server is gone
            except Refused as refused:
                if refused.status not in {409, 422}:
                    self.faults[str(refused.status)] += 1
                    time.sleep(0.02)


def kill_often(place: Path, kills: int, events: int, people: int, seed: int) -> dict[str, Any]:
    """All rounds; what was acknowledged, and what was wrong after each."""
    folder, notes, chance = place / "campaign", place / "notes.jsonl", random.Random(seed)
    make_campaign(folder)
    links = add_people(folder, [f"assessor-{number}" for number in range(people)])
    faults: list[str] = []
    refused: Counter[str] = Counter()
    begin = time.monotonic()
    with notes.open("w", encoding="utf-8") as stream:
        crowd = Crowd([Assessor(link, seed, stream) for link in links])
        for number in range(kills):
            server = start(folder, place, back=number % 4 == 2)
            faults += [f"after start {number}: {fault}" for fault in check(folder, read_notes([notes]))]
            goal = -(-events * (number + 1) // kills) - chance.randrange(max(1, events // kills // 2))
            crowd.start()
            if number % 4 == 1 and hasattr(resource, "prlimit"):
                fill_disk(server, folder, crowd, chance.choice([JOURNAL, f"{DATABASE}-wal"]))
            last = number == kills - 1
            wait_for(crowd, events if last else goal)
            time.sleep(chance.random() / 100)
            server.kill()
            crowd.stop()
            faults += [
                f"after kill {number + 1}: {fault}"
                for fault in check(folder, read_notes([notes]), killed=True)
            ]
        faults += finish(folder, place, crowd, notes)
    refused += crowd.faults
    return {
        "acknowledged": crowd.acknowledged,
        "kills": kills,
        "assessors": people,
        "seconds": round(time.monotonic() - begin),
        "answers other than 200, 409, 422": dict(refused),
        "faults": faults,
    }


def start(folder: Path, place: Path, *, back: bool = False) -> Server:
    """A server; its clock may be a day behind."""
    command = excerpt("assess", "serve", folder, "--no-browser")
    if back:
        command = [sys.executable, str(HERE / "work" / "serve_yesterday.py"), str(folder)]
    return Server(command, place / "errors")


def finish(folder: Path, place: Path, crowd: Crowd, notes: Path) -> list[str]:
    """One more start, by which everything that was not answered is sent again; then a quiet end."""
    server = start(folder, place)
    for assessor in crowd.assessors:
        if assessor.pending:
            assessor.act()
        assessor.connection.close()
    status = server.stop()
    faults = [f"at the end: {fault}" for fault in check(folder, read_notes([notes]))]
    return faults + ([f"the server ended with status {status}"] if status else [])


def wait_for(crowd: Crowd, goal: int) -> None:
    """Until so many events were acknowledged."""
    end = time.monotonic() + 120
    while crowd.acknowledged < goal:
        if time.monotonic() > end:
            raise SystemExit(f"found {crowd.acknowledged} events, expected {goal} by now: {crowd.faults}")
        time.sleep(0.002)


def fill_disk(server: Server, folder: Path, crowd: Crowd, name: str) -> None:
    """A file may not grow for a while: what cannot be kept is refused, and kept when there is room again."""
    limit = (folder / name).stat().st_size
    before = crowd.faults["507"]
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    end = time.monotonic() + 20
    while crowd.faults["507"] < before + 3 and time.monotonic() < end:
        time.sleep(0.01)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, _UNLIMITED)


if __name__ == "__main__":
    main()
