"""gpu.py FOLDER ROUNDS - the table of gpu.sh: figures by case of PROGRAM.bare.N and PROGRAM.run.N, hashes compared. Of runs that
were stopped there are the first cases, or nothing."""
import os
import re
import statistics
import sys

FIGURE = re.compile(r"([\d.]+) (ms|us|GB/s)")


def cases(path):
    """{case and which figure: (value, unit)}, {case: hash}"""
    found, hashes = {}, {}
    if not os.path.exists(path):
        return found, hashes
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name = re.match(r" *(\d+ MiB|\w+)", line)
            for digest in re.findall(r"hash[= ](\w{16})", line):
                hashes[name[1]] = digest
            text = line.split("(")[0]
            for i, figure in enumerate(FIGURE.finditer(text)):
                value, unit = figure.groups()
                label = name[1] + (" " + text[:figure.start()].split()[-1] if unit == "GB/s" else " returns" if unit == "us" and ":" in line else "")
                found[label if i == 0 or unit == "GB/s" else label + " takes"] = (float(value), unit)
    return found, hashes


def print_case(label, unit, pairs, rounds):
    """`pairs`: (bare, run) of the rounds that have both."""
    ratio = [(r / b if unit == "GB/s" else b / r) if r and b else 0 for b, r in pairs]
    print(f"{label:20} {statistics.median(b for b, _ in pairs):10.3f} {statistics.median(r for _, r in pairs):10.3f} {unit:5}"
          f" {statistics.median(ratio):6.2f} [{min(ratio):.2f}, {max(ratio):.2f}]"
          + (f"  {len(pairs)} of {rounds} rounds" if len(pairs) < rounds else ""))


def same_hashes(program, runs):
    """`runs`: {(kind, round): hashes by case}, bare ones first. Says which read something else than the first one."""
    wanted, same = {}, True
    for (kind, i), hashes in runs.items():
        for case, text in hashes.items():
            if wanted.setdefault(case, text) != text:
                print(f"{program}: {kind} {i} read other bytes than the first run, in {case}")
                same = False
    return same


def main():
    folder, rounds = sys.argv[1], int(sys.argv[2])
    same = True
    print(f"{'case':20} {'bare':>10} {'run':>10}        ratio, {rounds} rounds in turn; above 1 is faster")
    for program in ("gpu_speed", "staging_speed"):
        runs = {(kind, i): cases(f"{folder}/{program}.{kind}.{i}") for kind in ("bare", "run") for i in range(1, rounds + 1)}
        labels = {label: unit for figures, _ in runs.values() for label, (_, unit) in figures.items()}
        for label, unit in labels.items():
            both = [[runs[kind, i][0].get(label, (None,))[0] for kind in ("bare", "run")] for i in range(1, rounds + 1)]
            pairs = [pair for pair in both if None not in pair]
            if pairs:
                print_case(label, unit, pairs, rounds)
            else:
                print(f"{label:20} no round has both")
        same &= same_hashes(program, {key: hashes for key, (_, hashes) in runs.items()})
    return not same


sys.exit(main())
