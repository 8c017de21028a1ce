"""The progress bar: where it is drawn, and when."""

from __future__ import annotations

import io
import time

import pytest

from excerpt.cli.progress import Progress


class Terminal(io.StringIO):
    """Text that claims to be a screen."""

    def isatty(self) -> bool:
        """Always."""
        return True


class Clock:
    """A clock that stands still until it is set."""

    now = 100.0

    def __call__(self) -> float:
        """Seconds, as `time.monotonic` gives them."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that the bar looks at."""
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def test_the_bar_is_drawn_on_a_terminal_only(clock: Clock) -> None:
    """A bar on a terminal, nothing anywhere else; it erases itself."""
    screen, pipe = Terminal(), io.StringIO()
    for stream in (screen, pipe):
        clock.now = 100.0
        with Progress("indexing", stream) as bar:
            clock.now = 105.0
            bar(1, 2)
    line = "indexing [###############...............] 50 %, 5 s left"
    assert screen.getvalue() == f"\r{line}\r{' ' * len(line)}\r"
    assert pipe.getvalue() == ""


def test_short_work_draws_nothing(clock: Clock) -> None:
    """The bar appears only for work over a second, and then at most ten times a second."""
    screen = Terminal()
    with Progress("indexing", screen) as bar:
        for now, shown in ((100.0, 0), (100.99, 0), (101.0, 1), (101.09, 1), (101.11, 2)):
            clock.now = now
            bar(1, 2)
            assert screen.getvalue().count("indexing") == shown
    with Progress("indexing", quick := Terminal()) as bar:
        clock.now += 0.9
        bar(2, 2)
    assert quick.getvalue() == ""
