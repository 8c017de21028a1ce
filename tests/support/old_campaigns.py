"""Campaigns written by older versions, stored as files: every one must open.

`python -m support.old_campaigns` in `tests` writes that of the present version. One that is kept is never
written again after a release: it would not be what people have. Campaigns `first-PROCEDURE.zip` have settings
of version 1, and what that version made of them: states, two exports and the rows of the agreement.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from excerpt.assess.store import MIGRATIONS

FOLDER = Path(__file__).parents[1] / "data" / "campaigns"
NAMES = sorted(path.stem for path in FOLDER.glob("v*.zip"))
FIRST = sorted(path.stem for path in FOLDER.glob("first-*.zip"))


def unpack(name: str, place: Path) -> Path:
    """Unpack a stored campaign with its documents next to it."""
    shutil.unpack_archive(FOLDER / f"{name}.zip", place)
    return place / "campaign"


def write() -> Path:
    """Write a campaign of this version: two assessors, highlights, an entry point, a finished document."""
    from support.small_campaign import do, small_campaign

    from excerpt.assess.extension import extend

    with tempfile.TemporaryDirectory() as place:
        with small_campaign(Path(place) / "campaign") as campaign:
            campaign.add_person("ann")
            campaign.add_person("ben")
            campaign.remove_person("ben")
            do(campaign, "ann", "highlight", 0, 5)
            do(campaign, "ann", "bep", 2)
            do(campaign, "ann", "done")
            do(campaign, "ann", "note", note="😀")
            campaign.trace("ann", "7", "a", "work", {"seconds": 12.5})
            do(campaign, "ben", "highlight", 0, 1200, document="letter.txt")
            campaign.permissions.assign({"7": {"": ["ann"]}})
            extend(campaign, b"topic\tdocument\n9\tplain.txt\n", b"9\tWho writes?\n")
        FOLDER.mkdir(exist_ok=True)
        made = shutil.make_archive(str(FOLDER / f"v{len(MIGRATIONS)}"), "zip", place)
    return Path(made)


if __name__ == "__main__":
    print(write())
