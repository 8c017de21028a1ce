"""Rendering: tables, figures, reports and their pages, reference pages, one topic on a terminal."""
