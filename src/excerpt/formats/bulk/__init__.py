"""Results that look alike, cut out of a file all at once. May be deleted: results stay the same."""
