"""JSON of bodies: read in one way only, refused in one sentence."""

from __future__ import annotations

import pytest

from excerpt.web.answers import Refusal
from excerpt.web.bodies import read_json, read_object


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "found no JSON"),
        (b"{", "found no JSON"),
        (b"\xff", "not UTF-8"),
        (b"\xef\xbb\xbf{}", "found no JSON"),
        (b'{"a": NaN}', "found NaN, expected a number"),
        (b"[Infinity]", "found Infinity"),
        (b"[-Infinity]", "found -Infinity"),
        (b"[1e999]", "found 1e999, expected a smaller number"),
        (b'{"a": 1, "b": 2, "a": 3}', "found “a” twice"),
        (b'{"b": {"a": 1, "a": 1}}', "found “a” twice"),
        # Names are looked up, not compared with each other: that would take minutes.
        (b"{" + b"".join(b'"%d":0,' % name for name in range(100_000)) + b'"7":1}', "found “7” twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[" + b"9" * 10_000 + b"]", "a number that is too long"),
        (b"{} {}", "found no JSON"),
        (b"{'a': 1}", "found no JSON"),
        (b'{"a": "\x00"}', "found no JSON"),
    ],
)
def test_what_is_no_json_is_refused(body: bytes, sentence: str) -> None:
    """Each in a line, whatever stands in it."""
    with pytest.raises(Refusal, match=sentence) as refused:
        read_json(body)
    assert refused.value.status == 400
    assert "\n" not in refused.value.sentence
    assert len(refused.value.sentence) < 200


@pytest.mark.parametrize("body", [b"[]", b"1", b'"x"', b"null", b"{}"])
def test_an_object_has_its_names(body: bytes) -> None:
    """Other JSON is refused as what it is."""
    with pytest.raises(Refusal, match=r"expected an object|found no topic") as refused:
        read_object(body, "topic")
    assert refused.value.status == 422


def test_json_is_what_it_says() -> None:
    """Whole numbers of any size that fits, characters of every plane."""
    assert read_json('{"a": [1, 2.5, "😀", null, true, 12345678901234567890]}'.encode()) == {
        "a": [1, 2.5, "😀", None, True, 12345678901234567890]
    }
