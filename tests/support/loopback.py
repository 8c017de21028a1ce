"""A real Dask cluster on this machine for tests: a scheduler and worker processes, on loopback only."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from support.waiting import until

import excerpt

TESTS = Path(__file__).parents[1]
_OURS = re.compile(r"excerpt-[0-9a-f]+-\d+")


class Worker(NamedTuple):
    """A worker that differs from the others."""

    name: str
    address: str
    process: subprocess.Popen[bytes]


class Loopback:
    """A scheduler with workers that can be killed; they end with `close`, or when they are not used."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = folder / "scheduler.json"
        self._log = (folder / "log").open("w")
        self._workers: dict[str, subprocess.Popen[bytes]] = {}
        self._scheduler = self._start(
            (), *("scheduler", "--port", "0", "--scheduler-file", self.file, "--idle-timeout", "120")
        )
        self.address: str = until(self._address)

    def _address(self) -> str | None:
        try:
            return str(json.loads(self.file.read_text())["address"])
        except (OSError, ValueError):
            return None

    def _start(
        self, packages: Sequence[Path], *options: object, folder: str | Path = "/"
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *map(str, options), "--host", "127.0.0.1"]
        command += ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        found = os.pathsep.join(map(str, [*packages, Path(excerpt.__file__).parents[1], TESTS]))
        environment = os.environ | {"PYTHONPATH": found}
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=self._log, stderr=self._log)

    def set_workers(self, count: int) -> None:
        """Start workers until there are so many."""
        for _ in range(count - len(self._workers)):
            self._start_worker()
        with self.client() as client:
            client.wait_for_workers(count, timeout=30)

    def add_worker(self, *packages: Path, folder: str | Path = "/") -> Worker:
        """One more, which looks for packages in these folders first."""
        name = self._start_worker(packages, folder)
        with self.client() as client:
            address = until(lambda: self._names(client).get(name))
        return Worker(name, address, self._workers[name])

    def remove(self, worker: Worker) -> None:
        """End a worker that was added."""
        process = self._workers.pop(worker.name)
        process.terminate()
        process.wait(timeout=30)

    # Another folder than the client's: relative names must not depend on where workers were started.
    def _start_worker(self, packages: Sequence[Path] = (), folder: str | Path = "/") -> str:
        name = f"{time.monotonic_ns()}"
        self._workers[name] = self._start(
            packages,
            *("worker", self.address, "--name", name, "--no-nanny", "--nthreads", 1, "--memory-limit", 0),
            *("--death-timeout", 30, "--local-directory", self._folder),
            folder=folder,
        )
        return name

    def client(self) -> Any:
        """A client of its own, to look at the cluster from outside."""
        from distributed import Client

        return Client(self.address, set_as_default=False, timeout=10)

    def kill_a_busy_worker(self) -> str:
        """SIGKILL to a worker that has work of ours, under way or done and not collected; its name."""
        with self.client() as client:
            name: str = until(lambda: self._busy(client))
        process = self._workers.pop(name)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return name

    def _busy(self, client: Any) -> str | None:
        names = {address: name for name, address in self._names(client).items()}
        for listed in (client.processing(), client.has_what()):
            for address, keys in listed.items():
                if any(map(_OURS.fullmatch, map(str, keys))):
                    return names[address]
        return None

    def _names(self, client: Any) -> dict[str, str]:
        """The addresses of workers, by their names."""
        workers = client.scheduler_info(n_workers=-1)["workers"]
        return {str(info["name"]): address for address, info in workers.items()}

    def forget(self) -> None:
        """Workers that died of their work."""
        for process in self._workers.values():
            process.wait(timeout=10)
        self._workers.clear()

    @property
    def scheduler(self) -> int:
        """The scheduler's process."""
        return self._scheduler.pid

    def close(self) -> None:
        """End all processes."""
        for process in (*self._workers.values(), self._scheduler):
            process.kill()
        for process in (*self._workers.values(), self._scheduler):
            process.wait()
        self._log.close()
