"""Files of scores, and tables of scores of other tools."""
