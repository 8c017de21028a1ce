"""The documents of a corpus: files, folders, archives."""
