"""The error codes of the API and their statuses, as its specification has them, not as the product says."""

import json
from pathlib import Path

import aiohttp

TABLE = json.loads((Path(__file__).resolve().parents[2] / "Support/errors.json").read_text())
STATUSES = {code: int(status) for status, codes in TABLE["statuses"].items() for code in codes}


async def _check(session, context, parameters) -> None:
    response = parameters.response
    if response.status < 400 or response.content_type != "application/json":
        return
    error = json.loads(await response.read()).get("error")
    if error:
        assert STATUSES.get(error["code"]) == response.status, f"{response.status} {error}"


def checked_statuses() -> aiohttp.TraceConfig:
    """For a session: each error that it is answered with must come with the status that belongs to it."""
    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(_check)
    return trace
