"""device_faults.py BUILD FOLDER - the runs of device_faults.sh.

Four equal DSPs share LAUNCHES launches of BEST_MS each. In a run without a fault the tiles of the DSP that is to fail are
counted up to the first of these launches, and where each of them begins is noted; the fault is then planted at the first,
second ... of them (`slow`: at the time at which that tile began). A launch's time is from its first tile's start to its last
one's end, and a run's the sum of them. Runs with and without are interleaved, the median of ROUNDS counts.

The DSP need not get as many tiles before these launches in each run, nor begin them at the same time. So where its fault
came is counted in the run that has it, by the tiles that it had before and since; a run in which it came at another tile is
made again, at most TRIES times, and is counted among those "at another tile" then.

`apart` reads one half of its buffer and writes the other: a tile that is late may be run again elsewhere. `work` works in
place: its tile has to be waited for.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

DSPS, ITEMS, LOCAL, BEFORE, LAUNCHES, BEST_MS, SET_UP_NS, SLOWER, LIMIT = 4, 65536, 64, 61440, 6, 60, 224000, 20, 1.5
FAILS = 1  # the DSP that does
TILES = [int(n) for n in os.environ.get("TILES", "1 2 3 5 8 12").split()]
ROUNDS, TRIES = int(os.environ.get("ROUNDS", "3")), 5


def platform(folder):
    ns = BEST_MS * 1e6 * DSPS / ITEMS
    dsp = {"class": "dsp", "memory": "ddr", "count": DSPS, "launch_ns": SET_UP_NS, "ns_per_item": ns, "bytes_per_item": 0,
           "compile_ns": 0, "transfers": False}
    cpu = {"name": "cpu", "class": "cpu", "memory": "ddr", "launch_ns": 0, "ns_per_item": ns, "transfers": False}
    path = os.path.join(folder, "platform.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"format": "clweave-platform", "version": 1, "name": "board", "ddr_bytes_per_ns": 1000,
                   "devices": [cpu, dsp]}, f)
    return path


class Run:
    """One run: its hash, launches [[(device, begin_ns, end_ns)]] since the process began, and the tiles before them."""

    def __init__(self, build, folder, kernel, fault=None):
        trace = os.path.join(folder, "trace.json")
        command = [f"{build}/clweave", "run", "-o", trace, "--history", "off", "--dsp", str(DSPS), "--set",
                   f"dsp_platform={platform(folder)}", *(["--set", f"dsp_fault={fault}"] if fault else []), "--", f"{build}/test/bench/tile_speed",
                   "dsp", kernel, "1", str(ITEMS), str(LAUNCHES), "0", str(LOCAL)]
        env = {**os.environ, "CLWEAVE_MANAGE_ALL": "1", "TILE_SPEED_BEFORE": str(BEFORE)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
        self.hash = done.stdout.split("hash=")[1].split()[0]
        with open(trace, encoding="utf-8") as f:
            d = json.load(f)
        sizes = {c["id"]: c["global_size"][0] for c in d["commands"] if "global_size" in c}
        began, first = d["process"]["start_ns"], min(p["device"] for p in d["parts"])
        parts, self.before = {}, 0
        for p in d["parts"]:
            if sizes.get(p["command"]) == ITEMS:
                parts.setdefault(p["command"], []).append((p["device"] - first, p["start_ns"] - began, p["end_ns"] - began))
            else:
                self.before += p["device"] - first == FAILS
        self.launches = [sorted(parts[i], key=lambda p: p[1]) for i in sorted(parts)]

    def span(self):
        return sum(max(p[2] for p in v) - min(p[1] for p in v) for v in self.launches)

    def begin(self):
        return min(p[1] for p in self.launches[0])

    def tiles(self):
        """Begins of the tiles of the DSP that fails."""
        return [p[1] for v in self.launches for p in v if p[0] == FAILS]


def came_at(failing, kind, planted):
    """The tile of the measured launches, from 1, at which the fault came; less: before them."""
    if kind != "slow":
        return planted - failing.before
    return 1 + sum(begin < 1000 * planted for begin in failing.tiles())


def pair(build, folder, kernel, kind, n):
    """A run without and one with the fault at the n-th tile, and the tile at which it came."""
    later = 0
    for _ in range(TRIES):
        plain = Run(build, folder, kernel)
        planted = max(1, plain.tiles()[n - 1] // 1000 + later) if kind == "slow" else plain.before + n
        failing = Run(build, folder, kernel, f"{FAILS}:{kind}@{planted}" + (f"*{SLOWER}" if kind == "slow" else ""))
        if came_at(failing, kind, planted) == n:
            break
        later += (failing.begin() - plain.begin()) // 1000 if kind == "slow" else 0
    return plain, failing, came_at(failing, kind, planted)


def main():
    build, out = sys.argv[1:3]
    rows, missed, elsewhere = ["kernel,fault,tile,ms,without_ms,ratio,came_at"], 0, 0
    print(f"{LAUNCHES} launches of {BEST_MS} ms at best over {DSPS} emulated DSPs, real clock; DSP {FAILS} fails at its "
          f"n-th tile of them; medians of {ROUNDS}\n{'kernel':8}{'fault':8}" +
          "".join(f"{'n=' + str(n):>8}" for n in TILES) +
          f"   times a run without, limit {LIMIT}")
    for kernel in os.environ.get("KERNELS", "apart work").split():
        with tempfile.TemporaryDirectory() as folder:
            Run(build, folder, kernel)  # what the vendor compiles
            known = Run(build, folder, kernel)
            for kind in ("die", "hang", "slow"):
                said = []
                for n in TILES:
                    with_it, without, came = [], [], []
                    for _ in range(ROUNDS):
                        plain, failing, tile = pair(build, folder, kernel, kind, n)
                        if {plain.hash, failing.hash} != {known.hash}:
                            print(f"{kernel} {kind} at tile {n}: other bytes: {failing.hash}, without {plain.hash}")
                            missed += 1
                        with_it.append(failing.span())
                        without.append(plain.span())
                        came.append(tile)
                    elsewhere += sum(tile != n for tile in came)
                    ratio = statistics.median(with_it) / statistics.median(without)
                    missed += ratio > LIMIT
                    said.append(ratio)
                    rows.append(f"{kernel},{kind},{n},{statistics.median(with_it) / 1e6:.3f},"
                                f"{statistics.median(without) / 1e6:.3f},{ratio:.3f},{' '.join(map(str, came))}")
                print(f"{kernel:8}{kind:8}" + "".join(f"{r:8.2f}" for r in said), flush=True)
    with open(os.path.join(out, "results.csv"), "w", encoding="utf-8") as f:
        f.write("\n".join(rows) + "\n")
    print(f"limits missed: {missed}; of {ROUNDS * (len(rows) - 1)} faults {elsewhere} came at another tile")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
