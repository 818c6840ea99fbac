"""gpu.py FOLDER ROUNDS - the table of gpu.sh: figures by case of PROGRAM.bare.N and PROGRAM.run.N, hashes compared."""
import re
import statistics
import sys

FIGURE = re.compile(r"([\d.]+) (ms|us|GB/s)")


def cases(path):
    """{(case, which figure): (value, unit)}, hashes in order."""
    found, hashes = {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            hashes += re.findall(r"hash[= ](\w+)", line)
            name = re.match(r" *(\d+ MiB|\w+)", line)
            for i, (value, unit) in enumerate(FIGURE.findall(line.split("(")[0])):
                words = line.split("(")[0].split(value)[0].split()
                label = name[1] + (" " + words[-1] if unit == "GB/s" else " returns" if unit == "us" and ":" in line else "")
                found[label if i == 0 or unit == "GB/s" else label + " takes"] = (float(value), unit)
    return found, hashes


def main():
    folder, rounds = sys.argv[1], int(sys.argv[2])
    failed = 0
    print(f"{'case':20} {'bare':>10} {'run':>10}        ratio, {rounds} rounds in turn; above 1 is faster")
    for program in ("gpu_speed", "staging_speed"):
        runs = {kind: [cases(f"{folder}/{program}.{kind}.{i + 1}") for i in range(rounds)] for kind in ("bare", "run")}
        for label, (_, unit) in runs["bare"][0][0].items():
            bare, run = ([r[0][label][0] for r in runs[kind] if label in r[0]] for kind in ("bare", "run"))
            if not bare or not run:
                continue
            ratio = [(r / b if unit == "GB/s" else b / r) if r and b else 0 for b, r in zip(bare, run)]
            print(f"{label:20} {statistics.median(bare):10.3f} {statistics.median(run):10.3f} {unit:5}"
                  f" {statistics.median(ratio):6.2f} [{min(ratio):.2f}, {max(ratio):.2f}]")
        wanted = runs["bare"][0][1]
        for kind in runs:
            for i, (_, hashes) in enumerate(runs[kind]):
                if hashes != wanted:
                    print(f"{program}: {kind} {i + 1} read other bytes than bare 1")
                    failed = 1
    return failed


sys.exit(main())
