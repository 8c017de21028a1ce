"""Listings: headings with indented paragraphs."""

from __future__ import annotations

from excerpt.render.listing import listing


def test_listing_fits_the_width() -> None:
    """Long paragraphs are wrapped; control characters are visible."""
    text = listing([("fol", ["word " * 30]), ("bad\x1b[0m", ["x"])], 40)
    assert all(len(line) <= 40 for line in text.splitlines())
    assert text.count("word") == 30
    assert "\x1b" not in text
    assert text.split("\n\n")[1] == "bad\\x1b[0m\n    x\n"
