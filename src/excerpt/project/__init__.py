"""What holds for a whole project: its file excerpt.toml, and the variables of the environment."""
