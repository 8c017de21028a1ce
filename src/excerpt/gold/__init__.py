"""Questions with their evidence, in the files of other people: one module per format."""
