#!/usr/bin/env python3
"""cutcheck.py - holds verdicts on cutting against what kernels really do.

usage: cutcheck.py --footprint PROGRAM --runner PROGRAM [--plugin LIBRARY] [--pocl] [--break RULE] [--seed N] [--orders N]
                   [--every N] [--only NAME] [--expect FILE] TABLE FOLDER...

TABLE and FOLDERs as for check.py. For each launch whose verdict is not "whole":

 - with --plugin the launch runs under Oclgrind: no byte that a slab of work-groups writes may be touched by another slab,
   except by the operations and in the arguments that the verdict names for merging ("one memory" does not name them: then
   only images are looked at, and the rest is left to the device);
 - with --pocl it runs on the first OpenCL device, cut at random places, tiles in random order, first on one memory, then
   each tile on a memory of its own, merged as the verdict says: every byte of every buffer must be as after the uncut run.

--break falsifies verdicts on purpose (the check must then fail): lie ("whole" becomes "any memory"), merge (nothing is
merged).
--expect compares the verdicts with a file of lines "kernel sizes arguments options: verdict"; launches that it does not have
are not compared.

Prints one line per launch and totals; exit 0 without violations, 1 with some, 77 when no launch could be run."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import check
from arguments import arguments

HOW = {"add": "add", "and": "and", "or": "or", "xor": "xor", "signed min": "smin", "signed max": "smax",
       "unsigned min": "umin", "unsigned max": "umax"}


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--footprint", required=True)
    p.add_argument("--runner", required=True)
    p.add_argument("--plugin")
    p.add_argument("--pocl", action="store_true")
    p.add_argument("--break", dest="broken", choices=["lie", "merge"])
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--orders", type=int, default=3)
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--expect")
    p.add_argument("table")
    p.add_argument("folder", nargs="+")
    return p.parse_args()


def judge(options, launches):
    """Gives each launch its verdict ("cut"): one start of clweave-footprint per file and build options."""
    together = {}
    for launch in launches:
        together.setdefault((launch["path"], tuple(launch.get("options", []))), []).append(launch)
    for (path, build), some in together.items():
        description = {"launches": [{"kernel": l["kernel"], "global": l["global"], "local": l["local"],
                                     "offset": l.get("offset", []), "args": arguments(l), "tiles": []} for l in some]}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump(description, f)
            f.flush()
            done = subprocess.run([options.footprint, "--time", "--eval", f.name, *build, "-I" + os.path.dirname(path), path],
                                  capture_output=True, text=True)
        answer = json.loads(done.stdout)
        for i, launch in enumerate(some):
            launch["cut"] = answer["error"]["message"] if "error" in answer else answer["results"][i]["cut"]


def words(cut):
    text = cut["verdict"]
    if "dimension" in cut:
        text += f", dimension {cut['dimension']}" + ("" if cut["contiguous"] else ", interleaved")
    if "reason" in cut:
        text += f" ({cut['reason']})"
    return text + "".join(f", merge {m['arg']} by {m['how']} of {m['bytes']}" for m in cut.get("merge", []))


def groups_of(launch):
    return [-(-g // l) for g, l in zip(launch["global"], launch["local"])] + [1] * (3 - len(launch["global"]))


def random_cuts(launch, dim, rng):
    """Tiles between random cuts along `dim`, in random order; now and then every slab by itself."""
    groups = groups_of(launch)
    n = groups[dim]
    share = rng.choice([1.0, 0.5, 0.2])
    cuts = [0] + [i for i in range(1, n) if rng.random() < share] + [n]
    tiles = []
    for a, b in zip(cuts, cuts[1:]):
        first, count = [0, 0, 0], list(groups)
        first[dim], count[dim] = a, b - a
        tiles.append(first + count)
    rng.shuffle(tiles)
    return tiles


def meets(groups, cut):
    """What a slab wrote and another slab touched, from a trace; None when nothing is."""
    dim, merged = cut["dimension"], {m["arg"]: m["how"] for m in cut.get("merge", [])}
    slabs = {}
    for g, touched in groups.items():
        for (arg, side), spans in touched.items():
            slabs.setdefault(arg, {}).setdefault(side, {}).setdefault(g[dim], []).extend(spans)
    for arg, sides in slabs.items():
        if merged.get(arg, "difference") != "difference":
            continue  # atomics, all of them: reads and writes of many slabs
        writer = {}
        for slab, spans in sides.get("w", {}).items():
            for begin, end in check.Spans(spans).v:
                for b in range(begin, end):
                    if writer.setdefault(b, slab) != slab and arg not in merged:
                        return f"argument {arg}: byte {b} is written by slabs {writer[b]} and {slab}"
        for slab, spans in sides.get("r", {}).items():
            for begin, end in check.Spans(spans).v:
                for b in range(begin, end):
                    if writer.get(b, slab) != slab:
                        return f"argument {arg}: byte {b} is written by slab {writer[b]} and read by slab {slab}"
    return None


def run_cut(options, launch, cut, rng):
    """Problems found on the device, or an error text."""
    source = check.limited_source(open(launch["path"], errors="replace").read(), launch["kernel"])
    if source is None:
        return "the kernel's text was not found"
    separate = cut["verdict"] in ("any memory", "with merge")
    lines = ["start", "part 0 0 0 " + " ".join(map(str, groups_of(launch))), "end"]
    if separate:
        lines += [f"merge {m['arg']} {HOW[m['how']]} {m['bytes']}" for m in cut.get("merge", []) if m["how"] in HOW]
    kinds = ["uncut"]
    for _ in range(options.orders):
        for kind in ["part", "alone"] if separate else ["part"]:
            tiles = random_cuts(launch, cut["dimension"], rng)
            lines += ["start"] + [kind + " " + " ".join(map(str, t)) for t in tiles] + ["end"]
            kinds.append(f"{'one memory' if kind == 'part' else 'separate memories'}, {len(tiles)} tiles")
    with tempfile.TemporaryDirectory() as d:
        path, job = os.path.join(d, "limited.cl"), os.path.join(d, "job")
        with open(path, "w") as f:
            f.write(source)
        with open(job, "w") as f:
            f.write(check.job_text(launch, path, []) + "\n".join(lines) + "\n")
        try:
            done = subprocess.run([options.runner, job], capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return "device: did not end within a minute"
    if done.returncode != 0:
        return "device: " + (done.stderr.strip().splitlines() or ["died"])[-1]
    ends, problems = [{}], []
    for line in done.stdout.splitlines():
        f = line.split()
        if f[0] == "bytes":
            ends[-1][f[1]] = f[2]
        elif f[0] == "end":
            ends.append({})
        elif f[0] == "clash":
            problems.append(f"argument {f[1]} byte {f[2]}: two memories changed it in different ways")
    for kind, got in zip(kinds[1:], ends[2:]):
        wrong = [a for a in got if got[a] != ends[1][a]]
        if wrong:
            problems.append(f"device: {kind}: argument {', '.join(wrong)} differs from the uncut run")
    return problems


def check_launch(options, launch, cut, rng):
    """(problems, comparisons, what was not run)"""
    problems, done, skipped = [], 0, []
    if cut["verdict"] == "whole" and options.broken == "lie":
        sizes = groups_of(launch)
        cut = {"verdict": "any memory", "dimension": max(range(3), key=lambda d: sizes[d]), "contiguous": True}
    if options.broken == "merge":
        cut = dict(cut, merge=[])
    if cut["verdict"] == "whole":
        return [], 0, []
    pixels = cut.get("reason") == "work-groups write pixels of one image"
    if options.plugin and (cut["verdict"] != "one memory" or pixels) and not any(a.startswith("same ") for a in launch["args"]):
        groups = check.trace(options, launch)
        if isinstance(groups, str):
            skipped.append(groups)
        else:
            images = {i for i, a in enumerate(launch["args"]) if a.startswith("image ")}
            if pixels:  # what is merged besides is not named
                groups = {g: {k: v for k, v in t.items() if k[0] in images} for g, t in groups.items()}
            found = meets(groups, cut)
            problems += [f"oclgrind: {found}"] if found else []
            done += 1
    if options.pocl:
        found = run_cut(options, launch, cut, rng)
        if isinstance(found, str):
            skipped.append(found)
        else:
            problems += list(dict.fromkeys(found))[:4]
            done += 2 * options.orders
    return problems, done, skipped


def main():
    options = parse_args()
    rng = random.Random(options.seed)
    verdicts, lines, cold, warm = {}, [], [], []
    ran = violations = comparisons = 0
    launches = [l for l in json.load(open(options.table))[::options.every] if options.only in l["kernel"]]
    for launch in launches:
        launch["path"] = check.find_file(options.folder, launch["file"])
    judge(options, [l for l in launches if l["path"]])
    for launch in launches:
        name = f"{launch['file'].split('/')[-1]}:{launch['kernel']}"
        if not launch["path"]:
            print(f"  {name}: no such file in the given folders")
            continue
        cut = launch["cut"]
        if isinstance(cut, str):
            print(f"  {name}: {cut}")
            violations += 1
            continue
        verdicts[cut["verdict"]] = verdicts.get(cut["verdict"], 0) + 1
        cold.append(cut["cold_us"])
        warm.append(cut["warm_us"])
        lines.append(f"{launch['kernel']} {'x'.join(map(str, launch['global']))} {', '.join(launch['args'] + launch.get('options', []))}: {words(cut)}")
        problems, done, skipped = check_launch(options, launch, cut, rng)
        comparisons += done
        ran += done > 0
        violations += len(problems)
        print(f"  {name} {words(cut)}" + (f" [{'; '.join(skipped)}]" if skipped else ""))
        for p in problems:
            print(f"    VIOLATION {p}")
    if not cold:
        print("no launch could be judged")
        return 77
    print(", ".join(f"{k} {v}" for k, v in sorted(verdicts.items())))
    print(f"{ran} launches run, {comparisons} comparisons; verdict: first time median {sorted(cold)[len(cold) // 2]:.1f} us, "
          f"worst {max(cold):.1f} us; again median {sorted(warm)[len(warm) // 2]:.2f} us, worst {max(warm):.2f} us")
    print(f"{violations} violations")
    if options.expect:
        with open(os.path.join(os.environ.get("T", "/tmp"), "cut.got"), "w") as f:
            f.write("\n".join(lines) + "\n")
        wanted = dict(l.rsplit(": ", 1) for l in open(options.expect).read().splitlines())
        got = dict(l.rsplit(": ", 1) for l in lines)
        for launch, verdict in wanted.items():
            if got.get(launch) != verdict:
                print(f"EXPECTED {launch}: {verdict}\n     GOT {got.get(launch)}")
                violations += 1
    return 1 if violations else 0


sys.exit(main())
