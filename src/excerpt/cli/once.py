"""Options that may stand only once."""

from __future__ import annotations

import argparse
from typing import Any


class Once(argparse.Action):
    """An option that is refused where it is given twice: one of the two would not count."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep the value."""
        from excerpt.errors import ExcerptError

        _parser, namespace, value, option = given
        if (first := getattr(namespace, self.dest)) is not None:
            raise ExcerptError(
                f"found {option} {first} and {option} {value}, expected it once",
                hint="a folder, or a pattern such as 'docs/*', names several files",
            )
        setattr(namespace, self.dest, value)
