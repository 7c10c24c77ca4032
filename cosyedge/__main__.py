"""`python -m cosyedge` is `cosyedge`."""

from __future__ import annotations

import sys

from cosyedge.cli import main

if __name__ == "__main__":
    sys.exit(main())
