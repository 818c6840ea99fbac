#!/usr/bin/env python3
"""rows.py - kernels with random tests for borders, for rows.c.

usage: rows.py SEED COUNT > FILE"""
import random
import sys

TYPES = ["int", "int", "int", "const int", "uint", "size_t", "long", "short", "uchar", "unsigned", "ushort", "char", "ulong"]
FIRST = "float y0(int v) { return v * 0.5f; }\n"
HEAD = """kernel void k%d(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
"""


class Kernel:
    def __init__(self, rng):
        self.rng = rng
        self.names = []
        self.loops = rng.random() < .5
        self.odd = rng.random() < .3  # written as nobody does
        self.numbers = rng.random() < .5  # what is a constant where a test is one
        self.known = []
        self.plain = rng.random() < .7  # with no values but those that forms may have

    def pick(self, *these):
        return self.rng.choice(these)

    def declare(self):
        r, text = self.rng, ""
        for name, dim in (("x", 0), ("y", 1), ("z", 2)):
            if dim == 0 or r.random() < .8:
                text += f"    {r.choice(TYPES)} {name} = {self.pick('', '', '', '(int)', '(uint)')}get_global_id({dim});\n"
                self.names.append(name)
        if r.random() < .4:
            other = "x - y" if "y" in self.names else "x"
            value = self.pick("x + 1", "x - 1", "w - x", "2 * w + x", other, "-x", "(w - 3) - (x)", "(short)x + h", "x * 2")
            text += f"    {r.choice(TYPES)} q = {value};\n"
            self.names.append("q")
        if r.random() < .1 and "const int x " not in text:
            text += "    x += 1;\n"
        if self.odd:
            text += f"    {self.written()}\n"
        if self.numbers:
            text += f"    {self.number()}\n"
        return text

    def number(self):
        """Values of which compilers know more in some copies, or none."""
        test = f"if ({self.condition()}) "
        if self.plain:
            self.known = ["m", "m * 0.7f", "(m + 0.3f) * in[c]", "m * 2.0f", "fmax(m, in[c]) * 0.3f", "floor(m)"]
            return self.pick("float m = in[c];", "float m = in[c] * 2.0f; " + test + "m = in[c + 1];", "float m = 0; " + test + "m = in[o];",
                             "float m = 0; " + test + "m += in[c - p];", "float m; " + test + "m = in[c + p]; else m = in[c] * in[o];",
                             "float m = 0; for (int i = -1; i < 2; i++) m += in[c + i];")
        self.known = ["m * 0.1f", "m * 0.7f", "in[c] * m", "m / in[c]", "in[c] - m", "m - in[c]", "(in[c] - m * in[c + 1])", "m", "-m", "(m + 0.3f) * in[c]"]
        return self.pick("float m = 2.0f; " + test + "m = 3.0f;", "int m = 3;", "const int m = 3;", "float m = 0.3f;", "float m = -1;",
                         "int m = 2; " + test + "m = ~0;", "float m = in[c] * 2.0f; " + test + "m = in[c + 1];", "float m = 0; " + test + "m += in[o];",
                         "float m = in[c];", "float m = -in[c];", "float m = w;", "float m; " + test + "m = 5; else m = in[c];",
                         "float m = 1; for (int i = 0; i < 4; i++) m += i * 0.1f;", "float m = 0; for (int i = -1; i < 2; i++) m += i * in[c + i];",
                         "float m = u * 0.3f;", "float m = y0(w);", "float m = in[c] > 500 ? 0 : 7;", "float m = (0.5f + s) * in[c];")

    def written(self):
        """An int that is written, or shadowed, or neither, in other ways than by name and operator."""
        self.names.append("k")
        new = f"int k = {self.pick('x', 'x + 1', 'w - x', 'w')};"
        return new + " " + self.pick("(k) += 5;", "((k)) <<= 1;", "(k)++;", "++(k);", "-- ((k));", "(k) = (k) - 3;", "k = (k) + 1;",
                                     "{ int *a = &(k); *a = 4; }", "*(&(k)) = 3;", "*&k = 2;",
                                     "{ int (k) = 5; if (k < w) out[c] = 2.5f; }", "{ int j = 3, (k) = 7; if (k + j < x) out[c] = 7.5f; }",
                                     "if ((k) == 5) out[c] = 1.25f;", "if (-(k) < w) out[c] = 3.5f;", "(w) -= 3;", "{ int (w) = 5; if (x < w) out[c] = 4.5f; }")

    def moving(self):
        if "k" in self.names and self.rng.random() < .3:
            return self.pick("k", "k", "(k)", "k + 1", "k - x")
        return self.pick("x", "x", "x", "x + 1", "x - 1", "(x - 2)", "get_global_id(0)", "(int)get_global_id(0)", "-x",
                         "w - x", "x + y" if "y" in self.names else "x", "q" if "q" in self.names else "x", "(uchar)x", "cx", "c - cx", "x * 1", "x / 2")

    def fixed(self):
        return self.pick("w", "w - 1", "w - 2", "0", "1", "2", "5", "u", "u - 1", "u - 2", "g", "g - 1", "s", "w - 1u", "0x10",
                         "w + h - h", "get_global_size(0)", "get_global_size(0) - 1", "(uint)w", "(short)w", "h * 2 - h", "bx",
                         "bx + 3", "bx + w - bx", "7L", "w / 2")

    def level(self):
        name = self.pick(*[n for n in ("y", "z") if n in self.names] or ["h"])
        other = self.pick("h", "h - 1", "0", "1", "by", "by + 1", "u", "h - 2", "2")
        return f"{name} {self.pick('<', '<=', '>', '>=', '==', '!=')} {other}"

    def atom(self):
        r = self.rng.random()
        if r < .55:
            a, b = self.moving(), self.fixed()
            if self.rng.random() < .2:
                a, b = b, a
            text = f"{a} {self.pick('<', '<=', '>', '>=', '==', '!=', '<', '>')} {b}"
        elif r < .85:
            text = self.level()
        elif r < .93:
            text = self.pick("((cx + cy) & 1) == 0", "in[c] > 500.0f" if self.rng.random() < .3 else "cx > 5", "(x & 3) != 1", "x % 3 == 0", "x < w == 1", "!(x < 3)",
                             "x", "w")
        else:
            text = f"{self.pick('w', 'h', 'u', 'g', 's')} {self.pick('<', '>=', '!=', '==')} {self.pick('3', '0', 'w', '20')}"
        return f"({text})" if self.rng.random() < .3 else text

    def tree(self, depth):
        """What binds less or more than it may seem: ?:, commas, both joins, in brackets and without."""
        if depth == 0 or self.rng.random() < .3:
            return self.atom()
        a, b = self.tree(depth - 1), self.tree(depth - 1)
        text = self.pick(f"{a} && {b}", f"{a} || {b}", f"({a}) && ({b})", f"({a}) || {b}", f"{a} && {b} ? {self.atom()} : {self.atom()}",
                         f"{a} || {b} ? {self.pick('0', '1', self.atom())} : {self.pick('0', '1')}", f"{a} && {b} ?: {self.atom()}", f"({a}), {b}",
                         f"!({a} && {b})", f"!({a} || {b})")
        return f"({text})" if self.rng.random() < .5 else text

    def condition(self):
        if self.odd and self.rng.random() < .5:
            return self.tree(2)
        n = self.pick(1, 1, 2, 2, 3, 4, 5)
        join = self.pick(" && ", " || ")
        atoms = [self.atom() for _ in range(n)]
        if n > 3 and self.rng.random() < .5:
            atoms[1:3] = [f"({atoms[1]}{self.pick(join, join, ' && ', ' || ')}{atoms[2]})"]
        return join.join(atoms)

    def value(self):
        terms = ["in[c]", "in[c + 1]", "in[c - 1]", "in[c + p]", "in[c - p]", "0.3f * in[c + 2]", "in[o]", "(float)x", "1.5f",
                 "out[c]", "sqrt(in[c])", "(out[c] - out[o - 8] * in[c + 1])", "(out[c] - out[c] * out[o - 8])", "(in[c - 1] - 0.5f * in[c])",
                 "(in[c] * out[o - 8] - out[c])", "(out[c] * in[c + 1] - out[o - 8])", "in[c] * in[c - 2]", "(float)cy / 3.0f", "0.5 * in[c]",
                 "(out[c] - in[o - 5] * in[c] * in[c + 1])", "(in[c] - (in[o - 7] * in[c + 1]) * out[c])", "(in[o - 3] * -1.0f * in[c] - out[c])",
                 "(in[c] - 2.0f * in[o - 4])", "(in[c] - in[c + 1] * in[c - 1] / in[o - 2])", "(out[c] - (float)(in[o - 6] * in[c + 1]))",
                 "(in[o - 9] / -1.0f) * in[c + 1] + out[c]"]
        if self.plain:
            terms = ["in[c]", "in[c + 1]", "in[c - 1]", "in[c + p]", "in[c - p]", "0.3f * in[c + 2]", "in[o]", "1.5f", "out[c]", "sqrt(in[c])",
                     "in[c] * in[c - 2]", "0.5 * in[c]", "in[c] / in[o - 2]", "fma(in[c], 0.25f, in[c + 1])"]
            if not self.numbers:
                terms += ["(in[c - 1] - 0.5f * in[c])", "(in[c] - in[c + p])"]
        terms += self.known + self.known
        return " + ".join(self.rng.sample(terms, self.rng.randint(1, 4)))

    def clamped(self, turn):
        """Subscripts of `in` with clamps, in a loop over `turn`, or in none."""
        d = turn and self.pick(turn, turn, f"({turn})", f"{turn} + 1", f"2 * {turn}", f"{turn} + {turn}")
        end = self.pick("w - bx - 1", "w - bx - 1", "w - bx", "5", "150", "bx + 9 - bx", "(w - 1) - bx")
        sums = ["cx", "cx + 1", "cx - 2", "4 - cx"]
        if turn:
            sums += [f"cx + {d}", f"{d} + cx", f"cx - {d}", f"{d} - (cx)", f"cx + {d} - 1", f"cx + {d}"]
        across = f"clamp({self.pick(*sums)}, {self.pick('0', '0', '0', '1', '-1', 'bx - bx')}, {end})"
        up = self.pick("cy", "cy + 1", f"cy + {d or 1}", f"cy - {d or 1}", "cy", f"2 - {d or 1}", "w - w")
        along = f"clamp({up}, {self.pick('0', '0', '1')}, {self.pick('h - by - 1', 'h - by - 1', '3', 'h - by', 'bx - bx + 7')})"
        deep = f"clamp(cz + {d or 1}, 0, {self.pick('0', '1', '2')})"
        return self.pick(across, f"{along} * p + {across}", f"({deep} * 64 + {along}) * p + {across}", f"{along} * p + cx")

    def loop(self):
        first = self.pick(-1, -1, -1, 0, -2, 1)
        turn, other = ("d", "e") if self.rng.random() < .5 else ("e", "d")
        step, more = self.pick("++", "++", "++", "++", " += 1"), self.pick(0, 2, 2, 2, 3, 20)
        end = self.pick(f"<= {first + more}", f"< {first + more + 1}", f"< {first + more + 1}")
        head = f"for (int {turn} = {first}; {turn} {end}; {turn}{step})"
        inner = self.pick("", "", f"for (int {other} = -1; {other} <= 1; ++{other}) ")
        both = self.pick(turn, other) if inner else turn
        sign = "+" if self.plain else self.pick("+", "+", "+", "+", "-")
        plain = f"out[c] {sign}= in[o + {self.clamped(both)}];"
        named = (f"{{ int at = {self.clamped(both)}; float t = in[o + at]; "
                 f"{self.pick('', f'if (cx + {both} > 3) continue; ', 'if (cx == 5) break; ', 'if (at > 4) t = 1.0f; ')}"
                 f"out[c] = out[c] + t{self.pick('', ' / 9.0f', ' * 0.3f')}; }}")
        bounded = f"if ({self.condition()}) {plain}"
        return f"{head} {inner}{self.pick(plain, plain, named, '{ ' + plain + ' }', bounded)}"

    def statement(self, depth):
        r = self.rng.random()
        if self.loops and r < .5:
            return self.loop() if r < .38 else f"out[c] += in[o + {self.clamped('')}];"
        if self.loops:
            r = self.rng.random()
        if depth > 2 or r < .35:
            return f"out[c] = {self.value()};"
        if r < .5:
            then = self.pick("return;", "{ return; }", "{ out[c] = " + self.value() + "; return; }")
            return f"if ({self.condition()}) {then}"
        if r < .75:
            return f"if ({self.condition()}) {{ {self.statement(depth + 1)} }}"
        return f"if ({self.condition()}) {{ {self.statement(depth + 1)} }} else {{ {self.statement(depth + 1)} }}"

    def text(self, number):
        body = HEAD % number + self.declare()
        if self.rng.random() < .7:
            body += f"    if ({self.condition()}) {self.pick('return;', 'out[c] = in[c];', '{ out[c] = 2.0f; return; }')}\n"
        for _ in range(self.rng.randint(1, 3)):
            body += f"    {self.statement(0)}\n"
        return body + "}\n"


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    print(FIRST, end="")
    for n in range(count):
        print(Kernel(random.Random(seed * 100003 + n)).text(n), end="")


if __name__ == "__main__":
    main()
