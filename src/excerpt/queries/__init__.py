"""Topic files: titles, questions and queries by id."""

from excerpt.queries.topic import Topic, Topics
from excerpt.queries.topic_files import read_topics

__all__ = ["Topic", "Topics", "read_topics"]
