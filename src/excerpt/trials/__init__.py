"""Trials: many settings of chunkers and retrievers on one's own documents and questions."""
