"""(k) Campaigns: fifty assessors at once, a server killed while assessors judge, a long document."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

from assess_check import check, read_notes
from assess_kill import TOPICS, kill_often, make_campaign
from assessor_client import add_people, serving
from i_report import BROWSER, find_browser
from inputs import Inputs, Scale
from measuring import HERE, Case, Failed, Samples, excerpt, interleave, python, run
from parts import alone
from results import Figure, Part, Row, Target

NEW, STATUS, EXPORT = "assess new", "assess status", "assess export"
#: Limits: 99th percentile of actions in ms; lost acknowledged events; seconds.
SLOWEST, LOST, OPENING, SAVING = 250.0, 0.0, 1.0, 0.1
ASKED = 11
#: A contract of the embedded collection, of usual length.
DOCUMENT = "C0009"


def part(inputs: Inputs, scale: Scale) -> Part:
    """Measure this part, and compare it with its targets."""
    place = inputs.place("campaigns")
    people, seconds = scale.assessors
    kills, events = scale.kills
    characters, passages = (f"{number:,}" for number in scale.long)
    done = Part(
        "k",
        "Campaigns",
        f"`excerpt assess serve` on the embedded collection under {people} assessors of "
        f"[assess_load.py](assess_load.py), each of whom acts once a second on average for {seconds} s at "
        "moments planned beforehand; an action takes from that moment to the last byte of its answer, which "
        "comes when the event is on disk. Then [assess_kill.py](assess_kill.py): SIGKILL while 8 assessors "
        f"judge, {kills} times over {events:,} events; [assess_check.py](assess_check.py) looks into it "
        f"each time. At last a document of {characters} characters with {passages} highlighted passages: "
        "asked for, one more passage highlighted; then both in chromium, by its own clock, from the link to "
        "the painted text and from the key to the first frame after the server has said that it is on disk.",
    )
    found = load(place / "load", people, seconds)
    done.rows += [Row.of(name, samples) for name, samples in commands(place / "load", scale.few).items()]
    killed = kill(place / "kill", kills, events)
    lost = sum("is lost" in fault for fault in killed["faults"])
    done.figures += [
        Figure(f"{people} assessors: actions answered", found["answered"]),
        Figure(f"{people} assessors: half of the actions within", found["p50"], "ms wall"),
        Figure(f"{people} assessors: 99 of 100 actions within", found["p99"], "ms wall"),
        Figure(f"{people} assessors: the slowest action", found["most"], "ms wall"),
        Figure(f"{people} assessors: actions without an answer", sum(found["faults"].values())),
        Figure(f"{kills} kills: acknowledged events", killed["acknowledged"]),
        Figure(f"{kills} kills: acknowledged events that were lost", lost),
        Figure(f"{kills} kills: other faults", len(killed["faults"]) - lost),
    ]
    targets = [
        Target(
            f"{people} assessors, an action a second each: p99", SLOWEST, found["p99"], "ms", strictly=True
        ),
        Target(f"{people} assessors: actions without an answer", 0, sum(found["faults"].values())),
        Target(f"{kills} kills: acknowledged events lost, other faults", LOST, len(killed["faults"])),
    ]
    targets += long_document(done, inputs, scale, place / "long")
    if scale.full:
        done.targets += targets
    return done


def load(place: Path, people: int, seconds: int) -> dict[str, Any]:
    """Run many assessors at once; their acknowledged events must be kept."""
    place.mkdir()
    folder, links, notes = place / "campaign", place / "links.tsv", place / "notes.jsonl"
    make_campaign(folder)
    added = add_people(folder, [f"assessor-{number}" for number in range(people)])
    lines = (f"{link.name}\thttp://{link.host}:{link.port}/login#token={link.token}\n" for link in added)
    links.write_text("".join(lines), encoding="utf-8")
    with serving(excerpt("assess", "serve", folder, "--no-browser"), place / "errors"):
        command = [
            python("")[0],
            str(HERE / "assess_load.py"),
            str(links),
            str(notes),
            "--seconds",
            str(seconds),
        ]
        found: dict[str, Any] = json.loads(run(command).printed)
    if faults := check(folder, read_notes([notes])):
        raise Failed(faults[0])
    return found


def commands(place: Path, rounds: int) -> dict[str, Samples]:
    """Costs of other commands on the folder of the campaign."""
    made, folder = place / "made", place / "campaign"
    path = subprocess.run(
        excerpt("demo", "--path"), check=True, capture_output=True, text=True
    ).stdout.strip()
    files = ("--corpus", f"{path}/docs.zip", "--topics", f"{path}/topics.xml", "--pool", place / "pool.tsv")
    cases = [
        Case(
            NEW,
            excerpt("assess", "new", made, *files),
            before=lambda: shutil.rmtree(made, ignore_errors=True),
        ),
        Case(STATUS, excerpt("assess", "status", folder)),
        Case(
            EXPORT,
            excerpt(
                "assess", "export", folder, "--unfinished", "--merge", "union", "-o", place / "qrels.fol"
            ),
        ),
    ]
    return interleave(cases, rounds, warm_up=False)


def kill(place: Path, kills: int, events: int) -> dict[str, Any]:
    """Kill the server while assessors judge."""
    place.mkdir()
    try:
        return kill_often(place, kills, events, 8, 1)
    except SystemExit as error:
        raise Failed(str(error)) from None


def long_document(done: Part, inputs: Inputs, scale: Scale, place: Path) -> list[Target]:
    """Open a long document with judgments, and highlight one more passage."""
    place.mkdir()
    folder, written = place / "campaign", inputs.document(*scale.long, xml=False)
    (place / "topics.tsv").write_text("1\tlong\n", encoding="utf-8")
    (place / "pool.tsv").write_text("topic\tdocument\n1\tA\n", encoding="utf-8")
    files = ("--corpus", written.corpus, "--topics", place / "topics.tsv", "--pool", place / "pool.tsv")
    run(excerpt("assess", "new", folder, *files, "--qrels", written.qrels, "--qrels-as", "ann"))
    found = json.loads(run(python("ask_campaign.py", folder, "ann", "1", "A", ASKED)).printed)
    characters, passages = (f"{number:,}" for number in scale.long)
    what = f"{characters} characters with {passages} highlights"
    again, saving = statistics.median(found["again"]), statistics.median(found["saving"])
    done.figures += [
        Figure(f"{what}: the answer, first time", found["first"], "s wall"),
        Figure(f"{what}: the answer, again", again, "s wall"),
        Figure(f"{what}: one more highlight is on disk and answered", saving, "s wall"),
    ]
    return show(done, folder, place.with_name("load") / "campaign", what, scale)


def show(done: Part, long: Path, usual: Path, what: str, scale: Scale) -> list[Target]:
    """Highlight in the long and in a usual document in a browser, if there is one."""
    program, problem = find_browser()
    found: list[tuple[float, float]] = []
    if not problem:
        try:
            for folder, *names in ((long, "ann", "1", "A"), (usual, "browser", TOPICS[0], DOCUMENT)):
                command = python("in_assess.py", program, folder, *names, ASKED // 2)
                rounds = [json.loads(run(command).printed) for _ in range(scale.few)]
                opening = statistics.median(one["opening"] for one in rounds)
                found.append((opening, statistics.median(taken for one in rounds for taken in one["saving"])))
        except Failed as error:
            problem = f"the browser failed: {error}"
    if problem:
        done.rows.append(Row(BROWSER, note=f"not measured: {problem}"))
        return []
    (opening, there), (_, saving) = found
    done.figures += [
        Figure(f"{BROWSER}: opening {what}", opening, "s wall"),
        Figure(f"{BROWSER}: a highlight there is saved and painted", there, "s wall"),
        Figure(f"{BROWSER}: a highlight in a contract is saved and painted", saving, "s wall"),
    ]
    return [
        Target(f"opening {what}: wall", OPENING, opening, "s"),
        Target("a highlight is saved and painted: wall", SAVING, saving, "s"),
    ]


if __name__ == "__main__":
    alone(part)
