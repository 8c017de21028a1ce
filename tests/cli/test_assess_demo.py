"""excerpt assess demo: a campaign to try, from one command."""

from __future__ import annotations

import argparse
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from support.served_campaign import make_campaign

from excerpt.assess.campaign import Campaign
from excerpt.cli import assess_new, main


def test_a_campaign_is_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five topics of eight documents; the assessor's page is opened; a folder that is named is kept."""
    opened: list[tuple[str | None, dict[str, object]]] = []

    def show(campaign: Campaign, _: argparse.Namespace, **how: object) -> None:
        token = how["opened"]
        assert isinstance(token, str)
        opened.append((campaign.identify(token), campaign.pool_for("you")))

    monkeypatch.setattr(assess_new, "show", show)
    folder = tmp_path / "try"
    for _ in range(2):  # the second time it is there
        assert main(["assess", "demo", str(folder), "--no-browser"]) == 0
    assert [name for name, _ in opened] == ["you", "you"]
    pool = json.loads(json.dumps(opened[0][1]))
    assert [len(topic["documents"]) for topic in pool["topics"]] == [8] * 5
    assert (folder / "campaign.toml").is_file()


def test_a_campaign_of_ones_own_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The demo adds no assessor to another campaign."""
    folder = make_campaign(tmp_path)
    assert main(["assess", "demo", str(folder), "--no-browser"]) == 2
    assert (
        "found another campaign, expected that of the demo; excerpt assess serve" in capsys.readouterr().err
    )
    with Campaign.open(folder) as campaign:
        assert campaign.people() == []


@pytest.mark.slow
def test_it_is_served_and_leaves_nothing_behind() -> None:
    """Both links and the temporary folder are printed; the folder is removed at the end."""
    command = [sys.executable, "-m", "excerpt", "assess", "demo", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        links = [server.stdout.readline().strip() for _ in range(2)]
        found = [_status(link, target) for link in links for target in ("/api/pool", "/api/status")]
        server.send_signal(signal.SIGINT)
        said = server.communicate(timeout=30)[1]
    assert found == [200, 403, 403, 200]
    assert server.returncode == 0
    told = re.search(r"the campaign is in (\S+), which is removed when the server ends", said)
    assert told is not None
    assert not Path(told[1]).exists()
    assert not Path(told[1]).parent.exists()


def _status(link: str, target: str) -> int:
    address, _, token = link.partition("/login#token=")
    request = urllib.request.Request(address + target, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
