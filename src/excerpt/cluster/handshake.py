"""Version handshake with a Dask worker, which may have no excerpt or another version.

The source of this module is sent to the worker, so it uses only the standard library and Dask until the
worker is known to have the same excerpt.
"""

from __future__ import annotations

import sys


def difference(expected: str, code: str) -> str:
    """Describe the excerpt of this process; empty if it is the same as the sender's."""
    python = "on Python {}.{}".format(*sys.version_info[:2])
    try:
        import excerpt
    except ModuleNotFoundError:
        return f"no excerpt {python}"
    except Exception as error:  # noqa: BLE001  an incomplete installation may raise anything
        return f"an excerpt {python} that cannot be imported ({type(error).__name__})"
    found = f"excerpt {getattr(excerpt, '__version__', 'without a version')} {python}"
    if found != expected:
        return found
    try:
        from excerpt.cluster.dask_cluster import code_digest

        same = code_digest() == code
    except Exception:  # noqa: BLE001  another version may raise anything
        same = False
    return "" if same else f"{found} with different code"


def answer(
    expected: str, code: str, folder: str, digest: str, call: bytes, item: bytes
) -> bytes | tuple[str, str]:
    """Compute an item in a worker; if its excerpt differs, return the worker's address and the difference."""
    if found := difference(expected, code):
        from distributed import get_worker

        return str(get_worker().address), found
    from excerpt.cluster.dask_cluster import work_on

    return work_on(folder, digest, call, item)
