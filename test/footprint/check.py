#!/usr/bin/env python3
"""check.py - holds the claims of clweave-footprint against what kernels really touch.

usage: check.py --footprint PROGRAM --runner PROGRAM [--plugin LIBRARY] [--pocl] [--break RULE] [--seed N]
                [--tiles N] [--every N] [--only NAME] [--seconds N] [--json FILE] TABLE FOLDER...

TABLE is a JSON list of launches ("file", "kernel", "options", "global", "local", "offset", "args"); a file is
looked for as a path suffix below the FOLDERs. For each launch a few random ranges of work-groups are evaluated, and

 - with --plugin the launch runs under Oclgrind: every byte that a work-group of the range touches must lie in the
   "at most" intervals of the range, every byte of an "exact" write must be written by it;
 - with --pocl a copy of the kernel whose other work-groups return at once runs on the first OpenCL device: every byte
   that changes must lie in "at most", every byte of an "exact" write to an `out` buffer must change.

--break falsifies the claims on purpose (the check must then fail): radius (reads lose the outermost four
bytes), shift (writes move by one element), grow (exact writes claim four bytes more), lie (unknown becomes nothing).

Prints one line per launch and totals; exit 0 without violations, 1 with some, 77 when no launch could be run."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from arguments import arg_job, arg_json, arguments, root_of
from spans import Spans


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--footprint", required=True)
    p.add_argument("--runner", required=True)
    p.add_argument("--plugin")
    p.add_argument("--pocl", action="store_true")
    p.add_argument("--break", dest="broken", choices=["radius", "shift", "grow", "lie"])
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--tiles", type=int, default=6)
    p.add_argument("--every", type=int, default=1, help="only every N-th launch of the table")
    p.add_argument("--only", default="", help="only kernels whose names contain this")
    p.add_argument("--seconds", type=int, default=60, help="how long one launch may take under Oclgrind")
    p.add_argument("--json")
    p.add_argument("table")
    p.add_argument("folder", nargs="+")
    return p.parse_args()


TRACE_SECONDS = 60  # --seconds
STORE_MAY_VANISH = False  # a compiler may leave out the store of a value just loaded from there: then reads count as written


def find_file(folders, suffix):
    for folder in folders:
        for path, _, files in os.walk(folder):
            for f in files:
                whole = os.path.join(path, f)
                if whole.endswith("/" + suffix):
                    return whole
    return None


def job_text(launch, path, tiles=None):
    three = lambda key, fill: " ".join(str(v) for v in (launch.get(key, []) + [fill] * 3)[:3])
    lines = [f"source {path}", f"kernel {launch['kernel']}",
             "options " + " ".join(launch.get("options", []) + ["-I" + os.path.dirname(launch["path"])]),
             f"range {len(launch['global'])} {three('global', 1)} {three('local', 1)} {three('offset', 0)}"]
    lines += [arg_job(a) for a in launch["args"]]
    if tiles is None:
        lines.append("run")
    else:
        lines += ["tile " + " ".join(str(v) for v in t["first"] + t["count"]) for t in tiles]
    return "\n".join(lines) + "\n"


def random_tiles(launch, how_many, rng):
    groups = [-(-g // l) for g, l in zip(launch["global"], launch["local"])] + [1] * (3 - len(launch["global"]))
    tiles = [{"first": [0, 0, 0], "count": groups}]
    for _ in range(how_many - 1):
        first, count = [], []
        whole_rows = rng.random() < 0.5
        for d, g in enumerate(groups):
            a, b = sorted((rng.randrange(g), rng.randrange(g)))
            if whole_rows and d + 1 < len(launch["global"]):
                a, b = 0, g - 1
            first.append(a)
            count.append(b - a + 1)
        tiles.append({"first": first, "count": count})
    return tiles


def merge_claims(claims, more):
    for side, (answer, may, must, why) in more.items():
        if side in claims:
            was = claims[side]
            claims[side] = (max(was[0], answer, key=ORDER.index), was[1] + may, was[2] + must, was[3] or why)
        else:
            claims[side] = (answer, may, must, why)


def claims_of(options, launch, tiles):
    """Per tile {argument: {"reads": (answer, at most), "writes": (answer, at most, exact)}}; or an error text."""
    description = {"launches": [{"kernel": launch["kernel"], "global": launch["global"], "local": launch["local"],
                                 "offset": launch.get("offset", []), "args": arguments(launch),
                                 "tiles": tiles}]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(description, f)
        f.flush()
        done = subprocess.run([options.footprint, "--time", "--eval", f.name] + launch.get("options", []) +
                              ["-I" + os.path.dirname(launch["path"]), launch["path"]], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    if "error" in answer:
        return answer["error"]["message"]
    result = []
    for tile in answer["results"][0]["tiles"]:
        claims = {}
        for a in tile["args"]:
            c = {}
            for side in ("reads", "writes"):
                if side in a:
                    c[side] = (a[side]["answer"], a[side]["at_most"], a[side].get("exact", []), a[side].get("reason", ""))
            merge_claims(claims.setdefault(root_of(launch, a["index"]), {}), c)
        result.append((claims, tile["evaluation_us"]))
    launch["cold_us"] = sum(answer["time_us"].values())
    return result


def falsify(rule, claims):
    for c in claims.values():
        for side in list(c):
            answer, may, must, why = c[side]
            if rule == "radius" and side == "reads" and answer == "at-most":
                may = [[b + 4, e] for b, e in may if e > b + 4]
            if rule == "shift" and side == "writes" and answer == "exact":
                may = must = [[b + 4, e + 4] for b, e in must]
            if rule == "grow" and side == "writes" and must:
                must = must[:-1] + [[must[-1][0], must[-1][1] + 4]]
                may = may[:-1] + [[may[-1][0], max(may[-1][1], must[-1][1])]]
            if rule == "lie" and answer == "unknown":
                may, must = [], []
            c[side] = (answer, may, must, why)


def buffers_of(launch):
    """Argument number of each buffer, in the order in which the runner makes them."""
    return [i for i, a in enumerate(launch["args"]) if "buffer" in arg_json(a) and not a.startswith("same ")]


def clipped(begin, end, size):
    """What of an access lies in its buffer: the rest is undefined, whatever it does (a vector's element stored by way of the
    whole vector)."""
    return (max(begin, 0), min(end, size)) if begin < size else None


def groups_of(lines, launch):
    groups, args, sizes = {}, buffers_of(launch), [arg_json(a).get("buffer", 0) for a in launch["args"]]
    for line in lines:
        f = line.split()
        if f[0] == "buffer" or int(f[4]) >= len(args):
            continue
        arg, key = args[int(f[4])], (int(f[0]), int(f[1]), int(f[2]))
        touched = clipped(int(f[5]), int(f[6]), sizes[arg])
        if touched:
            groups.setdefault(key, {}).setdefault((arg, f[3]), []).append(touched)
    return groups


def trace(options, launch):
    """{(x, y, z): {(argument, "r" or "w"): [intervals]}} from Oclgrind; or an error text. Oclgrind 21.10 has a compiler that
    refuses OpenCL C 3.0 for any source: then the kernel runs as one of 1.2."""
    with tempfile.TemporaryDirectory() as d:
        job, out = os.path.join(d, "job"), os.path.join(d, "trace")
        with open(job, "w") as f:
            f.write(job_text(launch, launch["path"]))
        env = dict(os.environ, TRACE_OUT=out, RUN_ONCE="1")
        try:
            done = subprocess.run(["oclgrind", "--num-threads", "1", "--max-wgsize", "65536", "--plugins", options.plugin,
                                   "--log", os.path.join(d, "log"), options.runner, job],
                                  env=env, capture_output=True, text=True, timeout=TRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return f"oclgrind: did not end within {TRACE_SECONDS} seconds"
        log = open(os.path.join(d, "log")).read() if os.path.exists(os.path.join(d, "log")) else ""
        newer = "-cl-std=CL3.0" in launch.get("options", [])
        if newer and "are set to different values" in log + done.stdout + done.stderr:
            older = [o.replace("-cl-std=CL3.0", "-cl-std=CL1.2") for o in launch["options"]]
            return trace(options, dict(launch, options=older))
        if done.returncode != 0 or "FATAL" in log: # what Oclgrind cannot do it skips, with status 0
            lines = [l for l in (log + done.stderr).splitlines() if l.strip() and "FATAL" not in l]
            return "oclgrind: " + (lines or ["died"])[0].strip()
        with open(out) as f:
            return groups_of(f, launch)


def limited_source(text, kernel):
    """The source with a kernel whose work-groups outside of a box return at once."""
    m = re.search(r"\b" + re.escape(kernel) + r"\s*\(", text)
    if not m:
        return None
    depth, at = 1, m.end()
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    brace = text.find("{", at)
    if brace < 0:
        return None
    names = [f"cw_box{i}" for i in range(6)]
    test = " || ".join(f"get_group_id({d}) < cw_box{d} || get_group_id({d}) - cw_box{d} >= cw_box{d + 3}" for d in range(3))
    return (text[:at - 1] + "".join(f", ulong {n}" for n in names) + text[at - 1:brace + 1] + f" if ({test}) return; " +
            text[brace + 1:])


def changes(options, launch, tiles):
    """Per tile {argument: [intervals]} of bytes that changed on the device; or an error text."""
    source = limited_source(open(launch["path"], errors="replace").read(), launch["kernel"])
    if source is None:
        return "the kernel's text was not found"
    with tempfile.TemporaryDirectory() as d:
        path, job = os.path.join(d, "limited.cl"), os.path.join(d, "job")
        with open(path, "w") as f:
            f.write(source)
        with open(job, "w") as f:
            f.write(job_text(launch, path, tiles))
        done = subprocess.run([options.runner, job], capture_output=True, text=True)
        if done.returncode != 0:
            return "device: " + (done.stderr.strip().splitlines() or ["died"])[-1]
        result = []
        for line in done.stdout.splitlines():
            f = line.split()
            if f == ["run"]:
                result.append({})
            elif result and f and f[0] == "changed":  # others are the kernel's own
                result[-1].setdefault(int(f[1]), []).append((int(f[2]), int(f[3])))
        return result


TIGHTNESS = {"reads": [0, 0], "writes": [0, 0]}  # bytes touched, bytes claimed "at most" or exact


def compare(claims, arg, side, touched, oracle, where, problems, must_be_complete):
    answer, may, must, _ = claims.get(arg, {}).get(side, ("none", [], [], ""))
    if oracle == "oclgrind" and answer in ("exact", "at-most"):
        TIGHTNESS[side][0] += Spans(touched).bytes()
        TIGHTNESS[side][1] += Spans(may).bytes()
    stray = Spans(touched).outside(Spans(may))
    if stray:
        problems.append(f"{oracle}: {where}: argument {arg} {side} bytes {stray[0]}..{stray[1] - 1}, claimed {answer} {may[:4]}")
    written = touched + (claims.get(arg, {}).get("reads", ("", []))[1] if STORE_MAY_VANISH else [])
    missing = must_be_complete and Spans(must).outside(Spans(written))
    if missing:
        problems.append(f"{oracle}: {where}: argument {arg} claimed exact, bytes {missing[0]}..{missing[1] - 1} not written")


def group_sum(groups, tile, key):
    found = []
    for g, touched in groups.items():
        if all(f <= x < f + c for x, f, c in zip(g, tile["first"], tile["count"])):
            found += touched.get(key, [])
    return found


ORDER = ["none", "exact", "at-most", "unknown"]


def check_launch(options, launch, rng):
    tiles = random_tiles(launch, options.tiles, rng)
    claimed = claims_of(options, launch, tiles)
    if isinstance(claimed, str):
        return {"error": claimed}
    worst, reasons, cost = {}, {}, []
    for claims, us in claimed:
        cost.append(us)
        for arg, sides in claims.items():
            for side, (answer, _, _, why) in sides.items():
                if ORDER.index(answer) > ORDER.index(worst.get((arg, side), "none")):
                    worst[(arg, side)], reasons[(arg, side)] = answer, why
        if options.broken:
            falsify(options.broken, claims)
    problems, skipped, checks = [], [], 0
    groups = trace(options, launch) if options.plugin else None
    if isinstance(groups, str):
        skipped.append(groups)
    elif groups is not None:
        for tile, (claims, _) in zip(tiles, claimed):
            where = f"groups {tile['first']}+{tile['count']}"
            for arg in buffers_of(launch):
                compare(claims, arg, "reads", group_sum(groups, tile, (arg, "r")), "oclgrind", where, problems, False)
                compare(claims, arg, "writes", group_sum(groups, tile, (arg, "w")), "oclgrind", where, problems, True)
                checks += 2
    changed = changes(options, launch, tiles) if options.pocl else None
    if isinstance(changed, str):
        skipped.append(changed)
    elif changed is not None:
        for tile, (claims, _), now in zip(tiles, claimed, changed):
            where = f"groups {tile['first']}+{tile['count']}"
            for arg in buffers_of(launch):
                fresh = launch["args"][arg].startswith("out ") and "reads" not in claims.get(arg, {})
                compare(claims, arg, "writes", now.get(arg, []), "device", where, problems, fresh)
                checks += 1
    return {"worst": worst, "reasons": reasons, "cost": cost, "problems": problems, "skipped": skipped, "checks": checks}


def main():
    global TRACE_SECONDS
    options = parse_args()
    TRACE_SECONDS = options.seconds
    rng = random.Random(options.seed)
    totals = {"reads": dict.fromkeys(ORDER, 0), "writes": dict.fromkeys(ORDER, 0)}
    ran = violations = checks = 0
    cold, cost, report = [], [], []
    for launch in json.load(open(options.table))[::options.every]:
        if options.only not in launch["kernel"]:
            continue
        launch["path"] = find_file(options.folder, launch["file"])
        name = f"{launch['file'].split('/')[-1]}:{launch['kernel']}"
        if not launch["path"]:
            print(f"  {name}: no such file in the given folders")
            continue
        r = check_launch(options, launch, rng)
        if "error" in r:
            print(f"  {name}: {r['error']}")
            violations += 1
            continue
        if r["checks"] == 0:
            print(f"  {name}: not run: {'; '.join(r['skipped'])}")
            continue
        ran += 1
        checks += r["checks"]
        violations += len(r["problems"])
        cold.append(launch["cold_us"] / 1000)
        cost += r["cost"]
        words = []
        for (arg, side), answer in sorted(r["worst"].items()):
            totals[side][answer] += 1
            words.append(f"{arg}{side[0]}:{answer}")
        print(f"  {name} {' '.join(words)}" + (f" [{'; '.join(r['skipped'])}]" if r["skipped"] else ""))
        for (arg, side), answer in sorted(r["worst"].items()):
            report.append({"kernel": name, "argument": arg, "side": side, "answer": answer, "reason": r["reasons"][(arg, side)]})
        for p in r["problems"]:
            print(f"    VIOLATION {p}")
    if ran == 0 and violations == 0:
        print("no launch could be run")
        return 77
    for side, t in totals.items():
        n = sum(t.values()) or 1
        print(f"{side}: " + ", ".join(f"{k} {v} ({100 * v / n:.0f} %)" for k, v in t.items() if k != "none"))
    if cold:
        print(f"{ran} launches, {checks} comparisons, cold {min(cold):.0f}..{max(cold):.0f} ms, "
              f"evaluation of one tile: median {sorted(cost)[len(cost) // 2]:.1f} us, worst {max(cost):.1f} us")
    for side, (touched, claimed) in TIGHTNESS.items():
        if claimed:
            print(f"{side}: of the bytes claimed as exact or at most, {100 * touched / claimed:.0f} % are touched")
    print(f"{violations} violations")
    if options.json:
        with open(options.json, "w") as f:
            json.dump(report, f, indent=1)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
