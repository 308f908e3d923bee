"""Waiting for what has to become true, with a deadline."""

import asyncio
import inspect
import time


async def until(condition, what: str, within: float = 10, every: float = 0.05):
    """Asks `condition` until it gives something true, and returns that.

    An AssertionError says what didn't happen within so many seconds, and what was there instead.
    """
    deadline = time.monotonic() + within
    while True:
        last = condition()
        if inspect.isawaitable(last):
            last = await last
        if last:
            return last
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within:g} s: {what} (last: {last!r})")
        await asyncio.sleep(every)
