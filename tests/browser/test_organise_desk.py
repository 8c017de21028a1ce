"""The organiser's desk with a real server: people, deals, agreement, doors to texts, pools, releases."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from support.barriers import check
from support.browsing import Tabs, Watch, painted, until_ready
from support.served_campaign import Served, make_campaign
from support.small_campaign import do

from excerpt.assess.campaign import Campaign


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A campaign in which ann and bob differ on a document, and its server."""
    folder = make_campaign(tmp_path)
    with Campaign.open(folder) as campaign:
        for name, end in (("ann", 5), ("bob", 12)):
            campaign.add_person(name)
            do(campaign, name, "highlight", 0, end, topic="1", document="A")
            do(campaign, name, "bep", 0, topic="1", document="A")
            do(campaign, name, "done", topic="1", document="A")
            do(campaign, name, "done", topic="1", document="B")
    with Served(folder) as running:
        yield running


@pytest.fixture
def organiser(tabs: Tabs, served: Served) -> Iterator[Page]:
    """The organiser's page, signed in."""
    page = tabs.take(width=1280, height=900, dark=False, offline=False)
    watch = Watch(page, f"http://127.0.0.1:{served.port}/")
    page.goto(served.link)
    until_ready(page)
    yield page
    watch.end()
    tabs.give_back(page)
    assert [fault for fault in watch.faults if "422" not in fault] == []  # mistakes of these tests


def test_people_are_invited_and_removed(organiser: Page, served: Served) -> None:
    """A link for each, which works at once; removed, it ends; a mistake is one sentence."""
    people = organiser.locator(".people")
    people.get_by_label("Name").fill("eve <b>")
    people.get_by_label("Role").select_option("adjudicator")
    people.get_by_role("button", name="Invite", exact=True).click()
    link = people.get_by_label("Link of eve <b>")
    expect(link).to_have_value(
        served.link.partition("/login")[0] + "/login#token=" + _token(link.input_value())
    )
    token = _token(link.input_value())
    assert served.ask("/api/pool", token).json["role"] == "adjudicator"
    check(organiser)
    people.get_by_role("button", name="Remove eve <b>").click()
    expect(people.locator(".said")).to_contain_text("has ended")
    assert served.ask("/api/pool", token).status == 401
    people.get_by_label("Name").fill("ann")
    people.get_by_label("Role").select_option("adjudicator")
    people.get_by_role("button", name="Invite", exact=True).click()
    expect(people.locator(".said")).to_contain_text("ann is an assessor of this campaign")


def _token(link: str) -> str:
    return link.partition("#token=")[2]


def test_agreement_has_doors_to_the_texts(organiser: Page) -> None:
    """By topic and by document, worst first; the text shows who marked what, and back."""
    organiser.get_by_role("button", name="Show agreement").click()
    rows = organiser.locator(".by-document tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("A")
    expect(organiser.locator(".by-topic tbody tr")).to_have_count(1)
    check(organiser)
    rows.first.get_by_role("link").click()
    organiser.wait_for_selector("html[data-state=ready] .texts")
    layers = painted(organiser)
    assert layers["only-2"] == [(5, 12)]
    expect(organiser.locator(".apart li")).to_have_count(1)
    expect(organiser.locator(".apart li")).to_contain_text("bob")
    check(organiser)
    organiser.get_by_role("link", name="All of the campaign").click()
    expect(organiser.locator(".by-document")).to_be_visible()


def test_decisions_assignment_and_release(organiser: Page, served: Served, tmp_path: Path) -> None:
    """What is to be decided, deals by rule and by table, a further pool, the archive."""
    organiser.get_by_role("button", name="List what is to be decided").click()
    expect(organiser.locator(".to-decide tbody tr")).to_have_count(1)
    expect(organiser.locator(".deciding-list header")).to_contain_text(
        "1 to decide, 0 decided, all agree on 1"
    )
    dealing = organiser.locator(".dealing")
    dealing.get_by_label("Rule").select_option("each")
    dealing.get_by_role("button", name="Assign", exact=True).click()
    expect(dealing.locator(".said")).to_have_text("ann 6, bob 6")
    table = tmp_path / "table.tsv"
    table.write_text("1\tann\n2\tnobody\n")
    dealing.locator("[data-key=table]").set_input_files(table)
    expect(dealing.locator(".said")).to_contain_text("nobody")
    pool, topics = tmp_path / "more.tsv", tmp_path / "more-topics.tsv"
    pool.write_text("topic\tdocument\n1\tA\n3\tA\n")
    topics.write_text("3\tmore\n")
    organiser.locator("[data-key=pool]").set_input_files(pool)
    organiser.locator("[data-key=pool-topics]").set_input_files(topics)
    organiser.get_by_role("button", name="Extend").click()
    expect(organiser.locator(".extending .said")).to_contain_text("Added 1 to judge, 1 new topic")
    with organiser.expect_download() as download:
        organiser.get_by_role("link", name="Write release.zip").click()
    download.value.save_as(tmp_path / "release.zip")
    with zipfile.ZipFile(tmp_path / "release.zip") as archive:
        assert json.loads(archive.read("about.json"))["merge"] == "union"
    expect(organiser.locator(".exporting")).to_contain_text("union")
    assert served.ask("/api/status", served.organiser).json["topics"][-1]["id"] == "3"


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_the_desk_has_no_barriers(organiser: Page, width: int) -> None:
    """Every section, with what it lists, light and dark."""
    organiser.set_viewport_size({"width": width, "height": 844})
    for name in ("Show agreement", "List what is to be decided"):
        organiser.get_by_role("button", name=name).click()
    expect(organiser.locator(".to-decide")).to_be_visible()
    check(organiser)
