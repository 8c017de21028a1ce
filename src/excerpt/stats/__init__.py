"""Is the difference real? Arrays in, small results out; nothing here knows runs or measures."""
