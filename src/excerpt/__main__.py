"""`python -m excerpt` is the command `excerpt`."""

import sys

from excerpt.cli import main

if __name__ == "__main__":
    sys.exit(main())
