"""How files become topics: titles and questions by id; one module per format."""

from excerpt.formats.topics.topic import Topic, Topics
from excerpt.formats.topics.topic_files import read_topics

__all__ = ["Topic", "Topics", "read_topics"]
