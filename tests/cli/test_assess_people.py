"""excerpt assess people: links in the order of names, also while a server runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.served_campaign import make_campaign

from excerpt.assess.campaign import Campaign

from .conftest import Excerpt


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign."""
    return make_campaign(tmp_path)


def test_everybody_gets_a_link(folder: Path, excerpt: Excerpt) -> None:
    """One line per name, in order: the name, a tab, the link; nothing else."""
    done = excerpt("assess", "people", folder, "add", "bob", "Zoë <b>", "ann")
    assert (done.status, done.err) == (0, "")
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [name for name, _ in rows] == ["bob", "Zoë <b>", "ann"]
    with Campaign.open(folder) as campaign:
        start = f"http://127.0.0.1:{campaign.settings.port}/login#token="
        for name, link in rows:
            assert link.startswith(start)
            assert campaign.identify(link.removeprefix(start)) == name
        files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert not any(link.removeprefix(start).encode() in content for _, link in rows for content in files)


def test_a_new_link_ends_the_old_one(folder: Path, excerpt: Excerpt) -> None:
    """An assessor who lost a link gets a new one, and the old one expires."""
    tokens = [
        excerpt("assess", "people", folder, "add", "ann").out.partition("#token=")[2].strip()
        for _ in range(2)
    ]
    with Campaign.open(folder) as campaign:
        assert [campaign.identify(token) for token in tokens] == [None, "ann"]


def test_who_is_removed_is_listed_as_such(folder: Path, excerpt: Excerpt) -> None:
    """Judgments of removed assessors stay, so their names are still listed."""
    excerpt("assess", "people", folder, "add", "ann", "bob")
    assert excerpt("assess", "people", folder, "remove", "ann").out == ""
    assert excerpt("assess", "people", folder, "list").out == "ann\tremoved\nbob\tassessor\n"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["add"], "no NAME given to add"),
        (["remove"], "no NAME given to remove"),
        (["list", "ann"], "list takes no names, found ann"),
        (["add", "ann", "ann"], "found ann twice, expected each name once"),
        (["add", "a\tb"], "found the name 'a\\tb'"),
        (["add", "a\nb"], "found the name 'a\\nb'"),
        (["add", "ok", ""], "found the name ''"),
        (["remove", "nobody"], "unknown assessor 'nobody'"),
        (["drop", "ann"], "argument ACTION: found 'drop', expected one of: "),
        ([], "the following arguments are required: ACTION"),
    ],
)
def test_refusals_are_one_line(folder: Path, excerpt: Excerpt, given: list[str], message: str) -> None:
    """After an error no assessor is added."""
    done = excerpt("assess", "people", folder, *given)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert excerpt("assess", "people", folder, "list").out == ""


def test_without_a_campaign_there_is_nobody(tmp_path: Path, excerpt: Excerpt) -> None:
    """One line."""
    done = excerpt("assess", "people", tmp_path, "list")
    assert done.status == 2
    assert "not a campaign folder" in done.err
