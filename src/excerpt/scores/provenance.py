"""Provenance of scores: the judgments and settings they were made with, compared where tables meet."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt import __version__
from excerpt._lazy import offered
from excerpt.errors import ExcerptError, UnknownName, plural, short, short_list
from excerpt.model.spans import UNKNOWN, IntArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.model.judgments import Judgments
    from excerpt.scores.score_table import ScoreOrigin, ScoreTable

_CHOICES = ("error", "allow")
_TEXTS = ("judgments", "white_space", "excerpt")
_FURTHER = ("documents",)  # not in records of excerpt 0.3.0 and older
_TABLES = ("topics", "measures")
_KEYS = (*_TEXTS, *_TABLES, "policy", "limit")
#: Settings besides the policy, with their names in messages.
_SETTINGS = {"limit": "another limit", "white_space": "another white-space rule"}


def made_with(
    judgments: Judgments,
    measures: Mapping[str, object],
    *,
    policy: Mapping[str, Any],
    limit: int | None,
    without_white_space: bool,
    corpus: Corpus | None = None,
) -> dict[str, Any]:
    """Record of what scores are made with; the hashes are of the meaning of judgments, not of a file.

    A topic has a hash of its offsets and, if a corpus or quotes tell what they mean, one of what they say.
    """
    topics = topic_hashes(judgments)
    words = offered("judged_words")
    said = words.said_of_topics(judgments, None if corpus is None else corpus.get) if words else {}
    return {
        "judgments": hashlib.sha256(json.dumps(sorted(topics.items())).encode()).hexdigest(),
        "topics": {
            name: _both(offsets, said[name]) if name in said else offsets for name, offsets in topics.items()
        },
        "documents": _fingerprints(judgments, corpus),
        "policy": dict(policy),
        "limit": limit,
        "white_space": "not counted" if without_white_space else "counted",
        "measures": {name: str(measure) for name, measure in measures.items()},
        "excerpt": __version__,
    }


def _both(offsets: str, documents: Mapping[str, str]) -> dict[str, Any]:
    text = hashlib.sha256(json.dumps(sorted(documents.items())).encode()).hexdigest()
    return {"offsets": offsets, "text": text, "documents": dict(documents)}


def _fingerprints(judgments: Judgments, corpus: Corpus | None) -> dict[str, str]:
    """Fingerprints of the documents with relevant text, as far as they are known."""
    codes = np.unique(judgments.pair_document[judgments.spans.group]).tolist()
    names = [judgments.documents[code] for code in codes]
    known = judgments.fingerprints if corpus is None else corpus.hashes(names)
    return {name: known[name][:16] for name in names if name in known}


def topic_hashes(judgments: Judgments) -> dict[str, str]:
    """SHA-256 of the judged documents, spans, grades and entry points of each topic, in any order.

    >>> from excerpt.model import Judgments
    >>> one, two = ("1", "B", 0, 60), ("1", "A", 5, 9)
    >>> topic_hashes(Judgments.of([one, two])) == topic_hashes(Judgments.of([two, one]))
    True
    """
    digests, every = [hashlib.sha256() for _ in judgments.topics], np.arange(len(judgments.topics) + 1)
    for topic, columns in _facts(judgments):
        rows = np.stack(columns, axis=1).astype("<i8")
        cuts = np.searchsorted(topic, every).tolist()
        for digest, low, high in zip(digests, cuts, cuts[1:], strict=False):
            digest.update(b"%d:" % (high - low) + rows[low:high].tobytes())
    for name, needs in judgments.alternatives.items():
        each = sorted(sorted(sorted(map(tuple, parts)) for parts in need) for need in needs)
        digests[judgments.topic_codes[name]].update(json.dumps(each).encode())
    return {name: digest.hexdigest() for name, digest in zip(judgments.topics, digests, strict=True)}


def _facts(judgments: Judgments) -> Iterator[tuple[IntArray, list[IntArray]]]:
    """Topic and columns of judged documents, and of spans and elements that do not follow from them."""
    document = _numbers(judgments.documents)[judgments.pair_document]
    marks = judgments.pair_entry if judgments.grades is None else judgments.grades
    order = np.lexsort((document, judgments.pair_topic))
    yield judgments.pair_topic[order], [document[order], marks[order]]
    spans, elements = judgments.spans, judgments.elements
    if judgments.grades is None:
        topic, document_ = judgments.pair_topic[spans.group], document[spans.group]
        order = np.lexsort((document_, topic))  # spans of a document are sorted
        yield topic[order], [column[order] for column in (document_, spans.start, spans.end)]
    if elements is not None and judgments.scale != "highlights":
        topic, document_ = judgments.pair_topic[elements.pair], document[elements.pair]
        path = np.append(_numbers(elements.paths), UNKNOWN)[elements.path]
        graded = elements.specificity != UNKNOWN  # then sizes come from an index, if there is one
        sizes = [np.where(graded, 0, column) for column in (elements.size, elements.relevant)]
        order = np.lexsort((path, document_, topic))
        columns = (document_, path, elements.exhaustivity, elements.specificity, *sizes)
        yield topic[order], [column[order] for column in columns]


def _numbers(names: Sequence[str]) -> IntArray:
    """A number for each name, the same in every file."""
    hashes = (hashlib.sha256(name.encode(errors="surrogatepass")).digest()[:8] for name in names)
    return np.frombuffer(b"".join(hashes), "<i8").astype(np.int64)


def checked(saved: Any) -> dict[str, Any]:
    """Record from a file, empty if there is none; raise ValueError for values that excerpt never writes.

    A record without a key of this version is an error, since nothing could be compared by it.
    """
    if saved is None:
        return {}
    if not isinstance(saved, dict):
        raise ValueError(saved)  # noqa: TRY004 - as for other content
    if lacking := [name for name in _KEYS if name not in saved]:
        message = f"found a record of the scores without {short_list(lacking)}, expected {short_list(_KEYS)}"
        raise ExcerptError(message + _writer(saved), hint="save the scores again, with this version")
    tables = [saved[name] for name in _TABLES]
    texts = [saved[name] for name in _TEXTS]
    tables.append(saved.get("documents", {}))
    texts += [
        text for table in tables if isinstance(table, dict) for pair in table.items() for text in _in(pair)
    ]
    well_formed = all(isinstance(table, dict) for table in (*tables, saved["policy"]))
    if not (well_formed and all(isinstance(text, str) for text in texts)):
        raise ValueError(saved)
    if not isinstance(saved["limit"], int | None):
        raise ValueError(saved)  # noqa: TRY004
    return dict(saved)


def _in(pair: tuple[Any, Any]) -> Sequence[Any]:
    """Return the texts of a name and its value; those of a topic may be hashes of two kinds."""
    name, value = pair
    if not isinstance(value, dict):
        return pair
    documents = value.get("documents")
    inner = [*documents, *documents.values()] if isinstance(documents, dict) else [None]
    return [name, value.get("offsets"), value.get("text"), *inner]


def _writer(saved: Mapping[str, Any]) -> str:
    """Return the version that wrote a record, if it is another one."""
    version = saved.get("excerpt", __version__)
    return (
        "" if version == __version__ else f"; excerpt {short(str(version))} wrote it, this is {__version__}"
    )


def further_keys(saved: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a warning about keys of a record that this version does not know, as of a later version."""
    notices, further = Notices(), [name for name in saved if name not in (*_KEYS, *_FURTHER)]
    notices.add(
        "unknown key of saved scores is not compared",
        "unknown keys of saved scores are not compared",
        len(further),
        where=f"{short_list(further, 3)}{_writer(saved)}",
    )
    return tuple(notices)


def merged(tables: Sequence[ScoreTable]) -> ScoreOrigin:
    """Record of a table that combines tables; empty if that of one of them is unknown, None if all are."""
    if _have_one(tables):
        return tables[0].origin
    records = [table.made_with for table in tables]
    known = [record for record in records if record]
    if len(known) < len(records):
        return None if all(table.origin is None for table in tables) else {}
    rules = {record["white_space"] for record in known}
    measures = {name: meant for record in known[::-1] for name, meant in record["measures"].items()}
    return {**known[0], "measures": measures, "white_space": max(rules)}  # not counted, if one does not


def _have_one(tables: Sequence[ScoreTable]) -> bool:
    """Return whether all tables come from one evaluation, or none says where it comes from."""
    origin = tables[0].origin
    return origin != {} and all(table.origin is origin for table in tables)


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


def reconcile(tables: Sequence[ScoreTable], changed_judgments: str, notices: Notices) -> list[ScoreTable]:
    """Return tables that can be compared; raise if they were made with other judgments or settings.

    `allow` keeps the topics with the same judgments. A warning names saved scores without a record.
    """
    if changed_judgments not in _CHOICES:
        raise UnknownName("rule for changed judgments", str(changed_judgments), _CHOICES)
    if _have_one(tables):
        return list(tables)
    records = [table.made_with for table in tables]
    for table, record in zip(tables, records, strict=True):
        if record is None and table.origin is not None:
            said = "{} not say which judgments and policy {} made with (excerpt 0.2.0 or CSV)"
            singular = f"table of saved scores {said.format('does', 'it was')}, so that is not compared"
            several = f"tables of saved scores {said.format('do', 'they were')}, so that is not compared"
            notices.add(singular, several, where=f"run {short_list(table.runs, 3)}")
    known = [record for record in records if record is not None]
    changed: dict[str, None] = {}
    for record in known[1:]:
        found = TopicChanges.of(known[0], record)
        changed |= dict.fromkeys((*found.changed, *found.gone, *found.new))
    same = [topic for topic in tables[0].topics if topic not in changed]
    for record in known[1:]:
        _require_same(known[0], record, {} if changed_judgments == "allow" else changed, len(same))
    if not changed:
        return list(tables)
    if not same:
        raise ExcerptError("no topic has the same judgments in all tables")
    unchanged = f"{plural(len(same), 'topic')} did not change"
    singular = f"topic has other judgments and is left out; {unchanged}"
    several = f"topics have other judgments and are left out; {unchanged}"
    notices.add(singular, several, len(changed), where=f"topic {next(iter(changed))}")
    return [
        table.of_topics([place for place, topic in enumerate(table.topics) if topic not in changed])
        for table in tables
    ]


def _require_same(
    first: Mapping[str, Any], second: Mapping[str, Any], changed: Mapping[str, None], same: int
) -> None:
    """Raise an error that names everything in which two records differ."""
    differences = []
    if changed:
        differences.append(f"other judgments ({plural(len(changed), 'topic')}: {short_list(changed, 3)})")
    policy = [
        f"{name}: {first['policy'][name]} and {value}"
        for name, value in second["policy"].items()
        if name in first["policy"] and first["policy"][name] != value
    ]
    if policy:
        differences.append(f"another policy ({', '.join(policy)})")
    for name, said in _SETTINGS.items():
        if first[name] != second[name] and (name != "white_space" or _both_ignore(first, second)):
            differences.append(f"{said} ({first[name]} and {second[name]})".replace("None", "none"))
    if differences:
        only = changed and len(differences) == 1
        raise ExcerptError(
            f"found scores made with {' and '.join(differences)}, expected the same in all tables",
            hint="score all runs again in the same way"
            + (f", or try ⟨changed_judgments=allow⟩ (the {same} topics that did not change)" if only else ""),
        )


def _both_ignore(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Return whether both tables have a measure that ignores white space if there is a corpus."""
    from excerpt.scores.score_table import value_of

    return any(
        "text" in getattr(value_of(measure), "wishes", ())
        for measure in set(first["measures"].values()) & set(second["measures"].values())
    )
