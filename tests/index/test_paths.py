"""Path strings: what they mean against the tag paths of an index."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt.index.paths import PathParser, Pointer

UNKNOWN = Pointer(-2, ())


@pytest.fixture
def parser() -> PathParser:
    """The tag paths /a, /a/b and /a/b/a."""
    return PathParser(["a", "b"], np.array([-1, 0, 1]), np.array([0, 1, 0]))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a[1]", Pointer(0, (1,))),
        ("/a", Pointer(0, (1,))),
        ("/a[1]/b[12]/a[3]", Pointer(2, (1, 12, 3))),
        ("/a/b/text()", Pointer(1, (1, 1), 1)),
        ("/a/b/text()[2].7", Pointer(1, (1, 1), 2, 7)),
        ("/a/text().0", Pointer(0, (1,), 1, 0)),
        ("/b", UNKNOWN),
        ("a", UNKNOWN),
        ("", UNKNOWN),
        ("/", UNKNOWN),
        ("/a[0]", UNKNOWN),
        ("/a[-1]", UNKNOWN),
        ("/a[1", UNKNOWN),
        ("/a/text()[0]", UNKNOWN),
        ("/a/text()[1]/b", UNKNOWN),
        ("//a", UNKNOWN),
        ("/a/c/b", UNKNOWN),
        ("/a[1]/b[99999999999999999999]", UNKNOWN),
    ],
)
def test_paths(parser: PathParser, path: str, expected: Pointer) -> None:
    """A path is a tag path with positions; whatever is none, is unknown and no error."""
    assert parser.parse(path) == expected


def test_many_paths(parser: PathParser) -> None:
    """Equal paths share a row, and each is what it is alone."""
    paths = ["/a[1]/b[2]", "/a", "/a[1]/b[2]", "/x", "/a/b[2]/text()[1].3"]
    found = parser.parse_all(paths)
    assert len(found.path) == 4
    for path, row in zip(paths, found.which.tolist(), strict=True):
        pointer = parser.parse(path)
        assert (found.path[row], found.text[row], found.offset[row]) == (
            pointer.path,
            pointer.text,
            pointer.offset,
        )
        assert found.positions[row] == pointer.positions
        assert found.depth[row] == len(pointer.positions)
