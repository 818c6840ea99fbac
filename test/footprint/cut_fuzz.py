#!/usr/bin/env python3
"""cut_fuzz.py SEED COUNT FOLDER - writes COUNT random kernels and FOLDER/table.json, launches of them for cutcheck.py.

Unlike those of fuzz.py most indices are sums of ids, counters and constants whose factors are about as large as what is
below them: half of the kernels may be cut, and of the other half many only just not."""
import json
import os
import random
import sys

rng = random.Random(int(sys.argv[1]))


class Kernel:
    def __init__(self, dims, local, groups):
        self.dims, self.local, self.groups, self.loops = dims, local, groups, 0
        self.image = rng.random() < 0.2
        self.row = rng.choice([local[0] * groups[0]] * 4 + [local[0] * groups[0] + rng.choice([-1, 1, 2, 5]), local[0], 7, 16])

    def factor(self):
        r = self.row
        size = self.local[0] * self.groups[0]
        return rng.choice([1] * 6 + [2, 3, -1, r, r, r, r + 1, -r, self.local[0], r * self.local[-1], size, size * 2, "n"])

    def index(self, counters):
        terms = []
        for d in range(self.dims):
            way = rng.random()
            if way < 0.6:
                terms.append(f"{rng.choice([1, 1, self.factor()]) if d == 0 else rng.choice([self.row, self.row, self.factor()])} * (int)get_global_id({d})")
            elif way < 0.8:
                terms.append(f"{self.factor()} * (int)get_group_id({d}) + {rng.choice([1, self.factor()])} * (int)get_local_id({d})")
        for k in counters:
            if rng.random() < 0.8:
                terms.append(f"{rng.choice([self.row, 1, self.row * self.local[-1], self.factor()])} * {k}")
        if rng.random() < 0.4 or not terms:
            terms.append(rng.choice(["1", "-1", "n", "m", str(self.row), str(-self.row), str(self.row + 1), "get_local_size(0)"]))
        text = " + ".join(terms)
        if rng.random() < 0.1:
            text = f"({text}) / {rng.choice([2, 4, self.local[0]])}"
        if rng.random() < 0.05:
            text = f"({text}) % {rng.choice([8, 64, self.row if self.row > 0 else 3])}"
        return text

    def bound(self, counters):
        d = rng.randrange(self.dims)
        return rng.choice(["n", "m", "3", str(self.row), f"n - (int)get_global_id({d})", f"(int)get_global_id({d})",
                           f"(get_group_id(0) == get_num_groups(0) - 1 ? n : (int)(get_group_id(0) + 1) * {self.local[0]})"] + counters)

    def colour(self):
        """Only work-items whose ids have a certain sum modulo m."""
        total = " + ".join(f"{rng.choice([1, 1, 1, 2, 3])} * get_global_id({d})" for d in range(self.dims))
        m = rng.choice([2, 2, 2, 3, 4])
        rest = f"({total}) & 1" if m == 2 and rng.random() < 0.5 else f"({total}) % {m}"
        return f"({rest}) {rng.choice(['==', '==', '!='])} {rng.choice(['0', '1', '(size_t)m % 2'])}"

    def guard(self, counters):
        d = rng.randrange(self.dims)
        if rng.random() < 0.3:
            return self.colour()
        left = rng.choice([f"(int)get_global_id({d})"] * 3 + [f"(int)get_local_id({d})", f"(int)get_group_id({d})"] + [f"(int)get_global_id({d}) + {k}" for k in counters])
        return f"{left} {rng.choice(['<', '<', '>', '>=', '==', '!='])} {rng.choice(['n', 'm', '1', '0', str(self.row)])}"

    def pixel(self, counters):
        x, d = self.index(counters), rng.randrange(self.dims)
        y = rng.choice([f"get_global_id({d})", f"get_local_id({d})", f"get_group_id({d})", f"get_global_id({d}) / 2", "m & 3"])
        at = f"({x}) + 8192, (int)({y})"
        if rng.random() < 0.3:
            at = f"(int)({y}), (int)get_global_id({rng.randrange(self.dims)})"
        return f"write_imageui(to, (int2)({at}), (uint4)(get_global_id(0)));"

    def statement(self, counters):
        if self.image and rng.random() < 0.6:
            return self.pixel(counters)
        a, b, k = self.index(counters), self.index(counters), rng.random()
        if rng.random() < 0.5:
            b = a if rng.random() < 0.5 else f"{a} + {rng.choice(['1', '-1', str(self.row)])}"
        if k < 0.45:
            return f"out[{a} + 8192] = a[{b} + 8192];"
        if k < 0.75:
            return f"out[{a} + 8192] += out[{b} + 8192] + 1;"
        if k < 0.83:
            return f"atomic_add(&out[{a} + 8192], 3);"
        if k < 0.9:
            return f"out[{a} + 8192] = 5;"
        return f"vstore2((int2)(get_global_id(0)), 0, out + {rng.choice(['2 * (', '('])}{a}) + 8192);"

    def block(self, counters, depth):
        if depth and rng.random() < 0.45 and len(counters) < 2:
            k = f"k{self.loops}"
            self.loops += 1
            start = rng.choice(["0", "0", "1", f"(int)get_global_id({rng.randrange(self.dims)})"] + counters)
            step = rng.choice(["1", "1", "1", "2", "(int)get_global_size(0)"])
            return f"for (int {k} = {start}; {k} < {self.bound(counters)}; {k} += {step}) {{ {self.block(counters + [k], depth - 1)} }}"
        if depth and rng.random() < 0.4:
            return f"if ({self.guard(counters)}) {{ {self.block(counters, depth - 1)} }}"
        return self.statement(counters)

    def text(self, name):
        body = "\n    ".join(self.block([], 3) for _ in range(rng.choice([1, 1, 2])))
        image = ", write_only image2d_t to" if self.image else ""
        return f"kernel void {name}(global const int *a, global int *out, int n, int m{image})\n{{\n    {body}\n}}\n"


table = []
for i in range(int(sys.argv[2])):
    dims = rng.choice([1, 1, 2])
    local = [rng.choice([2, 4, 8]) if d == 0 else rng.choice([1, 2, 4]) for d in range(dims)]
    groups = [rng.choice([2, 3, 5, 6]) for _ in range(dims)]
    k = Kernel(dims, local, groups)
    name = f"cut{i}"
    with open(os.path.join(sys.argv[3], name + ".cl"), "w") as f:
        f.write(k.text(name))
    n = rng.choice([k.row, local[0] * groups[0], local[0] * groups[0] - 1, 5, 12])
    table.append({"file": name + ".cl", "kernel": name, "global": [l * g for l, g in zip(local, groups)], "local": local,
                  "args": ["int 65536 0 99", "int 65536 0 99", f"int {n}", f"int {rng.choice([n, 1, 3, 40])}"] +
                  (["image 16384 64"] if k.image else [])})
with open(os.path.join(sys.argv[3], "table.json"), "w") as f:
    json.dump(table, f)
