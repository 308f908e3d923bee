"""A server under load: started, loaded, stopped. Each kind of server is an adapter: `rostrum`, `janus`."""

import json
import socket
import subprocess
import tempfile
import time
from pathlib import Path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """What is measured of any server. An adapter says how it starts, when it is ready, and how load reaches it."""

    name = "server"

    def __init__(self, build, settle=3, seconds=8):
        self.build = Path(build)
        self.settle = settle
        self.seconds = seconds
        self.workers = 1

    def command(self, folder, port):
        """Writes what the server needs into the folder; its command line."""
        raise NotImplementedError

    def is_ready(self, port):
        raise NotImplementedError

    def flags(self, port):
        """The flags of rostrum-load that lead it to the server."""
        raise NotImplementedError

    def counters(self, port):
        """What the server counts itself, at the end of a load."""
        return {}

    def run(self, load):
        """The figures of rostrum-load, and the server's own counters."""
        self.workers = load.workers
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            # The server runs on the first processor, the load on the second.
            process = subprocess.Popen(
                ["taskset", "-c", "0", *map(str, self.command(Path(folder), port))], cwd=folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                self._await_ready(process, port)
                figures = self._load(load, process.pid, port, Path(folder) / "figures.json")
                figures.update(self.counters(port))
            finally:
                process.terminate()
                process.wait(timeout=30)
        return figures

    def _await_ready(self, process, port):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if process.poll() is not None:
                raise SystemExit(f"{self.name} ended with {process.returncode}")
            if self.is_ready(port):
                return
            time.sleep(0.05)
        raise SystemExit(f"{self.name} isn't ready after 20 s")

    def _load(self, load, pid, port, figures):
        # One packet in twenty is opened, so that the load's own cost stays small.
        run = subprocess.run(
            ["taskset", "-c", "1", self.build / "rostrum-load", "run", *self.flags(port), "--server-pid", str(pid),
             "--settle", str(self.settle), "--duration", str(self.seconds), "--sample", "20", "--quiet",
             "--json", figures, *load.flags()],
            capture_output=True, text=True, timeout=300)
        if not figures.exists():
            raise SystemExit(f"{load.name}: the load ended with {run.returncode}: {run.stderr.strip()[-400:]}")
        return json.loads(figures.read_text())
