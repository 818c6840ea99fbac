#!/usr/bin/env python3
"""tiles.py - runs programs with libtilecl.so (tilecl.h) and sums up what became of their kernels.

usage: tiles.py --layer LIBRARY --footprint PROGRAM [--preprocess COMMAND] [--two sub|basic] [--launches N] [--seed N]
                [--only REGEX] [--limit SECONDS] [--details] [--time N] MANIFEST        (manifest: test/suites/manifest.py)

Prints a line per suite, which is what stands before the first slash of a program's name. A program that is still in one of its
own kernels, whole and as it is, when its time is over has a kernel that does not end: that launch is not cut.
Exit 0 when no launch differed, every rewritten source built and something was cut; 1 otherwise."""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
import manifest  # noqa: E402


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--layer", required=True)
    p.add_argument("--footprint", required=True)
    p.add_argument("--preprocess")
    p.add_argument("--two", default="sub", choices=["sub", "basic"])
    p.add_argument("--launches", default="2")
    p.add_argument("--seed", default="1")
    p.add_argument("--only", default="")
    p.add_argument("--limit", type=float, default=120)
    p.add_argument("--details", action="store_true")
    p.add_argument("--time", type=int, help="time the rewritten kernels uncut, least of so many")
    p.add_argument("manifest")
    return p.parse_args()


def run(options, program, log):
    env = dict(os.environ, LD_PRELOAD=options.layer, TILECL_LOG=log, TILECL_FOOTPRINT=options.footprint, TILECL_TWO=options.two,
               TILECL_LAUNCHES=options.launches, TILECL_SEED=options.seed, **program.env)
    if options.preprocess:
        env["TILECL_PREPROCESS"] = options.preprocess
    if options.time:
        env["TILECL_TIME"] = str(options.time)
    if options.two == "basic":
        env["POCL_DEVICES"] = "pthread basic basic"
    with tempfile.TemporaryDirectory() as d:
        folder = os.path.join(d, "run")
        shutil.copytree(program.folder, folder) if program.folder else os.mkdir(folder)
        try:
            return subprocess.run(program.command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  stdin=subprocess.DEVNULL, timeout=options.limit).returncode
        except (subprocess.TimeoutExpired, OSError) as e:
            return type(e).__name__


def add_up(lines, sums, kernels, reasons):
    bad = []
    for line in lines:
        if line.startswith("kernel "):
            name, verdict = line[7:].split(": ", 1)
            kernels[(sums["program"], name)] = verdict
        elif line.startswith("launch "):
            said = line.split(": ", 1)[1]
            sums["cut" if said.startswith("same") else "whole"] += 1
            if said.startswith("not cut"):
                reasons[said] += 1
            bad += [line] if "WRONG" in line else []
        elif line.startswith("time "):
            sums["timed"] += 1
            print(f"{sums['program']} {line}", flush=True)
        elif re.match(r"DIFFERS|FAILED|error", line) or "BUT DOES NOT" in line:
            bad.append(line)
        elif line.startswith("program ") and "refused" in line or "no models" in line:
            reasons[line.split(": ", 1)[1].split(" kernels ")[0]] += 1
    return bad


def still_in_an_original(lines):
    return lines and lines[-1].startswith("original ")


def table(suites):
    print(f"{'suite':14}{'programs':>9}{'kernels':>8}{'rewritten':>10}{'as it is':>9}{'refused':>8}{'cut, same bytes':>16}{'not cut':>8}{'troubles':>9}")
    for name, (sums, kernels, troubles) in suites.items():
        v = collections.Counter(re.split("[:,]", verdict)[0] for verdict in kernels.values())
        print(f"{name:14}{sums['program']:9}{len(kernels):8}{v['rewritten']:10}{v['as it is']:9}{v['refused']:8}{sums['cut']:16}{sums['whole']:8}{troubles:9}")


def main():
    options = parse_args()
    options.layer, options.footprint = os.path.abspath(options.layer), os.path.abspath(options.footprint)
    sums, kernels, reasons, bad, suites = collections.Counter(), {}, collections.Counter(), [], {}
    for program in manifest.read(options.manifest):
        if not re.search(options.only, program.name):
            continue
        with tempfile.NamedTemporaryFile("r") as log:
            status = run(options, program, log.name)
            lines = [line.rstrip("\n") for line in log]
        before = collections.Counter(sums)
        sums["program"] += 1
        own = {}
        wrong = add_up(lines, sums, own, reasons)
        if status == "TimeoutExpired" and still_in_an_original(lines):
            reasons["not cut: the program's own kernel does not end"] += 1
            sums["whole"] += 1
        elif isinstance(status, str) or status < 0:
            wrong.append(f"ends with {status}")
        bad += wrong
        suite = suites.setdefault(program.name.split("/")[0], [collections.Counter(), {}, 0])
        suite[0].update(sums - before)
        suite[1].update(own)
        suite[2] += len(wrong)
        kernels.update(own)
        if options.details or wrong:
            print(f"{program.name}: status {status}")
            print("".join(f"    {line}\n" for line in (lines if options.details else wrong)), end="", flush=True)
    table(suites)
    verdicts = collections.Counter(re.split("[:,]", v)[0] for v in kernels.values())
    print(f"{sums['program']} programs, {len(kernels)} kernels: " + ", ".join(f"{n} {v}" for v, n in verdicts.items())
          + f"; {sum('in rows' in v for v in kernels.values())} have a form for rows")
    print(f"launches: {sums['cut']} cut with the same bytes, {sums['whole']} not cut, {len(bad)} troubles")
    for reason, n in reasons.most_common():
        print(f"  {n:4}  {reason}")
    return 1 if bad or not sums["cut"] else 0


if __name__ == "__main__":
    sys.exit(main())
