# diff_traces.py - prints one small trace for the tests of `clweave diff`, whose differences are known.
# Usage: diff_traces.py before|after|untimed|empty [RUN]: run RUN takes RUN per cent longer, set-up and all
#
# before: 12 launches of work (100 us and i % 4 us), 8 of paint (50 us and i % 3 us), 5 of steady, 4 reads of 4 KiB.
# after:  12 of work that take 1.5 times as long, 6 of paint that take half, 5 of steady, of which the last takes 60 times
#         as long, 3 of a new kernel whose name is markup, 4 reads of 4 KiB, of which one failed, and a read of 8 KiB.
import json
import sys

US = 1000


class Trace:
    def __init__(self, program, times=True):
        self.times, self.longer = times, 1 + (int(sys.argv[2]) if len(sys.argv) > 2 else 0) / 100
        self.at = int(100 * US * self.longer)
        self.t = {
            "format": "clweave-trace", "version": 1,
            "process": {"program": program, "command": program + " -x", "pid": 1, "start_ns": 1000, "complete": True},
            "platforms": [{"id": 0, "name": "Portable Computing Language"}],
            "devices": [{"id": 0, "platform": 0, "type": 2, "name": "device", "compute_units": 2}],
            "contexts": [{"id": 0, "devices": [0]}],
            "queues": [{"id": 0, "context": 0, "device": 0}],
            "memory": [{"id": 0, "kind": "buffer", "context": 0, "size": 8192, "flags": 1}],
            "programs": [{"id": 0, "kind": "source", "context": 0, "source": "", "options": ""}],
            "kernels": [], "commands": [], "edges": []}

    def kernel(self, name):
        names = [k["name"] for k in self.t["kernels"]]
        if name not in names:
            self.t["kernels"].append({"id": len(names), "program": 0, "name": name, "num_args": 1})
            names.append(name)
        return names.index(name)

    def add(self, took, **more):
        n, took = len(self.t["commands"]), int(took * self.longer)
        c = {"id": n, "queue": 0, "thread": 0, "sequence": n, "call_begin_ns": self.at, "call_end_ns": self.at + US}
        if self.times and more.get("exec_status", 0) == 0:
            c.update(queued_ns=self.at, submit_ns=self.at + 100, start_ns=self.at + 200, end_ns=self.at + 200 + took)
        c.update(more)
        self.at += took + US
        self.t["commands"].append(c)

    def launch(self, name, took, size=1024):
        self.add(took, type="CL_COMMAND_NDRANGE_KERNEL", kernel=self.kernel(name), work_dim=1, global_size=[size],
                 local_size=[64], args=[{"index": 0, "memory": 0}])

    def read(self, took, size, **more):
        self.add(took, type="CL_COMMAND_READ_BUFFER", blocking=True, transfer={"src": 0, "bytes": size}, **more)


def before(times=True):
    t = Trace("/usr/bin/before", times)
    for i in range(12):
        t.launch("work", 100 * US + i % 4 * US)
    for i in range(8):
        t.launch("paint", 50 * US + i % 3 * US, 512)
    for i in range(5):
        t.launch("steady", 10 * US)
    for i in range(4):
        t.read(5 * US, 4096)
    return t


def after():
    t = Trace("/usr/bin/after")
    for i in range(12):
        t.launch("work", 150 * US + i % 4 * 1500)
    for i in range(6):
        t.launch("paint", 25 * US + i % 3 * 500, 512)
    for i in range(5):
        t.launch("steady", 600 * US if i == 4 else 10 * US)
    for i in range(3):
        t.launch("<b>new", US)
    for i in range(4):
        t.read(5 * US, 4096, **({"exec_status": -5} if i == 3 else {}))
    t.read(9 * US, 8192)
    return t


kinds = {"before": before, "after": after, "untimed": lambda: before(False), "empty": lambda: Trace("/usr/bin/empty")}
json.dump(kinds[sys.argv[1]]().t, sys.stdout)
