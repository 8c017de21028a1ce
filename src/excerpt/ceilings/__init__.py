"""Ceilings: the best score that any ranked list of units of a kind reaches, and what runs lose below it."""
