"""Extension of campaigns by further pools, also while they are served."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from excerpt.assess.campaign import Campaign
from excerpt.assess.contents import item_row
from excerpt.assess.creation import GivenPool, document_rows, hash_of_input, pool_items, topic_rows
from excerpt.assess.store import POOL, Row
from excerpt.errors import ExcerptError, short_list
from excerpt.files import Input, keep_content
from excerpt.model.topic_choice import TopicChoice
from excerpt.notices import Notices
from excerpt.pooling import Pool
from excerpt.queries import Topic, Topics, read_topics


class Extension(NamedTuple):
    """Numbers of new pairs, topics and documents, and of pairs that the campaign had already."""

    pairs: int
    topics: int
    documents: int
    known: int


def extend(
    campaign: Campaign,
    pool: Input | Pool,
    topics: Input | Mapping[str, Topic | str] | None = None,
    *,
    notices: Notices | None = None,
) -> Extension:
    """Add the pairs of a further pool, after the others of their topics; nothing that exists is changed.

    `topics` has the texts of new topics. All is added, or nothing.
    """
    read, content, where = GivenPool.of(pool)
    campaign.refresh()
    contents, resolve = campaign.contents, campaign.corpus.resolve
    if read.unit != contents.unit:
        message = f"found a pool of {read.unit}s, expected {contents.unit}s, as in the campaign"
        raise ExcerptError(message, path=where)
    given = pool_items(read, campaign.corpus, where, TopicChoice())
    own = {document: resolve(document) for document in contents.records}
    pairs = {(topic, own[document]) for topic, document in contents.pairs}
    items = [item for item in given if (item.topic, resolve(item.document)) not in pairs]
    topic_input = topics if topics is None or isinstance(topics, Mapping) else keep_content(topics)
    of_new = [item for item in items if not contents.has_topic(item.topic)]
    if topic_input is None and of_new:
        names = short_list(dict.fromkeys(item.topic for item in of_new))
        hint = "give ⟨topics⟩"
        raise ExcerptError(f"the campaign lacks topics of the pool: {names}", path=where, hint=hint)
    texts = Topics({}) if topic_input is None else read_topics(topic_input, notices=notices)
    last = {item.topic: contents.last_place(item.topic) for item in items}
    new_documents = [item for item in items if item.document not in contents.records]
    rows: dict[str, list[Row]] = {
        "topic": topic_rows(texts, of_new, len(contents.topics) + 1),
        "document": document_rows(campaign.corpus, new_documents, campaign.settings.procedure),
        "item": [item_row(item._replace(order=item.order + last[item.topic])) for item in items],
    }
    about = {
        "file": Path(where).name if where else "",
        "sha256": hash_of_input(content, "item", rows),
        "topics_sha256": "" if topics is None else hash_of_input(topic_input, "topic", rows),
        "inputs": read.inputs,
        "pairs": len(items),
    }
    changes = [{"kind": kind, "body": json.dumps(row)} for kind, some in rows.items() for row in some]
    if items:
        try:
            campaign.recorder.log("change", [{"kind": POOL, "body": json.dumps(about)}, *changes])
        except sqlite3.IntegrityError:  # the same pairs, added since they were compared
            message = "another program has extended the campaign in this moment; nothing was changed"
            raise ExcerptError(message, path=str(campaign.folder), hint="try again") from None
    return Extension(len(items), len(rows["topic"]), len(rows["document"]), len(given) - len(items))
