"""Pages from a server on this machine: guards before them, the view and its data behind."""
