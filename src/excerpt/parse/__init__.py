"""Parsing: documents to text and elements."""

from __future__ import annotations
