"""ratio_board.py BUILD FOLDER - the executor's part of ratio.sh: launches cut between emulated DSPs of known speed, on the real
clock, against the best static split of each.

Launch times are the modelled ones of the parts that really ran (clweave run -o): from the first start to the last end. The best
static split is found by trying all (two devices) or by giving each group to whoever ends it first (more: the same, as all
groups are alike), on the model that the DSPs run by, a block's set-up included, in the units of the same run. Writes
board.csv; exit 1: a limit was missed. MACHINES: others than these. On a busy machine the DSPs overrun, and nothing holds.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

ITEMS, LOCAL, BEFORE, LAUNCHES, CHANGED, BEST_MS, SET_UP_NS = 65536, 64, 61440, 5, 16, 100, 224000
MACHINES = ["1:1", "1:2", "1:5", "1:20", "1:1:1", "1:2:4", "1.1:1:1:1:1", "1:2:4:10:20", "1:20:20:20:20"]


def platform(folder, speeds, ns_per_item):
    dsp = [{"name": f"dsp{i}", "class": "dsp", "memory": "ddr", "launch_ns": SET_UP_NS, "ns_per_item": ns_per_item / s,
            "bytes_per_item": 0, "compile_ns": 0, "transfers": False} for i, s in enumerate(speeds)]
    cpu = {"name": "cpu", "class": "cpu", "memory": "ddr", "launch_ns": 0, "ns_per_item": ns_per_item, "transfers": False}
    path = os.path.join(folder, "platform.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"format": "clweave-platform", "version": 1, "name": "board", "ddr_bytes_per_ns": 1000,
                   "devices": [cpu] + dsp}, f)
    return path


def launches(build, folder, speeds, ns_per_item, options, fault=None, count=LAUNCHES):
    """Parts of each launch of the size that is measured, in order: [(device, groups, start_ns, end_ns)], by start."""
    trace = os.path.join(folder, "trace.json")
    command = [f"{build}/clweave", "run", "-o", trace, "--history", "off", "--dsp", str(len(speeds)), "--dsp-platform",
               platform(folder, speeds, ns_per_item), *options, *(["--dsp-fault", fault] if fault else []), "--",
               f"{build}/test/bench/tile_speed", "dsp", "work", "1", str(ITEMS), str(count), "0", str(LOCAL)]
    env = {**os.environ, "CLWEAVE_MANAGE_ALL": "1", "TILE_SPEED_BEFORE": str(BEFORE)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=250, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    with open(trace, encoding="utf-8") as f:
        d = json.load(f)
    sizes = {c["id"]: c["global_size"][0] for c in d["commands"] if "global_size" in c}
    parts = {}
    for p in d["parts"]:
        parts.setdefault(p["command"], []).append((p["device"], p.get("groups", 1), p["start_ns"], p["end_ns"]))
    first = min(p[0] for v in parts.values() for p in v)
    return [[(p[0] - first, *p[1:]) for p in sorted(parts[i], key=lambda p: p[2])]
            for i in sorted(parts) if sizes.get(i) == ITEMS]


def took(launch):
    return max(p[3] for p in launch) - min(p[2] for p in launch)


def best_static(speeds, ns_per_item):
    groups, end = ITEMS // LOCAL, [0.0] * len(speeds)
    per = [ns_per_item * LOCAL / s for s in speeds]
    if len(speeds) == 2:
        return min(max((SET_UP_NS + g * per[0]) if g else 0, (SET_UP_NS + (groups - g) * per[1]) if g < groups else 0)
                   for g in range(groups + 1))
    for _ in range(groups):
        d = min(range(len(speeds)), key=lambda e: (end[e] or SET_UP_NS) + per[e])
        end[d] = (end[d] or SET_UP_NS) + per[d]
    return max(end)


def recovery(launch, device, factor, per):
    """Blocks of a device that has become slower until its share of what is given out is within a tenth of what it is now; and
    the share of what could be had. None: it did not change within this launch."""
    mine = [p for p in launch if p[0] == device]
    slow = [i for i, p in enumerate(mine) if p[3] - p[2] - SET_UP_NS > (1 + factor) / 2 * p[1] * per[device]]
    if not slow or slow[0] == 0 or slow[0] + 1 == len(mine):
        return None
    now = list(per)
    now[device] *= factor
    right = (1 / now[device]) / sum(1 / x for x in now)
    blocks = 0
    for i, p in enumerate(mine[slow[0]:-1]):
        around = [max((q for q in launch if q[0] == d and q[2] <= p[2] + SET_UP_NS), key=lambda q: q[2], default=None)
                  for d in range(len(per))]
        share = p[1] / sum(q[1] for q in around if q)
        if abs(share - right) > .1 * right:
            blocks = i + 1
    change = mine[slow[0]][2] - min(p[2] for p in launch)
    groups = ITEMS // LOCAL
    left = groups - sum(change / x for x in per)
    clairvoyant = change + left / sum(1 / x for x in now)
    return blocks, 100 * clairvoyant / took(launch)


def main():
    build, out = sys.argv[1:3]
    rows, failed = ["machine,mode,best_ms,first,second,later,changed_could_be_had,changed_blocks"], False
    print(f"launches of {ITEMS // LOCAL} work-groups on emulated DSPs, {BEST_MS} ms at best, {SET_UP_NS / 1e3:.0f} us a block: % of the "
          "best static split\n(limits: first 85, from the second on 95; recovery: 5 blocks)")
    print(f"{'speeds':16}{'mode':>7}{'first':>8}{'second':>8}{'third on':>9}   the fastest 4x slower midway: % of clairvoyant, blocks")
    for name in os.environ.get("MACHINES", " ".join(MACHINES)).split():
        speeds = [float(s) for s in name.split(":")]
        ns_per_item = BEST_MS * 1e6 * sum(speeds) / ITEMS
        best = best_static(speeds, ns_per_item)
        fastest = speeds.index(max(speeds))
        for mode in ("async", "sync"):
            with tempfile.TemporaryDirectory() as folder:
                if mode == "async": # the vendor compiles for one DSP more: a start that takes longer than the next one's
                    launches(build, folder, speeds, ns_per_item, [], count=1)
                runs = launches(build, folder, speeds, ns_per_item, ["--blocks", mode])
                share = [100 * best / took(r) for r in runs]
                later = statistics.median(share[2:])
                changed, at, per = None, at_us(folder, runs[-1]), [ns_per_item * LOCAL / s for s in speeds]
                for shift in range(5): # until it comes to pass within a launch, neither in the first block nor in the last
                    again = launches(build, folder, speeds, ns_per_item, ["--blocks", mode],
                                     f"{fastest}:slow@{at + shift * 37000}*4", CHANGED)
                    changed = next(filter(None, (recovery(r, fastest, 4, per) for r in again)), None)
                    if changed:
                        break
            blocks, had = changed if changed else ("-", float("nan"))
            print(f"{name:16}{mode:>7}{share[0]:8.1f}{share[1]:8.1f}{later:9.1f}{had:28.1f} {blocks}", flush=True)
            rows.append(f"{name},{mode},{best / 1e6:.3f},{share[0]:.2f},{share[1]:.2f},{later:.2f},{had:.2f},{blocks}")
            if mode == "async":
                failed |= share[0] < 85 or min(share[1], later) < 95 or blocks == "-" or blocks > 5
    with open(os.path.join(out, "board.csv"), "w", encoding="utf-8") as f:
        f.write("\n".join(rows) + "\n")
    print("limits of async:", "missed" if failed else "met")
    return failed


def at_us(folder, launch):
    """The middle of a launch in the run whose trace lies in `folder`, since that program's start."""
    with open(os.path.join(folder, "trace.json"), encoding="utf-8") as f:
        start = json.load(f)["process"]["start_ns"]
    return int((min(p[2] for p in launch) + took(launch) / 2 - start) / 1000)


if __name__ == "__main__":
    sys.exit(main())
