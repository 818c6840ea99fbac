"""split.py - one kernel on several devices with memories of their own: the program's own device alone, the best fixed split
that a search finds, blocks that all devices finish together (sync), blocks that each takes when it is free (async), and blocks
of one size (dispatch).

usage: split.py [--rounds N] [--search N] NAME DEVICES SPEEDS PROGRAM...

SPEEDS: of the far devices, relative to home, with colons between. The search tries each far device at the multiples STEPS of
its speed, N runs a ratio, and keeps the ratio with the least median. Then home, the kept ratio, sync, async and dispatch run in
interleaved rounds, each in a process of its own, one that learns before. The program prints span_ns: the median of its
launches with their transfers but the first; so it launches often enough that what is built in the first ones counts little.

Prints one line: the median times, then ratios with their 95 % intervals. Efficiency: the gain over the sum of all speeds.
Needs B (build folder)."""
import argparse
import itertools
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pairs  # noqa: E402  pylint: disable=wrong-import-position
from ratios import interval  # noqa: E402  pylint: disable=wrong-import-position

STEPS = (.7, .8, .9, 1, 1.1)


def config(name, scratch, devices, more=""):
    build = os.path.realpath(os.environ.get("B", "build"))
    return pairs.Config(f"{name}: LD_PRELOAD={build}/libclweave.so CLWEAVE_TOOL=1 CLWEAVE_MODE=run CLWEAVE_LEARN=all "
                        f"CLWEAVE_BUILDER=wait XDG_CACHE_HOME={scratch} CLWEAVE_DEVICES={devices} {more}", scratch)


def ratios_to_try(speeds):
    alike = len(set(speeds)) == 1
    for steps in ([(s,) * len(speeds) for s in STEPS] if alike else itertools.product(STEPS[1:4], repeat=len(speeds))):
        yield ":".join(["1"] + [f"{v * s:.4g}" for v, s in zip(speeds, steps)])


def search(row, devices, speeds, scratch, times):
    found = {}
    for ratio in ratios_to_try(speeds):
        c = config("static", scratch, devices, f"CLWEAVE_BLOCKS=static CLWEAVE_RATIO={ratio}")
        found[ratio] = interval([pairs.run_once(row, c)[0]["span"] for _ in range(times)])[0]
    print("  searched: " + ", ".join(f"{r} {1e3 * t:.1f} ms" for r, t in found.items()), flush=True)
    return min(found, key=found.get)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--search", type=int, default=1)
    p.add_argument("name")
    p.add_argument("devices")
    p.add_argument("speeds")
    p.add_argument("program", nargs=argparse.REMAINDER)
    o = p.parse_args()
    speeds = [float(s) for s in o.speeds.split(":")]
    row = pairs.Row(o.name, o.program)
    with tempfile.TemporaryDirectory(prefix="clweave-split.") as scratch:
        home = next(d for d in o.devices.split(",") if d.startswith("cpu"))
        for _ in range(3):
            pairs.run_once(row, config("async", scratch, o.devices))
        best = search(row, o.devices, speeds, scratch, o.search)
        configs = [config("home", scratch, home),
                   config("static", scratch, o.devices, f"CLWEAVE_BLOCKS=static CLWEAVE_RATIO={best}"),
                   config("sync", scratch, o.devices, "CLWEAVE_BLOCKS=sync"), config("async", scratch, o.devices),
                   config("dispatch", scratch, o.devices, "CLWEAVE_BLOCKS=dispatch")]
        options = argparse.Namespace(warm=1, rounds=o.rounds, warm_last=False, warm_env=(), timeout=300)
        figures = pairs.measure(row, configs, options)
    cells = [f"{c.name} {1e3 * interval([f['span'] for f in figures[c.name]])[0]:.1f} ms" for c in configs]
    for text, base, name in (("async of static", "static", "async"), ("sync of static", "static", "sync"),
                             ("dispatch of static", "static", "dispatch"),
                             ("async of home", "home", "async"), ("sync of home", "home", "sync")):
        cells.append("%s %.2f [%.2f, %.2f]" % (text, *interval(pairs.ratios(figures, base, name, "span"))))
    gain = interval(pairs.ratios(figures, "home", "async", "span"))[0]
    print(f"{o.name}: best ratio {best}; " + ", ".join(cells) + f", efficiency {gain / (1 + sum(speeds)):.2f}", flush=True)


if __name__ == "__main__":
    main()
