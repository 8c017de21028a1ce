"""Machine and software versions of a measurement, without host names and paths."""

from __future__ import annotations

import os
import platform
import pyexpat
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

LIBRARIES = ("excerpt", "numpy", "scipy", "pytrec-eval-terrier", "ir-measures", "ranx", "numba", "matplotlib")


def describe() -> dict[str, str]:
    """Describe the machine, for comparison with another one."""
    load = f"{os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else "unknown"
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": str(_cores()),
        "memory": _memory(),
        "load": load,
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "expat": pyexpat.EXPAT_VERSION.removeprefix("expat_"),
        **{name: _version(name) for name in LIBRARIES},
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> str:
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return "unknown"
    return f"{size / 2**30:.0f} GiB"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
