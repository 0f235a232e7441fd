"""`python -m jmetrics`, which is `jmetrics` where it is installed."""

import sys

from jmetrics.cli import main

if __name__ == "__main__":
    sys.exit(main())
