"""Highlights of annotation tools, in and out: doccano, Label Studio, brat, UIMA, Web Annotation, FiRA."""
