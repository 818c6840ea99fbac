#!/usr/bin/env python3
"""spirv.py [--show] FILE.cl [build options] ... - the descriptions of kernels by their SPIR-V modules against those by their
sources.

Prints how many kernels have the same verdict: the same answers about each argument, the same cuts, work-groups, addresses
and other memory. FILE.cl=OPTIONS: with build options, divided by commas. Exit status 1: some differ, or a module is refused
whose source is read. --show: what differs. Environment: that of by_spirv.py."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(__file__)


def kernels(command):
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return None, done.stderr.strip().splitlines()[-1:]
    return {k["name"]: k for k in answer["kernels"]} if "kernels" in answer else None, answer.get("error")


def verdict(k):
    args = [(a.get("mode"), *(a.get(side, {}).get("answer") for side in ("reads", "writes"))) for a in k["args"]]
    cut = k.get("cut", {})
    return {"args": args, "cut": (cut.get("verdict"), cut.get("certain")), "groups": k["groups"], "addresses": k["addresses"],
            "other_memory": k["other_memory"]}


show, files = "--show" in sys.argv[1:], [w for w in sys.argv[1:] if w != "--show"]
same = different = unread = no_module = 0
for word in files:
    path, _, options = word.partition("=")
    options = [o for o in options.split(",") if o]
    of_source, _ = kernels([os.environ["CW_FOOTPRINT"], *options, path])
    if of_source is None:
        unread += 1
        continue
    of_module, why = kernels([sys.executable, os.path.join(HERE, "by_spirv.py"), *options, path])
    if of_module is None:
        no_module += 1
        print(f"{path}: no module: {why}")
        continue
    for name, k in of_source.items():
        a, b = verdict(k), verdict(of_module[name]) if name in of_module else {}
        same, different = same + (a == b), different + (a != b)
        if show and a != b:
            print(f"{path}: {name}: " + "; ".join(f"{w}: source {a[w]}, module {b.get(w)}" for w in a if a[w] != b.get(w)))
print(f"{same} of {same + different} kernels the same; {no_module} files without a module, {unread} sources unread")
sys.exit(different > 0)
