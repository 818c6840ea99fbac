"""counts.py - the lines that `clweave run --summary` leaves: commands by fate, native ones by reason with their time.

A Counts is the sum over a run's processes. Times are in seconds; the time of a reason is the part of the program's waits
that the summary gives to it (shim/run/tuning/reasons.h), 0 where the summary names none.
"""
import collections
import dataclasses
import re

FATES = re.compile(r"run: (?P<managed>\d+) commands managed \((?P<kernels>\d+) kernels\), (?P<reordered>\d+) reordered, "
                   r"(?P<moved>\d+) moved, (?P<cut>\d+) cut \((?P<tiles>\d+) tiles\), \d+ windows; (?P<native>\d+) native"
                   r"(?:, (?P<left>\d+) left by choice)?")
REASON = re.compile(r"run: (native|left|whole): (\d+) (.*?)(?:, (\d+\.\d) ms)?(?: -> .*)?$")
GROUPS = re.compile(r"run: groups: \d+ chains of (\d+) launches")
SHOWN = 4  # reasons of a kind


@dataclasses.dataclass
class Counts:
    fates: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    grouped: int = 0  # launches
    reasons: dict = dataclasses.field(default_factory=dict)  # (kind, words) -> [commands, seconds]

    def commands(self):
        return self.fates["managed"] + self.fates["left"] + self.fates["native"]

    def share(self, fate):
        """The part of the commands that were managed, left to the vendor by choice, or native; 0 without any command."""
        return self.fates[fate] / max(self.commands(), 1)


def lines_of(text):
    """The summary's lines in what a program wrote to stderr."""
    return [line for line in text.splitlines() if line.startswith("run: ")]


def parse(lines):
    """The Counts of `lines`; None if there is no summary among them."""
    counts, found = Counts(), False
    for line in lines:
        fates, reason, groups = FATES.match(line), REASON.match(line), GROUPS.match(line)
        if fates:
            found = True
            counts.fates.update({name: int(value or 0) for name, value in fates.groupdict().items()})
        elif reason:
            kind, number, words, ms = reason.groups()
            entry = counts.reasons.setdefault((kind, words), [0, 0.0])
            entry[0] += int(number)
            entry[1] += float(ms or 0) / 1e3
        elif groups:
            counts.grouped += int(groups[1])
    return counts if found else None


def head():
    return f"{'managed':>9}{'left':>9}{'native':>9}{'of':>8}{'moved':>8}{'cut':>8}{'grouped':>9}"


def cells(counts):
    """A row of the table that head() begins."""
    if not counts:
        return "  no summary" + " " * 49
    f = counts.fates
    shares = "".join(f"{100 * counts.share(fate):7.1f} %" for fate in ("managed", "left", "native"))
    return f"{shares}{counts.commands():8}{f['moved']:8}{f['cut']:8}{counts.grouped:9}"


def reasons(counts, span, kind):
    """Lines: the commands of a reason, its share of `span` (seconds) and its words, the longest time first."""
    rows = [(time, number, words) for (of, words), (number, time) in counts.reasons.items() if of == kind]
    return [f"{kind} {number:7} {100 * time / max(span, 1e-9):5.1f} %  {words}"
            for time, number, words in sorted(rows, reverse=True)[:SHOWN]]
