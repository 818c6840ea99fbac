#!/usr/bin/env python3
"""fuzz.py - mutated sources: what the rewriter accepts must compile if, and as a rule only if, the original compiles.

usage: fuzz.py --rewriter PROGRAM --clang PROGRAM [--seconds N] [--seed N] [--keep FOLDER] FILE...

Mutations are of tokens, so that many mutants still compile: tokens go, come twice or change places, names become other
names, macros, conditionals, splices, helpers and prototypes come in. A rewritten source that compiles where the original
does not is counted apart (a stray closing bracket in a dead branch, say): no program gets there, its own build fails first.
Exit 1 when an accepted source of a compiling original does not compile."""
import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

TOKEN = re.compile(r'#[^\n]*(?:\\\n[^\n]*)*\n|//[^\n]*\n|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\w+|\s+|.', re.S)
# what the pieces need: nearly all of it stands in front of a mutant, in any order that compiles
PRELUDE = ["#define GX get_global_id(0)\n", "#define NG get_num_groups\n", "#define CAT(a, b) a##b\n", "#define CALL(f, x) f(x)\n",
           "#define EMPTY\n", "#define MANY(...) __VA_ARGS__\n", "#define BODY { int q = get_group_id(0); }\n", "#define K kernel void\n",
           "int helper_b(void);\n", "int helper_a(int x) { return x + get_global_id(0); }\n", "int helper_c(int x, int y);\n",
           "#define helper_e(x) helper_a((x) + 1)\n", "float __attribute__((overloadable)) over(float x) { return x; }\n",
           "float __attribute__((overloadable)) over(int x) { return get_global_id(0); }\n",
           "kernel void k_void(void) { int i = get_global_id(0); }\n", "int helper_b(void) { return get_group_id(1); }\n",
           "int helper_c(int x, int y) { return x * y; }\n"]
LINES = ["#define MAKE(n) kernel void n(global int *z) { z[get_global_id(0)] = 1; }\nMAKE(made)\n", "K k_macro(global int *x) { x[GX] = 1; }\n",
         "static inline int helper_d(int x) { return helper_a(x); }\n", "typedef struct { int get_group_id; } T1;\n",
         "enum { ONE = 1, TWO };\n", "constant int table_x[2] = { 1, 2 };\n", "#if 0\n don't }\n#endif\n", "#undef EMPTY\n",
         "/* comment\n over lines */\n", "int other(int), another(int);\n", "#ifdef A\nint branch(int x)\n#else\nint branch(float x)\n#endif\n"
         "{ return helper_a(x); }\n", "kernel void k_split(global int *x\n#ifdef A\n, int n\n#endif\n) { x[get_global_id(0)] = 1; }\n",
         "#if A\n", "#else\n", "#endif\n", "#ifdef B\n#elif 1\n#endif\n", "struct S1 { int x; }; struct S1 ret_s(int x) { struct S1 s = { GX }; return s; }\n",
         "#define TWO_ARGS 1, 2\nint two_args(void) { return helper_c(TWO_ARGS); }\n", "int CAT(pasted_, f)(int x) { return x; }\n",
         "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k_req(global int *x) { x[CAT(get_glo, bal_id)(0)] = helper_b(); }\n",
         "#define STRING(x) #x\n", "#ifndef helper_z\n#define helper_z 1\n#endif\n", "int array_of(int a[], const int n) { return a[n] + GX; }\n"]
PIECES = ["GX", "NG(0)", "CALL(get_global_id, 0)", "CAT(get_, group_id)(0)", "helper_a(3)", "helper_b()", "CALL(helper_a, 2)", "MANY(1, 2)",
          "get_global_size(1)", "get_global_offset(0)", "EMPTY", "(get_group_id)(0)", "helper_c(1, helper_a(2))", "over(1)", "over(1.0f)",
          "sizeof(get_global_id(0))", "__LINE__", "({ int v = get_global_id(0); v; })", "helper_e(1)", "(int2)(1, 2).x", "BODY", "K", "/**/",
          "\\\n", "\n#if A\n", "\n#else\n", "\n#endif\n", "get_local_id(0)", "__attribute__((unused))", "k_void()"]


def mutate(text, rng, pool):
    t = TOKEN.findall(text)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        at, kind = rng.randrange(len(t) + 1), rng.choice([0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8])
        starts = [0] + [i + 1 for i, x in enumerate(t) if x.endswith("\n")]
        if kind == 0 and t:
            del t[min(at, len(t) - 1)]
        elif kind == 1 and t:
            t.insert(at, rng.choice(t))
        elif kind == 2 and len(t) > 3:
            a, b = rng.randrange(len(t)), rng.randrange(len(t))
            t[a], t[b] = t[b], t[a]
        elif kind == 3:
            names = [i for i, x in enumerate(t) if re.fullmatch(r"[a-z_]\w*", x)]
            if names:
                t[rng.choice(names)] = rng.choice(pool)
        elif kind == 4:
            a, b = sorted([rng.choice(starts), rng.choice(starts)])
            t.insert(b, rng.choice(["\n#endif\n", "\n#else\n#endif\n"]))
            t.insert(a, rng.choice(["\n#ifdef A\n", "\n#ifndef C\n", "\n#if A\n", "\n#if 1\n"]))
        elif kind == 5:
            numbers = [i for i, x in enumerate(t) if re.fullmatch(r"\d+", x)]
            if numbers:
                t[rng.choice(numbers)] = rng.choice(PIECES)
        elif kind == 6:
            t.insert(rng.choice([0, len(t)] + starts), rng.choice(LINES))
        elif kind == 7 and rng.random() < 0.3:
            t.insert(at, rng.choice(PIECES))
        elif t:
            i = min(at, len(t) - 1)
            cut = rng.randrange(len(t[i]) + 1)
            if not t[i].startswith("//"):
                t[i] = t[i][:cut] + rng.choice(["\\\n", "\\\n", "\\ \n"]) + t[i][cut:]
    front = [p for p in PRELUDE if rng.random() < 0.98]
    return "".join(front) + rng.choice(LINES + [""] * 20) + "".join(t)


def limited(command, seconds, **how):
    """Runs it with at most so many seconds of processor time: on a busy machine, or one that stops us, no hang is seen."""
    return subprocess.run(command, capture_output=True, timeout=1800,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)), **how)


def compiles(clang, path, options):
    done = limited([clang, "-cc1", "-triple", "spir64-unknown-unknown", "-fsyntax-only", "-x", "cl", "-finclude-default-header",
                    "-fdeclare-opencl-builtins", *options, path], 60, text=True)
    return done.returncode == 0, done.stderr


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rewriter", required=True)
    p.add_argument("--clang", required=True)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep")
    p.add_argument("file", nargs="+")
    o = p.parse_args()
    rng = random.Random(o.seed)
    texts = [open(f, errors="replace").read() for f in o.file]
    pool = sorted({w for t in texts for w in re.findall(r"[a-z_]\w*", t)}) + ["get_global_id", "get_group_id", "helper_a", "GX"] * 20
    end, tried, accepted, valid, lenient, bad, why = time.time() + o.seconds, 0, 0, 0, 0, 0, {}
    with tempfile.TemporaryDirectory() as d:
        while time.time() < end:
            text = mutate(rng.choice(texts), rng, pool)
            source, result = os.path.join(d, "a.cl"), os.path.join(d, "b.cl")
            options = rng.choice([["-cl-std=CL1.2"], ["-cl-std=CL2.0"], ["-cl-std=CL1.2", "-DA=1", "-DB"], ["-cl-std=CL1.1", "-DA"]])
            open(source, "w").write(text)
            done = limited([o.rewriter, "show", source, *options], 20)
            tried += 1
            if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stderr.startswith(b"refused")):
                print("the rewriter fails:", done.stderr[-2000:], "\n" + text)
                return 1
            good, _ = compiles(o.clang, source, options)
            valid += good
            if done.returncode:
                if good:
                    reason = re.sub(r"'.*?'", "'...'", done.stderr.decode(errors="replace").strip())
                    why[reason] = why.get(reason, 0) + 1
                continue
            accepted += good
            open(result, "wb").write(done.stdout)
            still, log = compiles(o.clang, result, options + ["-w"])
            lenient += still and not good
            if good and not still:
                bad += 1
                print(f"does not compile any more ({' '.join(options)}):\n{log[:600]}")
                if o.keep:
                    open(os.path.join(o.keep, f"{o.seed}-{tried}.cl"), "w").write(text)
    print(f"{tried} mutants, {valid} compile, {accepted} of those accepted, {bad} do not compile any more; {lenient} compile only rewritten")
    for reason, n in sorted(why.items(), key=lambda x: -x[1])[:12]:
        print(f"  {n:5}  {reason}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
