"""Where exported judgments come from: what stands beside them in OUT.about.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from excerpt import __version__
from excerpt.assess.merging import Opinion
from excerpt.assess.opinions import Opinions

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign


def about(
    campaign: Campaign,
    opinions: Opinions,
    exported: Sequence[Opinion],
    shown: Collection[tuple[str, str]],
    asked: dict[str, Any],
) -> dict[str, Any]:
    """Campaign, hashes, what was asked for, whose judgments, how many of which kind, the machine's part."""
    settings = campaign.settings
    return {
        "excerpt": __version__,
        "campaign": {
            "title": settings.title,
            "procedure": settings.procedure,
            "created": settings.created,
            "order": settings.order,
            "double": settings.double,
            "seed": settings.seed,
        },
        "sha256": {
            "corpus": settings.corpus_sha256,
            "topics": settings.topics_sha256,
            "pool": settings.pool_sha256,
        },
        "runs": [{"name": given.name, "sha256": given.sha256} for given in campaign.inputs],
        **asked,
        "assessors": _assessors(exported),
        "counts": counts_of(opinions, exported),
        "unfinished_documents": [list(opinion.pair) for opinion in exported if not opinion.done],
        "machine": _machine(campaign, exported, shown),
    }


def counts_of(opinions: Opinions, exported: Sequence[Opinion]) -> dict[str, int]:
    """Pairs of the pool: unjudged, unfinished and judged irrelevant are three different things."""
    done = [opinion for opinion in exported if opinion.done]
    return {
        "pool": len(opinions.pairs),
        "exported": len(exported),
        "relevant": sum(opinion.relevant for opinion in done),
        "irrelevant": sum(not opinion.relevant for opinion in done),
        "unfinished": len(opinions.begun),
        "unjudged": opinions.unjudged,
        "several": len(opinions.several),
    }


def _assessors(exported: Sequence[Opinion]) -> dict[str, int]:
    """How many of the pairs each had a part in."""
    counted = Counter(name for opinion in exported for name in opinion.assessors)
    return dict(sorted(counted.items()))


def _machine(
    campaign: Campaign, exported: Sequence[Opinion], shown: Collection[tuple[str, str]]
) -> dict[str, Any]:
    """What machines suggested, and how much of it was confirmed."""
    suggestions = campaign.suggestions
    confirmed = [opinion for opinion in exported if opinion.confirmed]
    return {
        "suggestions": len(suggestions),
        "models": dict(sorted(Counter(item.model for item in suggestions).items())),
        "prompts": sorted({item.prompt for item in suggestions}),
        "control": campaign.settings.control,
        "shown": len(shown),
        "confirmed": {
            "documents": len(confirmed),
            "characters": sum(end - start for opinion in confirmed for start, end in opinion.confirmed),
        },
    }
