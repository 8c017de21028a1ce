"""Scores: tables of runs, topics and measures, views of them, and their files."""
