"""Tests of what holds for a whole project."""
