"""Entry point of the command `excerpt` and of `python -m excerpt`."""

import sys


def run() -> int:
    """Run a command and return its exit status; an interrupt during the imports is no traceback."""
    try:
        from excerpt.cli import main
    except KeyboardInterrupt:
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
