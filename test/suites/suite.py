#!/usr/bin/env python3
"""suite.py - same bytes, same behaviour: a suite's programs bare and under clweave, compared.

Each program of the manifest (manifest.py says its form) runs bare several times first, which shows what it varies in
by itself; then in every configuration (runs.py), with `--seeds N` as often as told for the policies that draw lots and
`--repeat N` times for the others. Compared are exit status, stdout, files, and every byte that it read back, in
program order. Prints a table and the reasons; `chaos` that managed, reordered or moved nothing where the program's
graph allows it fails too, as a run that did nothing proves nothing.

Exit status: 0 all same; 1 a difference, hang, crash or idle chaos; 2 usage.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import manifest
import runner
import runs


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    p.add_argument("manifest")
    p.add_argument("--build", default="build", help="clweave's build folder")
    p.add_argument("-c", "--configuration", action="append", default=[], help="MODE[/OPTION=VALUE...][*RUNS], repeatable")
    p.add_argument("--only", default=".", help="regular expression of programs' names")
    p.add_argument("--bare", type=int, default=5, help="bare runs first")
    p.add_argument("--again", type=int, default=20, help="further bare runs of a program that seems different")
    p.add_argument("--seeds", type=int, default=20, help="runs of policy chaos")
    p.add_argument("--repeat", type=int, default=3, help="runs of the others")
    p.add_argument("--jobs", type=int, default=1, help="programs at a time")
    p.add_argument("--keep", help="folder that keeps the runs that failed")
    p.add_argument("--quiet", action="store_true", help="print only what is not the same")
    return p.parse_args()


def cuts(configuration):
    """Streams enqueue whole commands: nothing of such a configuration asks for footprints."""
    return "/streams=" not in configuration or "/streams=off" in configuration


def helper_starts(build):
    """Whether the process that finds footprints runs here: without it nothing is cut, and nobody says so."""
    try:
        helper = os.path.join(os.path.abspath(build), "clweave-footprint")
        done = subprocess.run([helper, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=60, check=False)
    except OSError:
        return False
    return done.returncode != 127  # the dynamic linker's, when a library is missing


def print_totals(totals):
    """One line a configuration, all programs together."""
    width = max(len(name) for name in totals)
    line = "{:{}} {:>7}" + " {:>9}" * len(runs.COUNTS) + " {:>8}"
    print(line.format("all programs", width, "runs", *runs.COUNTS, "not same"))
    for name, sums in (*totals.items(), ("together", map(sum, zip(*totals.values())))):
        print(line.format(name, width, *sums))


def main():
    options = arguments()
    try:
        programs = [p for p in manifest.read(options.manifest) if re.search(options.only, p.name)]
    except (manifest.ManifestError, OSError) as why:
        print(f"suite.py: {why}", file=sys.stderr)
        return 2
    if not programs:
        print(f"suite.py: no program's name matches '{options.only}'", file=sys.stderr)
        return 2
    if any(cuts(c) for c in options.configuration or [""]) and not helper_starts(options.build):
        print(f"suite.py: {options.build}/clweave-footprint does not start here: nothing would be cut", file=sys.stderr)
        return 2
    missing = [name for name in ("libreadcl.so", "libawake.so") if not os.path.exists(os.path.join(options.build, "test", name))]
    if missing:
        print(f"suite.py: {options.build}/test/{missing[0]} is not built: 'make tests'", file=sys.stderr)
        return 2
    failed, totals = 0, {name: [0] * (len(runs.COUNTS) + 2) for name in options.configuration}
    with tempfile.TemporaryDirectory(prefix="clweave-suite.") as scratch, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for each in pool.map(lambda p: runner.Runner(p, options, scratch).all(), programs):
            failed += each.failed
            for name, counts in each.totals.items():
                totals[name] = [a + b for a, b in zip(totals[name], counts)]
            for line in each.lines:
                print(line, flush=True)
    if totals:
        print_totals(totals)
    print(f"{len(programs)} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
