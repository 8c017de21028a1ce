"""excerpt assess demo: a small campaign on the embedded collection, ready to judge in."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from excerpt.cli import Parser
from excerpt.cli.explore import add_server
from excerpt.cli.telling import note
from excerpt.errors import ExcerptError

if TYPE_CHECKING:
    from excerpt.pooling.pools import Pool

#: Topics of which a reader need not be a lawyer, and how many documents of each.
_TOPICS = ("CU08", "CU05", "CU16", "CU19", "CU26")
_DOCUMENTS = 8
_NAME = "you"


def parser() -> Parser:
    """The arguments of the command."""
    result = Parser("assess demo", example="excerpt assess demo")
    result.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="folder to keep the campaign in (default: a temporary one, which ends with the server)",
    )
    add_server(result)
    return result


def main(given: Sequence[str]) -> None:
    """Make the campaign unless it is there, add somebody who judges, serve, open their page."""
    arguments = parser().parse(given)
    from excerpt.assess.campaign import Campaign
    from excerpt.cli.assess_serve import show
    from excerpt.web.serve import ended_by_signal, require_web

    require_web()
    with ended_by_signal(), ExitStack() as stack:
        kept = arguments.folder
        folder = Path(kept or stack.enter_context(tempfile.TemporaryDirectory()) + "/campaign")
        if not (folder / "campaign.toml").exists():
            _make(folder)
        campaign = stack.enter_context(Campaign.open(folder))
        if {topic.id for topic in campaign.topics} != set(_TOPICS):  # nobody is added to somebody's own work
            hint = f"excerpt assess serve {folder} serves it"
            raise ExcerptError(
                "found another campaign, expected that of the demo", path=str(folder), hint=hint
            )
        stack.enter_context(campaign.serve_lock())
        token = campaign.add_person(_NAME)
        note(f"the campaign is in {folder}" + ("" if kept else ", which is removed when the server ends"))
        show(
            campaign,
            host=arguments.host,
            port=arguments.port,
            names=(),
            browser=not arguments.no_browser,
            opened=token,
        )


def _make(folder: Path) -> None:
    """The campaign: what runs of the collection found for some topics."""
    from excerpt import collection
    from excerpt.assess.campaign import Campaign
    from excerpt.notices import Notices

    Campaign.create(
        folder,
        corpus=collection.corpus(),
        topics=collection.topics(),
        pool=_pool(),
        title="Clauses of contracts",
        notices=Notices(),
    ).close()


def _pool() -> Pool:
    """The first documents of some topics, in an order that mixes the runs."""
    import excerpt
    from excerpt import collection
    from excerpt.pooling.pools import Pool

    runs = [run.path for run in collection.runs("focused") if "random" not in run.name]
    whole = excerpt.pool(runs, documents=_DOCUMENTS)
    items = [item for item in whole.items if item.topic in _TOPICS and item.order <= _DOCUMENTS]
    items.sort(key=lambda item: (_TOPICS.index(item.topic), item.order))
    return Pool.of(items, inputs=whole.inputs, settings=whole.settings)
