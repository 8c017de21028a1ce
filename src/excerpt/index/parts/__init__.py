"""Parts of an index in files, made by other machines or earlier."""
