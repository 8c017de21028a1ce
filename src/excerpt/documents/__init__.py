"""Documents in files: folders, archives and files of many documents, walked or read anywhere."""
