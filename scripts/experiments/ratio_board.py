"""ratio_board.py BUILD FOLDER - the executor's part of ratio.sh: launches cut between emulated DSPs of known speed, against
the best static split of each.

Launch times are the modelled ones of the parts that really ran (clweave run -o): from the first start to the last end, a
set-up before it. The best static split is found by trying all (two devices) or by giving each group to whoever ends it first
(more: the same, as all groups are alike), on the model that the DSPs run by, a block's set-up included, in the units of the
same run.

Then the fastest becomes four times slower in the middle of a launch (also earlier and later): what that launch takes against
what it would take if that had been known before (blocks of no set-up, cut anywhere), and the blocks that the device begins
from then on, up to the last whose size is not, within a tenth and a group, what the speeds that it now has would give it
(sched/adaptive_async.c; for sync, its share of the block).

Writes board.csv; exit 1: a limit was missed. CLOCK=real: on the real clock; DSPs overrun on a busy machine, and nothing
holds (default: the virtual one, on which all of it is exact). There the change is looked for in what ran. MACHINES:
others than these.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

ITEMS, LOCAL, BEFORE, LAUNCHES, CHANGED, BEST_MS, SET_UP_NS = 65536, 64, 61440, 5, 16, 100, 224000
GROUPS, FACTOR, CLOCK = ITEMS // LOCAL, 4, os.environ.get("CLOCK", "virtual")
TAKEN_FOR_NS, WORTH, BLOCKS_N = 300000, 32, 32  # what the executor takes a set-up for; adaptive_async.c
WHEN = (.5,) if CLOCK == "real" else (.3, .5, .7)  # a change midway
TRIES, NEAR = 5, .25  # on the real clock: it may come so much of a launch earlier or later
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
    """Parts of each launch of the size that is measured, in order: [(device, groups, begin_ns, end_ns)], by begin, set-up
    included; since the board's start."""
    trace = os.path.join(folder, "trace.json")
    command = [f"{build}/clweave", "run", "-o", trace, "--history", "off", "--dsp", str(len(speeds)), "--set",
               f"dsp_platform={platform(folder, speeds, ns_per_item)}", "--set", f"dsp_clock={CLOCK}", *options,
               *(["--set", f"dsp_fault={fault}"] if fault else []), "--",
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
        parts.setdefault(p["command"], []).append((p["device"], p.get("groups", 1), p["start_ns"] - SET_UP_NS, p["end_ns"]))
    first = min(p[0] for v in parts.values() for p in v)
    began = min(p[2] for v in parts.values() for p in v) if CLOCK == "virtual" else d["process"]["start_ns"]
    return [[(p[0] - first, p[1], p[2] - began, p[3] - began) for p in sorted(parts[i], key=lambda p: p[2])]
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


def share_of(device, rest, per, free):
    """Groups of `rest` that `device` does until all end together; they are free after so many ns."""
    there = set(range(len(per)))
    while True:
        end = (rest + sum((free[d] + TAKEN_FOR_NS) / per[d] for d in there)) / sum(1 / per[d] for d in there)
        late = {d for d in there if free[d] + TAKEN_FOR_NS > end}
        if not late or len(there) == 1:
            return max(0, (end - free[device] - TAKEN_FOR_NS) / per[device]) if device in there else 0
        there -= late


def wanted(launch, part, per, mode):
    """Groups that `part` would have if all speeds were known."""
    device, _, begin, _ = part
    before = [p for p in launch if p[2] < begin]
    speeds = sum(1 / x for x in per)
    if mode == "sync":
        return sum(p[1] for p in launch if abs(p[2] - begin) < 1000) / per[device] / speeds
    free = [max((p[3] - begin for p in before if p[0] == d), default=0) for d in range(len(per))]
    deserved = share_of(device, GROUPS - sum(p[1] for p in before), per, [max(0, x) for x in free])
    least = math.ceil(WORTH * TAKEN_FOR_NS / per[device])
    if deserved <= least:
        return deserved
    half = math.ceil(deserved / 2)
    size = min(half, math.ceil(2 * GROUPS / per[device] / speeds / BLOCKS_N))
    return size if size >= least else min(half, least)


def recovery(launch, device, change, per, mode):
    """Blocks of a device that became slower at `change` until they are what they should be; and the share of what could be
    had. None: that was not within this launch."""
    begin = min(p[2] for p in launch)
    mine = [p for p in launch if p[0] == device and p[2] >= change]
    if not begin < change < begin + took(launch):
        return None
    now = [x * (FACTOR if d == device else 1) for d, x in enumerate(per)]
    blocks = 0
    for i, p in enumerate(mine):
        right = wanted(launch, p, now, mode)
        if abs(p[1] - right) > .1 * right + 1:
            blocks = i + 1
    left = GROUPS - sum((change - begin) / x for x in per)
    return blocks, 100 * (change - begin + left / sum(1 / x for x in now)) / took(launch)


def seen_change(runs, device, per):
    """The launch in which `device` became slower, and when, by the first of three parts that took far longer than their
    groups, or the one before, which it began in. On the real clock a program does not start as long before its launches as
    the last time. None: never."""
    mine = [(launch, p[2], p[3] - p[2], SET_UP_NS + p[1] * per[device]) for launch in runs for p in launch if p[0] == device]
    far = [took_ns > FACTOR / 2 * full for _, _, took_ns, full in mine]
    slow = next((i for i in range(len(far)) if all(far[i:i + 3])), None)
    if slow is None:
        return None
    if slow and mine[slow - 1][2] > 1.05 * mine[slow - 1][3]:
        slow -= 1
    launch, begin, took_ns, full = mine[slow]
    return launch, begin + max(0, (FACTOR * full - took_ns) / (FACTOR - 1))


def change_seen(build, folder, speeds, ns_per_item, mode, launch, when):
    """As change_midway(), on the real clock: planted once more, earlier or later, until it is seen about there."""
    fastest, per = speeds.index(max(speeds)), [ns_per_item * LOCAL / s for s in speeds]
    at, usual, best = min(p[2] for p in launch) + when * took(launch), took(launch), None
    for _ in range(TRIES):
        runs = launches(build, folder, speeds, ns_per_item, ["--blocks", mode], f"{fastest}:slow@{int(at / 1000)}*{FACTOR}",
                        CHANGED)
        found = seen_change(runs, fastest, per)
        if not found:
            at -= CHANGED / 4 * usual
            continue
        part = (found[1] - min(p[2] for p in found[0])) / usual
        if found[0] is runs[0] and part < .1:  # or before
            at += CHANGED / 4 * usual
            continue
        told = recovery(found[0], fastest, found[1], per, mode)
        if told and (not best or abs(part - when) < best[0]):
            best = abs(part - when), told
        if best and best[0] < NEAR:
            break
        at += (when - part) * usual
    return best and best[1]


def change_midway(build, folder, speeds, ns_per_item, mode, launch, when):
    """What recovery() says of a run like that of `launch`, its last, in which the fastest becomes slower so far into it."""
    if CLOCK == "real":
        return change_seen(build, folder, speeds, ns_per_item, mode, launch, when)
    fastest, per = speeds.index(max(speeds)), [ns_per_item * LOCAL / s for s in speeds]
    at = int((min(p[2] for p in launch) + when * took(launch)) / 1000)
    for shift in range(5):  # until it comes to pass within a launch
        change = at + shift * 37000
        runs = launches(build, folder, speeds, ns_per_item, ["--blocks", mode], f"{fastest}:slow@{change}*{FACTOR}")
        found = next(filter(None, (recovery(r, fastest, change * 1000, per, mode) for r in runs)), None)
        if found:
            return found
    return None


def main():
    build, out = sys.argv[1:3]
    rows, failed = ["machine,mode,best_ms,first,second,later,changed_could_be_had,changed_blocks"], False
    print(f"launches of {GROUPS} work-groups on emulated DSPs, {CLOCK} clock, {BEST_MS} ms at best, "
          f"{SET_UP_NS / 1e3:.0f} us a block: % of the best static split\n"
          "(limits: first 85, from the second on 95; recovery: 5 blocks)")
    print(f"{'speeds':16}{'mode':>7}{'first':>8}{'second':>8}{'third on':>9}   the fastest {FACTOR}x slower midway: % of "
          f"clairvoyant, blocks (worst of {len(WHEN)})")
    for name in os.environ.get("MACHINES", " ".join(MACHINES)).split():
        speeds = [float(s) for s in name.split(":")]
        ns_per_item = BEST_MS * 1e6 * sum(speeds) / ITEMS
        best = best_static(speeds, ns_per_item)
        for mode in ("async", "sync"):
            with tempfile.TemporaryDirectory() as folder:
                if mode == "async" and CLOCK == "real":  # the vendor compiles for one DSP more: a start that takes longer
                    launches(build, folder, speeds, ns_per_item, [], count=1)
                runs = launches(build, folder, speeds, ns_per_item, ["--blocks", mode])
                share = [100 * best / took(r) for r in runs]
                later = statistics.median(share[2:])
                changed = [change_midway(build, folder, speeds, ns_per_item, mode, runs[-1], when) for when in WHEN]
            blocks = "-" if None in changed else max(c[0] for c in changed)
            had = min((c[1] for c in changed if c), default=float("nan"))
            print(f"{name:16}{mode:>7}{share[0]:8.1f}{share[1]:8.1f}{later:9.1f}{had:28.1f} {blocks}", flush=True)
            rows.append(f"{name},{mode},{best / 1e6:.3f},{share[0]:.2f},{share[1]:.2f},{later:.2f},{had:.2f},{blocks}")
            if mode == "async":
                failed |= share[0] < 85 or min(share[1], later) < 95 or blocks == "-" or blocks > 5
    with open(os.path.join(out, "board.csv"), "w", encoding="utf-8") as f:
        f.write("\n".join(rows) + "\n")
    print("limits of async:", "missed" if failed else "met")
    return failed


if __name__ == "__main__":
    sys.exit(main())
