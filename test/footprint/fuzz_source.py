#!/usr/bin/env python3
"""fuzz_source.py SECONDS SEED FOOTPRINT MODELS RUNNER PLUGIN|- TABLE FOLDER [MORE FOLDERS] - sources that were mutated, for so
many seconds.

The kernels of TABLE (in FOLDER) and every .cl file below the other folders are mutated: tokens, numbers, operators and types
replaced, lines moved, statements planted, bytes thrown in. For each the helper must end by itself within its deadline, print one JSON
object and nothing else, and not crash (sanitizers speak on standard error); what it accepts must be models that read
back the same; and, with a plug-in for Oclgrind, what it claims of every third accepted kernel of TABLE must hold in a real run.
Files that show a defect are kept in $KEEP. Prints figures; exit status 1 when something was wrong."""
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import check

seconds, seed, footprint, models, runner, plugin, table, *folders = sys.argv[1:]
rng = random.Random(int(seed))
check.TRACE_SECONDS = 8
check.STORE_MAY_VANISH = True
DEADLINE = 10
HUNG = 600  # a machine that is busy, or a run that is stopped meanwhile, is no hang
TOKEN = re.compile(r"[A-Za-z_]\w*|\d\w*(?:\.\w*)?|[-+*/%&|^<>=!]+|\S")
NUMBERS = ["0", "1", "-1", "2", "3", "7", "31", "32", "63", "64", "255", "65535", "2147483647", "-2147483648", "4294967295u",
           "9223372036854775807l", "18446744073709551615ul", "0x80000000", "1e30f"]
OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "=", "+=", "-=", ","]
TYPES = ["int", "uint", "long", "ulong", "short", "ushort", "char", "uchar", "size_t", "float", "float4", "int2", "bool"]
CALLS = ["get_global_id(0)", "get_global_id(1)", "get_local_id(0)", "get_group_id(0)", "get_global_size(0)", "get_local_size(0)",
         "get_num_groups(0)", "get_global_offset(0)", "get_global_id(9)", "get_work_dim()"]
PLANTED = ["if ({n} > 3) return;", "for (int q = 0; q < {n}; q++) {{", "}}", "while (1) {{ if ({n}) break; }}", "goto l1; l1:;",
           "switch ((int)({n})) {{ case 1: break; default: ; }}", "barrier(CLK_LOCAL_MEM_FENCE);", "do {{", "}} while ({n} < 5);",
           "asm(\"nop\");", "printf(\"%d\", (int)({n}));", "{{ int z[4]; z[{n}] = 1; }}", "return;", "continue;", "break;",
           "{{ volatile int y = {n}; }}", "int v{k} = {n};", "unknown_function({n});",
           "{{ global int *w = (global int *)(size_t)({n}); *w = 1; }}"]
HEADS = ["#include \"nowhere.h\"\n", "#include \"/dev/zero\"\n", "#define get_global_id(x) (get_global_id(x) + 1)\n", "#define int long\n",
         "#pragma OPENCL EXTENSION all : enable\n", "#if 1\n", "#define A A A\n", "#if __OPENCL_VERSION__ > 120\n", "global int scope;\n",
         "#define B0 +1\n#define B1 B0 B0 B0 B0\n#define B2 B1 B1 B1 B1\n#define B3 B2 B2 B2 B2\n#define B4 B3 B3 B3 B3\n",
         "int again(int x) { return x ? again(x - 1) : 0; }\n", "#line 7 \"x\"\n", "constant int c0 = " + "(" * 300 + "1" + ")" * 300 + ";\n"]


def replace_tokens(text):
    tokens = [m.span() for m in TOKEN.finditer(text)]
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if not tokens:
            return text
        b, e = tokens[rng.randrange(len(tokens))]
        for _ in range(4):  # what still compiles is worth more
            if text[b].isdigit() or text[b] in "+-*/%&|^<>=!" or text[b:e] in TYPES:
                break
            b, e = tokens[rng.randrange(len(tokens))]
        old = text[b:e]
        if old[0].isdigit():
            new = rng.choice(NUMBERS)
        elif not (old[0].isalnum() or old[0] == "_"):
            alike = [o for o in OPERATORS if ("=" in o) == ("=" in old)]
            new = rng.choice(alike if rng.random() < 0.8 else OPERATORS) if old not in "(){}[];," else rng.choice(["", old + old, ";"])
        elif old in TYPES:
            new = rng.choice(TYPES)
        else:
            c, d = tokens[rng.randrange(len(tokens))]
            new = rng.choice([text[c:d], rng.choice(CALLS), rng.choice(NUMBERS), f"({old} {rng.choice(OPERATORS)} {rng.choice(CALLS)})"])
        text = text[:b] + new + text[e:]
        tokens = [m.span() for m in TOKEN.finditer(text)]
    return text


def move_lines(text):
    lines = text.split("\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(3)
    if how == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif how == 1:
        lines.insert(b, lines[a])
    else:
        del lines[a]
    return "\n".join(lines)


def plant(text):
    places = [m.end() for m in re.finditer(r"[;{]", text)]
    if not places:
        return text
    at = rng.choice(places)
    statement = rng.choice(PLANTED).format(n=rng.choice(CALLS + NUMBERS), k=rng.randrange(9))
    return text[:at] + " " + statement * rng.choice([1, 1, 1, 1, 40]) + " " + text[at:]


def throw_bytes(text):
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(rng.choice([1, 2, 8])):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[:rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data).decode("utf-8", "surrogateescape")


def mutate(text):
    for _ in range(rng.choice([1, 1, 1, 2])):
        r = rng.random()
        if r < 0.62:
            text = replace_tokens(text)
        elif r < 0.72:
            text = move_lines(text)
        elif r < 0.90:
            text = plant(text)
        elif r < 0.96:
            text = rng.choice(HEADS) + text
        else:
            text = throw_bytes(text)
    return text


class Options:
    """What check.check_launch wants to know."""
    tiles, broken, pocl = 3, None, False

    def __init__(self):
        self.footprint, self.plugin, self.runner = footprint, plugin, runner


def one(source, launches, path, model_path, counts, problems):
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    options = launches[0].get("options", []) if launches else []
    started = time.time()
    try:
        done = subprocess.run([footprint, "--seconds", str(DEADLINE), "--models", *options, "-I" + os.path.dirname(source), path],
                              capture_output=True, timeout=HUNG, env=env)
    except subprocess.TimeoutExpired:
        problems.append("did not end")
        return
    counts["slowest"] = max(counts["slowest"], time.time() - started)
    if b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
        problems.append("sanitizer: " + done.stderr.decode(errors="replace")[:300])
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        problems.append(f"no JSON: {done.stdout[:200]!r}")
        return
    if done.returncode not in (0, 1) or (done.returncode == 1) != ("error" in answer):
        problems.append(f"exit status {done.returncode}")
    if "error" in answer:
        message = answer["error"]["message"]
        kind = "deadline" if "no answer within" in message else "died" if "died of signal" in message or "gave up" in message else "refused"
        counts[kind] += 1
        if kind == "died":
            problems.append(message)
        return
    counts["accepted"] += 1
    with open(model_path, "wb") as f:
        f.write(done.stdout)
    again = subprocess.run([models, model_path], capture_output=True, timeout=HUNG, env=env)
    if again.returncode != 0 or again.stdout != done.stdout:
        problems.append(f"models do not read back: {again.stderr.decode(errors='replace')[:300]}")
    names = {m["kernel"]: m for m in answer["models"]}
    launches = [l for l in launches if l["kernel"] in names and len(names[l["kernel"]]["args"]) == len(l["args"])]
    if plugin == "-" or not launches or rng.randrange(3):
        return
    launch = dict(rng.choice(launches), path=path)
    try:
        result = check.check_launch(Options(), launch, rng)
    except (ValueError, KeyError, OSError, subprocess.TimeoutExpired) as e:
        counts["not run"] += 1
        return
    if "error" in result or not result["checks"]:
        counts["not run"] += 1
        return
    if result["problems"] and all("not written" in p for p in result["problems"]):
        # the store of a value that nobody wrote (uninitialised local memory) may vanish: not where nothing is optimised
        result = check.check_launch(Options(), dict(launch, options=launch.get("options", []) + ["-cl-opt-disable"]), rng)
        if "error" in result:
            counts["not run"] += 1
            return
    counts["run"] += 1
    counts["comparisons"] += result["checks"]
    problems += result["problems"]


def compiles(path):
    done = subprocess.run([footprint, "--models", "-I" + os.path.dirname(path), path], capture_output=True)
    return done.returncode == 0


def main():
    by_file, sources = {}, []
    for launch in json.load(open(table)):
        by_file.setdefault(check.find_file(folders[:1], launch["file"]), []).append(launch)
    own = [(p, l) for p, l in by_file.items() if p]
    for folder in folders[1:]:
        for at, _, files in os.walk(folder):
            sources += [(os.path.join(at, f), []) for f in sorted(files) if f.endswith(".cl") and compiles(os.path.join(at, f))]
    counts = {k: 0 for k in ("sources", "accepted", "refused", "deadline", "died", "run", "not run", "comparisons", "slowest")}
    end, bad, keep, told = time.time() + float(seconds), 0, os.environ.get("KEEP"), []
    signal.signal(signal.SIGTERM, lambda *_: told.append(True))  # stops behind the source in hand, with its figures
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "mutated.cl")
        while time.time() < end and not told:
            source, launches = rng.choice(own if rng.random() < 0.7 or not sources else sources)
            with open(source, errors="surrogateescape") as f:
                text = mutate(f.read())
            with open(path, "w", errors="surrogateescape") as f:
                f.write(text)
            counts["sources"] += 1
            problems = []
            one(source, launches, path, os.path.join(d, "models.json"), counts, problems)
            for p in problems:
                print(f"{os.path.basename(source)}: {p}", flush=True)
            if problems:
                bad += 1
                if keep:
                    with open(os.path.join(keep, f"bad{bad}-{os.path.basename(source)}"), "w", errors="surrogateescape") as f:
                        f.write(text)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts["minutes of processor time"] = round((used.ru_utime + used.ru_stime + time.process_time()) / 60, 1)
    print(", ".join(f"{k} {v:.1f} s" if k == "slowest" else f"{k} {v}" for k, v in counts.items()) + f", wrong {bad}")
    return 1 if bad or counts["accepted"] == 0 or counts["refused"] == 0 else 0


sys.exit(main())
