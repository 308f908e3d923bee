"""The floor: what encrypting and sending costs with no server around it."""

import json
import subprocess


def build(root):
    """Compiles the program; where it is."""
    program = root / ".build/floor"
    program.parent.mkdir(exist_ok=True)
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-o", program, root / "Benchmarks/floor/floor.c",
                    "-lIPSec_MB", "-lpthread"], check=True)
    return program


def measure(program, load, figures):
    """Sends as the server did: as many packets of the same mean size, in runs of the same mean length."""
    size = figures["receivedMegabits"] * 1e6 / 8 / figures["receivedPacketRate"]
    run = figures["segments"] / figures["messages"]
    suite = "sha1" if "SHA1" in load.suite else "gcm"
    output = subprocess.run(
        [program, "--receivers", str(load.receivers), "--run", f"{max(1, run):.2f}", "--size", str(round(size)),
         "--rate", f"{figures['receivedPacketRate']:.0f}", "--seconds", "4", "--suite", suite],
        capture_output=True, text=True, check=True).stdout
    result = json.loads(output)
    result["cpuMicroseconds"] = result["userMicrosecondsAPacket"] + result["systemMicrosecondsAPacket"]
    return result
