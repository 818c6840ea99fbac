#!/usr/bin/env python3
"""macros.py - the text with plain macros in place is the same to a preprocessor: usage: macros.py EXPANDER FOLDER SEEDS

Sources of random macros, and of uses in and outside of bodies, are preprocessed by cpp before and after EXPANDER; the
words must be the same. Prints how many were, and how many uses had been replaced. Exit status 1: some were not."""
import random
import re
import subprocess
import sys

WORDS = ["a", "b", "c", "1", "2.5f", "(a + b)", "a[1]", "-1", "->", "++", "<=", "\"M0(a)\"", "'x'", ";", "{ }", "s.M1"]


def body(r, names, parameters):
    """Words, parameters and uses of other macros."""
    words = []
    for _ in range(r.randint(0, 6)):
        kind = r.random()
        if kind < .35 and parameters:
            words.append(r.choice(parameters))
        elif kind < .6 and names:
            words.append(use(r, names, 1))
        elif kind < .63:
            words.append("##" if words and r.random() < .5 else "a ## b")
        else:
            words.append(r.choice(WORDS[:11] + WORDS[15:]))
    text = r.choice([" ", "", " "]).join(words)
    return text.strip("#") if text.startswith("##") or text.endswith("##") else text


def use(r, names, depth):
    """A use of one of `names`: (name, number of parameters or None)."""
    name, count = r.choice(names)
    if count is None or r.random() < .1:
        return name
    if r.random() < .05:
        count += 1
    space = r.choice(["", "", " ", "\n"]) if depth == 0 else ""
    arguments = [use(r, names, depth + 1) if r.random() < .3 and depth < 3 else r.choice(WORDS[:9]) for _ in range(count)]
    return name + space + "(" + r.choice([", ", ",", ",\n" if depth == 0 else ","]).join(arguments) + ")"


def definition(r, known, k):
    """A #define, and what it defines."""
    count = r.choice([None, 0, 1, 2, 3])
    parameters = ["p", "q", "r"][:count or 0]
    head = f"M{k}" + ("" if count is None else "(" + ", ".join(parameters) + ")")
    names = known + ([(f"M{r.randint(0, 7)}", r.choice([None, 1]))] if r.random() < .2 else [])
    return f"#define {head} {body(r, names, parameters)}\n", (f"M{k}", count)


def source(r):
    """Its text and its options."""
    known, text, options = [], "", []
    if r.random() < .5:
        text += "#ifndef GUARD\n#define GUARD\n"
    for k in range(r.randint(1, 6)):
        line, what = definition(r, known, k)
        wrap = r.random()
        if wrap < .1:
            line = "#ifdef UNKNOWN\n" + line + "#endif\n"
        elif wrap < .15:
            line += f"#undef M{k}\n"
        elif wrap < .2:
            line = f"#define M{k} 7\n#undef M{k}\n" + line
        text += line
        known.append(what)
    if text.startswith("#ifndef"):
        text += r.choice(["#endif\n", "#else\n#define M9 1\n#endif\n"])
    for k in range(r.randint(0, 2)):
        options.append(f"-DO{k}=" + r.choice(["1", "-1", "(2+3)", "M0", "a", ""]))
        known.append((f"O{k}", None))
    text += "kernel void f() {\n"
    for _ in range(r.randint(1, 8)):
        text += "  x = " + use(r, known, 0) + r.choice([";\n", " ; ", " + 1;\n"])
        if r.random() < .1:
            text += "\n#if 1\n y;\n#endif\n"
    return text + "}\n" + use(r, known, 0) + "\n", options


def words(text, options, name):
    """The preprocessed words; None: cpp refuses it."""
    with open(name, "w", encoding="ascii") as f:
        f.write(text)
    done = subprocess.run(["cpp", "-P", "-w"] + options + [name], capture_output=True, text=True, check=False)
    return re.findall(r"\"[^\"]*\"|'[^']*'|[A-Za-z_]\w*|\.?\d[\w.]*|\S", done.stdout) if done.returncode == 0 else None


def main():
    expander, folder, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    same = changed = bad = 0
    for seed in range(seeds):
        text, options = source(random.Random(seed))
        before = words(text, options, folder + "/macros.c")
        if before is None:
            continue
        done = subprocess.run([expander, folder + "/macros.c", " ".join(options)], capture_output=True, text=True, check=False)
        lines = done.stdout.rstrip().count("\n") == text.rstrip().count("\n")
        after = words(done.stdout, options, folder + "/expanded.c")
        changed += done.stdout != text
        if done.returncode or after != before or not lines:
            print(f"seed {seed}, options {options}: not the same\n{text}----\n{done.stdout}{done.stderr}")
            bad += 1
        same += after == before
    print(f"{same} sources are the same, {changed} have changed, {bad} differ")
    sys.exit(bad > 0 or changed < seeds // 4)


if __name__ == "__main__":
    main()
