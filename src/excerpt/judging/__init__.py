"""How far judges agree: people, models, files or assessors of a campaign, on documents and on text."""
