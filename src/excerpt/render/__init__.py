"""Tables, figures, reports and their pages, reference pages, terminal output."""
