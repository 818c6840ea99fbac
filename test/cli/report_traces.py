# report_traces.py - prints one small trace (or graph) for the tests of what `clweave report` and its like claim.
# Usage: report_traces.py NAME
import json
import sys

KERNELS = "__kernel void work(__global float *a) { a[get_global_id(0)] += 1; }\n" \
          "__kernel void paint(__write_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(0)); }\n"
MS = 1000000


def trace(buffers=8, size=4096):
    return {
        "format": "clweave-trace", "version": 1,
        "process": {"program": "/usr/bin/app", "command": "app", "pid": 1, "start_ns": 1000, "complete": True},
        "platforms": [{"id": 0, "name": "Portable Computing Language"}],
        "devices": [{"id": 0, "platform": 0, "type": 2, "name": "device", "compute_units": 2}],
        "contexts": [{"id": 0, "devices": [0]}],
        "queues": [{"id": 0, "context": 0, "device": 0}],
        "memory": [{"id": i, "kind": "buffer", "context": 0, "size": size, "flags": 1} for i in range(buffers)],
        "programs": [{"id": 0, "kind": "source", "context": 0, "source": KERNELS, "options": ""}],
        "kernels": [{"id": 0, "program": 0, "name": "work", "num_args": 1},
                    {"id": 1, "program": 0, "name": "paint", "num_args": 1}],
        "commands": [], "edges": []}


# Notes that `c` touches all of `memory`, and what it depends on.
def touch(t, c, memory, *how):
    size = t["memory"][memory]["size"]
    for k in reversed(t["commands"]):
        if any(a["memory"] == memory for a in k.get("reads", [])):
            t["edges"].append({"from": k["id"], "to": c["id"], "kind": "data", "hazard": "RAW", "memory": memory,
                               "bytes": size})
            break
    for h in how:
        c[h] = [{"memory": memory, "offset": 0, "bytes": size}]


# A launch of `kernel` over `memory`; `at` and `took`: when it ran, in ns after the start, or None.
def launch(t, memory, at=None, took=None, kernel=0, ready=None, **more):
    c = {"id": len(t["commands"]), "type": "CL_COMMAND_NDRANGE_KERNEL", "queue": 0, "thread": 0, "kernel": kernel,
         "work_dim": 1, "global_size": [1024], "local_size": [64],
         "args": [{"index": 0, "memory": memory}]}
    begin = 2000 + 1000 * c["id"] if ready is None else 2000 + ready
    c.update(sequence=c["id"], call_begin_ns=begin, call_end_ns=begin + 500)
    if at is not None:
        c.update(queued_ns=begin + 100, submit_ns=begin + 200, start_ns=2000 + at, end_ns=2000 + at + took)
    c.update(more)
    if c.get("status", 0) == 0:
        touch(t, c, memory, "reads", "writes")
    t["commands"].append(c)


# A blocking read of a whole buffer whose call lasts from `begin` to `end`, in ns after the start.
def read(t, memory, begin, end):
    c = {"id": len(t["commands"]), "type": "CL_COMMAND_READ_BUFFER", "queue": 0, "thread": 0, "blocking": True,
         "sequence": len(t["commands"]), "call_begin_ns": 2000 + begin, "call_end_ns": 2000 + end,
         "queued_ns": 2000 + begin + 100, "submit_ns": 2000 + end - 300, "start_ns": 2000 + end - 200,
         "end_ns": 2000 + end - 100,
         "transfer": {"src": memory, "bytes": t["memory"][memory]["size"]}}
    touch(t, c, memory, "reads")
    t["commands"].append(c)


# Three launches that need nothing of each other, of unknown length.
def untimed():
    t = trace()
    for m in range(3):
        launch(t, m)
    return t


# A chain of three launches of unknown length; four more were refused.
def refused():
    t = trace()
    for i in range(3):
        launch(t, 0)
    for m in range(1, 5):
        launch(t, m, status=-54)
    return t


# A chain of three launches; three more, which need nothing of it, failed when they ran.
def failed():
    t = trace()
    for i in range(3):
        launch(t, 0, 10000 * i, 10000)
    for m in range(1, 4):
        launch(t, m, 20000 + 10000 * m, 10000, exec_status=-5)
    return t


# Of six launches that need nothing of each other two have no times.
def partial():
    t = trace()
    for m in range(6):
        launch(t, m, 10000 * m if m < 4 else None, 10000)
    return t


# Launches side by side of which run mode manages none: they write pipes.
def unmanaged():
    t = trace()
    t["memory"] = [{"id": i, "kind": "pipe", "context": 0, "size": 4096, "flags": 1} for i in range(8)]
    for m in range(8):
        launch(t, m, 10000 * m, 10000, kernel=1)
    return t


# A trace that run mode recorded of itself: it had two of eight launches run elsewhere.
def of_run():
    t = trace()
    t["process"]["run_mode"] = True
    t["devices"].append({"id": 1, "platform": 0, "type": 2, "name": "helper", "compute_units": 1})
    for m in range(8):
        launch(t, m, 10000 * m, 10000, **({"device": 1} if m in (1, 3) else {}))
    return t


# A trace that run mode recorded of itself: four launches on two streams of one queue, and a read that was staged.
def streamed():
    t = trace()
    t["process"]["run_mode"] = True
    for m in range(4):
        launch(t, m, 5000 * m, 9000, stream=1 + m % 2)
    read(t, 0, 30000, 40000)
    t["commands"][-1].update(stream=1)
    t["commands"][-1]["transfer"]["staged_bytes"] = 4096
    return t


# The same with copies between memories: two launches ran on a helper with a memory of its own. Both needed
# bytes of home; what they had written went home for room, for a native command that has no times, and for one that is not named.
def moved():
    t = of_run()
    t["devices"][1]["name"] = "far"
    t["commands"][5].pop("start_ns")
    copy = {"memory": 1, "bytes": 4096}
    t["moves"] = [
        {**copy, "command": 1, "to": 1, "why": "needed", "start_ns": 10500, "end_ns": 11500},
        {**copy, "command": 3, "to": 1, "why": "needed", "start_ns": 29000, "end_ns": 31000},
        {"bytes": 1024, "offset": 8, "command": 3, "from": 1, "why": "room", "start_ns": 30000, "end_ns": 31500},
        {**copy, "command": 5, "from": 1, "why": "native", "start_ns": 50000, "end_ns": 55000},
        {"bytes": 16, "from": 1, "why": "needed", "start_ns": 60000, "end_ns": 61000},
        {"bytes": 16, "why": "needed"}]
    t["parts"] = [  # of the launch from 12 to 22 us
        {"command": 1, "device": 0, "groups": 3, "start_ns": 12000, "end_ns": 18000},
        {"command": 1, "device": 1, "first_group": 3, "groups": 1, "start_ns": 13500, "end_ns": 22000}]
    return t


# Launches that run mode cut over two devices, at a point that moves; others that it did not cut, and why.
def cut():
    t = of_run()
    t["commands"], t["edges"], t["parts"] = [], [], []
    for i in range(14):
        launch(t, i % 8, 10000 * i, 9000)
        at = 4 + (i > 3) + (i > 9)
        t["parts"] += [{"command": i, "device": 1, "first_group": at, "groups": 16 - at, "start_ns": 2000 + 10000 * i,
                        "end_ns": 11000 + 10000 * i},
                       {"command": i, "device": 0, "groups": at, "start_ns": 2000 + 10000 * i,
                        "end_ns": 10000 + 10000 * i}]
    launch(t, 0, 150000, 9000, kernel=1)
    t["parts"] += [{"command": 14, "device": i // 2 % 2, "first_group": i, "groups": 1, "start_ns": 152000 + 500 * i,
                    "end_ns": 152500 + 500 * i} for i in range(16)]
    for why in ["no gain expected", "a <b> & c", "no gain expected"]:
        launch(t, 1, 10000 * len(t["commands"]) + 20000, 9000, kernel=1, whole=why)
    return t


# A context of two devices that share no memory with the host.
def two_gpus(size=4096):
    t = trace(size=size)
    t["devices"] = [{"id": i, "platform": 0, "type": 4, "name": "gpu", "compute_units": 2} for i in range(2)]
    t["contexts"][0]["devices"] = [0, 1]
    t["queues"] = [{"id": i, "context": 0, "device": i} for i in range(2)]
    return t


# Two devices with a buffer each, enqueued at once, yet the driver takes turns.
def in_turn():
    t = two_gpus()
    for i in range(6):
        launch(t, i % 2, i * MS + 10000, MS - 1000, queue=i % 2, ready=1000 * i)
    return t


# Independent launches, and large reads, on one queue of a GPU that run mode has streams for.
def on_nvidia():
    t = trace()
    t["platforms"][0]["name"] = "NVIDIA CUDA"
    t["devices"][0].update(type=4, name="gpu")
    for m in range(8):
        launch(t, m, 100000 * m, 90000, ready=1000 * m)
        if m:
            t["edges"].append({"from": m - 1, "to": m, "kind": "queue"})
    t["commands"][-1]["end_ns"] += 10000
    for m in range(2):
        read(t, m, 900000 + 500000 * m, 1400000 + 500000 * m)
        t["commands"][-1]["start_ns"] -= 400000
    return t


# As in_turn, but the host waits for one device before it enqueues for the other.
def waited_for():
    t = two_gpus()
    for i in range(6):
        launch(t, i % 2, i * MS + 1000, MS - 100000, queue=i % 2, ready=i * MS)
    return t


# The same, but they overlap for a part of the time.
def at_once():
    t = two_gpus()
    for i in range(6):
        launch(t, i % 2, i * MS + 10000, MS * 3 // 2, queue=i % 2, ready=1000 * i)
    return t


# The same, but each launch needs the one before it; on devices with memories of their own, so the driver moves the buffer.
def to_and_fro():
    t = two_gpus(1 << 28)
    for i in range(6):
        launch(t, 0, i * MS + 10000, MS - 1000, queue=i % 2, ready=1000 * i)
    return t


# The same, its edges in no order.
def to_and_fro_mixed():
    t = to_and_fro()
    t["edges"].reverse()
    return t


# The same on processors, which share the host's memory.
def to_and_fro_at_home():
    t = to_and_fro()
    for d in t["devices"]:
        d.update(type=2, host_unified=True)
    return t


# The host waits for a compiler: the first launch begins 200 ms after it was ready, later ones at once.
def first_launch():
    t = trace()
    launch(t, 0, 200 * MS, MS, ready=0)
    read(t, 0, MS, 202 * MS)
    for i in range(1, 6):
        launch(t, 0, (210 + 4 * i) * MS + 2000, MS, ready=(210 + 4 * i) * MS)
        read(t, 0, (210 + 4 * i) * MS + 1000, (211 + 4 * i) * MS + 300000)
    return t


# The host waits for work: all launches begin at once.
def long_waits():
    t = trace()
    for i in range(6):
        launch(t, 0, 20 * i * MS + 2000, 18 * MS, ready=20 * i * MS)
        read(t, 0, 20 * i * MS + 1000, (20 * i + 18) * MS + 300000)
    return t


# 8 GiB of which a launch may touch anything.

# Two launches within their buffers, two with 64 work-items too many.
def outside():
    t = trace()
    for items in (1024, 1088, 512, 1088):
        launch(t, len(t["commands"]), global_size=[items])
    return t


# A launch that begins three words before its buffer, and touches every second one.
def before():
    t = trace(1)
    t["programs"][0]["source"] = "kernel void work(global uint *x) { x[2 * (int)get_global_id(0) - 3] = 1; }"
    launch(t, 0, global_size=[512])
    return t


def large():
    t = trace(2, 8 << 30)
    launch(t, 0, 0, 10000)
    launch(t, 0, 10000, 10000)
    read(t, 1, 20000, 30000)
    return t


# A device that is busy for 4 % of its time, in 4,000 launches.
def sparse():
    t = trace()
    for i in range(4000):
        launch(t, 0, 25000 * i, 1000, ready=25000 * i)
    return t


# The same as a plan: tasks in turn on two devices. Either waits while the other one works, for 96 % of the time.
def sparse_graph():
    tasks = [{"cost": [1, None] if i % 2 == 0 else [None, 24]} for i in range(4000)]
    return {"format": "clweave-graph", "version": 1,
            "devices": [{"name": "sparse", "class": "a", "memory": "ddr"}, {"name": "dense", "class": "b", "memory": "ddr"}],
            "tasks": tasks, "edges": [{"from": i, "to": i + 1} for i in range(3999)]}


# For the page's timeline: a build of a second, two devices, a first launch that waits for a compiler, and behind it 300
# launches of two kernels in turn on each device.
def page():
    t = two_gpus()
    t["kernels"][1]["num_args"] = 1
    t["calls"] = [{"name": "clBuildProgram", "thread": 0, "begin_ns": 2000, "end_ns": 2000 + 1000 * MS}]
    for i in range(2):
        launch(t, i, 1000 * MS + 10000, 1000, queue=i, ready=1000 * MS + 1000 * i)
    for i in range(600):
        launch(t, i % 2, 1900 * MS + 50000 * (i // 2), 20000 + 10000 * (i % 2), kernel=i // 2 % 2, queue=i % 2,
               ready=1000 * MS + 3000 + 1000 * i)
    read(t, 0, 1600 * MS + 3000, 1916 * MS)
    return t


json.dump(globals()[sys.argv[1]](), sys.stdout)
