"""Lines of a file in groups of whole topics."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt.grouping import line_groups


@pytest.mark.parametrize("size", [20, 100, 1000, 1 << 20])
def test_topics_stay_whole_and_lines_are_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A topic of many groups' length is not looked through again with each piece of the file."""
    monkeypatch.setattr(line_groups, "GROUP_BYTES", size)
    topics = ["a"] * 2 + ["b"] * 300 + ["c"] * 3 + ["#"] + ["c"] * 2 + ["d"] * 500 + ["e"]
    content = "".join(f"{topic} {number}\n" for number, topic in enumerate(topics)).encode()
    path = tmp_path / "run"
    path.write_bytes(content)
    asked = []

    def topic_of(line: bytes) -> bytes | None:
        asked.append(line)
        return None if line.startswith(b"#") else line[:1]

    groups = list(line_groups.cut(str(path), topic_of, keep=False))
    assert b"".join(group.read() for group in groups) == content
    assert [group.before for group in groups] == [content[: group.begin].count(b"\n") for group in groups]
    found = [{line[:1] for line in group.read().splitlines()} - {b"#"} for group in groups]
    assert sum(map(len, found)) == 5
    assert len(asked) <= len(topics) + 2 * (len(content) // size + 1)
