"""Documents in folders, archives and files of many documents, with sequential and random access."""
