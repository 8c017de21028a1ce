"""What is done with an argument when it is given: names become files, a limit holds for all processes."""

from __future__ import annotations

import argparse
import os
from typing import Any


class ExpandFiles(argparse.Action):
    """Names of files, where a folder stands for the files in it and @LIST for the names in a file."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep the expanded names."""
        from excerpt.errors import ExcerptError
        from excerpt.files import STDIN, expand

        _parser, namespace, names, *_option = given
        files = expand(names)
        if [getattr(namespace, "qrels", None), *files].count(STDIN) > 1:
            raise ExcerptError("standard input can be read once", hint="give one of the two as a file")
        setattr(namespace, self.dest, files)


class ExpandSide(argparse.Action):
    """One file, or several as a list: those of a folder, or that @LIST names."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep what the name stands for."""
        from excerpt.files import expand

        _parser, namespace, name, *_option = given
        files = expand([name])
        setattr(namespace, self.dest, files if len(files) > 1 else files[0])


class ExpandOne(ExpandSide):
    """One file: also the only one of a folder, or of those that @LIST names."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Keep the file; an error where there are several."""
        from excerpt.errors import ExcerptError, plural, short_list

        super().__call__(*given)
        found = getattr(given[1], self.dest)
        if isinstance(found, list):
            raise ExcerptError(
                f"found {plural(len(found), 'file')} ({short_list(found, 3)}), expected one",
                path=given[2],
                hint="name one of them",
            )


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


class SetLimit(argparse.Action):
    """Sets how much a compressed file may unpack to."""

    def __call__(self, *given: Any, **_: Any) -> None:
        """Check the size and set it."""
        set_limit(given[2])


def set_limit(size: str) -> None:
    """Set the limit where the processes that share the work find it, too."""
    from excerpt.files.compression import LIMIT, parse_size

    os.environ[LIMIT] = str(parse_size(size))
