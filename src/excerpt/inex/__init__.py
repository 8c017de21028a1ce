"""INEX files in XML: assessments and submissions, element by element."""
