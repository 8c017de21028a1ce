"""Settings of all tests: effort of Hypothesis, and folders of the data."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from support.loopback import Loopback

_SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("default", deadline=None, database=None, suppress_health_check=_SLOW_IS_FINE)
settings.register_profile(
    "ci", deadline=None, database=None, derandomize=True, print_blob=True, suppress_health_check=_SLOW_IS_FINE
)
settings.load_profile("ci" if os.environ.get("CI") else "default")


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so; what the tests start would never hear an interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

_FEW = 10  # generated cases of a property, in a quick run
#: Of the cases that a property asks for, those that a usual run takes; never less than `_ENOUGH` of them.
_SHARE = 0.4
_ENOUGH = 30


def _in_memory() -> Path | None:
    """A folder in memory with room for what the tests write: to wait for a disk would take them a minute."""
    place = Path("/dev/shm")
    if sys.platform != "linux" or not os.access(place, os.W_OK):
        return None
    found = os.statvfs(place)
    roomy = found.f_bavail * found.f_frsize >= 4 << 30
    return place if roomy and not found.f_flag & os.ST_NOEXEC else None


if "TMPDIR" not in os.environ and (_memory := _in_memory()):
    os.environ["TMPDIR"] = str(_memory)  # for what the tests start, too
    tempfile.tempdir = None

for _name in [name for name in os.environ if name.startswith("EXCERPT_") and name != "EXCERPT_CHROMIUM"]:
    del os.environ[_name]
os.environ["EXCERPT_CONFIG"] = "none"  # a project around the checkout is not the tests'

#: Last, so that libraries which are installed come before those that stand in for them.
sys.path.append(str(Path(__file__).parent / "stand_in"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the property "summary" of each test that records one."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "summary":
                terminalreporter.write_line(str(value))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick`: the minute before a commit; `--thorough`: the night before a release."""
    parser.addoption(
        "--quick", action="store_true", help="no slow tests, and few generated cases of a property"
    )
    parser.addoption("--thorough", action="store_true", help="all generated cases of every property")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without searches for garbage, which also leave out all that was collected."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Tests have no doctests: to look for them costs a fifth of the time that finding all tests takes."""
    found = yield
    return [each for each in found if type(each).__name__ != "DoctestModule"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of clusters and benchmarks are slow; a quick run takes no slow ones, and few generated cases.

    The pages of the documentation come first, so that no process ends with the longest tests of all.
    """
    items.sort(key=lambda item: item.path.name != "test_docs.py")
    benchmarks = Path(__file__).parent / "benchmarks"
    for item in items:
        if "scheduler" in getattr(item, "fixturenames", ()) or benchmarks in item.path.parents:
            item.add_marker(pytest.mark.slow)
    quick = config.getoption("--quick")
    if quick:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    if not config.getoption("--thorough"):
        for test in {getattr(item, "obj", None) for item in items}:
            _take_fewer(test, quick=quick)


def _take_fewer(test: Any, *, quick: bool) -> None:
    """A property is tried with fewer cases than it asks for."""
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if asked is not None:
        most = _FEW if quick else max(_ENOUGH, round(_SHARE * asked.max_examples))
        few = settings(asked, max_examples=min(asked.max_examples, most))
        test._hypothesis_internal_use_settings = few


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared(root: Path) -> Path:
    """The folder of collections next to the repository; tests that need it are skipped without it."""
    folder = root.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the collections of {folder} are not here")
    return folder


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    """One Dask scheduler for all tests of clusters."""
    from support.loopback import Loopback

    cluster = Loopback(tmp_path_factory.mktemp("cluster"))
    try:
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def cluster(scheduler: Loopback) -> Loopback:
    """A cluster of two workers."""
    scheduler.set_workers(2)
    return scheduler
