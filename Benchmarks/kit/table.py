"""The tables on the terminal."""

ROW = "{:26} {:>9} {:>7} {:>8} {:>8} {:>7} {:>9} {:>7} {:>9} {:>9} {:>7}"


def show_parts(title, figures):
    print(f"\n{title:62} {'ns':>9} {'slowest':>9}")
    for name, figure in figures.items():
        print(f"  {name:60} {figure['nanoseconds']:9,.1f} {figure['slowest']:9,.1f}  a {figure['unit']}")


def show_load(figures, first):
    if first:
        print()
        print(ROW.format("load", "packets/s", "CPU", "µs each", "floor", "ratio", "a message", "loss",
                         "delay p50", "p99", "memory"))
    print(ROW.format(
        figures["load"], f"{figures['receivedPacketRate']:,.0f}", f"{figures['serverCpu']:.0f} %",
        f"{figures['serverCpuPerPacket']:.2f}", f"{figures['floor']:.2f}", f"{figures['ratio']:.2f}",
        f"{figures['segments'] / figures['messages']:.1f}", f"{figures['loss']:.2f} %",
        f"{figures['p50Delay']:.2f} ms", f"{figures['p99Delay']:.2f} ms", f"{figures['serverMemory']:.0f} MB"))


def show_highest(load, figures, first):
    if first:
        print("\nhighest load with at most 0.1 % lost and 99 % within 20 ms")
    if figures is None:
        print(f"  {load.name:26} none: the first step is too much")
        return
    print(f"  {load.name:26} {figures['receivedPacketRate']:11,.0f} packets/s at {figures['serverCpu']:.0f} % of a core, "
          f"p99 {figures['p99Delay']:.1f} ms ({figures['step']:g} times the load)")


def show_four_fifths(figures):
    print(f"  {'  at four fifths of it':26} {figures['receivedPacketRate']:11,.0f} packets/s, loss {figures['loss']:.2f} %, "
          f"p50 {figures['p50Delay']:.1f} ms, p99 {figures['p99Delay']:.1f} ms")


PEER_ROW = "{:20} {:10} {:>9} {:>7} {:>8} {:>9} {:>9} {:>9} {:>8} {:>7}"


def show_peer(load, name, figures, ratio, first):
    """One server under one load; `ratio`: its cost a packet by the first server's."""
    if first:
        print(PEER_ROW.format("load", "server", "packets/s", "CPU", "µs each", "loss", "delay p50", "p99", "memory",
                              "ratio"))
    print(PEER_ROW.format(
        load, name, f"{figures['receivedPacketRate']:,.0f}", f"{figures['serverCpu']:.0f} %",
        f"{figures['serverCpuPerPacket']:.2f}", f"{figures['loss']:.2f} %", f"{figures['p50Delay']:.2f} ms",
        f"{figures['p99Delay']:.2f} ms", f"{figures['serverMemory']:.0f} MB", f"{ratio:.1f}"), flush=True)
