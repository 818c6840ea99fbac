#!/usr/bin/env python3
"""pairs.py - times programs under several configurations, interleaved, and prints ratios to the first one.

usage: pairs.py [options] --config 'NAME: VAR=VALUE ...' [--config ...] < rows
       pairs.py [options] --config ... --manifest FILE

A row is "NAME<tab>COMMAND" (run by sh), or a program of a manifest (test/suites/manifest.py), run in a copy of its
folder. Every round runs each configuration of a row once, in an order that turns from round to round, so that a busy
machine hurts all alike; --warm runs come before the rounds and are not counted. In VALUE, %t is a folder that is empty
at each run, %c one that all of a configuration's runs of a row share. Of each run: `span` (what the program prints as
"span_ns N" on either stream; without that line the whole process), `wall` (whole process) and `cpu` (user + system,
children included). A ratio is first configuration / this one, above 1 is faster; printed is the median over the
rounds and the order statistics that hold the true median with at least 95 % (exact, no distribution assumed; fewer
than 6 rounds: the extremes). A last line "... hash=..." of a row has to be the same in all runs.

Limits are on the last configuration's ratios. --limit ROW=RATIO (span) and --mean RATIO (geometric mean of all rows'
spans; its interval is over the rounds) are to be reached: met when the whole interval is above, missed when the whole
interval is below, not shown else. --least RATIO (span and wall of every row) is not to be fallen short of: a row is
SLOWER when its whole interval is below the ratio, which is what the limit forbids; "ok" when the whole interval is above;
"not resolved" when the ratio lies inside, so that these rounds show neither. All three are counted at the end.

Exit status 1: a program failed, a result differed, a row was slower, or a limit was not met.
"""
import argparse
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
import manifest  # noqa: E402  pylint: disable=wrong-import-position

WHAT = ("span", "wall", "cpu")


class Config:
    """One configuration: environment variables, and the folders that stand for %c."""

    def __init__(self, text, scratch):
        self.name, _, settings = text.partition(":")
        self.name, self.scratch, self.shared = self.name.strip(), scratch, {}
        self.settings = dict(word.split("=", 1) for word in settings.split())

    def environment(self, row):
        """What a run of `row` gets, and the folder to remove after it."""
        fresh = tempfile.mkdtemp(dir=self.scratch)
        if row not in self.shared:
            self.shared[row] = tempfile.mkdtemp(dir=self.scratch)
        values = {k: v.replace("%t", fresh).replace("%c", self.shared[row]) for k, v in self.settings.items()}
        return values, fresh


class Row:
    """A program: its name, how it is started, where, and with what."""

    def __init__(self, name, command, folder=None, env=None):
        self.name, self.command, self.folder, self.env = name, command, folder, env or {}


def run_once(row, config):
    values, fresh = config.environment(row.name)
    env = {**os.environ, **row.env, **values}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(row.command, env=env, cwd=row.folder, capture_output=True, text=True, errors="replace",
                          timeout=300)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(fresh, ignore_errors=True)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    span = re.search(r"^span_ns (\d+)$", done.stdout + "\n" + done.stderr, re.M)
    found = re.findall(r"hash=(\w+)", done.stdout)
    return {"span": int(span[1]) / 1e9 if span else wall, "wall": wall, "cpu": cpu}, found[-1] if found else None


def interval(values):
    """Median and the order statistics around it that cover the true median with >= 95 %."""
    v, n = sorted(values), len(values)
    tails = [sum(math.comb(n, i) for i in range(k + 1)) / 2**n for k in range(n // 2)]
    low = max(sum(tail <= 0.025 for tail in tails) - 1, 0)
    middle = (v[(n - 1) // 2] + v[n // 2]) / 2
    return middle, v[low], v[n - 1 - low]


def measure(row, configs, options):
    figures, hashes = {c.name: [] for c in configs}, set()
    for r in range(-options.warm, options.rounds):
        turn = r % len(configs)
        for config in configs[turn:] + configs[:turn]:
            figure, text = run_once(row, config)
            hashes.add(text)
            if r >= 0:
                figures[config.name].append(figure)
    if len(hashes) > 1:
        raise RuntimeError(f"results differ: {sorted(map(str, hashes))}")
    return figures


def ratios(figures, base, name, what):
    return [b[what] / max(f[what], 1e-9) for b, f in zip(figures[base], figures[name])]


def print_row(name, configs, figures):
    base = configs[0].name
    for config in configs:
        cells = [f"{1e3 * interval([f['span'] for f in figures[config.name]])[0]:10.2f} ms"]
        for what in WHAT:
            cell = "%7.2f [%5.2f,%6.2f]" % interval(ratios(figures, base, config.name, what))
            cells.append(cell if config.name != base else " " * 23)
        print(f"  {name:<26}{config.name:<14}" + "  ".join(cells), flush=True)
        name = ""


def print_mean(configs, table, what):
    """The geometric mean over all rows, of each configuration. Returns the last one's."""
    found = None
    for config in configs[1:]:
        rounds = zip(*(ratios(f, configs[0].name, config.name, what) for f in table.values()))
        found = interval([math.exp(sum(map(math.log, r)) / len(r)) for r in rounds])
        print("  geometric mean of %d rows, %s: %-14s %5.2f [%5.2f,%6.2f]" % (len(table), what, config.name, *found))
    return found


class Judge:
    """Limits, and whether all were met."""

    def __init__(self):
        self.failed = False
        self.rows = {"ok": 0, "not resolved": 0, "SLOWER": 0}

    def least(self, what, found, limit):
        """A limit that a row must not fall short of."""
        middle, low, high = found
        verdict = "ok" if low >= limit else "SLOWER" if high < limit else "not resolved"
        self.rows[verdict] += 1
        self.failed |= verdict == "SLOWER"
        if verdict != "ok":
            print(f"  {what}: {middle:.2f} [{low:.2f}, {high:.2f}], least {limit:.2f}: {verdict}")

    def look(self, what, found, limit):
        middle, low, high = found
        verdict = "ok" if low >= limit else "MISSED" if high < limit else "NOT SHOWN"
        self.failed |= verdict != "ok"
        if verdict != "ok" or what.startswith(("geometric", "limit")):
            print(f"  {what}: {middle:.2f} [{low:.2f}, {high:.2f}], limit {limit:.2f}: {verdict}")


def judge(options, configs, table):
    j, base, last = Judge(), configs[0].name, configs[-1].name
    limits = dict(text.split("=") for text in options.limit)
    for name, figures in table.items():
        if name in limits:
            j.look(f"limit {name} span", interval(ratios(figures, base, last, "span")), float(limits[name]))
        for what in ("span", "wall") if options.least else ():
            j.least(f"{name} {what}", interval(ratios(figures, base, last, what)), options.least)
    if options.least:
        print(f"  of {2 * len(table)} spans and walls, against {options.least:.2f}: {j.rows['ok']} ok, "
              f"{j.rows['not resolved']} not resolved, {j.rows['SLOWER']} slower")
    for what in WHAT if options.mean else ():
        found = print_mean(configs, table, what)
        if what == "span":
            j.look("geometric mean", found, options.mean)
    return j.failed


def read_rows(options, scratch):
    if not options.manifest:
        for line in sys.stdin:
            name, _, command = line.rstrip("\n").partition("\t")
            yield Row(name, ["sh", "-c", command])
        return
    for program in manifest.read(options.manifest):
        if not re.search(options.only, program.name):
            continue
        folder = tempfile.mkdtemp(dir=scratch)
        if program.folder:
            shutil.copytree(program.folder, folder, dirs_exist_ok=True)
        yield Row(program.name, program.command, folder, program.env)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--warm", type=int, default=0)
    p.add_argument("--config", action="append", required=True)
    p.add_argument("--manifest")
    p.add_argument("--only", default=".", help="regular expression of the manifest's names")
    p.add_argument("--limit", action="append", default=[])
    p.add_argument("--least", type=float)
    p.add_argument("--mean", type=float)
    return p.parse_args()


def main():
    options, table, failed = arguments(), {}, False
    with tempfile.TemporaryDirectory(prefix="clweave-pairs.") as scratch:
        configs = [Config(text, scratch) for text in options.config]
        print(f"  {'':<26}{'':<14}{'median span':>13}  {'span: ratio [95 %]':>23}  {'wall':>23}  {'cpu':>23}")
        for row in read_rows(options, scratch):
            try:
                figures = measure(row, configs, options)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                print(f"  {row.name}: {error}", flush=True)
                failed = True
                continue
            table[row.name] = figures
            print_row(row.name, configs, figures)
        return (judge(options, configs, table) if table else True) or failed


if __name__ == "__main__":
    sys.exit(main())
