#!/usr/bin/env python3
"""pairs.py - times programs under several configurations, interleaved, and prints ratios to the first one.

usage: pairs.py [--rounds N] --config 'NAME: VAR=VALUE ...' [--config ...] [--limit ROW=RATIO] < rows

A row is "NAME<tab>COMMAND" (run by sh). Every round runs each configuration of a row once, in an order that turns
from round to round, so that a busy machine hurts all alike. Of each run: `span` (what the program prints as
"span_ns N"; without that line the whole process), `wall` (whole process) and `cpu` (user + system, children
included). A ratio is first configuration / this one, above 1 is faster; printed is the median over the rounds and
the order statistics that hold the true median with at least 95 % (exact, no distribution assumed; fewer than 6
rounds: the extremes). The last line "... hash=..." of a row has to be the same in all runs.

Exit status 1: a program failed, a result differed, or the upper end of a row's interval lies below its --limit.
"""
import argparse
import math
import os
import re
import resource
import subprocess
import sys
import time


def parse_config(text):
    name, _, settings = text.partition(":")
    return name.strip(), dict(word.split("=", 1) for word in settings.split())


def run_once(command, settings):
    env = {**os.environ, **settings}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True, errors="replace", timeout=300)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    span = re.search(r"^span_ns (\d+)$", done.stdout, re.M)
    found = re.findall(r"hash=(\w+)", done.stdout)
    return {"span": int(span[1]) / 1e9 if span else wall, "wall": wall, "cpu": cpu}, found[-1] if found else None


def interval(values):
    """Median and the order statistics around it that cover the true median with >= 95 %."""
    v, n = sorted(values), len(values)
    tails = [sum(math.comb(n, i) for i in range(k + 1)) / 2**n for k in range(n // 2)]
    low = max(sum(tail <= 0.025 for tail in tails) - 1, 0)
    middle = (v[(n - 1) // 2] + v[n // 2]) / 2
    return middle, v[low], v[n - 1 - low]


def measure(command, configs, rounds):
    figures, hashes = {name: [] for name, _ in configs}, set()
    for r in range(rounds):
        turn = r % len(configs)
        for name, settings in configs[turn:] + configs[:turn]:
            figure, text = run_once(command, settings)
            figures[name].append(figure)
            hashes.add(text)
    if len(hashes) > 1:
        raise RuntimeError(f"results differ: {sorted(map(str, hashes))}")
    return figures


def print_row(row, configs, figures):
    base = configs[0][0]
    best = {}
    for name, _ in configs:
        cells = [f"{1e3 * interval([f['span'] for f in figures[name]])[0]:10.2f} ms"]
        for what in ("span", "wall", "cpu"):
            ratios = [b[what] / max(f[what], 1e-9) for b, f in zip(figures[base], figures[name])]
            best[name, what] = interval(ratios)
            cells.append("%7.2f [%5.2f,%6.2f]" % best[name, what] if name != base else " " * 23)
        print(f"  {row:<14}{name:<16}" + "  ".join(cells), flush=True)
        row = ""
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--config", action="append", required=True)
    parser.add_argument("--limit", action="append", default=[])
    options = parser.parse_args()
    configs = [parse_config(text) for text in options.config]
    limits = dict(text.split("=") for text in options.limit)
    failed = False
    print(f"  {'':<14}{'':<16}{'median span':>13}  {'span: ratio [95 %]':>23}  {'wall':>23}  {'cpu':>23}")
    for line in sys.stdin:
        row, _, command = line.rstrip("\n").partition("\t")
        try:
            best = print_row(row, configs, measure(command, configs, options.rounds))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"  {row}: {error}", flush=True)
            failed = True
            continue
        last = configs[-1][0]
        if row in limits and best[last, "span"][2] < float(limits[row]):
            print(f"  {row}: {last} is below {limits[row]} of {configs[0][0]}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
