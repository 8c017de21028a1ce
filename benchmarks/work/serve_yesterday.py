"""Serve a campaign with a clock that is a day behind, as on a machine whose clock was set back.

python serve_yesterday.py FOLDER
"""

from __future__ import annotations

import argparse
import sys
import time

from excerpt.assess.campaign import Campaign
from excerpt.cli.assess_new import show
from excerpt.web.server import ended_by_signal

_DAY = 86_400


def main() -> None:
    """Serve until Ctrl-C."""
    with (
        ended_by_signal(),
        Campaign.open(sys.argv[1], clock=lambda: time.time() - _DAY) as campaign,
        campaign.serve_lock(),
    ):
        show(campaign, argparse.Namespace(host="127.0.0.1", port=None, no_browser=True))


if __name__ == "__main__":
    main()
