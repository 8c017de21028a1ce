"""Measuring processes from outside, and the numbers made of it."""

from __future__ import annotations

import math
import sys

import measuring
import pytest
from measuring import Case, Failed, Samples, Usage, code, exponent, interleave, marginal, ratio, run


def samples(*cpu: float) -> Samples:
    """Rounds with these CPU times."""
    return Samples([Usage(seconds, 2 * seconds, 10.0, 0.0) for seconds in cpu])


def test_a_process_is_measured() -> None:
    """CPU, wall and peak grow with what the process does; what it prints is kept."""
    idle = run(code("print('nothing')"))
    busy = run(code("import time; block = b'x' * 60_000_000\nwhile time.process_time() < 0.3: pass"))
    assert idle.printed == "nothing\n"
    assert busy.usage.cpu >= 0.3 > idle.usage.cpu / 10
    assert busy.usage.wall >= busy.usage.cpu / 2
    assert busy.usage.peak - idle.usage.peak > 50


def test_workers_are_counted() -> None:
    """CPU time of processes that the command starts belongs to it."""
    inner = "import time\nwhile time.process_time() < 0.3: pass"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    assert run(code(outer)).usage.cpu >= 0.3


def test_the_measuring_process_does_not_count() -> None:
    """Memory of the benchmark itself does not count as the command's."""
    held = b"x" * 300_000_000
    assert run(code("pass")).usage.peak < 200
    assert len(held) == 300_000_000


def test_a_failing_command_is_told() -> None:
    """The last line of what it said is the message, without the folders of this machine."""
    with pytest.raises(Failed, match=r"^No file 'c\.so': lost$"):
        run(code("raise SystemExit(\"No file '/some/folder/c.so': lost\")"))
    with pytest.raises(Failed, match=r"^sorry$"):
        run(code("raise SystemExit('first\\nsorry')"))
    with pytest.raises(Failed, match="no-such-program"):
        run(["no-such-program"])


def test_rounds_are_interleaved(monkeypatch: pytest.MonkeyPatch) -> None:
    """All cases in turn, one unmeasured round first; the slow ones less often; `before` ahead of each."""
    calls: list[str] = []

    def note(command: list[str]) -> measuring.Finished:
        calls.append(command[0])
        return measuring.Finished(Usage(float(len(calls)), 1.0, 1.0, 0.0), f"{len(calls)}")

    monkeypatch.setattr(measuring, "run", note)
    cases = [Case("a", ["a"], before=lambda: calls.append("before")), Case("b", ["b"], most=1)]
    found = interleave(cases, 2)
    assert calls == ["before", "a", "b", "before", "a", "b", "before", "a"]
    assert [len(samples.usages) for samples in found.values()] == [2, 1]
    assert found["a"].printed == ["5", "8"]
    calls.clear()
    interleave(cases[1:], 1, warm_up=False)
    assert calls == ["b"]


def test_medians_and_ratios() -> None:
    """Ratios are taken round by round, so that a slow moment of the machine strikes both."""
    ours, theirs = samples(1.0, 4.0, 3.0), samples(2.0, 8.0)
    assert (ours.cpu, ours.least, ours.wall, ours.peak) == (3.0, 1.0, 6.0, 10.0)
    assert ratio(ours, theirs) == 0.5
    assert marginal(samples(1.0, 2.0), samples(2.0, 3.0), 5) == pytest.approx(0.2)


def test_exponents() -> None:
    """The slope on both logarithmic axes; without a cost above 0 there is none."""
    assert exponent([1, 4, 16], [3, 12, 48]) == pytest.approx(1.0)
    assert exponent([10, 40, 160], [1, 16, 256]) == pytest.approx(2.0)
    assert math.isnan(exponent([1, 2], [0.0, 1.0]))


def test_the_programs_of_this_environment() -> None:
    """Commands run with the interpreter of the benchmarks, not with what the PATH says."""
    assert measuring.python("x.py", 1)[0] == sys.executable
    assert measuring.excerpt("--help")[0].startswith(str(sys.prefix))
