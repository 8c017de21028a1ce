"""Writing gold: questions with quotes from one's own documents, kept in a journal and a file."""
