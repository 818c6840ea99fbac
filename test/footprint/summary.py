#!/usr/bin/env python3
"""summary.py - what clweave-footprint says about a kernel file, in lines that a person can review and diff compares."""
import json
import sys

for kernel in json.load(sys.stdin)["kernels"]:
    print("kernel", kernel["name"] + (", other memory" if kernel["other_memory"] else "") +
          (", addresses" if kernel["addresses"] else ""))
    for a in kernel["args"]:
        if "mode" not in a:
            continue
        words = [f"  {a['name']}: {a['mode']}"]
        for side in ("reads", "writes"):
            if side in a:
                why = f" ({a[side]['reason']})" if "reason" in a[side] else ""
                words.append(f"{side} {a[side]['answer']}{why}")
        print(", ".join(words))
    for x in kernel["accesses"]:
        times = f", {x['count']} times, {x['stride']} apart" if "count" in x else ""
        guards = f" if {' and '.join(x['guards'])}" if x["guards"] else ""
        kind = f"{x['operation']}{'' if x['result_used'] else ' (result unused)'}" if "operation" in x else x["kind"]
        where = f"[{x['offset']}], {x['bytes']} bytes" if "offset" in x else f"[{x['pixel']}], a pixel"
        print(f"    {kind} {kernel['args'][x['arg']]['name']}{where}{times}{guards}: {x['answer']}")
    for loop in kernel["loops"]:
        print(f"    loop {loop['counter']}: while {' and '.join(loop['goes_on_while']) or '?'}, {loop['exits']} exit(s)")
    exact = kernel["exact"]
    floats = "".join(f", {p} precision" for p in ("single", "double") if exact[p])
    print("    results:", "the same bits everywhere" if exact["same_bits"] else f"not the same bits ({exact['reason']})", end=f"{floats}\n")
