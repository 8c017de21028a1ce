"""Index construction: batches of documents, parts made by several machines, and merging."""
