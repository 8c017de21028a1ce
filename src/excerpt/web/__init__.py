"""Local web servers of the explorer and of assessment campaigns."""
