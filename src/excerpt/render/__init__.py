"""What shall we show? Tables and reference pages as text."""
