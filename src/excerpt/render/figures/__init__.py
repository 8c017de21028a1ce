"""Figures of scores, curves and experiments."""
