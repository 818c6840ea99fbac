#!/usr/bin/env python3
"""fuzz.py SEED COUNT FOLDER - writes COUNT random kernels and FOLDER/table.json, launches of them for check.py.

The kernels are full of what goes wrong in index arithmetic: mixed widths and signs, wrap-around, division, shifts, masks,
minima, ids of all kinds, loops of all shapes, early returns, breaks, indices from memory, helpers, walking pointers.
Indices may leave the buffers: Oclgrind drops such accesses, and claims are clipped."""
import json
import os
import random
import sys

rng = random.Random(int(sys.argv[1]))
TYPES = ["int", "int", "int", "uint", "uint", "long", "ulong", "size_t", "short", "uchar"]


class Kernel:
    def __init__(self, dims, local):
        self.dims, self.names, self.fresh, self.loops, self.local = dims, [], 0, 0, local

    def leaf(self):
        d = rng.randrange(self.dims)
        simple = [f"get_global_id({d})"] * 3 + [f"get_local_id({d})", f"get_group_id({d})", f"get_local_size({d})",
                  f"get_global_size({d})", f"get_num_groups({d})", f"get_global_offset({d})", "n", "n", "m", "big",
                  str(rng.choice([0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 255]))]
        return rng.choice(simple + self.names * 3)

    def value(self, depth=3):
        if depth == 0 or rng.random() < 0.2:
            return self.leaf()
        a, b = self.value(depth - 1), self.value(depth - 1)
        r = rng.random()
        if r < 0.32:
            return f"({a} {rng.choice(['+', '-'])} {b})"
        if r < 0.50:
            return f"({a} * {self.leaf()})"
        if r < 0.62:
            return f"({rng.choice(TYPES)})({a})"
        if r < 0.70:
            return f"({a} {rng.choice('/%')} {rng.choice([2, 3, 4, 7, 8, 16])})"
        if r < 0.78:
            return f"({a} & {rng.choice([1, 3, 7, 15, 255, '~3', '0xffff', '0xffffffff'])})"
        if r < 0.84:
            return f"({a} {rng.choice(['<<', '>>'])} {rng.choice([1, 2, 3, 8, 24])})"
        if r < 0.90:
            t = rng.choice(["int", "uint", "long"])
            return f"{rng.choice(['min', 'max'])}(({t})({a}), ({t})({b}))"
        if r < 0.94:
            return f"({self.condition(1)} ? {a} : {b})"
        if r < 0.96:
            return f"({a} {rng.choice('|^')} {b})"
        if r < 0.98:
            return f"mul24((int)({a}), (int)({b}))"
        return "table[get_global_id(0) & 15]"

    def condition(self, depth=2):
        t = rng.choice(["int", "int", "uint", "long"])
        text = f"(({t})({self.value(depth)}) {rng.choice(['<', '<=', '>', '>=', '==', '!=', '<', '<'])} ({t})({self.value(1)}))"
        r = rng.random()
        if r < 0.15:
            return f"({text} && {self.condition(1)})"
        if r < 0.22:
            return f"({text} || {self.condition(1)})"
        return text

    def index(self):
        """Mostly something near a real index, sometimes anything."""
        r = rng.random()
        if r < 0.4:
            d = rng.randrange(self.dims)
            return rng.choice([f"get_global_id({d})", f"(int)get_global_id({d}) + {self.leaf()}",
                               f"get_global_id({d}) * {rng.choice([1, 2, 3, 'n'])} + {self.leaf()}",
                               f"(int)(get_group_id({d}) * get_local_size({d})) + (int)get_local_id({d})",
                               f"(uint)get_group_id({d}) * {rng.choice([4, 8])} + (uint)get_local_id({d})"])
        if r < 0.6 and self.names:
            return f"{rng.choice(self.names)} + {self.leaf()}"
        return self.value()

    def access(self):
        r = rng.random()
        if r < 0.45:
            return f"out[{self.index()}] = {self.leaf()};"
        if r < 0.55:
            return f"other[{self.index()}] += 1;"
        if r < 0.62:
            return f"put({rng.choice(['out', 'other'])} + {self.leaf()}, {self.index()});"
        if r < 0.67:
            return f"vstore2((int2)(1, 2), {self.index()}, out);"
        if r < 0.72:
            return f"atomic_add(&other[{self.index()}], 1);"
        if r < 0.78:
            return f"(({self.condition(1)}) ? out : other)[{self.index()}] = 3;"
        if r < 0.82:
            return f"((global short *)other)[{self.index()}] = 3;"
        return f"sum += in[{self.index()}];"

    def name(self, text):
        self.fresh += 1
        return f"{text}{self.fresh}"

    def declare(self):
        value, v = self.value(), self.name("v")
        self.names.append(v)
        return f"{rng.choice(TYPES)} {v} = {value};"

    def either(self, v):
        """v is one of two constants, by data, and what stands in the branches keeps them from becoming a select."""
        a, b = rng.sample([0, 1, 2, 3, 5, 8], 2) if rng.random() < 0.4 else (1, 5)
        test = rng.choice([f"in[get_global_id(0) + {self.leaf()}] & 1", f"in[get_global_id(0) & 15] > {rng.randrange(99)}", self.condition(1)])
        return (f"if ({test}) {{ {v} = {a}; other[{self.leaf()}] = {self.leaf()}; }} "
                f"else {{ {v} = {b}; other[{self.leaf()} + 1] += 3; }}")

    def meeting(self):
        """Two values that look alike where ways meet, and an access by their difference or behind their comparison."""
        v, w = self.name("v"), self.name("v")
        text = f"int {v}, {w}; {self.either(v)} {self.either(w)} "
        at = f"get_global_id(0) + ({v} - {w} + {rng.choice([0, 4, 8])}) * {rng.choice([1, 16, 'n'])}"
        text += rng.choice([f"out[{at}] = {self.leaf()};", f"if ({v} {rng.choice(['>', '==', '!='])} {w}) {{ {self.access()} }}"])
        self.names += [v, w]
        return text

    def nested(self, depth=3):
        """Conditions in conditions. What stands in a test of data keeps its ways from becoming selects."""
        if depth == 0 or rng.random() < 0.2:
            d = rng.randrange(self.dims)
            near = f"((int)get_global_id({d}) {rng.choice(['+', '-'])} {self.leaf()}) {rng.choice(['<', '>=', '==', '>'])} {rng.choice([0, 1, 3, 'n', 7])}"
            return rng.choice([near, near, near, self.condition(0), f"in[get_global_id({d}) + {rng.choice([0, 3])}] > {rng.randrange(60)}",
                               f"other[{self.leaf()}]++ > 3"])
        a, b = self.nested(depth - 1), self.nested(depth - 1)
        r = rng.random()
        if r < 0.4:
            return f"({a} || {b})"
        if r < 0.7:
            return f"({a} && {b})"
        if r < 0.8:
            return f"!({a})"
        return f"({a} ? {b} : {self.nested(depth - 1)})"

    def flag(self):
        """A condition that becomes a number first, which decides, and may be an index."""
        q = self.name("q")
        text = f"int {q} = {self.nested()}; {rng.choice(['', self.access()])} "
        text += f"if ({rng.choice(['', '!'])}{q}) {{ {self.access()} }} {rng.choice(['', f'else {{ {self.access()} }}'])} "
        if rng.random() < 0.4:
            text += f"out[get_global_id(0) * 2 + {q}] = {q}; "
        self.names.append(q)
        return text

    def loop(self, depth):
        k, t = self.name("k"), rng.choice(["int", "int", "uint", "long", "short"])
        start = rng.choice(["0", "0", "1", "n", f"(({t})get_global_id(0) & 7)", f"({t})get_local_id(0)", "m"])
        end = rng.choice(["4", "n", "n + 2", "(m & 7)", "8", f"({t})get_global_id(0) % 9"])
        step = rng.choice([1, 1, 1, 2, 3])
        form, before = rng.randrange(6), self.leaf()
        self.loops += 1
        saved = list(self.names)
        self.names += [k, k]
        if form < 3:
            head, tail = f"for ({t} {k} = {start}; {k} {rng.choice(['<', '<', '<='])} ({t})({end}); {k} += {step}) {{", "}"
        elif form == 3:
            head, tail = f"for (int {k} = {rng.choice(['n', '7', 'n - 1'])}; {k} >= {rng.choice([0, 1])}; {k} -= {step}) {{", "}"
        elif form == 4:
            head, tail = f"int {k} = 0; do {{", f"{k} += {step}; }} while ({k} < {rng.choice(['4', 'n', '(int)get_local_id(0)'])});"
        else:
            head, tail = f"for (int {k} = {rng.choice([0, 1])}; {k} != {rng.choice([4, 5, 6])}; {k}++) {{", "}"
        walk = ""
        if rng.random() < 0.25:
            p = self.name("p")
            head = f"global int *{p} = out + {before}; " + head
            walk = f"*{p} = {k}; {p} += {rng.choice(['1', '2', 'n'])};"
        elif rng.random() < 0.15: # by a step that data decide
            x, s = self.name("x"), self.name("s")
            head = f"int {x} = get_global_id(0), {s}; " + head
            walk = f"{self.either(s)} out[{x} - {s} * {rng.choice([k, '1', 'n'])}] = 5; {x} += {s};"
        inner = self.block(depth - 1)
        if rng.random() < 0.2:
            inner += f" if ({self.condition(1)}) {rng.choice(['break', 'break', 'return'])};"
        elif rng.random() < 0.15 and form < 3:
            inner = f"if ({self.condition(1)}) continue; " + inner
        self.names = saved
        return f"{{ {head} {walk} {inner} {tail} }}"

    def block(self, depth):
        saved, text = list(self.names), []
        for _ in range(rng.randrange(1, 4)):
            r = rng.random()
            if r < 0.20:
                text.append(self.declare())
            elif r < 0.25:
                text.append(self.meeting())
            elif r < 0.31:
                text.append(self.flag())
            elif r < 0.40 and depth > 0 and self.loops < 3:
                text.append(self.loop(depth))
            elif r < 0.52 and depth > 0:
                text.append(f"if ({rng.choice([self.condition, self.nested])()}) {{ {self.block(depth - 1)} }}" +
                            (f" else {{ {self.block(depth - 1)} }}" if rng.random() < 0.4 else ""))
            elif r < 0.56:
                text.append(f"if ({self.condition()}) return;")
            else:
                text.append(self.access())
        text.append(self.access())
        self.names = saved
        return "\n    ".join(text)


def main():
    folder, table = sys.argv[3], []
    for i in range(int(sys.argv[2])):
        dims = rng.choice([1, 1, 2])
        local = [rng.choice([2, 4]) for _ in range(dims)]
        size = [l * rng.choice([1, 2, 4]) for l in local]
        body = Kernel(dims, local).block(2)
        with open(os.path.join(folder, f"fuzz{i}.cl"), "w") as f:
            f.write("void put(global int *p, int at) { p[at] = at; }\n"
                    f"kernel void fuzz{i}(global const int *in, global int *out, global int *other, global const int *table,\n"
                    "    int n, uint m, int big)\n{\n    int sum = 0;\n    " + body + "\n    other[0] += sum + 1;\n}\n")
        table.append({"file": f"fuzz{i}.cl", "kernel": f"fuzz{i}", "global": size, "local": local,
                      "offset": [rng.choice([0, 0, 3]) for _ in range(dims)],
                      "args": ["int 512 0 40", "int 512 0 40", "int 512 0 40", "int 64 -5 60", f"int {rng.choice([0, 1, 3, 6, 8])}",
                               f"uint {rng.choice([0, 1, 5, 17, 4294967295])}",
                               f"int {rng.choice([2147483647, -1, -2147483648, 65536, 100])}"]})
    with open(os.path.join(folder, "table.json"), "w") as f:
        json.dump(table, f)


main()
