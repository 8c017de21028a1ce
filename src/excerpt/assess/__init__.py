"""Making judgments: a campaign of assessors who mark what is relevant, and everything that is kept of it."""
