"""Parsing of XML and SGML documents into text and elements."""

from __future__ import annotations
