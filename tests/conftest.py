"""What all tests share: how hard Hypothesis tries, and where the data are."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from loopback import Loopback

_SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("default", deadline=None, database=None, suppress_health_check=_SLOW_IS_FINE)
settings.register_profile(
    "ci", deadline=None, database=None, derandomize=True, print_blob=True, suppress_health_check=_SLOW_IS_FINE
)
settings.load_profile("ci" if os.environ.get("CI") else "default")


_FEW = 10  # generated cases of a property, in a quick run


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


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick`: the minute before a commit."""
    parser.addoption(
        "--quick", action="store_true", help="no slow tests, and few generated cases of a property"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of clusters and benchmarks are slow; a quick run takes no slow ones, and few generated cases."""
    benchmarks = Path(__file__).parent / "benchmarks"
    for item in items:
        if "scheduler" in getattr(item, "fixturenames", ()) or benchmarks in item.path.parents:
            item.add_marker(pytest.mark.slow)
    if not config.getoption("--quick"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]
    for item in items:
        test: Any = getattr(item, "obj", None)
        usual = getattr(test, "_hypothesis_internal_use_settings", None)
        if usual is not None:
            few = settings(usual, max_examples=min(usual.max_examples, _FEW))
            test._hypothesis_internal_use_settings = few


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared(root: Path) -> Path:
    """The folder of collections beside the repository; tests that need it are skipped without it."""
    folder = root.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the collections of {folder} are not here")
    return folder


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    """One Dask scheduler for all tests of clusters."""
    from loopback import Loopback

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
