"""From documents to an index: batches of work, their merging, and the files that hold the result."""
