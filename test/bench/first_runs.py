#!/usr/bin/env python3
"""first_runs.py - the cumulative cost of the first runs of programs from empty caches, bare and managed interleaved.

usage: first_runs.py [options] --config 'bare: VAR=VALUE ...' --config 'run: ...' --manifest FILE
       first_runs.py --load FILE...                           (figures of earlier runs, as of one)

Configurations, manifests and the file of figures are those of pairs.py: in VALUE, %c is a folder that all runs of a
configuration and program share; it is empty before the first one. One run of each configuration of the first program, and
of the first configuration of every program, comes before, in folders that are thrown away: it reads files from the disk.

Every round runs each configuration once, in an order that turns. A bare run waits first until no builder works for later
runs (a lock on %c/clweave/requests/lock, for 30 s at most): bare stays bare. A managed run may meet the builder.
--busy N: so many processes compute beside all runs.

Of a program and a configuration, against the first configuration (times in ms, whole processes):
  sum      all runs / all bare runs
  prefix   greatest excess of the first k runs together over 1.05 x the first k bare ones + 100, over all k; <= 0 is met
  single   greatest excess of run k over 1.2 x bare + 150; <= 0 is met. Bare: the run of the same round, or the median of
           all bare ones, if that is longer
  exit     longest wait from the program's last own instruction (exit_time.c) to the end of the process, less
           bare's longest; 20 at most is met
  even     first k from which on the first k runs together take no longer than the first k bare ones; -: no such k
  late     bare / run, the last ten rounds: median [95 % interval] (ratios.py); of whole processes and of spans

Exit status 1: a program failed, a result differed, or a limit is passed in the last configuration.
"""
import argparse
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import pairs  # noqa: E402  pylint: disable=wrong-import-position
from ratios import geometric_mean, interval, median  # noqa: E402  pylint: disable=wrong-import-position

SHARE, CREDIT = 1.05, 0.1  # of the first k runs together
ONE_SHARE, ONE_CREDIT = 1.2, 0.15  # of one run
EXIT = 0.02
LATE = 10
BUILDER_SECONDS = 30


def run_and_time_exit(row, config):
    """As pairs.run_once; the figure has also `exit`, the seconds from the program's last own instruction to its end."""
    with tempfile.NamedTemporaryFile(dir=config.scratch) as noted:
        figure, found = pairs.run_once(row, config, [f"EXIT_TIME={noted.name}"])
        end = time.monotonic()
        lines = noted.read().split(b"\n")
    # the program's own process is the last one to end
    figure["exit"] = end - int(lines[-2].split()[1]) / 1e9 if len(lines) > 1 else 0
    return figure, found


def wait_for_builder(folders):
    """Until no builder holds a lock in one of `folders`."""
    until = time.monotonic() + BUILDER_SECONDS
    for folder in folders:
        try:
            with open(os.path.join(folder, "clweave", "requests", "lock"), "rb") as lock:
                while time.monotonic() < until:
                    try:
                        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        time.sleep(0.02)
        except OSError:
            pass  # no builder has worked there


def measure(row, configs, rounds):
    figures, hashes, base = {c.name: [] for c in configs}, set(), configs[0]
    for r in range(rounds):
        turn = r % len(configs)
        for config in configs[turn:] + configs[:turn]:
            if config is base:
                wait_for_builder([c.shared[row.name] for c in configs if row.name in c.shared])
            figure, text = run_and_time_exit(row, config)
            hashes.add(text)
            figures[config.name].append(figure)
    if len(hashes) > 1:
        raise RuntimeError(f"results differ: {sorted(map(str, hashes))}")
    wait_for_builder([c.shared[row.name] for c in configs])  # before its folder goes
    return figures


def reads_disk(row, texts, scratch):
    for text in texts:
        pairs.run_once(row, pairs.Config(text, scratch))


def beside(bare, what):
    """Of each round what a run is compared with: bare's figure of that round, or the median of all, if that is longer."""
    middle = median([f[what] for f in bare])
    return [max(f[what], middle) for f in bare]


def break_even(bare, run):
    """The first k from which on the sum of `run` stays at most that of `bare`; None: the last is above."""
    ahead, found = 0, None
    for k, (b, r) in enumerate(zip(bare, run), 1):
        ahead += b - r
        found = None if ahead < 0 else found or k
    return found


def judge_row(bare, run):
    b, r = [f["wall"] for f in bare], [f["wall"] for f in run]
    sums = [(sum(b[:k]), sum(r[:k])) for k in range(1, len(b) + 1)]
    late = {"b": bare[-LATE:], "r": run[-LATE:]}
    return {"sum": sums[-1][1] / sums[-1][0],
            "prefix": max(y - SHARE * x - CREDIT for x, y in sums),
            "single": max(y - ONE_SHARE * x - ONE_CREDIT for x, y in zip(beside(bare, "wall"), r)),
            "exit": max(f["exit"] for f in run) - max(f["exit"] for f in bare),
            "even": break_even(b, r),
            "late": pairs.ratios(late, "b", "r", "wall"), "spans": pairs.ratios(late, "b", "r", "span")}


def print_head():
    print(f"  {'':<20}{'':<12}{'runs':>4} {'bare ms':>8} {'sum':>5} {'prefix':>7} {'single':>7} {'exit':>6} {'even':>4}"
          f"  {'late: walls':>19}  {'late: spans':>19}")


def print_row(name, config, bare, found):
    late = ["%5.2f [%5.2f,%6.2f]" % interval(found[what]) for what in ("late", "spans")]
    print("  %-20s%-12s%4d %8.0f %5.2f %7.0f %7.0f %6.1f %4s  %s  %s"
          % (name[:19], config, len(bare), 1e3 * median([f["wall"] for f in bare]), found["sum"], 1e3 * found["prefix"],
             1e3 * found["single"], 1e3 * found["exit"], found["even"] or "-", *late), flush=True)


def print_rows(names, name, figures):
    """Prints a program's rows; returns {configuration: what was found}."""
    found = {c: judge_row(figures[names[0]], figures[c]) for c in names[1:]}
    for config in names[1:]:
        print_row(name if config == names[1] else "", config, figures[names[0]], found[config])
    return found


def judge(config, rows):
    """Says of one configuration where limits are passed; true when there is one."""
    over = False
    print(f"  {config}: {len(rows)} programs")
    for what, limit, text in (("prefix", 0, "the first k runs together, above 1.05 x bare + 100 ms"),
                              ("single", 0, "one run above 1.2 x bare + 150 ms"),
                              ("exit", EXIT, "a wait at exit above 20 ms")):
        passed = [name for name, found in rows.items() if found[what] > limit]
        print(f"    {text + ':':<56}{len(passed):>3}  {'OVER: ' + ', '.join(passed) if passed else 'ok'}")
        over |= bool(passed)
    gains = [found["even"] or float("inf") for found in rows.values() if interval(found["late"])[1] > 1]
    print(f"    {'programs that gain late:':<56}{len(gains):>3}  "
          + (f"break even at run {median(gains):g} (median)" if gains else ""))
    for what, text in (("late", "walls"), ("spans", "spans")):
        mean = "%.2f [%.2f, %.2f]" % geometric_mean([found[what] for found in rows.values()])
        print(f"    geometric mean of the last {LATE} rounds, {text}: {mean}")
    return over


def busy(count):
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


def measure_all(options):
    """The configurations' names, the rows, and whether one failed."""
    table, failed, beside_all = {}, False, busy(options.busy)
    try:
        with tempfile.TemporaryDirectory(prefix="clweave-first.", ignore_cleanup_errors=True) as scratch:
            configs = [pairs.Config(text, scratch) for text in options.config]
            if options.control:
                configs.insert(1, pairs.Config(options.config[0], scratch, control=True))
            names = [c.name for c in configs]
            print_head()
            for row in pairs.read_rows(options, scratch):
                try:
                    reads_disk(row, options.config[:1] if table else options.config, scratch)
                    table[row.name] = measure(row, configs, options.rounds)
                except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                    print(f"  {row.name}: {error}", flush=True)
                    failed = True
                    continue
                print_rows(names, row.name, table[row.name])
                if options.save:
                    with open(options.save, "w", encoding="utf-8") as f:
                        json.dump({"configs": names, "rows": table}, f)
    finally:
        for process in beside_all:
            process.kill()
            process.wait()
    return names, table, failed


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--config", action="append", default=[])
    p.add_argument("--control", action="store_true", help="the first configuration a second time, as another one")
    p.add_argument("--busy", type=int, default=0)
    p.add_argument("--save")
    p.add_argument("--load", nargs="+")
    p.add_argument("--manifest")
    p.add_argument("--only", default=".", help="regular expression of the manifest's names")
    return p.parse_args()


def main():
    options, failed = arguments(), False
    if options.load:
        names, table = pairs.load(options.load)
        print_head()
        for name, figures in table.items():
            print_rows(names, name, figures)
    elif len(options.config) > 1 and options.manifest:
        names, table, failed = measure_all(options)
    else:
        raise SystemExit("first_runs.py: needs two --config and a --manifest")
    for config in names[1:] if table else []:
        found = {name: judge_row(figures[names[0]], figures[config]) for name, figures in table.items()}
        over = judge(config, found)
    return failed or not table or over


if __name__ == "__main__":
    sys.exit(main())
