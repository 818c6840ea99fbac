"""Tests of ratios.py, pairs.py, counts.py and first_runs.py: known answers, coverage where the truth is known, reports of made-up figures."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import counts  # noqa: E402  pylint: disable=wrong-import-position
import first_runs  # noqa: E402  pylint: disable=wrong-import-position
import ratios  # noqa: E402  pylint: disable=wrong-import-position


class Interval(unittest.TestCase):
    def test_known(self):
        self.assertEqual(ratios.interval([3, 1, 2]), (2, 1, 3))
        self.assertEqual(ratios.interval([1, 2, 3, 4, 5, 6]), (3.5, 1, 6))
        self.assertEqual(ratios.interval(range(1, 10)), (5, 2, 8))  # binomial: 2nd and 8th of nine, 96.1 %
        self.assertEqual(ratios.interval([1.5]), (1.5, 1.5, 1.5))

    def test_verdict(self):
        words = ("above", "below", "neither")
        self.assertEqual(ratios.verdict((1, 0.97, 1.1), 0.97, words), "above")
        self.assertEqual(ratios.verdict((0.9, 0.8, 0.96), 0.97, words), "below")
        self.assertEqual(ratios.verdict((0.9, 0.8, 0.97), 0.97, words), "neither")


class Mean(unittest.TestCase):
    def test_known(self):
        for f in (ratios.geometric_mean, ratios.between_programs):
            self.assertAlmostEqual(f([[2, 2, 2], [8, 8, 8]])[0], 4)
        self.assertEqual(ratios.geometric_mean([[2] * 3, [8] * 3])[1:], (4.0, 4.0))  # nothing varies within the rows ...
        low, high = ratios.between_programs([[2] * 3, [8] * 3])[1:]  # ... but between them
        self.assertAlmostEqual(low, 2)
        self.assertAlmostEqual(high, 8)
        self.assertAlmostEqual(ratios.geometric_mean([[1, 1, 1, 1, 50]])[0], 1)  # one disturbed round

    def test_same_again(self):
        rows = [[1.1, 0.9, 1.3, 1.2, 1.0], [2.1, 1.9, 2.3, 2.2, 2.0]]
        self.assertEqual(ratios.geometric_mean(rows), ratios.geometric_mean(rows))

    def coverage(self, f, rounds, truth, make):
        rng, held = random.Random(7), 0
        for _ in range(60):
            _, low, high = f([make(rng, i, rounds) for i in range(12)], seed=rng.random())
            held += low <= truth <= high
        return held / 60

    def test_covers(self):
        """Rows of different ratios and noise, every eighth round disturbed: the truth is the mean of the rows' medians."""
        ratios.DRAWS = 400

        def make(rng, i, rounds):
            return [math.exp(0.1 * (i - 5.5) + rng.gauss(0, 0.02 + 0.01 * i) + (rng.random() < 0.125) * rng.gauss(0, 0.7))
                    for _ in range(rounds)]

        for rounds in (5, 9):
            self.assertGreaterEqual(self.coverage(ratios.geometric_mean, rounds, 1, make), 0.9)
        ratios.DRAWS = 4000


def report(table, *options):
    """pairs.py over figures: {row: {configuration: [span, ...]}}; (status, text)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figures.json")
        rows = {row: {c: [{"span": s, "wall": s, "cpu": s} for s in spans] for c, spans in of.items()} for row, of in table.items()}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"configs": list(next(iter(table.values()))), "rows": rows}, f)
        done = subprocess.run([sys.executable, os.path.join(HERE, "pairs.py"), "--load", path, *options], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class Report(unittest.TestCase):
    def test_verdicts(self):
        table = {"quick": {"bare": [2.0] * 6, "run": [1.0] * 6}, "slow": {"bare": [1.0] * 6, "run": [1.25] * 6},
                 "noisy": {"bare": [1.0] * 6, "run": [0.8, 1.3, 0.9, 1.2, 1.0, 1.1]}}
        status, text = report(table, "--least", ".97")
        self.assertEqual(status, 1, text)
        self.assertRegex(text, r"slow span: 0\.80 \[0\.80, 0\.80\], least 0\.97: SLOWER")
        self.assertRegex(text, r"noisy wall: .*: not resolved")
        self.assertIn("of 6 spans and walls, against 0.97: 2 ok, 2 not resolved, 2 slower", text)

    def test_groups_and_mean(self):
        table = {"a-MINI": {"bare": [2.0] * 6, "run": [1.0] * 6}, "b": {"bare": [1.0] * 6, "run": [1.0] * 6}}
        status, text = report(table, "--mean", "1.2", "--group", "small=-MINI$", "--group", "other=^b$")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"small +1 +2\.00 \[ 2\.00, +2\.00\]")
        self.assertRegex(text, r"other +1 +1\.00 \[ 1\.00, +1\.00\]")
        self.assertRegex(text, r"geometric mean: 1\.41 \[1\.41, 1\.41\], limit 1\.20: ok")
        self.assertEqual(report(table, "--mean", "1.5")[0], 1)

    def test_control(self):
        """The control is judged as the others are, and fails nothing: it shows what chance does."""
        table = {"a": {"bare": [1.0] * 6, "bare again": [1.2] * 6, "run": [1.0] * 6}}
        status, text = report(table, "--least", ".97")
        self.assertEqual(status, 0, text)
        self.assertIn("bare again: of 2 spans and walls, against 0.97: 0 ok, 0 not resolved, 2 slower", text)


SUMMARY = """program's own line
run: 30 commands managed (28 kernels), 4 reordered, 5 moved, 6 cut (12 tiles), 2 windows; 8 native, 2 left by choice
run: native: 7 first launch of its kind, 3.5 ms
run: left: 2 before helpers began, 1.5 ms -> run it again, or --learn all
run: native: 1 left to the vendor to check
run: whole: 3 its device chooses the local size, which it can see, 2.0 ms -> pass a local size
run: groups: 2 chains of 16 launches ran as 64 tiles in 8 groups
"""


class Counts(unittest.TestCase):
    def test_summary(self):
        found = counts.parse(counts.lines_of(SUMMARY))
        self.assertEqual([found.share(fate) for fate in ("managed", "left", "native")], [0.75, 0.05, 0.2])
        self.assertEqual((found.commands(), found.fates["native"]), (40, 8))
        self.assertEqual((found.fates["moved"], found.fates["cut"], found.grouped), (5, 6, 16))
        self.assertEqual([line.split(maxsplit=4)[1:] for line in counts.reasons(found, 0.01, "native")],
                         [["7", "35.0", "%", "first launch of its kind"],
                          ["1", "0.0", "%", "left to the vendor to check"]])
        self.assertIn("before helpers began", counts.reasons(found, 0.01, "left")[0])
        self.assertIn("its device chooses the local size, which it can see", counts.reasons(found, 0.01, "whole")[0])

    def test_several_processes(self):
        found = counts.parse(counts.lines_of(SUMMARY * 2))
        self.assertEqual((found.fates["managed"], found.grouped, found.reasons["native", "first launch of its kind"]), (60, 32, [14, 0.007]))

    def test_none(self):
        self.assertIsNone(counts.parse(counts.lines_of("nothing\n")))


def runs(walls, exits=None):
    return [{"span": w, "wall": w, "cpu": w, "exit": e} for w, e in zip(walls, exits or [0] * len(walls))]


class FirstRuns(unittest.TestCase):
    def test_break_even(self):
        self.assertEqual(first_runs.break_even([2, 2, 2], [1, 1, 1]), 1)
        self.assertEqual(first_runs.break_even([2, 2, 2, 2], [5, 1, 1, 1]), 4)
        self.assertEqual(first_runs.break_even([2, 2, 2], [1, 4, 1]), 3)  # ahead, behind, and ahead again
        self.assertIsNone(first_runs.break_even([2, 2], [1, 4]))

    def test_row(self):
        """The third run is long: 1.2 x the median of bare and 150 ms may pass, together 1.05 x bare and 100 ms."""
        found = first_runs.judge_row(runs([1.0, 1.0, 0.5, 1.0]), runs([1.0, 1.0, 2.0, 0.5]))
        self.assertAlmostEqual(found["single"], 2 - 1.2 - 0.15)
        self.assertAlmostEqual(found["prefix"], 4 - 1.05 * 2.5 - 0.1)
        self.assertAlmostEqual(found["sum"], 4.5 / 3.5)
        self.assertIsNone(found["even"])

    def test_exit(self):
        found = first_runs.judge_row(runs([1, 1, 1], [0.01, 0.03, 0.01]), runs([1, 1, 1], [0.01, 0.04, 0.05]))
        self.assertAlmostEqual(found["exit"], 0.02)


if __name__ == "__main__":
    unittest.main()
