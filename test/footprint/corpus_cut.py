#!/usr/bin/env python3
"""corpus_cut.py - how many kernels of public suites may be cut, from launches recorded by `clweave trace`.

usage: corpus_cut.py --footprint PROGRAM [--shapes N] [--json FILE] [--sources FOLDER]... SUITE=TRACE.json...

For each kernel of each trace a few launches of different shapes (sizes, scalars, buffer sizes) are judged with the program's own
source and build options; a kernel counts with its worst verdict. Kernels of --sources folders (files *.cl) that no trace has
launched are judged on made-up launches (see cut.h) and counted apart. Prints per suite how many answers are exact, at most and
unknown, how many kernels may be cut for which memories, and the reasons why not, most frequent first."""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

ORDER = ["whole", "one memory", "with merge", "any memory"]
ANSWERS = ["exact", "at-most", "unknown"]


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--footprint", required=True)
    p.add_argument("--shapes", type=int, default=6)
    p.add_argument("--json")
    p.add_argument("--sources", action="append", default=[])
    p.add_argument("trace", nargs="*")
    return p.parse_args()


def root_of(memory, i):
    """(root object, offset in it) of a memory object."""
    base = 0
    while "parent" in memory[i]:
        base += int(memory[i].get("offset", 0))
        i = memory[i]["parent"]
    return i, base


def launch_of(trace, command):
    """The command as a launch description, without tiles; None when something is not known."""
    args = []
    for a in command.get("args", []):
        if "memory" in a:
            m = trace["memory"][a["memory"]]
            root, base = root_of(trace["memory"], a["memory"])
            args.append({"buffer": int(m.get("size", 0)), "allocation": root + 1, "base": base})
        elif "value" in a:
            n = int(a["size"])
            args.append({"bytes": int(a["value"], 16).to_bytes(max(n, (len(a["value"]) - 1) // 2), "little")[:n].hex()})
        elif "local" in a:
            args.append({"local": int(a["local"])})
        elif "bytes" in a:  # more than eight, as they lie in memory
            args.append({"bytes": a["bytes"]})
        else:
            args.append(None)
    g, l, o = command["global_size"], command.get("local_size"), command.get("global_offset")
    l = l or [next(k for k in (64, 32, 16, 8, 4, 2, 1) if n % k == 0) if i == 0 else 1 for i, n in enumerate(g)]
    groups = [-(-a // b) for a, b in zip(g, l)]
    return {"kernel": trace["kernels"][command["kernel"]]["name"], "global": g, "local": l, "offset": o or [0] * len(g), "args": args,
            "tiles": [{"first": [0] * len(g), "count": groups}]}


def kernels_of(path):
    """{(source, options, kernel): [launches of different shapes]}"""
    trace, found = json.load(open(path)), {}
    for c in trace["commands"]:
        if c["type"] != "CL_COMMAND_NDRANGE_KERNEL" or "global_size" not in c or 0 in c["global_size"]:
            continue
        program = trace["programs"][trace["kernels"][c["kernel"]]["program"]]
        if program["kind"] != "source":
            continue
        key = (program["source"], program.get("options", ""), trace["kernels"][c["kernel"]]["name"])
        shapes = found.setdefault(key, {})
        l = launch_of(trace, c)
        shapes[json.dumps(l)] = l
    return {k: list(v.values()) for k, v in found.items()}


def some(launches, n):
    return launches if len(launches) <= n else [launches[i * (len(launches) - 1) // (n - 1)] for i in range(n)]


def run(options, args):
    done = subprocess.run([options.footprint] + args, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"error": {"message": "no answer"}}


def judge(options, source, build, launches):
    with tempfile.TemporaryDirectory() as d:
        cl, l = os.path.join(d, "k.cl"), os.path.join(d, "l.json")
        open(cl, "w").write(source)
        json.dump({"launches": launches}, open(l, "w"))
        return run(options, ["--eval", l] + build.split() + ["-I.", cl])


class Suite:
    def __init__(self):
        self.kernels = collections.Counter()
        self.launches = collections.Counter()
        self.hoped = collections.Counter()
        self.answers = {"reads": collections.Counter(), "writes": collections.Counter()}
        self.failed = 0


def say(options, suites, reasons):
    print(f"{'suite':14}{'kernels':>8}" + "".join(f"{o:>12}" for o in reversed(ORDER)) + "   writes exact/at most/unknown   reads at most/unknown")
    total = Suite()
    for name, s in list(suites.items()) + [("all", total)]:
        n = sum(s.kernels.values())
        w, r = s.answers["writes"], s.answers["reads"]
        print(f"{name:14}{n:8}" + "".join(f"{s.kernels[o]:12}" for o in reversed(ORDER)) +
              f"{w['exact']:10}/{w['at-most']}/{w['unknown']}{r['at-most']:22}/{r['unknown']}" + (f"   {s.failed} not analysed" if s.failed else ""))
        if s is not total:
            total.kernels.update(s.kernels)
            total.launches.update(s.launches)
            total.hoped.update(s.hoped)
            total.failed += s.failed
            for side in s.answers:
                total.answers[side].update(s.answers[side])
    n, h = sum(total.kernels.values()) or 1, sum(total.hoped.values())
    print(f"launched kernels: {100 * total.kernels['any memory'] / n:.0f} % any memory; launches judged: {sum(total.launches.values())}, "
          f"{100 * total.launches['any memory'] / (sum(total.launches.values()) or 1):.0f} % any memory")
    if h:
        print(f"kernels that no trace launches, on made-up launches: {h}: " + ", ".join(f"{total.hoped[o]} {o}" for o in reversed(ORDER)))
        print(f"both: {n + h} kernels, {100 * (total.kernels['any memory'] + total.hoped['any memory']) / (n + h):.0f} % any memory")
    for text, names in sorted(reasons.items(), key=lambda x: -len(x[1])):
        print(f"{len(names):4} {text}: {', '.join(sorted(set(names))[:9])}{' ...' if len(set(names)) > 9 else ''}")


def main():
    options = parse_args()
    suites, reasons, seen, report = {}, {}, set(), []
    for word in options.trace:
        name, path = word.split("=", 1)
        s = suites.setdefault(name, Suite())
        for (source, build, kernel), launches in kernels_of(path).items():
            if (source, build, kernel) in seen:
                continue
            seen.add((source, build, kernel))
            answer = judge(options, source, build, some(launches, options.shapes))
            if "error" in answer:
                s.failed += 1
                reasons.setdefault("not analysed: " + answer["error"]["message"][-60:], []).append(kernel)
                continue
            worst = None
            for l, r in zip(some(launches, options.shapes), answer["results"]):
                cut = r["cut"]
                if cut.get("reason") == "there is only one work-group":
                    continue
                s.launches[cut["verdict"]] += 1
                report.append({"suite": name, "kernel": kernel, "global": l["global"], "local": l["local"], "cut": cut})
                if worst is None or ORDER.index(cut["verdict"]) < ORDER.index(worst["verdict"]):
                    worst = cut
                for a in r["tiles"][0]["args"]:
                    for side in ("reads", "writes"):
                        if side in a:
                            s.answers[side][a[side]["answer"]] += 1
            if worst is None:
                continue
            s.kernels[worst["verdict"]] += 1
            if worst["verdict"] != "any memory":
                reasons.setdefault(f"{worst['verdict']}: {worst['reason']}", []).append(f"{name}:{kernel}")
    names = {(k, ) for _, _, k in seen}
    for folder in options.sources:
        for path, _, files in sorted(os.walk(folder)):
            for f in sorted(x for x in files if x.endswith(".cl")):
                whole = os.path.join(path, f)
                defines = ["-DSINGLE_PRECISION", "-DBLOCK_SIZE=16", "-DTYPE=float", "-DfpType=float"]
                answer = run(options, ["--seconds", "20"] + defines + ["-I" + path, whole])
                for k in answer.get("kernels", []):
                    if (k["name"], ) in names:
                        continue
                    names.add((k["name"], ))
                    s = suites.setdefault(os.path.basename(folder.rstrip("/")), Suite())
                    s.hoped[k["cut"]["verdict"]] += 1
                    if k["cut"]["verdict"] != "any memory":
                        reasons.setdefault(f"({k['cut']['verdict']}: {k['cut'].get('reason')})", []).append(f"{os.path.basename(folder)}:{k['name']}")
                    report.append({"suite": os.path.basename(folder), "kernel": k["name"], "cut": k["cut"]})
    say(options, suites, reasons)
    if options.json:
        json.dump(report, open(options.json, "w"), indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
