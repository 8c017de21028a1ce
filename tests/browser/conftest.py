"""The browser of the tests of pages: one per process of pytest, pages that may ask for nothing, servers.

Without a browser these tests are skipped, with the reason; under CI they fail.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import programs
import pytest
from playwright.sync_api import Browser, sync_playwright
from support.browsing import FLAGS, LoopAside, Modules, Pages, Server, Tabs

_LOOP = LoopAside()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Between tests in the browser its event loop is put aside: other tests have loops of their own."""
    if Path(__file__).parent not in item.path.parents:  # this is called for tests of all folders
        return (yield)
    _LOOP.back()
    try:
        return (yield)
    finally:
        _LOOP.aside()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a window, for all tests of this process."""
    program = programs.find_browser()
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(programs.missing_browser())
    with sync_playwright() as playwright:
        try:
            yield playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        finally:
            _LOOP.back()  # the last test of this process may be one without a browser


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Tabs:
    """Pages that one test after the other uses."""
    return Tabs(browser)


@pytest.fixture(scope="module")
def js(tabs: Tabs) -> Iterator[Modules]:
    """`js("spans", "unitsOf", [(text, 3), …])`: what a function of a module gives for each of the cases."""
    modules = Modules(tabs)
    yield modules
    modules.close()


@pytest.fixture
def open_page(tabs: Tabs, tmp_path: Path) -> Iterator[Pages]:
    """`open_page(path, "topic=CU07", width=390, dark=True)`: a page of a file that may ask for nothing."""
    pages = Pages(tabs, tmp_path)
    yield pages
    pages.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """`server("explore", qrels, run)`: the command as a process of its own, ended with the test."""
    running: list[Server] = []

    def start(*arguments: object) -> Server:
        running.append(Server(tmp_path, *arguments))
        return running[-1]

    yield start
    for one in running:
        one.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the embedded collection, as the command makes it."""
    from excerpt.cli import main

    path = tmp_path_factory.mktemp("demo") / "report.html"
    assert main(["demo", "--report", str(path)]) == 0
    return path
