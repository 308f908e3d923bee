"""A server under load: started, loaded, stopped."""

import json
import re
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

SECRET = "benchmarks-only-everybody-knows-this-secret"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Rostrum:
    """What is measured of Rostrum. Another server is another class with `run`."""

    name = "Rostrum"

    def __init__(self, build, settle=3, seconds=8):
        self.build = Path(build)
        self.settle = settle
        self.seconds = seconds

    def run(self, load):
        """The figures of rostrum-load, and how many messages and packets the kernel was given."""
        with tempfile.TemporaryDirectory() as folder:
            http = free_port()
            process = self._start(Path(folder), http)
            try:
                self._await_ready(process, http)
                figures = self._load(load, process.pid, http, Path(folder) / "figures.json")
                figures.update(self._counters(http))
            finally:
                process.terminate()
                process.wait(timeout=30)
        return figures

    def _start(self, folder, http):
        config = {
            "http": {"host": "127.0.0.1", "port": http},
            "media": {"port": 0, "advertise": ["127.0.0.1"], "workers": 1},
            "auth": {"keys": [{"id": "bench", "secret": SECRET}]},
            "sessions": {"adHoc": True, "maxParticipants": 5_000},
            "storage": {"path": ":memory:"},
        }
        path = folder / "config.json"
        path.write_text(json.dumps(config))
        return subprocess.Popen(
            ["taskset", "-c", "0", self.build / "rostrum", "serve", "--config", path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _await_ready(self, process, http):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if process.poll() is not None:
                raise SystemExit(f"the server ended with {process.returncode}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{http}/readyz", timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server isn't ready after 20 s")

    def _load(self, load, pid, http, figures):
        # One packet in twenty is opened, so that the load's own cost stays small.
        run = subprocess.run(
            ["taskset", "-c", "1", self.build / "rostrum-load", "run", "--server", f"http://127.0.0.1:{http}",
             "--key", f"bench:{SECRET}", "--server-pid", str(pid), "--settle", str(self.settle),
             "--duration", str(self.seconds), "--sample", "20", "--quiet", "--json", figures, *load.flags()],
            capture_output=True, text=True, timeout=300)
        if not figures.exists():
            raise SystemExit(f"{load.name}: the load ended with {run.returncode}: {run.stderr.strip()[-400:]}")
        return json.loads(figures.read_text())

    def _counters(self, http):
        with urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics", timeout=5) as answer:
            text = answer.read().decode()

        def total(name):
            found = re.search(rf"^rostrum_{name}_total(?:{{.*}})? ([0-9.e+]+)$", text, re.M)
            return float(found[1]) if found else 0.0

        return {"messages": total("send_messages"), "segments": total("send_segments")}
