"""Records: rows about places in documents, of every format: one table of spellings, one reader."""
