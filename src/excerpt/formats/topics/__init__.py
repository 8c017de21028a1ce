"""Topic files: titles, questions and queries by id."""

from excerpt.formats.topics.topic import Topic, Topics
from excerpt.formats.topics.topic_files import read_topics

__all__ = ["Topic", "Topics", "read_topics"]
