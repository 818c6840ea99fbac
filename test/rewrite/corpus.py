#!/usr/bin/env python3
"""corpus.py - what becomes of the kernels of whole suites: rewritten, as they are, refused; and whether the result builds.

usage: corpus.py --rewriter PROGRAM [--preprocess COMMAND] [--details] [--limit SECONDS] NAME=FOLDER...

Every .cl file below a folder is built on the first OpenCL device with the first of a few usual sets of options that its
original builds with. With --preprocess what is refused as it stands is tried again preprocessed. Exit 1 when a rewritten
file does not build or has other arguments than promised."""
import argparse
import collections
import os
import re
import subprocess
import sys

OPTIONS = [[], ["-DSINGLE_PRECISION"], ["-DBLOCK_SIZE=16"], ["-DSINGLE_PRECISION", "-DDIM=16", "-DN_GP=128"], ["-DSINGLE_PRECISION", "-DLROWS=8"],
           ["-DBLOCK_SIZE=16", "-DRD_WG_SIZE_0=16", "-DSTR_SIZE=256"], ["-DWORK_GROUP_SIZE=64"]]


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--rewriter", required=True)
    p.add_argument("--preprocess")
    p.add_argument("--details", action="store_true")
    p.add_argument("--limit", type=float, default=120)
    p.add_argument("suite", nargs="+")
    return p.parse_args()


def build(options, path):
    env = dict(os.environ)
    if options.preprocess:
        env["CLWEAVE_PREPROCESS"] = options.preprocess
    folder = os.path.dirname(path)
    for extra in OPTIONS:
        words = extra + ["-I" + folder, "-I" + os.path.dirname(folder)]
        try:
            done = subprocess.run([options.rewriter, "build", path, *words], capture_output=True, text=True, env=env, timeout=options.limit)
        except subprocess.TimeoutExpired:
            return 1, f"{path}: takes longer than {options.limit} s"
        if "original fails" not in done.stdout:
            break
    return done.returncode, done.stdout


def main():
    options = parse_args()
    bad, reasons = 0, collections.Counter()
    total = collections.Counter()
    print(f"{'suite':12} {'files':>6} {'do not build':>12} {'direct':>7} {'preprocessed':>12} {'refused':>8}   kernels: rewritten as-is refused")
    for suite in options.suite:
        name, folder = suite.split("=", 1)
        n = collections.Counter()
        for path in sorted(os.path.join(d, f) for d, _, files in os.walk(folder) for f in files if f.endswith(".cl")):
            status, text = build(options, path)
            n["files"] += 1
            kind = ("fails" if "original fails" in text else "refused" if re.search(r": refused", text) else
                    "preprocessed" if "rewritten (preprocessed)" in text else "direct")
            n[kind] += 1
            for what in ("rewritten", "as it is", "refused"):
                n["k " + what] += len(re.findall(rf"^  \w+: {what}", text, re.M))
            for why in re.findall(r"refused(?: \(preprocessed\))?: (.*)", text):
                reasons[re.sub(r"'[^']*'", "'...'", why)] += 1
            if status or "BUT" in text:
                bad += 1
            if options.details or status:
                print(text, end="", flush=True)
        total.update(n)
        print(f"{name:12} {n['files']:6} {n['fails']:12} {n['direct']:7} {n['preprocessed']:12} {n['refused']:8}   "
              f"{n['k rewritten']:17} {n['k as it is']:5} {n['k refused']:7}", flush=True)
    print(f"{'all':12} {total['files']:6} {total['fails']:12} {total['direct']:7} {total['preprocessed']:12} {total['refused']:8}   "
          f"{total['k rewritten']:17} {total['k as it is']:5} {total['k refused']:7}; {bad} troubles")
    for why, count in reasons.most_common():
        print(f"  {count:4}  {why}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
