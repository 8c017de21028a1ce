"""What a worker of a cluster runs first, sent as text: it may have no excerpt, or another one.

So it needs nothing but the standard library and Dask until it has found the excerpt of the sender.
"""

from __future__ import annotations

import sys


def difference(expected: str, code: str) -> str:
    """What this process has, where that is not the excerpt of the sender."""
    python = "on Python {}.{}".format(*sys.version_info[:2])
    try:
        import excerpt
    except ModuleNotFoundError:
        return f"no excerpt {python}"
    except Exception as error:  # noqa: BLE001  half an installation may do anything
        return f"an excerpt {python} that cannot be imported ({type(error).__name__})"
    found = f"excerpt {getattr(excerpt, '__version__', 'without a version')} {python}"
    if found != expected:
        return found
    try:
        from excerpt.engine.cluster import code_digest

        same = code_digest() == code
    except Exception:  # noqa: BLE001  another excerpt may do anything
        same = False
    return "" if same else f"{found} with different code"


def answer(
    expected: str, code: str, folder: str, digest: str, call: bytes, item: bytes
) -> bytes | tuple[str, str]:
    """An item done in a worker; or which worker it is, and what it has instead of our excerpt."""
    if found := difference(expected, code):
        from distributed import get_worker

        return str(get_worker().address), found
    from excerpt.engine.cluster import work_on

    return work_on(folder, digest, call, item)
