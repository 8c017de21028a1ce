"""Local processes: killed ones are replaced, and nothing waits for ever."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support import engine_work
from support.engine_work import until_the_error
from support.waiting import until

from excerpt.cluster import processes
from excerpt.cluster.processes import advice
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    """The lost work of a killed process is done again, and the results are the same."""
    call = Call(engine_work.dying, str(tmp_path / "died"))
    with Engine(2).map(call, range(10)) as results:
        assert list(results) == list(range(10))
    assert (tmp_path / "died").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows copies no process")
def test_a_process_that_cannot_be_copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If the system refuses a copy, as memory is short, workers are started otherwise."""

    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(processes, "_can_be_copied", lambda: True)
    monkeypatch.setattr(os, "fork", refuse)
    (tmp_path / "died").touch()
    call = Call(engine_work.dying, str(tmp_path / "died"), inherit=True)
    with Engine(2).map(call, range(10)) as results:
        assert list(results) == list(range(10))
    assert not multiprocessing.active_children()


def test_work_that_kills_every_worker() -> None:
    """After some attempts it is an error in one line; what came before is out."""
    found, error = until_the_error(Engine(2), Call(engine_work.dying, ""), range(10))
    assert found == [0, 1, 2]
    assert error == "a worker process ended unexpectedly; is memory short? workers=1 needs least memory"
    assert not multiprocessing.active_children()


def test_work_that_nobody_waits_for(tmp_path: Path) -> None:
    """Leaving before the end does not wait for items that take long."""
    begin = time.monotonic()
    with Engine(2).map(Call(engine_work.patient, str(tmp_path)), range(4)) as results:
        assert next(results) == 0
    assert time.monotonic() - begin < 30
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_answers_that_are_on_their_way() -> None:
    """Leaving while workers send large answers does not wait for ever."""
    for taken in range(3):
        with Engine(2).map(Call(engine_work.large, 1 << 26), range(6)) as results:
            assert [len(next(results)) for _ in range(taken)] == [1 << 26] * taken
    assert not multiprocessing.active_children()


COULD_NOT = (
    "worker processes could not start; they import the script, which must be a file with "
    "`if __name__ == '__main__':`"
)
#: More than a pipe holds, which is 64 KiB on most systems.
LARGE = 1 << 24


@pytest.mark.parametrize("size", [1, LARGE])
def test_a_script_without_the_usual_line(tmp_path: Path, size: int) -> None:
    """Workers import the script again; where that starts workers, only the first process says so, once."""
    script = tmp_path / "script.py"
    script.write_text(
        "import engine_work\n"
        "from excerpt.engine import Call, Engine\n"
        f"with Engine(2).map(Call(engine_work.measure, bytes({size})), range(3)) as results:\n"
        "    print(list(results))\n"
    )
    done = _python(script)
    assert done.stderr.splitlines()[-1] == f"excerpt.errors.ExcerptError: {COULD_NOT}"
    assert done.stderr.count("Traceback") == 1
    assert (done.stdout, done.returncode) == ("", 1)


def test_a_script_that_calls_the_command(tmp_path: Path) -> None:
    """One line and status 2, as for every mistake."""
    from excerpt import collection

    script = tmp_path / "script.py"
    runs = [str(run.path) for run in collection.runs()[:2]]
    arguments = ["evaluate", str(collection.qrels()), *runs, "--overlap", "first", "--workers", "2"]
    script.write_text(f"import sys; from excerpt.cli import main\nsys.exit(main({arguments!r}))\n")
    done = _python(script)
    assert (done.stdout, done.stderr, done.returncode) == ("", f"excerpt: {COULD_NOT}\n", 2)


def test_workers_that_die_under_a_long_command_line(tmp_path: Path) -> None:
    """The arguments of a command, which may be thousands of names, are not sent before a worker lives."""
    script = _with_other_workers(tmp_path, "exit 1")
    names = "sys.argv += [f'{number:0100}' for number in range(1500)]"
    script.write_text(
        script.read_text().replace("    evaluate.main = work", f"    {names}; evaluate.main = work")
    )
    done = _python(script)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith("excerpt: worker processes could not start; ")


def _with_other_workers(tmp_path: Path, program: str) -> Path:
    """A script whose workers are another program; only Python's own helper process is Python."""
    worker = tmp_path / "worker"
    helper = f'case "$*" in *resource_tracker*) exec "{sys.executable}" "$@";; esac'
    worker.write_text(f"#!/bin/sh\n{helper}\n{program}\n")
    worker.chmod(0o755)
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, sys, engine_work\n"
        "from excerpt import cli\n"
        "from excerpt.engine import Call, Engine\n"
        "def work(arguments):\n"
        f"    with Engine(2).map(Call(engine_work.measure, bytes({LARGE})), range(3)) as results:\n"
        "        print(list(results))\n"
        "if __name__ == '__main__':\n"
        f"    multiprocessing.set_executable({str(worker)!r})\n"
        "    cli.REGISTERED['evaluate'] = cli.Command(work, None)\n"
        "    sys.exit(cli.main(['evaluate']))\n"
    )
    return script


@pytest.mark.parametrize("program", ["exit 1", "kill -9 $$", "sleep 0.3; exit 0"])
def test_workers_that_die_while_they_start(tmp_path: Path, program: str) -> None:
    """However much they were to be sent, the command ends with one line and status 2."""
    done = _python(_with_other_workers(tmp_path, program))
    assert (done.stdout, done.stderr, done.returncode) == ("", f"excerpt: {COULD_NOT}\n", 2)


def test_an_interrupt_while_workers_start(tmp_path: Path) -> None:
    """One Ctrl-C ends the command while it sends much to workers that read nothing, and ends them."""
    script = _with_other_workers(tmp_path, f"echo > {tmp_path}/$$; exec sleep 60")
    environment = os.environ | {"PYTHONPATH": str(Path(engine_work.__file__).parent)}
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as parent:
        until(lambda: len(_processes(tmp_path)) == 2)
        parent.send_signal(signal.SIGINT)
        told = parent.communicate(timeout=30)[1]
    assert (told, parent.returncode) == ("excerpt: interrupted\n", 130)
    assert not any(map(_is_alive, _processes(tmp_path)))


def _python(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(Path(engine_work.__file__).parent)}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    """Killing the process that asked for the work leaves no worker behind."""
    code = (
        "import engine_work\n"
        "from excerpt.engine import Call, Engine\n"
        "if __name__ == '__main__':\n"
        f"    with Engine(2).map(Call(engine_work.waiting, {str(tmp_path)!r}), range(4)) as results:\n"
        "        list(results)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    environment = os.environ | {"PYTHONPATH": str(Path(engine_work.__file__).parent)}
    with subprocess.Popen([sys.executable, script], env=environment, stderr=subprocess.DEVNULL) as parent:
        until(lambda: len(_processes(tmp_path)) == 2)
        workers = _processes(tmp_path)
        parent.kill()
    until(lambda: not any(map(_is_alive, workers)))


def _processes(folder: Path) -> list[int]:
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return False
    return not state.startswith("Z")  # a zombie only waits for somebody to ask


def test_interrupts_are_for_the_parent() -> None:
    """Ctrl-C reaches all processes of a terminal; workers leave it to the parent, even while they start."""
    with Engine(2).map(Call(engine_work.interrupted, None), range(4)) as results:
        assert list(results) == [(item, True) for item in range(4)]


def test_what_cannot_travel() -> None:
    """A function of one's own that other processes cannot import is an error in one line."""
    with (
        pytest.raises(
            ExcerptError, match=r"cannot be sent to workers: .*; try workers=1, or define registered"
        ),
        Engine(2).map(Call(lambda factor, item: factor * item, 1), range(3)) as results,
    ):
        list(results)


@pytest.mark.parametrize(("kind", "what"), [("answer", "a function"), ("error", "_Odd(")])
def test_answers_that_cannot_travel(kind: str, what: str) -> None:
    """An answer that a worker cannot send gives a one-line error, and no process dies of it."""
    _, error = until_the_error(Engine(2), Call(engine_work.unsendable, kind), range(3))
    assert error.startswith(f"a worker could not send {what}")
    assert error.endswith("try workers=1")


def test_an_interrupt_does_not_wait_for_the_last_item() -> None:
    """Ctrl-C while the last item is under way ends its process at once."""
    begin = time.monotonic()
    with Engine(2).map(Call(engine_work.slow, 60.0), range(2)) as results:
        assert next(results) == 0
        threading.Timer(0.5, signal.pthread_kill, (threading.get_ident(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            next(results)
    assert time.monotonic() - begin < 30


def test_advice_depends_on_who_started() -> None:
    """Only the author of a script reads what the script must contain."""
    assert advice("/usr/bin/excerpt") == advice("excerpt/__main__.py") == "try ⟨workers=1⟩"
    assert "__main__" in advice("study.py")
