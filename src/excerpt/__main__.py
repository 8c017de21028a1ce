"""Entry point of the command `excerpt` and of `python -m excerpt`."""

import gc
import sys


def run() -> int:
    """Run a command and return its exit status; an interrupt during the imports is no traceback."""
    gc.set_threshold(50_000)  # imports make many objects, few of them in cycles
    try:
        from excerpt.cli import main
    except KeyboardInterrupt:
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
