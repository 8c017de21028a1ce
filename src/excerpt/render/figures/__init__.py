"""Figures of curves and experiments."""
