"""A stand-in for LlamaIndex, which only the environment of `--thorough` has."""
