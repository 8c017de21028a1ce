"""Runs of any size, in groups of topics."""
