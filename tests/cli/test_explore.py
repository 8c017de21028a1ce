"""excerpt explore: its arguments and its refusals; what it serves is looked at in a browser."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from excerpt.cli import main
from excerpt.web import explorer


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and a run."""
    (tmp_path / "qrels").write_text("1 Q0 A 4 14 0 0:4\n2 Q0 A 0 14\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 A 1 2 r 0 9\n", encoding="utf-8")
    return [str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "charP", "--no-browser"]


def test_the_evaluation_is_served(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the options of a report; warnings and what to do next on standard error."""
    served: list[Any] = []
    monkeypatch.setattr(
        explorer, "show_world", lambda world, listening, browser: served.append((world, browser))
    )
    assert main(["explore", *files, "--no-text", "--title", "mine", "--limit", "5"]) == 0
    world, browser = served[0]
    assert (world.title, browser) == ("mine", False)
    assert world.overview()["made"]["command"].startswith("excerpt explore qrels run -m charP")
    assert world.overview()["made"]["settings"]["limit"] == 5
    told = capsys.readouterr()
    assert told.out == ""
    assert "warning: 1 topic has no relevant text" in told.err
    assert told.err.endswith("excerpt: open this link in a browser; Ctrl-C ends the server\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "x"], "argument --port: found 'x', expected a whole number from 0 to 65535"),
        (["--port", "65536"], "argument --port: found '65536', expected a whole number from 0 to 65535"),
        (["--host", "0.0.0.0"], "found 0.0.0.0 as host, expected a loopback address"),
        ([], "no corpus given; a report shows the text of its documents; give --corpus"),
        (["--corpus", "nowhere"], "nowhere"),
    ],
)
def test_refusals_are_one_line(
    files: list[str], capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    """Nothing is served then."""
    assert main(["explore", *files, *options]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert message in told.err
    assert told.err.count("\n") == 1


def test_a_port_in_use_is_one_line(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """It says which option helps."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["explore", *files, "--no-text", "--port", str(port)]) == 2
    assert capsys.readouterr().err == (
        f"excerpt: port {port} of 127.0.0.1 is in use; --port 0 picks a free one\n"
    )


def test_without_the_extra_it_says_what_to_install(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is read."""
    for name in ("starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["explore", "nowhere", "nothing", "--no-text"]) == 2
    assert capsys.readouterr().err.endswith("try pip install 'excerpt[web]'\n")
