"""What all tests share: how hard Hypothesis tries, and where the data are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

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
