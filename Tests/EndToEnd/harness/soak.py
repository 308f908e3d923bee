"""How long, and how often, tests do what is random or hard to see."""

import os

#: How long what goes on by itself is observed, in seconds; minutes in the long run.
OBSERVED_SECONDS = int(os.environ.get("OBSERVED_SECONDS", "20"))
SOAK = OBSERVED_SECONDS >= 300


def times(usual: int, soak: int) -> int:
    """How often something is done, or how many do it: as usual, or in the long run."""
    return soak if SOAK else usual
