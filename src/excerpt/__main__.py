"""Entry point of `python -m excerpt`, the same as the command `excerpt`."""

import sys

from excerpt.cli import main

if __name__ == "__main__":
    sys.exit(main())
