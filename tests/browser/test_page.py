"""The page as a whole: address, history, focus, keys, dialogs, what is not there, what browsers refuse."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from playwright.sync_api import Page
from support.browsing import Pages, go, painted, text_of, until_ready
from support.page_reports import AWKWARD, HOSTILE, TEXTS, UNJUDGED, hostile_report

VIEWS = ["", "view=pair", "topic=T1", "view=passages&q=b", "topic=T1&doc=D1", "topic=T9", "topic=T1&doc=D9"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as a file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(hostile_report().html())
    return path


def press(page: Page, *keys: str) -> None:
    """Press keys, each when what the one before asked for is drawn."""
    for key in keys:
        page.keyboard.press(key)
        until_ready(page)


def test_a_topic_is_read_without_a_mouse(open_page: Pages, report: Path) -> None:
    """After each key the address says where we are, and the focus is on the heading of a new view."""
    page = open_page(report, "topic=T1")
    walk = [
        ("]", "#topic=T2"),
        ("[", "#topic=T1"),
        ("[", "#topic=T1"),
        ("3", f"#topic=T1&runs=alpha,beta,{'a%2Cb%26c%20%23%25%20%F0%9F%98%80'}"),
        ("2", "#topic=T1&runs=alpha,a%2Cb%26c%20%23%25%20%F0%9F%98%80"),
        ("1", "#topic=T1&runs=a%2Cb%26c%20%23%25%20%F0%9F%98%80"),
        ("3", "#topic=T1&runs=a%2Cb%26c%20%23%25%20%F0%9F%98%80"),
        ("n", "#topic=T1&runs=a%2Cb%26c%20%23%25%20%F0%9F%98%80&doc=D2"),
        ("]", "#topic=T2&runs=a%2Cb%26c%20%23%25%20%F0%9F%98%80"),
    ]
    for key, address in walk:
        press(page, key)
        assert page.url.endswith(address), key
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.go_back()
    until_ready(page)
    assert page.url.endswith("&doc=D2")
    assert page.locator("#text").count() == 1


def test_keys_can_be_switched_off(open_page: Pages, report: Path) -> None:
    """In the help, which names them all; the table of keys is the help."""
    page = open_page(report, "topic=T1")
    press(page, "?")
    dialog = page.get_by_role("dialog", name="Keys")
    assert dialog.locator("kbd").all_inner_texts() == [*"jkJK.,c[]np19g/", "Ctrl+K", "?", "Escape"]
    press(page, "]")  # off while a dialog is open
    dialog.get_by_role("checkbox").uncheck()
    press(page, "Escape", "]")
    assert page.url.endswith("#topic=T1")
    dialog.wait_for(state="detached")
    page.get_by_role("button", name="Keys").click()
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Close").click()
    press(page, "]")
    assert page.url.endswith("#topic=T2")


def test_runs_are_chosen_in_a_dialog(open_page: Pages, report: Path) -> None:
    """Each change shows at once; the last run stays in the page; the focus comes back to the button."""
    page = open_page(report, "topic=T1")
    page.get_by_role("button", name="Runs").click()
    dialog = page.get_by_role("dialog", name="Runs")
    assert dialog.locator("bdi").all_inner_texts() == ["alpha", "beta", AWKWARD, HOSTILE]
    dialog.get_by_role("checkbox", name=HOSTILE).check()
    until_ready(page)
    assert "runs=alpha,beta,%22%3E%3Cimg" in page.url
    dialog.get_by_role("checkbox", name="alpha").uncheck()
    dialog.get_by_role("checkbox", name="beta").uncheck()
    dialog.get_by_role("checkbox", name=HOSTILE).click()
    until_ready(page)
    assert "still shows the last choice" in dialog.inner_text()
    assert page.locator("[data-key=runs] bdi").get_attribute("title") == HOSTILE
    dialog.get_by_role("button", name="All").click()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    until_ready(page)
    assert page.evaluate("document.activeElement.dataset.key") == "runs"
    assert page.locator("[data-key=runs]").inner_text().split() == ["Runs", "4", "of", "4"]


def test_a_choice_replaces_the_address_and_a_link_adds_one(open_page: Pages, report: Path) -> None:
    """So Back leaves the view at once, whatever was chosen in it."""
    page = open_page(report)
    page.locator("#bar select").focus()
    page.locator("#bar select").select_option(label="charF")
    until_ready(page)
    assert page.url.endswith("#m=charF")
    assert page.evaluate("document.activeElement.dataset.key") == "Measure"
    length = page.evaluate("history.length")
    filters = page.get_by_role("link", name="Passages")
    assert filters.evaluate("link => link.click() || document.documentElement.dataset.state") == "loading"
    until_ready(page)
    assert page.url.endswith("#passages&m=charF")
    assert page.evaluate("history.length") == length + 1
    page.go_back()
    until_ready(page)
    assert page.url.endswith("#m=charF")
    page.evaluate("location.hash = '#topic=T2'")
    page.wait_for_function("() => document.title.includes('T2') || document.title.includes('Second')")


def test_what_is_not_there_is_said(open_page: Pages, report: Path) -> None:
    """The page is ready all the same, and the nearest name is one click away."""
    page = open_page(report, "topic=T9")
    for address, message, guess in (
        ("topic=T9", "There is no topic “T9” here.", "T1"),
        ("topic=T1&runs=alpha,bet", "There is no run “bet” here.", "beta"),
        ("m=char", "There is no measure “char” here.", "charF"),
        ("topic=T1&doc=D", "There is no document “D” here.", "D2"),
    ):
        go(page, address)
        assert page.locator("h1").inner_text() == message
        page.locator("main").get_by_role("link", name=guess, exact=True).click()
        until_ready(page)
        assert message not in page.locator("main").inner_text()


@pytest.mark.parametrize("width", [1440, 1000, 390, 320])
def test_nothing_scrolls_sideways(open_page: Pages, report: Path, width: int) -> None:
    """Whatever the names are like, and however narrow the window is, or becomes."""
    page = open_page(report, width=1440)
    page.set_viewport_size({"width": width, "height": 800})
    for address in VIEWS:
        go(page, address)
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)


def test_names_and_texts_are_only_text(open_page: Pages, report: Path) -> None:
    """No element and no handler comes from data; the page of the fixture fails on dialogs and requests."""
    page = open_page(report)
    for address in VIEWS:
        go(page, address)
        assert page.locator("img, b > script, i:has-text('third')").count() == 0, address
        handlers = """[...document.querySelectorAll("*")].flatMap(one => [...one.attributes])
          .filter(({name}) => name.startsWith("on")).length"""
        assert page.evaluate(handlers) == 0, address


def test_every_view_prints(open_page: Pages, report: Path) -> None:
    """No controls, nothing fixed to a place of the screen, and nothing wider than the paper."""
    page = open_page(report, width=794)
    page.emulate_media(media="print")
    controls = page.locator("select:visible, input:visible, button:visible:not(.legend *), .text-map:visible")
    fixed = """[...document.querySelectorAll("body *")].filter(one => one.checkVisibility()
      && ["fixed", "sticky"].includes(getComputedStyle(one).position)).map(one => one.className)"""
    for address in VIEWS:
        go(page, address)
        assert controls.count() == 0, address
        assert page.evaluate(fixed) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= 794, address
        assert page.locator("main").inner_text().strip(), address


def test_hostile_text_is_shown_as_it_is(open_page: Pages, report: Path) -> None:
    """A document that is named and written like markup."""
    page = open_page(report, "topic=T1&doc=%3C%2Ftemplate%3E%3Cscript%3Ealert(2)%3C%2Fscript%3E")
    assert page.locator("#text").text_content() == TEXTS[UNJUDGED]
    assert UNJUDGED in page.locator("#bar").inner_text()


def test_a_page_in_a_notebook_starts_where_it_is_told(open_page: Pages, report: Path) -> None:
    """Inside a frame without an address of its own nothing can be pushed; links work all the same."""
    inner = report.read_text(encoding="utf-8").replace("<html ", '<html data-start="#topic=T2" ', 1)
    page = open_page(f'<!doctype html><iframe width=900 srcdoc="{html.escape(inner)}"></iframe>', ready=False)
    frame = page.frames[1]
    frame.wait_for_selector("html[data-state=ready]", state="attached")
    assert "T2" in frame.locator("#bar").inner_text()
    frame.get_by_role("link", name="Topic T1").click()
    frame.wait_for_selector("html[data-state=ready]", state="attached")
    assert "T1" in frame.locator("#bar").inner_text()


def test_a_link_can_be_copied(open_page: Pages, report: Path) -> None:
    """With the position; if the browser rejects it, the button names the address bar."""
    page = open_page(report, "topic=T1&doc=D1&at=100-160")
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Link copied").wait_for()
    assert page.evaluate("window.copied").endswith("#topic=T1&doc=D1&at=100-160")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.locator("[data-key=copy]").click()
    page.get_by_role("button", name="Could not copy; use the address bar").wait_for()


def test_a_browser_that_cannot_unpack_is_told_so(open_page: Pages, report: Path) -> None:
    """One sentence, and ready."""
    broken = report.read_text(encoding="utf-8").replace(
        "globalThis.DecompressionStream", "globalThis.Nonsense"
    )
    policy = broken.replace("Content-Security-Policy", "X-None", 1)
    page = open_page(policy)
    assert "cannot unpack" in page.locator("h1").inner_text()


def test_a_failing_view_is_one_sentence(open_page: Pages, report: Path) -> None:
    """Here the data of a topic is broken; other views work."""
    text = report.read_text(encoding="utf-8")
    broken = text.replace('<template data-part="topic/0">H4', '<template data-part="topic/0">A4', 1)
    assert broken != text
    page = open_page(broken, "topic=T1")
    assert page.locator("h1").inner_text().startswith("This view could not be drawn: ")
    assert open_page.watch(page).take()
    press(page, "]")
    assert "could not" not in page.locator("main").inner_text()


def test_the_content_is_one_step_away(open_page: Pages, report: Path) -> None:
    """The first stop of the keyboard leads to the text, else to the view, and leaves the address alone."""
    for address, target in (("topic=T1&doc=D1", "text"), ("topic=T1", "main")):
        page = open_page(report, address)
        page.get_by_role("link", name="Skip to the content").focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == target
        assert page.url.endswith(f"#{address}")


def test_the_scheme_is_that_of_the_system_or_the_one_told(open_page: Pages, report: Path) -> None:
    """It follows the system while the page is open; on paper all is light."""
    ground = "getComputedStyle(document.documentElement).getPropertyValue('--bg')"
    page = open_page(report)
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {ground} !== light", arg=light)
    dark = page.evaluate(ground)
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(ground) == light
    told = report.read_text(encoding="utf-8").replace("<html ", '<html data-theme="dark" ', 1)
    assert open_page(told).evaluate(ground) == dark


#: The next part is unpacked so late that a view overtakes it.
_LATE = """milliseconds => {
  const {json} = Response.prototype;
  window.late = new Promise(came => {
    Response.prototype.json = async function() {
      Response.prototype.json = json;
      await new Promise(done => setTimeout(done, milliseconds));
      setTimeout(came, 100);
      return json.call(this);
    };
  });
}"""


@pytest.mark.parametrize("milliseconds", [150, 500])
@pytest.mark.parametrize("overtaken_by", ["back", "a run"])
def test_a_view_that_comes_too_late_changes_nothing(
    open_page: Pages, demo: Path, milliseconds: int, overtaken_by: str
) -> None:
    """Neither one that is no longer asked for, nor the text that says that it is being read."""
    page = open_page(demo, "topic=CU17&doc=C0115")
    before, text = painted(page), text_of(page)
    page.evaluate(_LATE, milliseconds)
    page.keyboard.press("n")
    page.wait_for_timeout(milliseconds - 100)
    if overtaken_by == "back":
        page.go_back()
    else:
        page.keyboard.press("2")
    page.evaluate("() => window.late")
    until_ready(page)
    if overtaken_by == "back":
        assert (painted(page), text_of(page)) == (before, text)
    else:
        assert page.title().startswith("C0128")
        assert text_of(page) not in {"", text}
        assert painted(page)["hit"]


def test_what_was_announced_goes_with_what_it_was_about(open_page: Pages, demo: Path) -> None:
    """A missed passage of one run is none of two."""
    page = open_page(demo, "topic=CU17&doc=C0115")
    press(page, "J")
    assert page.locator("#status").inner_text().startswith("missed 1 of 7, ")
    press(page, "2")
    assert page.locator("#status").inner_text() == ""
