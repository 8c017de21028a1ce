"""Topics of two evaluations: judged alike by what the judgments say, else by their offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TopicChanges:
    """Topics of two evaluations: judged alike, judged in the later alone, in the earlier alone, otherwise."""

    same: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @classmethod
    def of(cls, before: Mapping[str, Any], after: Mapping[str, Any]) -> TopicChanges:
        """Compare two records of scores."""
        one, other, names = before["topics"], after["topics"], renamed(before, after)
        both = [topic for topic in other if topic in one]
        same = {topic for topic in both if judged_alike(one[topic], other[topic], names)}
        return cls(
            tuple(topic for topic in both if topic in same),
            tuple(topic for topic in other if topic not in one),
            tuple(topic for topic in one if topic not in other),
            tuple(topic for topic in both if topic not in same),
        )


def judged_alike(one: Any, other: Any, names: Mapping[str, str]) -> bool:
    """Return whether judgments of a topic are the same by what they say, else by offsets.

    `names` are the earlier ids of documents that were renamed.
    """
    if one == other:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return offsets_of(one) == offsets_of(other)
    documents = {names.get(name, name): said for name, said in other["documents"].items()}
    return bool(one["documents"] == documents)


def offsets_of(judged: Any) -> str:
    """Return the hash of the offsets in a record of a topic."""
    return judged if isinstance(judged, str) else str(judged["offsets"])


def renamed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """Return earlier ids of documents that have another id now: one of each side has the fingerprint."""
    one, other = before.get("documents") or {}, after.get("documents") or {}
    counts = Counter(one.values()), Counter(other.values())
    earlier = {text: name for name, text in one.items() if name not in other}
    return {
        name: earlier[text]
        for name, text in other.items()
        if name not in one and text in earlier and counts[0][text] == counts[1][text] == 1
    }
