#!/usr/bin/env python3
"""corpus_table.py FOLDER SUITE=TRACE.json... - the launches of traces as FOLDER/table.json and FOLDER/*.cl for cutcheck.py.

Buffers get generated contents, so kernels whose indices come from memory are left out by what clweave-footprint says of them:
pass --footprint PROGRAM first. So are launches of more than --items work-items (1000000) or --bytes of buffers (1e8)."""
import json
import os
import sys

import corpus_cut


class Options:
    footprint, items, size, shapes = None, 1000000, 10**8, 2


def kind_of(arg, argument):
    """Contents for a buffer of this type."""
    n, type_ = argument["buffer"], arg["type"]
    if type_.startswith("float"):
        return f"float {n} 0.1 1"
    if type_.startswith("double"):
        return f"out {n}" if arg["mode"] == "write" else f"zero {n}"
    return f"int {n} 0 99"


def entry(launch, described):
    """The launch as a row of the table, or why it is none."""
    args, seen = [], {}
    if len(described["args"]) != len(launch["args"]):
        return "arguments are missing"
    if described["other_memory"] or any(a["answer"] == "unknown" for a in described["accesses"]):
        return "an index is not known"
    if any(g == "?" or "?" in g for a in described["accesses"] for g in [a["offset"]]):
        return "an index comes from memory"
    for i, (a, given) in enumerate(zip(described["args"], launch["args"])):
        if a["kind"] not in ("scalar", "global", "constant", "local") or given is None:
            return "an argument of another kind"
        if a["kind"] == "local":
            args.append(f"local {given.get('local', 0)}")
        elif a["kind"] == "scalar" and "bytes" not in given:
            return "a scalar is not recorded"
        elif a["kind"] == "scalar":
            args.append(f"bytes {given['bytes']}")
        elif "allocation" not in given:
            return "an argument is no buffer"
        elif given["allocation"] in seen:
            args.append(f"same {seen[given['allocation']]}")
        else:
            seen[given["allocation"]] = i
            args.append(kind_of(a, given))
    if sum(g.get("buffer", 0) for g in launch["args"] if g) > Options.size:
        return "its buffers are too large"
    items = 1
    for g in launch["global"]:
        items *= g
    return "it is too large" if items > Options.items else args


def main():
    words = sys.argv[1:]
    if words[0] == "--footprint":
        Options.footprint, words = words[1], words[2:]
    folder, *traces = words
    table, left_out, done = [], {}, set()
    for word in traces:
        suite, path = word.split("=", 1)
        for (source, build, kernel), launches in corpus_cut.kernels_of(path).items():
            if (source, build, kernel) in done:
                continue
            done.add((source, build, kernel))
            name = f"{suite}{len(done)}.cl"
            with open(os.path.join(folder, name), "w") as f:
                f.write(source)
            answer = corpus_cut.run(Options, ["--kernel", kernel] + build.split() + ["-I.", os.path.join(folder, name)])
            for l in corpus_cut.some(launches, Options.shapes):
                args = entry(l, answer["kernels"][0]) if "kernels" in answer else "it is not analysed"
                if isinstance(args, str):
                    left_out.setdefault(args, set()).add(kernel)
                else:
                    table.append({"file": name, "kernel": kernel, "options": build.split(), "global": l["global"], "local": l["local"],
                                  "offset": l["offset"], "args": args})
    with open(os.path.join(folder, "table.json"), "w") as f:
        json.dump(table, f)
    print(f"{len(table)} launches; left out: " + "; ".join(f"{len(v)} kernels because {k}" for k, v in left_out.items()))


main()
