#!/usr/bin/env python3
"""pairs.py - times programs under several configurations, interleaved, and prints ratios to the first one.

usage: pairs.py [options] --config 'NAME: VAR=VALUE ...' [--config ...] < rows
       pairs.py [options] --config ... --manifest FILE
       pairs.py [options] --load FILE...                       (figures of earlier runs, as of one)

A row is "NAME<tab>COMMAND" (run by sh), or a program of a manifest (test/suites/manifest.py), run in a copy of its
folder. Every round runs each configuration of a row once, in an order that turns from round to round, so that a busy
machine hurts all alike; --warm runs come before the rounds and are not counted (--warm-last: of the last
configuration only). In VALUE, %t is a folder that is empty at each run, %c one that all of a configuration's runs of a
row share. Of each run: `span` (what the program prints as "span_ns N" on either stream; without that line the whole
process), `wall` (whole process) and `cpu` (user + system, children included). A ratio is first configuration / this one,
above 1 is faster; printed is the median over the rounds and its 95 % interval (ratios.py). A last line "... hash=..." of a
row has to be the same in all runs.

--counts prints, beneath a row, the last run's commands by fate and by reason (counts.py) of each configuration that has
CLWEAVE_SUMMARY=1; a reason's share is of that run's span. --same CONFIGURATION (several; test/suites/runs.py has its form)
compares output, files and read bytes of a manifest's program with bare runs, with the library of folder --build.

--control runs the first configuration a second time in every round, as "NAME again", and reports it like the others: what it
shows is what chance does on this machine. It fails nothing. --group NAME=REGEX (several) prints geometric means of parts of
the rows, beside the one of all: [over these programs] and (as one set of many such programs). --save FILE keeps the figures.

Limits are on the last configuration's ratios. --limit ROW=RATIO (span) and --mean RATIO (geometric mean of all rows'
spans over these programs) are to be reached: met when the whole interval is above, missed when the whole
interval is below, not shown else. --least RATIO (span and wall of every row) is not to be fallen short of: a row is
SLOWER when its whole interval is below the ratio, which is what the limit forbids; "ok" when the whole interval is above;
"not resolved" when the ratio lies inside, so that these rounds show neither. All three are counted at the end. Of a hundred
rows that are as fast as the limit some three are SLOWER by chance.

Exit status 1: a program failed, a result or an output differed, a row was slower, or a limit was not met.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "suites")]
import counts  # noqa: E402  pylint: disable=wrong-import-position
import manifest  # noqa: E402  pylint: disable=wrong-import-position
import runner  # noqa: E402  pylint: disable=wrong-import-position
from ratios import between_programs, geometric_mean, interval, verdict  # noqa: E402  pylint: disable=wrong-import-position

WHAT = ("span", "wall", "cpu")


class Config:
    """One configuration: environment variables, and the folders that stand for %c."""

    def __init__(self, text, scratch, control=False):
        self.name, _, settings = text.partition(":")
        self.name, self.scratch, self.shared, self.control = self.name.strip(), scratch, {}, control
        self.name += " again" if control else ""
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

    def __init__(self, name, command, folder=None, env=None, program=None):
        self.name, self.command, self.folder, self.env, self.program = name, command, folder, env or {}, program


def run_once(row, config, more=(), timeout=300):
    values, fresh = config.environment(row.name)
    env = {**os.environ, **row.env, **values, **dict(setting.partition("=")[::2] for setting in more)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(row.command, env=env, cwd=row.folder, capture_output=True, text=True, errors="replace",
                          timeout=timeout)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(fresh, ignore_errors=True)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise RuntimeError(f"{config.name}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    span = re.search(r"^span_ns (\d+)$", done.stdout + "\n" + done.stderr, re.M)
    found = re.findall(r"hash=(\w+)", done.stdout)
    said = counts.lines_of(done.stderr)
    return {"span": int(span[1]) / 1e9 if span else wall, "wall": wall, "cpu": cpu, **({"said": said} if said else {})}, \
        found[-1] if found else None


def measure(row, configs, options):
    figures, hashes = {c.name: [] for c in configs}, set()
    for r in range(-options.warm, options.rounds):
        # a control needs no warm runs: the first configuration has done them
        now = configs if r >= 0 else configs[-1:] if options.warm_last else [c for c in configs if not c.control]
        turn = r % len(now)
        for config in now[turn:] + now[:turn]:
            figure, text = run_once(row, config, options.warm_env if r < 0 else (), options.timeout)
            hashes.add(text)
            if r >= 0:
                figures[config.name].append(figure)
    if len(hashes) > 1:
        raise RuntimeError(f"results differ: {sorted(map(str, hashes))}")
    return figures


def ratios(figures, base, name, what):
    return [b[what] / max(f[what], 1e-9) for b, f in zip(figures[base], figures[name])]


def print_head():
    print(f"  {'':<26}{'':<14}{'median span':>13}  {'span: ratio [95 %]':>23}  {'wall':>23}  {'cpu':>23}")


def print_row(name, names, figures):
    base = names[0]
    for config in names:
        cells = [f"{1e3 * interval([f['span'] for f in figures[config]])[0]:10.2f} ms"]
        for what in WHAT:
            cell = "%7.2f [%5.2f,%6.2f]" % interval(ratios(figures, base, config, what))
            cells.append(cell if config != base else " " * 23)
        print(f"  {name:<26}{config:<14}" + "  ".join(cells), flush=True)
        name = ""


def print_counts(name, figures):
    """The fates and reasons of each configuration's last run that has said them."""
    for config, runs in figures.items():
        found = counts.parse(runs[-1].get("said", ()))
        if not found:
            continue
        print(f"  {name:<26}{config:<14}{counts.cells(found)}")
        for line in (line for kind in ("native", "left", "whole") for line in counts.reasons(found, runs[-1]["span"], kind)):
            print(f"  {'':<40}{line}")
        name = ""
    sys.stdout.flush()


def print_heads(options):
    print_head()
    if options.counts:
        print(f"  {'':<40}{counts.head()}   native, left and whole: commands, share of the span, reason")


def print_one(name, names, figures, options):
    print_row(name, names, figures)
    if options.counts:
        print_counts(name, figures)


def print_same(row, options, scratch):
    """Whether the program's output, files and read bytes are those of bare runs. False: they are not, or it fails bare."""
    asked = argparse.Namespace(build=options.build, bare=3, again=10, seeds=2, repeat=1, keep=None, quiet=False,
                               configuration=options.same)
    done = runner.Runner(row.program, asked, os.path.join(scratch, "same")).all()
    print(*(f"  {line}" for line in done.lines), sep="\n", flush=True)
    return not done.failed


def print_means(options, names, table, what):
    """The geometric means of each configuration, of the groups and of all rows. Returns the last one's of all rows."""
    found = None
    groups = [text.partition("=")[::2] for text in options.group] + [("all", ".")]
    print(f"  geometric mean, {what}:{'':<15}rows  over these programs   as one set of many")
    for config in names[1:]:
        for group, regex in groups:
            rows = [ratios(f, names[0], config, what) for name, f in table.items() if re.search(regex, name)]
            if not rows:
                continue
            found = geometric_mean(rows)
            print("    %-14s%-20s%6d %7.2f [%5.2f,%6.2f]       (%5.2f,%6.2f)"
                  % (config, group, len(rows), *found, *between_programs(rows)[1:]))
    return found


class Judge:
    """Limits, and whether all were met."""

    def __init__(self):
        self.failed = False

    def least(self, table, base, config, limit, fails):
        """A limit that no row's span or wall must fall short of; the rows that do not reach it are named."""
        counts = {"ok": 0, "SLOWER": 0, "not resolved": 0}
        who = "" if fails else f"{config}: "
        for name, figures in table.items():
            for what in ("span", "wall"):
                found = interval(ratios(figures, base, config, what))
                word = verdict(found, limit, tuple(counts))
                counts[word] += 1
                if word == "SLOWER" or (fails and word != "ok"):
                    print("  %s%s %s: %.2f [%.2f, %.2f], least %.2f: %s" % (who, name, what, *found, limit, word))
        print(f"  {who}of {2 * len(table)} spans and walls, against {limit:.2f}: {counts['ok']} ok, "
              f"{counts['not resolved']} not resolved, {counts['SLOWER']} slower")
        self.failed |= fails and counts["SLOWER"] > 0

    def look(self, what, found, limit):
        word = verdict(found, limit, ("ok", "MISSED", "NOT SHOWN"))
        self.failed |= word != "ok"
        print("  %s: %.2f [%.2f, %.2f], limit %.2f: %s" % (what, *found, limit, word))


def judge(options, names, table):
    j, base, last = Judge(), names[0], names[-1]
    limits = dict(text.split("=") for text in options.limit)
    for name, figures in table.items():
        if name in limits:
            j.look(f"limit {name} span", interval(ratios(figures, base, last, "span")), float(limits[name]))
    for config in names[1:] if options.least else ():
        if config == last or config.endswith(" again"):
            j.least(table, base, config, options.least, config == last)
    for what in WHAT if options.mean else ():
        found = print_means(options, names, table, what)
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
        yield Row(program.name, program.command, folder, program.env, program)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--warm", type=int, default=0)
    p.add_argument("--warm-last", action="store_true")
    p.add_argument("--warm-env", action="append", default=[], metavar="NAME=VALUE", help="of the warm runs only")
    p.add_argument("--config", action="append", default=[])
    p.add_argument("--timeout", type=float, default=300, help="seconds of one run")
    p.add_argument("--control", action="store_true")
    p.add_argument("--group", action="append", default=[])
    p.add_argument("--counts", action="store_true")
    p.add_argument("--same", action="append", default=[], metavar="CONFIGURATION")
    p.add_argument("--build", default="build")
    p.add_argument("--save")
    p.add_argument("--load", nargs="+")
    p.add_argument("--manifest")
    p.add_argument("--only", default=".", help="regular expression of the manifest's names")
    p.add_argument("--limit", action="append", default=[])
    p.add_argument("--least", type=float)
    p.add_argument("--mean", type=float)
    return p.parse_args()


def load(paths):
    """The configurations' names, and the rows of several files; those of one name must be in one file only."""
    names, table = None, {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            figures = json.load(f)
        if names not in (None, figures["configs"]) or table.keys() & figures["rows"].keys():
            raise SystemExit(f"pairs.py: {path}: other configurations than before, or rows that were there")
        names = figures["configs"]
        table.update(figures["rows"])
    return names, table


def measure_all(options):
    """The configurations' names, the rows, and whether one failed."""
    table, failed = {}, False
    with tempfile.TemporaryDirectory(prefix="clweave-pairs.") as scratch:
        configs = [Config(text, scratch) for text in options.config]
        if options.control:
            configs.insert(1, Config(options.config[0], scratch, control=True))
        names = [c.name for c in configs]
        print_heads(options)
        for row in read_rows(options, scratch):
            failed |= bool(options.same and row.program) and not print_same(row, options, scratch)
            try:
                figures = measure(row, configs, options)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                print(f"  {row.name}: {error}", flush=True)
                failed = True
                continue
            table[row.name] = figures
            print_one(row.name, names, figures, options)
            if options.save:  # after every row: what is stopped has figures
                with open(options.save, "w", encoding="utf-8") as f:
                    json.dump({"configs": names, "rows": table}, f)
    return names, table, failed


def main():
    options, failed = arguments(), False
    if options.load:
        names, table = load(options.load)
        print_heads(options)
        for name, figures in table.items():
            print_one(name, names, figures, options)
    elif options.config:
        names, table, failed = measure_all(options)
    else:
        raise SystemExit("pairs.py: no --config")
    return (judge(options, names, table) if table else True) or failed


if __name__ == "__main__":
    sys.exit(main())
