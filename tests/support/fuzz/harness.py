"""Runs commands on damaged files in this process, and says what a user must never see."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

from support.fuzz import samples
from support.fuzz.mutations import mutate
from support.fuzz.targets import Target
from support.small_campaign import do, small_campaign

import excerpt
from excerpt.cli import main
from excerpt.errors import ExcerptError

_SECONDS = 10  # for one input; all of them are small
_LONGEST = 1000  # characters of a message
_OTHERS = ("run.", "qrels.", "topics.", "pool.", "scores.")  # valid files of commands that read several
_C0 = re.compile(r"[\x00-\x08\x0b-\x1f]")  # JSON leaves the others as they are
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class Hang(BaseException):
    """An input that takes too long."""


@dataclass
class Outcome:
    """Outcome of an input."""

    status: int = 0
    out: str = ""
    err: str = ""
    #: Why a user should not see this.
    wrong: str = ""
    leaked: list[str] = field(default_factory=list)


class Harness:
    """A folder of valid files, in which damaged ones are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in samples.DOCUMENTS.items():
            (folder / "docs").mkdir(exist_ok=True)
            (folder / "docs" / f"{name}.xml").write_text(text, encoding="utf-8")
        for kind, files in (("run", samples.RUNS), ("qrels", samples.JUDGMENTS)):
            for name, text in files.items():
                (folder / f"{kind}.{name}").write_text(text, encoding="utf-8")
        (folder / "other.fol").write_text(samples.RUNS["fol"].replace("mine", "other"), encoding="utf-8")
        with self.inside():
            excerpt.build_index("docs", "index")
            with warnings.catch_warnings(action="ignore"):
                table = excerpt.evaluate("qrels.fol", ["run.fol", "other.fol"], ["charP", "charR@2"])
            for suffix in ("json", "csv", "parquet"):
                excerpt.save_scores(table, f"scores.{suffix}")
            compare = ["compare", "qrels.fol", "run.fol", "other.fol", "-m", "charP", "--samples", "20"]
            _guarded(lambda: main([*compare, "--record", "record.json"]))
            for name in ("chunks", "topics", "pool"):
                Path(f"{name}.tsv").write_text(getattr(samples, name.upper())[0], encoding="utf-8")
            _guarded(lambda: main(["place", "docs", "chunks.tsv", "-o", "placed.jsonl"]))
            with small_campaign(Path("campaign")) as campaign:
                for assessor in ("ann", "ben"):
                    campaign.add_person(assessor)
                    do(campaign, assessor, "highlight", 0, 5)
                    do(campaign, assessor, "bep", 2)
                    do(campaign, assessor, "done")

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """The folder as the current one; nothing waits for the disk."""
        with contextlib.chdir(self.folder), mock.patch("os.fsync"):
            yield

    def damage(self, target: Target, seed: str) -> tuple[bytes, tuple[str, ...]]:
        """An input and a command for it, which a seed decides."""
        rng = random.Random(seed)
        seeds = target.seeds or ((self.folder / target.made).read_bytes(),)
        data = mutate(rng, rng.choice(seeds), seeds, target.kind)
        return data, rng.choice(target.commands) if target.commands else ()

    def attempt(self, target: Target, data: bytes, command: tuple[str, ...]) -> Outcome:
        """Try one input."""
        name = f"damaged{target.suffix}"
        with self.inside():
            if target.of_campaign:
                shutil.copytree("campaign", "made")
                name = "made"
                Path(name, target.of_campaign).write_bytes(data)
            else:
                Path(name).write_bytes(data)
            if command:
                arguments = [part.replace("{}", name) for part in command]
                outcome = _guarded(lambda: main(arguments))
            else:
                assert target.call is not None
                outcome = _guarded(lambda: _called(target.call, name))
            for made in Path().glob("made*"):
                shutil.rmtree(made) if made.is_dir() else made.unlink()
        outcome.wrong = outcome.wrong or _judge(outcome, command, "" if target.asks else name)
        if target.asks and "took more than" in outcome.wrong:
            outcome.wrong = ""
        return outcome


def _called(call: Callable[[str], object] | None, name: str) -> int:
    """A library call with the outcome of a command."""
    assert call is not None
    try:
        call(name)
    except ExcerptError as error:
        print(f"excerpt: {error}", file=sys.stderr)
        return 2
    return 0


def _guarded(work: Callable[[], int]) -> Outcome:
    outcome = Outcome()
    out, err = io.StringIO(), io.StringIO()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        begin = time.monotonic()
        try:
            with _limit(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                outcome.status = work()
        except Hang:
            outcome.wrong = f"took more than {_SECONDS} seconds"
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            outcome.wrong = "".join(traceback.format_exception(error)).rstrip()
        assert time.monotonic() - begin < 10 * _SECONDS
    ours = getattr(excerpt, "ExcerptWarning", ())
    outcome.leaked = [
        str(warned.message) for warned in caught if not (ours and issubclass(warned.category, ours))
    ]
    outcome.out, outcome.err = out.getvalue(), err.getvalue()
    return outcome


@contextlib.contextmanager
def _limit() -> Iterator[None]:
    """Raise `Hang` after a while, where the system has a clock that interrupts."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise Hang

    if os.name != "posix":
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _judge(outcome: Outcome, command: tuple[str, ...], name: str) -> str:
    """Describe what is wrong with an outcome; empty if it is as expected."""
    return "; ".join(_faults(outcome, command, name))


def _faults(outcome: Outcome, command: tuple[str, ...], name: str) -> Iterator[str]:
    yield from (f"leaked a warning: {message}" for message in outcome.leaked)
    verdicts = [1] * (command[:1] == ("gate",)) + [3] * ("--strict" in command)
    if outcome.status not in {0, 2, *verdicts}:
        yield f"ended with status {outcome.status}"
    for line in outcome.err.split("\n")[:-1]:
        if not line.startswith("excerpt: "):
            yield f"printed {line!r}"
        if len(line) > _LONGEST:
            yield f"printed a message of {len(line)} characters: {line[:60]}"
    raw = command[:1] in {("convert",), ("inex_eval",)}  # data in, data out
    if control := (_C0 if "json" in command else _CONTROL).search(outcome.err + ("" if raw else outcome.out)):
        yield f"printed the control character {control[0]!r}"
    # Of two files that do not fit together either may be named.
    files = {name, *(word for word in command if word.startswith(_OTHERS))}
    located = outcome.err and any(file in outcome.err for file in files)
    if outcome.status == 2 and not outcome.out and not located:
        yield f"does not say which file is wrong: {outcome.err}"
    if "more memory than" in outcome.err:
        yield "ran out of memory"
    if outcome.status == 0 and command[:1] == ("evaluate",) and "json" in command:
        yield from _out_of_range(json.loads(outcome.out))


def _out_of_range(printed: Any) -> Iterator[str]:
    for run in printed["runs"]:
        for scores in (run["scores"], *run["topics"].values()):
            for measure, score in scores.items():
                is_share = not measure.startswith("read")
                if score is not None and (score < 0 or (is_share and score > 1)):
                    yield f"{measure} is {score}"
