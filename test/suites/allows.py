"""allows.py - what a scheduler could have done with a traced program: managed, reordered, moved.

From the trace's JSON (README.md of analyzer/): a pair of commands may change places when no chain of binding edges
(all kinds but `queue`) leads from one to the other.
"""
import json
import re

MANAGED = {"CL_COMMAND_" + name for name in (
    "NDRANGE_KERNEL", "TASK", "READ_BUFFER", "WRITE_BUFFER", "COPY_BUFFER", "READ_BUFFER_RECT", "WRITE_BUFFER_RECT",
    "COPY_BUFFER_RECT", "FILL_BUFFER")}
KERNELS = {"CL_COMMAND_NDRANGE_KERNEL", "CL_COMMAND_TASK"}
MOST = 4000  # commands looked at: enough to say that something is possible


def has_free_pair(commands, edges):
    place = {c["id"]: i for i, c in enumerate(commands)}
    before = [0] * len(commands)  # bit set of what must come first
    wanted = 0
    incoming = [[] for _ in commands]
    for e in edges:
        if e["kind"] != "queue" and e["from"] in place and e["to"] in place:
            incoming[place[e["to"]]].append(place[e["from"]])
    for i, command in enumerate(commands):
        for j in incoming[i]:
            before[i] |= before[j] | 1 << j
        if command["type"] in MANAGED:
            if wanted & ~before[i]:
                return True
            wanted |= 1 << i
    return False


def printing_kernels(trace):
    """Kernels of programs that print: what they print belongs to the vendor, so they are not managed."""
    printing = {p["id"] for p in trace.get("programs", []) if "printf" in (p.get("source") or "")}
    return {k["id"] for k in trace.get("kernels", []) if k.get("program") in printing}


# what shows a kernel its local size, which another device may choose otherwise when the program chooses none
SEES_GROUPS = re.compile(r"\b(barrier|work_group\w*|sub_group\w*|get_(enqueued_)?(local|num|group|sub)\w*|(__)?local)\b")


def kernels_at_home(trace):
    """Kernels of programs that can see their local size."""
    seeing = {p["id"] for p in trace.get("programs", []) if SEES_GROUPS.search(p.get("source") or "")}
    return {k["id"] for k in trace.get("kernels", []) if k.get("program") in seeing}


def of_trace(path, devices):
    """The kinds that a run on `devices` devices must show."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    commands = [c for c in trace["commands"][:MOST] if c.get("status", 0) >= 0]  # not those that were refused
    native, home = printing_kernels(trace), kernels_at_home(trace)
    for command in commands:
        if command.get("kernel") in native:
            command["type"] = "native"
    kinds = set()
    if any(c["type"] in MANAGED for c in commands):
        kinds.add("managed")
    if devices > 1 and any(c["type"] in KERNELS and (c.get("local_size") or c.get("kernel") not in home) for c in commands):
        kinds.add("moved")
    if has_free_pair(commands, trace["edges"]):
        kinds.add("reordered")
    return kinds
