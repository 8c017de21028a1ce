"""Kill the server of a campaign repeatedly while assessors judge, and check that no event is lost.

    python benchmarks/assess_kill.py [--kills 50] [--events 10000] [--assessors 8] [--seed 1]

Assessors judge as fast as the server answers; after a seeded number of answers the server gets SIGKILL, its
folder is checked, and it is started again. Assessors without an answer send the same event again. At times
the disk is full (the server may not extend files), or the clock is set back by a day. An adjudicator decides
documents that two assessors have finished. Meanwhile the organiser extends the campaign and assigns its
topics, and is killed in the middle of it, too.
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
from assessor_client import Adjudicator, Assessor, Lost, Refused, Server, add_people, excerpt

from excerpt.assess.campaign import Campaign

HERE = Path(__file__).resolve().parent
TOPICS = ("CU05", "CU08", "CU16", "CU19", "CU26")
_UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def main(arguments: Sequence[str] | None = None) -> None:
    """Kill, check and print the result; exit with status 1 if there are faults."""
    options = parse(arguments)
    with tempfile.TemporaryDirectory(dir=options.folder) as work:
        result = kill_often(Path(work), options.kills, options.events, options.assessors, options.seed)
    print(json.dumps(result, indent=1))
    raise SystemExit(bool(result["faults"]))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Kill the server of a campaign while assessors judge.")
    parser.add_argument("--kills", type=int, default=50, help="number of kills (default: %(default)s)")
    parser.add_argument(
        "--events", type=int, default=10_000, help="acknowledged events (default: %(default)s)"
    )
    parser.add_argument("--assessors", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="work in this folder (default: that of temporary files)")
    return parser.parse_args(arguments)


def make_campaign(folder: Path) -> None:
    """Make a campaign on the embedded collection: every document for some topics."""
    path = Path(
        subprocess.run(excerpt("demo", "--path"), check=True, capture_output=True, text=True).stdout.strip()
    )
    documents = sorted(line.split("\t")[0] for line in (path / "docids.tsv").read_text().splitlines())
    rows = [f"{topic}\t{document}\n" for topic in TOPICS for document in documents]
    pool = folder.with_name("pool.tsv")
    pool.write_text("topic\tdocument\n" + "".join(rows), encoding="utf-8")
    files = ("--corpus", path / "docs.zip", "--topics", path / "topics.xml", "--pool", pool)
    subprocess.run(excerpt("assess", "new", folder, *files), check=True, capture_output=True)


def dispute(folder: Path, documents: int = 12) -> None:
    """Let two people finish some documents on which they differ, for an adjudicator to decide."""
    for name in ("early-1", "early-2"):
        add_people(folder, [name])
    with Campaign.open(folder) as campaign:
        for topic, document in campaign.contents.pairs[:documents]:
            for number, name in enumerate(("early-1", "early-2")):
                start = 40 * number
                quote = campaign.corpus[document][start : start + 60]
                pair = {"topic": topic, "document": document}
                span: dict[str, Any] = {
                    "kind": "highlight",
                    "start": start,
                    "end": start + 60,
                    "quote": quote,
                }
                events: list[dict[str, Any]] = [span, {"kind": "bep", "start": start}, {"kind": "done"}]
                for base, event in enumerate(events):
                    identifier = f"{name}-{topic}-{document}-{base}"
                    campaign.record(name, {"id": identifier, "base": base, **pair, **event})


class Crowd:
    """Assessors who judge as fast as they can, also across restarts of the server."""

    def __init__(self, assessors: Sequence[Assessor]) -> None:
        self.assessors = assessors
        self.faults: Counter[str] = Counter()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def acknowledged(self) -> int:
        """Number of acknowledged events."""
        return sum(each.acknowledged for each in self.assessors)

    def start(self) -> None:
        """Start each assessor in a thread."""
        self._stop.clear()
        self._threads = [threading.Thread(target=self._work, args=(each,)) for each in self.assessors]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop the assessors and wait for their last answers."""
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
                return  # the server was killed
            except Refused as refused:
                if refused.status not in {409, 422}:
                    self.faults[str(refused.status)] += 1
                    time.sleep(0.02)


class Organiser:
    """An organiser who extends the campaign and assigns its topics while others judge."""

    def __init__(self, folder: Path, names: Sequence[str], chance: random.Random) -> None:
        self.folder = folder
        self.names = names
        self.chance = chance
        #: Confirmed pairs, and the number of confirmed assignments.
        self.pairs: list[tuple[str, str]] = []
        self.assigned = 0

    def change(self, number: int, *, killed: bool) -> list[str]:
        """Extend by a few pairs, then assign all topics to all; with `killed`, end the extension by force."""
        rows = [line.split("\t") for line in self.folder.with_name("pool.tsv").read_text().splitlines()]
        documents = [document for topic, document in rows if topic == TOPICS[0]]
        new = [(f"CU{number % 4 + 1:02}", document) for document in documents[number // 4 * 3 :][:3]]
        pool, table = self.folder.with_name("more.tsv"), self.folder.with_name("table.tsv")
        pool.write_text("topic\tdocument\n" + "".join(f"{topic}\t{name}\n" for topic, name in new))
        topics = Path(
            subprocess.run(
                excerpt("demo", "--path"), check=True, capture_output=True, text=True
            ).stdout.strip()
        )
        command = excerpt("assess", "extend", self.folder, "--pool", pool, "--topics", topics / "topics.xml")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            if killed:
                time.sleep(self.chance.random() * 2)
                process.kill()
            said = process.communicate()[1].decode()
        if process.returncode == 0:
            self.pairs += new
        elif not killed and "cannot be written" not in said:  # a full disk
            return [f"extension {number}: {said}"]
        known = dict.fromkeys([*TOPICS, *(topic for topic, _ in self.pairs)])
        table.write_text("".join(f"{topic}\t{name}\n" for topic in known for name in self.names))
        done = subprocess.run(
            excerpt("assess", "assign", self.folder, table), capture_output=True, text=True, check=False
        )
        self.assigned += done.returncode == 0
        return [] if done.returncode == 0 or "cannot be written" in done.stderr else [done.stderr]

    def lost(self) -> list[str]:
        """Confirmed changes that the journal does not have."""
        kinds: Counter[str] = Counter()
        items = set()
        for line in (self.folder / JOURNAL).read_bytes().splitlines(keepends=True):
            row = json.loads(line) if line.endswith(b"\n") else {"table": ""}
            if row["table"] == "change":
                kinds[row["kind"]] += 1
                body = json.loads(row["body"])
                items |= {(body["topic"], body["document"])} if row["kind"] == "item" else set()
        faults = [f"{pair} was added and is lost" for pair in self.pairs if pair not in items]
        return faults + ["an assignment is lost"] * (kinds["assignment"] < self.assigned)


def kill_often(work: Path, kills: int, events: int, assessors: int, seed: int) -> dict[str, Any]:
    """Run all rounds; return the number of acknowledged events, and the faults after each round."""
    folder, notes, chance = work / "campaign", work / "notes.jsonl", random.Random(seed)
    make_campaign(folder)
    dispute(folder)
    links = add_people(folder, [f"assessor-{number}" for number in range(assessors)])
    (deciding,) = add_people(folder, ["adjudicator"], "adjudicator")
    faults: list[str] = []
    refused: Counter[str] = Counter()
    organiser = Organiser(folder, [f"assessor-{number}" for number in range(assessors)], chance)
    begin = time.monotonic()
    with notes.open("w", encoding="utf-8") as stream:
        crowd = Crowd(
            [*(Assessor(link, seed, stream) for link in links), Adjudicator(deciding, seed, stream)]
        )
        for number in range(kills):
            server = start(folder, work, back=number % 4 == 2)
            faults += [f"after start {number}: {fault}" for fault in check(folder, read_notes([notes]))]
            goal = -(-events * (number + 1) // kills) - chance.randrange(max(1, events // kills // 2))
            crowd.start()
            if number % 4 == 1 and hasattr(resource, "prlimit"):
                fill_disk(server, folder, crowd, chance.choice([JOURNAL, f"{DATABASE}-wal"]))
            last = number == kills - 1
            faults += organiser.change(number, killed=number % 3 == 2)
            wait_for(crowd, events if last else goal)
            time.sleep(chance.random() / 100)
            server.kill()
            crowd.stop()
            faults += [
                f"after kill {number + 1}: {fault}"
                for fault in check(folder, read_notes([notes]), killed=True) + organiser.lost()
            ]
        faults += finish(folder, work, crowd, notes) + organiser.lost()
    refused += crowd.faults
    return {
        "acknowledged": crowd.acknowledged,
        "kills": kills,
        "assessors": assessors,
        "decisions": crowd.assessors[-1].acknowledged,
        "changes": len(organiser.pairs) + organiser.assigned,
        "seconds": round(time.monotonic() - begin),
        "answers other than 200, 409, 422": dict(refused),
        "faults": faults,
    }


def start(folder: Path, work: Path, *, back: bool = False) -> Server:
    """Start a server; with `back` its clock is a day behind."""
    command = excerpt("assess", "serve", folder, "--no-browser")
    if back:
        command = [sys.executable, str(HERE / "work" / "serve_yesterday.py"), str(folder)]
    return Server(command, work / "errors")


def finish(folder: Path, work: Path, crowd: Crowd, notes: Path) -> list[str]:
    """Start the server once more, send all unanswered events again, stop it and check."""
    server = start(folder, work)
    for assessor in crowd.assessors:
        if assessor.pending:
            assessor.act()
        assessor.connection.close()
    status = server.stop()
    faults = [f"at the end: {fault}" for fault in check(folder, read_notes([notes]))]
    return faults + ([f"the server ended with status {status}"] if status else [])


def wait_for(crowd: Crowd, goal: int) -> None:
    """Wait until so many events are acknowledged."""
    end = time.monotonic() + 120
    while crowd.acknowledged < goal:
        if time.monotonic() > end:
            raise SystemExit(
                f"found {crowd.acknowledged} events after 120 s, expected {goal}: {crowd.faults}"
            )
        time.sleep(0.002)


def fill_disk(server: Server, folder: Path, crowd: Crowd, name: str) -> None:
    """Keep a file from growing for a while; the server must reject events until there is room again."""
    limit = (folder / name).stat().st_size
    before = crowd.faults["507"]
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    end = time.monotonic() + 20
    while crowd.faults["507"] < before + 3 and time.monotonic() < end:
        time.sleep(0.01)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, _UNLIMITED)


if __name__ == "__main__":
    main()
