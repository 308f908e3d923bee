"""Debian's Janus with its VideoRoom, one event loop, nothing else loaded."""

import shutil
import socket
import subprocess
from pathlib import Path

from .server import Server

MAIN = """
general: {{
    configs_folder = "{folder}"
    plugins_folder = "{libraries}/plugins"
    transports_folder = "{libraries}/transports"
    events_folder = "{libraries}/events"
    loggers_folder = "{libraries}/loggers"
    debug_level = 1
    session_timeout = 0
    event_loops = 1
}}
nat: {{ ice_lite = true }}
media: {{ ipv6 = false }}
plugins: {{ disable = "{plugins}" }}
transports: {{ disable = "{transports}" }}
"""
SOCKETS = """
general: {{
    ws = true
    ws_port = {port}
    ws_ip = "127.0.0.1"
}}
"""


class Janus(Server):
    """Its media goes over this machine's first address that isn't loopback, which Janus refuses; packets stay inside."""

    name = "Janus"

    @staticmethod
    def missing():
        """Why it can't be measured here; `None` if it can."""
        if shutil.which("janus") is None:
            return "janus isn't installed"
        addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
        if not any("." in address for address in addresses):
            return "there is no IPv4 address beside loopback, which Janus doesn't use"
        return None

    def command(self, folder, port):
        libraries = next(Path("/usr/lib").glob("*/janus"))

        def others(kind, kept):
            return ",".join(sorted(path.name for path in (libraries / kind).glob("*.so") if kept not in path.name))

        main = folder / "janus.jcfg"
        main.write_text(MAIN.format(
            folder=folder, libraries=libraries, plugins=others("plugins", "videoroom"),
            transports=others("transports", "websockets")))
        (folder / "janus.transport.websockets.jcfg").write_text(SOCKETS.format(port=port))
        (folder / "janus.plugin.videoroom.jcfg").write_text("general: {\n}\n")
        return ["janus", "--configs-folder", folder, "--config", main]

    def is_ready(self, port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def flags(self, port):
        return ["--forwarder", "janus", "--server", f"http://127.0.0.1:{port}"]
