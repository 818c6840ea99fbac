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
import glob
import os
import re
import shutil
import sys
import tempfile

import allows
import manifest
import rules
import runs


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    p.add_argument("manifest")
    p.add_argument("--build", default="build", help="clweave's build folder")
    p.add_argument("-c", "--configuration", action="append", default=[], help="MODE[/OPTION=VALUE...], repeatable")
    p.add_argument("--only", default=".", help="regular expression of programs' names")
    p.add_argument("--bare", type=int, default=5, help="bare runs first")
    p.add_argument("--seeds", type=int, default=20, help="runs of policies that draw lots")
    p.add_argument("--repeat", type=int, default=3, help="runs of the others")
    p.add_argument("--jobs", type=int, default=1, help="programs at a time")
    p.add_argument("--keep", help="folder that keeps the runs that failed")
    p.add_argument("--quiet", action="store_true", help="print only what is not the same")
    return p.parse_args()


def seeded(configuration, options):
    """The runs of one configuration."""
    if not configuration.startswith("run"):
        return [configuration]
    if re.search(r"/policy=(chaos|random)\b", configuration) and "/seed=" not in configuration:
        return [f"{configuration}/seed={seed}" for seed in range(1, options.seeds + 1)]
    return [configuration] * options.repeat


def devices_of(configuration):
    """How many devices the configuration offers, as far as it says."""
    count = 1
    for name, value in re.findall(r"/(devices|dsp)=([^/]*)", configuration):
        if name == "dsp":
            count += int(value)
            continue
        for device in value.split(","):
            number = device.partition(":")[2]
            count += 0 if device in ("cpu", "none") else int(number or 1)
    return count


class Runner:
    """The runs of one program."""

    def __init__(self, program, options, scratch):
        self.program, self.options = program, options
        self.scratch = os.path.join(scratch, re.sub(r"\W", "_", program.name))
        self.library = os.path.abspath(os.path.join(options.build, "libclweave.so"))
        self.witness = os.path.abspath(os.path.join(options.build, "test/libreadcl.so"))
        self.lines, self.failed, self.number = [], 0, 0

    def say(self, configuration, outcome, note="", fine=True):
        self.failed += not fine
        if not (fine and self.options.quiet):
            self.lines.append(f"{self.program.name:32} {configuration:44} {outcome:10} {note}")

    def once(self, configuration, look=None):
        """One run; its folder is removed again unless `look`, called with result and folder, returns true."""
        self.number += 1
        folder = os.path.join(self.scratch, str(self.number))
        result = runs.run(self.program, configuration, self.library, self.witness, folder)
        if look and look(result, folder) and self.options.keep:
            kept = os.path.join(self.options.keep, os.path.basename(self.scratch), re.sub(r"[/=]", "_", configuration))
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, symlinks=True)
        shutil.rmtree(folder)
        return result

    def bare(self):
        """The rules, or None when the program does not work alone."""
        results = [self.once("bare") for _ in range(self.options.bare)]
        for r in results:
            if r.status == "hang" or r.status.startswith(("signal", "not started")):
                self.say("bare", "unusable", f"{r.status}: {r.stderr[-200:]!r}", fine=False)
                return None
        learnt = rules.learn(results, self.program.compare)
        own = "".join(f"; varies by itself: {rule.own}" for rule in learnt if rule.own)
        self.say("bare", f"exit {results[0].status}", f"{len(results[0].reads)} reads{own}")
        return learnt

    def graph_allows(self, devices):
        """What chaos must show; without a usable trace, nothing."""
        if self.program.allows is not None:
            return set(self.program.allows)
        kinds = set()

        def look(_, folder):
            for trace in glob.glob(os.path.join(folder, "traces", "*.json")):
                kinds.update(allows.of_trace(trace, devices))
        self.once("trace", look)
        return kinds

    def configuration(self, name, learnt):
        counts, done, bad = [0, 0, 0], 0, []
        for full in seeded(name, self.options):
            outcome = []

            def look(result, _, outcome=outcome):
                outcome.extend(rules.verdict(result, learnt))
                return outcome[0] != "same"
            result = self.once(full, look)
            done += 1
            counts = [a + b for a, b in zip(counts, result.counts or (0, 0, 0))]
            if outcome[0] != "same":
                bad.append((full, *outcome, result.stderr[-300:]))
        note = f"{done} runs"
        if name.startswith("run"):
            note += "; managed %d, reordered %d, moved %d" % tuple(counts)
        for full, outcome, why, stderr in bad:
            self.say(full, outcome, f"{why} {stderr!r}" if outcome != "different" else why, fine=False)
        missing = self.idle(name, counts)
        if missing:
            self.say(name, "idle", f"{note}; its graph allows: {', '.join(sorted(missing))}", fine=False)
        elif not bad:
            self.say(name, "same", note)

    def idle(self, name, counts):
        """The kinds that chaos should have shown and did not. Without manage_all, first launches and what depends on them
        go to the vendor, so that short programs may rightly show nothing."""
        if not (re.search(r"^run\b.*/policy=chaos\b", name) and re.search(r"/manage_all=1\b", name)):
            return set()
        shown = {kind for kind, count in zip(manifest.KINDS, counts) if count}
        return self.graph_allows(devices_of(name)) - shown

    def all(self):
        learnt = self.bare()
        for name in self.options.configuration if learnt else []:
            self.configuration(name, learnt)
        return self


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
    failed = 0
    with tempfile.TemporaryDirectory(prefix="clweave-suite.") as scratch, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for runner in pool.map(lambda p: Runner(p, options, scratch).all(), programs):
            failed += runner.failed
            for line in runner.lines:
                print(line.rstrip(), flush=True)
    print(f"{len(programs)} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
