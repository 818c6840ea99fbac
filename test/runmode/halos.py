"""halos.py - bytes that a stencil's launches move between devices, against those that their cut points need.

usage: halos.py TRACE ROWS BYTES GROUP [EXCHANGE]

TRACE is of `clweave run -o` with GPUs that help: launches over ROWS rows of BYTES bytes, cut in blocks of GROUP rows, each of
which reads one row beyond its block on each side in its first buffer and writes its block in its second one. Without EXCHANGE
(--set exchange=1) every row that a device reads and has not is copied, and no other: all moves are foretold. With it (--set exchange=N,
0: auto) devices copy more rows at once, and then compute them: in launches that are cut like the one before, all borders are
copied at once, as many rows on each side (EXCHANGE, unless that is 0) as launches follow without copies, the copying one
counted. Prints what was compared. Exit status 1: more than 1 % off, or nothing to compare."""
import json
import sys
from collections import defaultdict


def parts_of(trace, rows, group):
    """Per launch: [(first row, end, device)]"""
    parts = defaultdict(list)
    for p in trace.get("parts", []):
        first = p.get("first_group", 0) * group
        parts[p["command"]].append((first, min(first + p["groups"] * group, rows), p.get("device", 0)))
    for c in trace["commands"]:
        if c["type"] == "CL_COMMAND_NDRANGE_KERNEL" and c["id"] not in parts:
            parts[c["id"]] = [(0, rows, c.get("device", 0))]
    return {c: sorted(v) for c, v in parts.items()}


def moves_of(trace):
    """Per command: bytes of each copy from device to device."""
    moves = defaultdict(list)
    for m in trace.get("moves", []):
        if "from" in m and "to" in m:
            moves[m["command"]].append(m["bytes"])
    return moves


def buffers_of(command):
    return [a.get("memory", 0) for a in command["args"] if "memory" in a or "size" not in a]


def each_row(trace, rows, row_bytes, group):
    """(bytes moved, bytes foretold), of all launches."""
    parts, moves = parts_of(trace, rows, group), moves_of(trace)
    valid = defaultdict(lambda: {0: set(range(rows))})  # per buffer: rows that a device has
    moved = foretold = 0
    for c in trace["commands"]:
        moved += sum(moves[c["id"]])
        if c["id"] not in parts:
            continue
        source, target = (valid[b] for b in buffers_of(c)[:2])
        for first, end, device in parts[c["id"]]:
            lacks = set(range(max(first - 1, 0), min(end + 1, rows))) - source.get(device, set())
            foretold += len(lacks) * row_bytes
            source[device] = source.get(device, set()) | lacks
        target.clear()
        for first, end, device in parts[c["id"]]:
            target[device] = target.get(device, set()) | set(range(first, end))
    return moved, foretold


def check_series(series, rows_at_once, row_bytes):
    """(bytes moved, bytes foretold, copies) of launches that are cut alike: [(borders, bytes of each copy)]."""
    moved = foretold = copies = 0
    at = 0
    while at < len(series) and not series[at][1]:
        at += 1
    while at < len(series):
        borders, sizes = series[at]
        n = rows_at_once or round(max(sizes) / row_bytes)
        moved += sum(sum(s) for _, s in series[at:at + n])
        foretold += 2 * borders * n * row_bytes
        copies += 1
        at += n
    return moved, foretold, copies


def several_rows(trace, rows, row_bytes, group, rows_at_once):
    parts, moves = parts_of(trace, rows, group), moves_of(trace)
    before, series, total = None, [], [0, 0, 0]
    for c in trace["commands"] + [{"id": None}]:
        cut = parts.get(c["id"])
        if cut == before and cut and len(cut) > 1:
            borders = sum(a[2] != b[2] for a, b in zip(cut, cut[1:]))
            series.append((borders, moves[c["id"]]))
        else:
            total = [a + b for a, b in zip(total, check_series(series, rows_at_once, row_bytes))]
            series = []
        before = cut
    return total


def main():
    trace = json.load(open(sys.argv[1], encoding="utf-8"))
    rows, row_bytes, group = (int(a) for a in sys.argv[2:5])
    if len(sys.argv) < 6:
        moved, foretold = each_row(trace, rows, row_bytes, group)
        print(f"{moved} bytes moved, {foretold} foretold")
    else:
        moved, foretold, copies = several_rows(trace, rows, row_bytes, group, int(sys.argv[5]))
        print(f"{moved} bytes moved, {foretold} foretold, in {copies} copies of borders")
    sys.exit(not foretold or abs(moved - foretold) > .01 * foretold)


if __name__ == "__main__":
    main()
