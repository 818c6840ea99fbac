"""runner.py - one program in every configuration: bare first, then compared run by run.

A difference is looked at three times before it counts, as five bare runs need not show what a program varies in by itself:
bare runs more often, then bare with threads that do not sleep, then bare with two different bytes in all fresh memory. A program that reads what nobody has
written differs there; from then on its runs, bare ones too, are given the same byte and compared in full.
"""
import glob
import os
import re
import shutil

import allows
import manifest
import rules
import runs

FILLED = "00"  # what fresh memory holds for programs that read it unwritten


def seeded(configuration, options):
    """The runs of one configuration; NAME*N is N of them."""
    configuration, times, count = configuration.partition("*")
    count = int(count) if times else options.repeat
    if not configuration.startswith("run"):
        return [configuration]
    if "/seed=" not in configuration:
        if re.search(r"/policy=chaos\b", configuration):
            return [f"{configuration}/seed={seed}" for seed in range(1, (count if times else options.seeds) + 1)]
        if re.search(r"/policy=random\b", configuration):
            return [f"{configuration}/seed={seed}" for seed in range(1, count + 1)]
    return [configuration] * count


def devices_of(configuration):
    """How many devices the configuration offers, as far as it says."""
    count = 1
    for name, value in re.findall(r"/(devices|dsp)=([^/*]*)", configuration):
        if name == "dsp":
            count += int(value)
            continue
        for device in value.split(","):
            number = device.partition(":")[2]
            count += 0 if device in ("cpu", "none") else int(number or 1)
    return count


def dsps_of(configuration):
    return sum(int(count) for count in re.findall(r"/dsp=(\d+)", configuration))


def slug(name):
    return re.sub(r"[/=:,]", "_", name)


class Runner:
    """The runs of one program."""

    def __init__(self, program, options, scratch):
        self.program, self.options = program, options
        self.scratch = os.path.join(scratch, re.sub(r"\W", "_", program.name))
        self.library = os.environ.get("SHIM") or os.path.abspath(os.path.join(options.build, "libclweave.so"))
        self.witness = os.path.abspath(os.path.join(options.build, "test/libreadcl.so"))
        self.awake = os.path.abspath(os.path.join(options.build, "test/libawake.so"))
        self.lines, self.failed, self.number = [], 0, 0
        self.name = "bare"  # of the configuration that others are compared with
        self.totals = {}  # configuration -> [runs, what runs.COUNTS says, failures]
        self.alone = []  # bare results
        self.rules, self.fresh, self.looked = None, None, False
        self.learnt = {}  # of the others of these configurations: alone, rules, fresh, looked

    def say(self, configuration, outcome, note="", fine=True):
        self.failed += not fine
        if not (fine and self.options.quiet):
            self.lines.append(f"{self.program.name:32} {configuration:44} {outcome:10} {note}".rstrip())

    def once(self, configuration, look=None, fresh=None, awake=None):
        """One run; its folder is removed again unless `look`, called with result and folder, returns true. The runs of a
        configuration share a home folder: the first is cold, the others are warm."""
        self.number += 1
        folder = os.path.join(self.scratch, str(self.number))
        home = os.path.join(self.scratch, "home", slug(re.sub(r"/seed=\d+", "", configuration)))
        result = runs.run(self.program, configuration, self.library, self.witness, folder, home, fresh or self.fresh,
                          awake)
        if look and look(result, folder) and self.options.keep:
            kept = os.path.join(self.options.keep, os.path.basename(self.scratch), slug(configuration))
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, symlinks=True)
        shutil.rmtree(folder)
        return result

    def learn(self):
        self.rules = rules.learn(self.alone, self.program.compare)
        return "".join(f"; varies by itself: {rule.own}" for rule in self.rules if rule.own)

    def bare(self):
        """Learns the rules; False when the program does not work alone."""
        for _ in range(self.options.bare):
            r = self.once(self.name)
            if r.status == "hang" or r.status.startswith(("signal", "not started")):
                self.say(self.name, "unusable", f"{r.status}: {r.stderr[-200:]!r}", fine=False)
                return False
            self.alone.append(r)
        own = self.learn()
        self.say(self.name, f"exit {self.alone[0].status}", f"{len(self.alone[0].reads)} reads{own}")
        if self.varies_in_reads() and self.reads_unwritten():
            self.fill()
        return True

    def varies_in_reads(self):
        return any(rule.own for rule in self.rules if rule.part == "reads")

    def fill(self):
        """From here on the program finds the same byte in all fresh memory, which is compared in full."""
        self.fresh = FILLED
        self.alone = [self.once(self.name) for _ in range(self.options.bare)]
        self.say(self.name, "unwritten", "reads memory that nobody has written: from here on all fresh memory holds "
                 f"{FILLED}{self.learn()}")

    def reads_unwritten(self):
        """Whether the program alone reads other bytes when fresh memory holds others. Small ones: some loop that often."""
        one, again, other = (self.once(self.name, fresh=byte) for byte in ("01", "01", "02"))
        return rules.verdict(other, rules.learn([one, again], ("stdout", "files", "reads")))[0] != "same"

    def look_again(self, full, result, outcome):
        """The outcome of a run that seemed different, once more is known of the program alone."""
        if not self.looked:
            self.looked = True
            self.look_more(result)
        outcome = rules.verdict(result, self.rules)
        strange = outcome[0] == "different" or self.varies_in_reads()
        if strange and not self.fresh and self.reads_unwritten():
            self.fill()
            result = self.once(full)
            outcome = rules.verdict(result, self.rules)
            if outcome[0] == "different":
                self.look_more(result)
                outcome = rules.verdict(result, self.rules)
        return outcome

    def look_more(self, result):
        """More bare runs; as many with threads that do not sleep if `result` still seems different. What a program leaves to
        the order of its work-groups shows seldom where one thread is awake long before the others."""
        self.alone += [self.once(self.name) for _ in range(self.options.again)]
        own = self.learn()
        if own:
            self.say(self.name, "again", f"{len(self.alone)} runs{own}")
        if rules.verdict(result, self.rules)[0] != "different":
            return
        more = [self.once(self.name, awake=self.awake) for _ in range(self.options.again)]
        self.alone += [r for r in more if r.status == self.alone[0].status]  # what waits badly may end otherwise
        awake = self.learn()
        if awake != own:
            self.say(self.name, "awake", f"{len(more)} runs with threads that do not sleep{awake}")

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

    def configuration(self, name):
        counts, done, bad, faults = [0] * len(runs.COUNTS), 0, [], set()
        for full in seeded(name, self.options):
            outcome = []

            def look(result, _, outcome=outcome, full=full):
                outcome.extend(rules.verdict(result, self.rules))
                if outcome[0] == "different":
                    outcome[:] = self.look_again(full, result, outcome)
                return outcome[0] != "same"
            result = self.once(full, look)
            done += 1
            counts = [a + b for a, b in zip(counts, result.counts or (0,) * len(runs.COUNTS))]
            if outcome[0] != "same":
                bad.append((full, *outcome, result.stderr[-300:]))
            faults.update(fault.decode() for fault in runs.FAULT.findall(result.stderr))
        note = f"{done} runs"
        if name.startswith("run"):
            note += "; " + ", ".join(f"{kind} {count}" for kind, count in zip(runs.COUNTS, counts))
        if faults:
            self.say(name, ", ".join(sorted(faults)))
        for full, outcome, why, stderr in bad:
            self.say(full, outcome, f"{why} {stderr!r}" if outcome != "different" else why, fine=False)
        missing = self.idle(name, counts)
        if missing:
            self.say(name, "idle", f"{note}; its graph allows: {', '.join(sorted(missing))}", fine=False)
        elif not bad:
            self.say(name, "same", note)
        self.totals[name] = [done, *counts, len(bad) + bool(missing)]

    def idle(self, name, counts):
        """The kinds that chaos should have shown and did not. Without manage_all, first launches and what depends on them
        go to the vendor, so that short programs may rightly show nothing."""
        if not (re.search(r"^run\b.*/policy=chaos\b", name) and re.search(r"/manage_all=1\b", name)):
            return set()
        counted = dict(zip(runs.COUNTS, counts))
        counted["moved"] += counted.get("cut", 0)  # a launch that was cut ran elsewhere in part
        shown = {kind for kind in manifest.KINDS if counted[kind]}
        return self.graph_allows(devices_of(name)) - shown

    def compare_with(self, configuration):
        """Sees to it that the bare runs are those that `configuration` is compared with; False when they do not work."""
        more = dsps_of(configuration) if self.program.counts_devices else 0
        name = f"bare/{more}" if more else "bare"
        if name == self.name:
            return bool(self.rules)
        self.learnt[self.name] = self.alone, self.rules, self.fresh, self.looked
        self.name = name
        if name in self.learnt:
            self.alone, self.rules, self.fresh, self.looked = self.learnt[name]
            return bool(self.rules)
        self.alone, self.rules, self.fresh, self.looked = [], None, None, False
        return self.bare()

    def all(self):
        if self.bare():
            for name in self.options.configuration:
                if not any(regexp.search(name) for regexp in self.program.without) and self.compare_with(name):
                    self.configuration(name)
        shutil.rmtree(self.scratch, ignore_errors=True)
        return self
