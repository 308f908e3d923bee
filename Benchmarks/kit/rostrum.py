"""Rostrum."""

import json
import re
import urllib.request

from .server import Server

SECRET = "benchmarks-only-everybody-knows-this-secret"


class Rostrum(Server):
    name = "Rostrum"

    def command(self, folder, port):
        config = {
            "server": {"drainSeconds": 0},
            "http": {"host": "127.0.0.1", "port": port},
            "media": {"port": 0, "advertise": ["127.0.0.1"], "workers": self.workers,
                      # Newcomers go to the workers in turn.
                      "spreadAbove": 0},
            "auth": {"keys": [{"id": "bench", "secret": SECRET}]},
            "sessions": {"adHoc": True, "maxParticipants": 5_000},
            "storage": {"path": ":memory:"},
        }
        path = folder / "config.json"
        path.write_text(json.dumps(config))
        return [self.build.absolute() / "rostrum", "serve", "--config", path]

    def is_ready(self, port):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1):
                return True
        except OSError:
            return False

    def flags(self, port):
        return ["--server", f"http://127.0.0.1:{port}", "--key", f"bench:{SECRET}"]

    def counters(self, port):
        """How many messages and packets the kernel was given."""
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            text = answer.read().decode()

        def total(name):
            found = re.search(rf"^rostrum_{name}_total(?:{{.*}})? ([0-9.e+]+)$", text, re.M)
            return float(found[1]) if found else 0.0

        return {"messages": total("send_messages"), "segments": total("send_segments")}
