"""Estimates from judgments of a random sample, with their standard errors."""
