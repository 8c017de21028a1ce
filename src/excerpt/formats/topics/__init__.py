"""How files become topics: titles and questions by id; one module per format."""

from excerpt.formats.topics.reading import read_topics
from excerpt.formats.topics.topic import Topic, Topics

__all__ = ["Topic", "Topics", "read_topics"]
