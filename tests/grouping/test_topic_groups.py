"""A run in groups of topics gives what it gives in one piece: scores, warnings, errors, output."""

from __future__ import annotations

import errno
import gzip
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from excerpt import evaluate
from excerpt.cluster import processes
from excerpt.engine import Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation import scoring
from excerpt.files import compressing
from excerpt.grouping import line_groups, topic_groups
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Groups of a few rows; the list has what each run in groups gave, None if it was read in one piece."""
    given: list[object] = []
    score = topic_groups.score_in_groups

    def noted(*arguments: Any) -> Any:
        given.append(None)
        given[-1] = found = score(*arguments)
        return found

    monkeypatch.setattr(topic_groups, "score_in_groups", noted)
    monkeypatch.setattr(line_groups, "GROUP_BYTES", 300)
    monkeypatch.setattr(scoring, "GROUPED_BYTES", 1)
    return given


Made = tuple[bytes, bytes]


def trec(rng: random.Random) -> Made:
    """Whole documents, with ties and ranks that contradict the scores."""
    topics = [f"{rng.choice('ab')}{number}" for number in rng.sample(range(40), 25)]
    lines, judged = [], []
    for topic in topics:
        documents = rng.sample(range(60), rng.randint(1, 12))
        for rank, document in enumerate(documents, 1):
            score = rng.choice([10 - rank, 1.5, rank]) if rng.random() < 0.3 else 20 - rank
            more = " more" if rng.random() < 0.01 else ""
            lines.append(f"{topic} Q0 D{document} {rank} {score} tag{more}")
        judged += [f"{topic} 0 D{document} {rng.randint(0, 2)}" for document in documents[::3]]
        judged += [f"x{topic} 0 E{rng.randint(0, 9)} 1"] * (rng.random() < 0.3)
    rng.shuffle(judged)
    judged = [line for line in judged if rng.random() < 0.9]
    return text(rng, lines), text(rng, judged)


def fol(rng: random.Random) -> Made:
    """Passages: empty ones, overlaps, repeats, offsets beyond the end or unknown, no judged results."""
    topics = [f"t{number}" for number in rng.sample(range(60), 25)]
    lines, judged, odd = [], [], rng.random() < 0.7
    for topic in topics:
        for rank in range(1, rng.randint(2, 12)):
            start = rng.randint(0, 900) if odd else rank * 80
            length = rng.choice([0, 60, 60, 300]) if odd else 60
            place = "X 0" if odd and rng.random() < 0.03 else f"{start} {length}"
            lines.append(f"{topic} Q0 D{rng.randint(0, 9)} {rank} {rng.choice([9, 20 - rank])} run {place}")
        for document in rng.sample(range(10), 3):
            spans = rng.choice(["", " 20 20:50 200:90", " 0 0:30"])
            size = sum(int(span.split(":")[1]) for span in spans.split()[1:])
            judged.append(f"{topic} Q0 D{document} {size} 1000{spans}")
    keep = [line for line in judged if not line.startswith(tuple(f"{topic} " for topic in topics[:3]))]
    rng.shuffle(keep)
    return text(rng, lines), text(rng, keep)


def bep(rng: random.Random) -> Made:
    """Best entry points."""
    lines, judged = fol(rng)
    cut = [b" ".join(line.split()[:7]) for line in lines.splitlines() if line.strip()]
    return b"\n".join(cut) + b"\n", judged


def jsonl(rng: random.Random) -> Made:
    """Records with offsets."""
    lines, judged = fol(rng)
    rows = [line.decode().split() for line in lines.splitlines() if line.strip()]
    made = [
        f'{{"topic": "{row[0]}", "doc_id": "{row[2]}", "start": {row[6]}, '
        f'"end": {int(row[6]) + int(row[7])}, "score": {row[4]}}}'
        for row in rows
        if row[6] != "X"
    ]
    return text(rng, made), judged


def text(rng: random.Random, lines: list[str]) -> bytes:
    """Lines with the line ends of some system, sometimes without the last, sometimes with blank lines."""
    ends = rng.choice(["\n", "\n", "\r\n"])
    joined = ends.join(lines).replace(lines[9], lines[9] + ends * rng.choice([1, 1, 2]))
    return (joined + ends * rng.choice([1, 1, 0])).encode()


def said(table: ScoreTable) -> Any:
    """All that a table tells."""
    beside = None if table.beside is None else table.beside.values.tobytes()
    names = (table.runs, table.files, table.topics, table.measures, table.set, table.why, table.aliases)
    shown = (names, table.short, table.missing, beside, table.single_documents, table.made_with)
    return table.values.tobytes(), table.warnings, repr(table), table.to_csv(), shown


def outcome(made: Made, folder: Path, name: str, **how: Any) -> Any:
    """What an evaluation says: its table and warnings, or its error."""
    qrels, run = folder / "qrels", folder / name
    qrels.write_bytes(made[1])
    run.write_bytes(gzip.compress(made[0]) if name.endswith(".gz") else made[0])
    notices = Notices()
    try:
        table = evaluate(qrels, run, notices=notices, **how)
    except ExcerptError as error:
        return str(error)
    return said(table), list(notices)


def both(tiny: list[object], made: Made, folder: Path, name: str = "run", **how: Any) -> Any:
    """Compare groups with one piece; return what both say."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "GROUPED_BYTES", 1 << 60)
        how_alone = {key: value for key, value in how.items() if key != "workers"}
        whole = outcome(made, folder, name, **how_alone)
    assert outcome(made, folder, name, **how) == whole
    return whole


MAKERS: list[Callable[[random.Random], Made]] = [trec, fol, bep, jsonl]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"measures": ["articleAP", "articleP@5", "AP"], "include_empty": True},
    {"overlap": "first"},
    {"overlap": "first", "measures": "rag"},
    {"overlap": "allow", "measures": ["charP", "recall(budget=200)", "read@2"], "limit": 4},
    {"overlap": "penalise", "measures": ["charF@3", "iP[0.1]"], "order": "rank"},
    {"measures": ["MAgP(score=BEP)"], "only_run_topics": True},
    {"unknown": "error", "overlap": "first", "ids": "exact"},
]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("how", SETTINGS, ids=str)
def test_groups_are_as_one_piece(
    tiny: list[object], tmp_path: Path, maker: Callable[[random.Random], Made], how: dict[str, Any]
) -> None:
    """Generated runs of every line format, by all kinds of measures and policies."""
    for seed in range(6):
        both(tiny, maker(random.Random(seed)), tmp_path, "run.gz" if seed == 3 else "run", **how)


@pytest.mark.parametrize("maker", [trec, fol, jsonl])
def test_most_runs_need_not_be_read_in_one_piece(
    tiny: list[object], tmp_path: Path, maker: Callable[[random.Random], Made]
) -> None:
    """The comparison above is one of groups."""
    for seed in range(10):
        both(
            tiny, maker(random.Random(seed)), tmp_path, overlap="first", measures=["articleAP", "articleP@5"]
        )
    assert len(tiny) == 10
    assert sum(one is not None for one in tiny) > 7


@pytest.mark.parametrize("maker", MAKERS)
def test_damage(tiny: list[object], tmp_path: Path, maker: Callable[[random.Random], Made]) -> None:
    """One or two bad lines anywhere, of every kind, and bad text: the same error, with its line."""
    bad = [b"1 2", b"a0 Q0 D1 x y z 3 4", b"{", b"\0", b"\xff\xfe", b"a Q0 b 1 nan t 1 1", b"\r1 2", b"# c"]
    for seed in range(24):
        rng = random.Random(seed)
        lines, judged = maker(rng)
        rows = lines.split(b"\n")
        for _ in range(1 + seed % 2):
            at = rng.randrange(25, len(rows))
            rows[at:at] = [rng.choice(bad)]
        both(tiny, (b"\n".join(rows), judged), tmp_path, overlap="first", measures=["articleAP"])


def scattered(maker: Callable[[random.Random], Made], rng: random.Random) -> Made:
    """All lines in any order, or those of a few topics in two blocks, or blank lines and comments between."""
    lines, judged = maker(rng)
    end = b"\r\n" if b"\r\n" in lines else b"\n"
    rows = lines.split(end)
    kind = rng.randrange(3)
    if kind == 0:
        rng.shuffle(rows)
    elif kind == 1:
        rows = rows[40:] + rows[:40]
    else:
        rows = rows[::2] + [b""] * rng.randint(0, 2) + rows[1::2]
        if maker is trec:
            rows.insert(rng.randrange(25, len(rows)), b"# comment")
    return end.join(rows), judged


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("how", SETTINGS, ids=str)
def test_scattered_topics(
    tiny: list[object], tmp_path: Path, maker: Callable[[random.Random], Made], how: dict[str, Any]
) -> None:
    """Lines in any order, by all kinds of measures and policies, in this process and in others."""
    for seed in range(5):
        workers = {"workers": 2} if seed == 3 else {}
        name = "run.gz" if seed == 2 else "run"
        both(tiny, scattered(maker, random.Random(seed)), tmp_path, name, **how, **workers)


@pytest.mark.parametrize("maker", [trec, fol, jsonl])
def test_scattered_topics_are_gathered(
    tiny: list[object],
    tmp_path: Path,
    maker: Callable[[random.Random], Made],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The comparison above is one of groups; no file stays."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    for seed in range(20):
        how: dict[str, Any] = {"overlap": "first", "measures": ["articleAP", "articleP@5"]}
        both(tiny, scattered(maker, random.Random(seed)), tmp_path, **how)
    assert sum(one is not None for one in tiny) > 12
    assert not list(folder.iterdir())


@pytest.mark.parametrize("maker", MAKERS)
def test_damage_among_scattered_topics(
    tiny: list[object], tmp_path: Path, maker: Callable[[random.Random], Made]
) -> None:
    """The first bad line of the file is named, in whatever group it is."""
    bad = [b"1 2", b"a0 Q0 D1 x y z 3 4", b"{", b"\0", b"\xff\xfe", b"a Q0 b 1 nan t 1 1", b"\r1 2", b"# c"]
    for seed in range(24):
        rng = random.Random(seed)
        lines, judged = scattered(maker, rng)
        rows = lines.split(b"\n")
        for _ in range(1 + seed % 3):
            at = rng.randrange(25, len(rows))
            rows[at:at] = [rng.choice(bad)]
        both(tiny, (b"\n".join(rows), judged), tmp_path, overlap="first", measures=["articleAP"])


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("apart", [False, True])
def test_damaged_compression(tiny: list[object], tmp_path: Path, suffix: str, apart: bool) -> None:
    """A file that was cut or changed anywhere gives the error of a small one, or its scores."""
    if suffix == ".zst":
        pytest.importorskip("zstandard", reason="the library is not installed")
    rng = random.Random(7)
    lines, judged = scattered(trec, rng) if apart else trec(rng)
    (tmp_path / "qrels").write_bytes(judged)
    run = tmp_path / f"run{suffix}"
    with run.open("wb") as raw, compressing(raw, suffix) as stream:
        stream.write(lines)
    whole = run.read_bytes()
    at = len(whole) // 2
    changed = whole[:at] + b"\0\xff\0" + whole[at + 3 :]
    for content in (whole[:at], whole[:-4], changed, whole + b"rest", whole * 2):
        run.write_bytes(content)
        found = []
        for size in (1, 1 << 60):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(scoring, "GROUPED_BYTES", size)
                try:
                    found.append(repr(said(evaluate(tmp_path / "qrels", run, notices=Notices()))))
                except ExcerptError as error:
                    found.append(str(error))
        assert found[0] == found[1]


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_nothing_stays_after_an_interrupt(tmp_path: Path, signal_: signal.Signals, workers: str) -> None:
    """Neither the temporary file nor anything written to the output."""
    lines, judged = scattered(trec, random.Random(3))
    (tmp_path / "qrels").write_bytes(judged)
    (tmp_path / "run").write_bytes(lines)
    (tmp_path / "temporary").mkdir()
    command = ["evaluate", "qrels", "run", "-o", "scores.json", "--save", "all.json", "--workers", workers]
    script = f"""
import sys, time
from excerpt.cli import main
from excerpt.evaluation import scoring
from excerpt.grouping import line_groups, scattered_lines

def read(*_):
    print("reads", flush=True)
    time.sleep(60)

scoring.GROUPED_BYTES, line_groups.GROUP_BYTES, scattered_lines._read = 1, 300, read
sys.exit(main({command!r}))
"""
    environment = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    options: dict[str, Any] = {"cwd": tmp_path, "env": environment, "text": True}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], **options, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reads\n"
        process.send_signal(signal_)
        _, errors = process.communicate(timeout=30)
    assert process.returncode in {-signal_, 130}
    assert errors == ("excerpt: interrupted\n" if signal_ == signal.SIGINT else "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["qrels", "run", "temporary"]
    assert not list((tmp_path / "temporary").iterdir())


def test_no_room_for_scattered_topics(
    tiny: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says what is needed where, whether that is seen before or while lines are written."""
    made = scattered(trec, random.Random(3))
    folder, usage = tempfile.gettempdir(), shutil.disk_usage(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=100))
        said = outcome(made, tmp_path, "run")
    assert said.startswith(f"{tmp_path / 'run'}: topics are scattered; sorting them takes 0.0 GB in {folder}")
    assert "which has 0.0 GB" in said
    assert "TMPDIR" in said

    def full() -> Any:
        file: Any = io.BytesIO()
        file.write = lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device"))
        return file

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full())
    for how in ({}, {"workers": 2}):
        said = outcome(made, tmp_path, "run", **how)
        assert said.startswith(
            f"{tmp_path / 'run'}: topics are scattered; sorting them takes 0.0 GB in {folder}"
        )
        assert "no space left on device" in said
        assert "\n" not in said


def test_workers_share_runs_in_one_piece(
    tiny: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs with two tags, before and after one with one, and before one that is damaged."""
    made = trec(random.Random(1))
    (tmp_path / "qrels").write_bytes(made[1])
    tags = made[0] + b"zz Q0 D1 1 1 other\n"
    files = {"a": tags, "b": tags, "grouped": made[0], "c": tags}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    shared: list[list[str]] = []
    share = Engine.map

    def noted(engine: Engine, call: Any, items: Any, **how: Any) -> Any:
        if isinstance(items, list):
            shared.append([Path(item.given if hasattr(item, "given") else item).name for item in items])
        return share(engine, call, items, **how)

    monkeypatch.setattr(Engine, "map", noted)
    runs = {name: tmp_path / name for name in files}
    found = said(evaluate(tmp_path / "qrels", runs, workers=2, notices=Notices()))
    assert [names for names in shared if names] == [["a", "b"], ["c"]]
    assert [one is None for one in tiny] == [True, True, False, True]
    monkeypatch.setattr(scoring, "GROUPED_BYTES", 1 << 60)
    assert found == said(evaluate(tmp_path / "qrels", runs, notices=Notices()))
    (tmp_path / "a").write_bytes(tags + b"1 2\n")
    (tmp_path / "grouped").write_bytes(made[0] + b"1 2 3\n")
    errors = []
    for size, workers in ((1, 2), (1 << 60, 1)):
        monkeypatch.setattr(scoring, "GROUPED_BYTES", size)
        with pytest.raises(ExcerptError) as caught:
            evaluate(tmp_path / "qrels", runs, workers=workers, notices=Notices())
        errors.append(str(caught.value))
    assert errors[0] == errors[1]
    assert "/a:" in errors[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [(b" D", b" d"), (b" D1 ", b" d1 "), (b" D7 ", b" docs/D7.txt "), (b"t", b"t0"), (b"t", b"u")],
)
def test_ids_that_resemble_judged_ones(tiny: list[object], tmp_path: Path, old: bytes, new: bytes) -> None:
    """Of documents and of topics, all or few."""
    for seed in range(3):
        lines, judged = fol(random.Random(seed))
        both(tiny, (lines.replace(old, new), judged), tmp_path, overlap="first")


def test_several_tags_and_files(tiny: list[object], tmp_path: Path) -> None:
    """A second tag in the last group; two files, one of them small."""
    lines, judged = trec(random.Random(1))
    both(tiny, (lines + b"zz Q0 D1 1 1 other\n", judged), tmp_path)
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(lines)
    two.write_bytes(lines[: lines.index(b"\n", 500) + 1])
    (tmp_path / "qrels").write_bytes(judged)
    found = said(evaluate(tmp_path / "qrels", {"a": one, "b": two}, notices=Notices()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "GROUPED_BYTES", len(lines))
        assert found == said(evaluate(tmp_path / "qrels", {"a": one, "b": two}, notices=Notices()))


@pytest.mark.parametrize("maker", MAKERS)
def test_two_workers(tiny: list[object], tmp_path: Path, maker: Callable[[random.Random], Made]) -> None:
    """Groups in other processes."""
    for seed, name in ((1, "run"), (2, "run.gz")):
        both(tiny, maker(random.Random(seed)), tmp_path, name, workers=2, overlap="first")


@pytest.mark.parametrize("apart", [False, True])
def test_a_worker_that_is_killed(
    tiny: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: bool
) -> None:
    """Another one scores its group again."""
    read, here, mark = line_groups.LineGroup.read, os.getpid(), tmp_path / "killed"

    def read_once(group: line_groups.LineGroup) -> bytes:
        if os.getpid() != here and (group.before or group.gathered) and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return read(group)

    monkeypatch.setattr(line_groups.LineGroup, "read", read_once)
    made = scattered(trec, random.Random(4)) if apart else trec(random.Random(2))
    both(tiny, made, tmp_path, workers=2)
    assert tiny[-1] is not None
    copied = processes._can_be_copied()
    assert mark.exists() or not copied
