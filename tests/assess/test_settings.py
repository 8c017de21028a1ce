"""Tests of campaign.toml."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.small_campaign import small_campaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.folder import SETTINGS
from excerpt.assess.settings import Settings, check_settings, read_settings, write_settings
from excerpt.errors import ExcerptError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
GIVEN: dict[str, Any] = {
    "title": "My campaign",
    "procedure": "inex2007",
    "double": None,
    "order": "pool",
    "seed": 1,
    "control": 0.2,
    "labels": ("supports", "contradicts"),
    "corpus": ("../documents",),
    "corpus_sha256": "a",
    "topics_sha256": "b",
    "pool_sha256": "c",
    "created": "2026-01-01T00:00:00.000Z",
}


@given(TEXT, TEXT, st.none() | st.floats(0, 1), st.integers(-(2**60), 2**60))
def test_settings_survive_their_file(
    tmp_path_factory: pytest.TempPathFactory, title: str, corpus: str, double: float | None, seed: int
) -> None:
    """Texts may contain quotes, control characters and emoji."""
    folder = tmp_path_factory.getbasetemp() / "settings"
    folder.mkdir(exist_ok=True)
    settings = Settings(**{**GIVEN, "title": title, "corpus": (corpus,), "double": double, "seed": seed})
    write_settings(folder, settings)
    assert read_settings(folder) == settings


def test_an_address_is_kept(tmp_path: Path) -> None:
    """Storing the address changes no other setting."""
    settings = replace(Settings(**GIVEN), host="::1", port=8001)
    write_settings(tmp_path, settings)
    assert read_settings(tmp_path) == settings
    assert (settings.host, settings.port, settings.title) == ("::1", 8001, "My campaign")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"procedure": "inex2007x"}, "did you mean 'inex2007'"),
        ({"order": "best"}, "unknown order 'best'"),
        ({"double": 1.5}, "found double 1.5, expected a proportion from 0 to 1"),
        ({"double": True}, "found double True"),
        ({"control": -0.1}, "found control -0.1"),
        ({"control": float("nan")}, "found control nan"),
        ({"labels": ()}, "found the labels ()"),
        ({"labels": ("a", "a")}, "expected each label once"),
        ({"labels": ("",)}, "expected names"),
        ({"seed": 1.5}, "found the seed 1.5"),
        ({"title": "a\ud800"}, "found 'a\\ud800', expected text that UTF-8"),
        ({"labels": ("yes", "\udcff")}, "found '\\udcff', expected text that UTF-8"),
        ({"corpus": ("x\udcff",)}, "found 'x\\udcff', expected text that UTF-8"),
        ({"names": (1,)}, "found the names (1,)"),
    ],
)
def test_settings_make_sense(wrong: dict[str, Any], message: str) -> None:
    """Invalid settings are errors of one line."""
    with pytest.raises(ExcerptError) as error:
        check_settings(Settings(**{**GIVEN, **wrong}))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"title =", "not valid TOML"),
        (b"\xff", "not valid TOML"),
        (b"version = 3", "found version 3, expected at most 2"),
        (b"version = 1", "title is missing; restore the file"),
    ],
)
def test_files_that_are_no_settings_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    """A file of a newer version is named as such."""
    (tmp_path / SETTINGS).write_bytes(content)
    with pytest.raises(ExcerptError) as error:
        read_settings(tmp_path)
    assert message in str(error.value)
    assert (tmp_path / SETTINGS).read_bytes() == content


def test_what_gives_judgments_their_meaning_is_not_changed_by_hand(tmp_path: Path) -> None:
    """The title may be changed, the procedure may not."""
    small_campaign(tmp_path / "c").close()
    path = tmp_path / "c" / SETTINGS
    text = path.read_text()
    path.write_text(text.replace('title = "c"', 'title = "Rents"'))
    with Campaign.open(tmp_path / "c") as campaign:
        assert campaign.settings.title == "Rents"
    path.write_text(text.replace("inex2007", "inex2006"))
    with pytest.raises(
        ExcerptError, match=r"campaign.toml: found procedure = 'inex2006', expected the original 'inex2007'"
    ):
        Campaign.open(tmp_path / "c")
    path.write_text(text.replace("version = 2", "version = 1"))
    with pytest.raises(ExcerptError, match=r"campaign.toml: found version = 1, expected the original 2"):
        Campaign.open(tmp_path / "c")
