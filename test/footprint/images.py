#!/usr/bin/env python3
"""images.py FOOTPRINT RUNNER SEED COUNT FOLDER - random kernels on images, whose claims are held against an
instrumented copy that runs on the first OpenCL device.

A claim is a set of pixels for a range of work-groups, for each image and direction. The copy writes the same images, whose
bytes are compared with what they were; of each read it marks the pixels that the specification lets the sampler touch. All
changed and marked pixels must lie in "at most", all of "exact" must have changed. The same claims are also falsified, by each
of RULES, which must be noticed. Exit: 0, 1 with violations or a falsehood that passed, 77 when the device has no images."""
import json
import os
import random
import subprocess
import sys

from check import limited_source, random_tiles
from spans import Spans

TYPES = {  # type of OpenCL C, coordinates, components of the coordinates' vector
    "1d": ("image1d_t", 1, 1), "2d": ("image2d_t", 2, 2), "1da": ("image1d_array_t", 2, 2), "2da": ("image2d_array_t", 3, 4),
    "3d": ("image3d_t", 3, 4)}
# writes move by a pixel; exact writes claim a pixel more; reads lose their last pixel, or their first one
RULES = ["shift", "grow", "radius", "edge"]
PROLOGUE = """constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
#ifdef SEEN
void see(global uchar *seen, int4 size, int4 at)
{
    at = min(max(at, (int4)(0)), size - 1);
    seen[(at.z * size.y + at.y) * size.x + at.x] = 1;
}
void see_near(global uchar *seen, int4 size, float4 at, int linear)
{
    int4 from = convert_int4_rtn(linear ? at - 0.5f : at), i;
    for (i.z = 0; i.z <= linear; i.z++)
        for (i.y = 0; i.y <= linear; i.y++)
            for (i.x = 0; i.x <= linear; i.x++)
                see(seen, size, from + (int4)(i.x, i.y, i.z, 0));
}
#define SEE(...) __VA_ARGS__,
#define SEEN_IN(...) __VA_ARGS__
#define SEEN_SAMPLER(s) edge
#else
#define SEE(...)
#define SEEN_IN(...)
#define SEEN_SAMPLER(s) s
#endif
"""


class Kernel:
    def __init__(self, rng):
        self.rng, self.fresh, self.names = rng, 0, []
        self.dims = rng.choice([1, 2, 2, 2])
        self.images = []
        for name in ["to"] + ["from"] * rng.choice([0, 1, 1]):
            kind = rng.choice(["2d", "2d", "2d", "1d", "1da", "2da"] + ["3d"] * (name == "from"))
            n = TYPES[kind][1]
            self.images.append((name, kind, [rng.randrange(1, 13) for _ in range(n)] + [1] * (3 - n)))

    def leaf(self):
        d = self.rng.randrange(self.dims)
        name, kind, _ = self.rng.choice(self.images)
        size = f"get_image_width({name})" if kind[0] == "1" else self.rng.choice(
            [f"get_image_width({name})", f"get_image_height({name})", f"get_image_dim({name}).y"])
        return self.rng.choice([f"(int)get_global_id({d})"] * 4 + [f"(int)get_local_id({d})", "n", size,
                                str(self.rng.choice([0, 1, 2, 3, 5, 7, 11]))] + self.names * 3)

    def value(self, d):
        g, a, c = f"(int)get_global_id({d % self.dims})", self.leaf(), self.rng.randrange(-4, 5)
        return self.rng.choice([g, g, g, g, f"{g} + {c}", f"{g} + {a}", f"{a} - {g}", f"2 * {g} + {c}", f"{g} / 2", f"{g} * {a}",
                                f"min({g}, {a})", f"max({g} - 2, {a})", f"clamp({g} + {c}, 0, {a})", a, f"table[{g} & 15] & 7",
                                f"table[{g} & 15]", f"({g} < {a} ? {g} : {c})", str(self.rng.randrange(8))] +
                               [f"{v} + {c}" for v in self.names])

    def condition(self):
        d = self.rng.randrange(self.dims)
        g = f"(int)get_global_id({d})"
        text = self.rng.choice([f"{g} < {self.leaf()}", f"{g} >= {self.rng.randrange(4)}", f"{self.leaf()} < {self.leaf()}",
                                f"table[{g} & 15] > 4", f"({g} & 1) == 0"])
        r = self.rng.random()
        return f"({text} && {self.condition()})" if r < 0.2 else f"({text} || {self.condition()})" if r < 0.3 else text

    def vector(self, kind, element, values):
        n = TYPES[kind][2]
        text = values + ["0"] * (n - len(values))
        return f"({element}{n if n > 1 else ''})({', '.join(text)})"

    def write(self, at=None):
        name, kind, _ = self.images[0]
        at = at or self.vector(kind, "int", [self.value(d) for d in range(TYPES[kind][1])])
        return f"write_imageui({name}, {at}, (uint4)(sum, sum + 1, n, 7));"

    def read(self):
        k = len(self.images) - 1
        name, kind, size = self.images[k]
        if name == "to":
            return self.write()
        values = [self.value(d) for d in range(TYPES[kind][1])]
        three = lambda v: ", ".join(v + ["0"] * (4 - len(v)))
        sizes = f"(int4)({', '.join(map(str, size))}, 1)"
        r = self.rng.random()
        if r < 0.6 or kind in ("1da", "2da"):
            sampler = self.rng.choice(["edge, ", "border, ", ""])
            return (f"sum += (SEE(see(seen, {sizes}, (int4)({three(values)}))) "
                    f"read_imageui({name}, {sampler}{self.vector(kind, 'int', values)})).x; *used = sum;")
        extra = self.rng.choice([" + 0.5f", "", " - 0.25f", " + 1.5f", " + 0.3f", f" + (float)({self.leaf()})"])
        values = [f"(float)({v}){extra}" for v in values]
        linear = self.rng.random() < 0.5
        # linear filters are for floats: the copy marks their pixels, and reads by another sampler
        sampler = "SEEN_SAMPLER(smooth)" if linear else "edge"
        return (f"sum += (SEE(see_near(seen, {sizes}, (float4)({three(values)}), {int(linear)})) "
                f"read_imageui({name}, {sampler}, {self.vector(kind, 'float', values)})).x; *used = sum;")

    def statement(self, depth):
        r = self.rng.random()
        if r < 0.35 or depth == 0:
            return self.write() if self.rng.random() < 0.5 else self.read()
        if r < 0.5:
            k = f"k{self.fresh}"
            self.fresh += 1
            start, end = self.rng.choice(["0", "-1", "-n"]), self.rng.choice(["3", "n", f"{self.leaf()}"])
            self.names.append(k)
            body = self.statement(depth - 1)
            self.names.pop()
            return f"for (int {k} = {start}; {k} < {end}; {k}++) {{ {body} }}"
        if r < 0.65:
            same = self.write()
            return f"if ({self.condition()}) {{ {same} }} else {{ sum += 3; {same} }}"
        if r < 0.85:
            return f"if ({self.condition()}) {{ {self.statement(depth - 1)} }}"
        if r < 0.9:
            return f"if ({self.condition()}) return;"
        return self.read()

    def source(self, number):
        body = "\n    ".join([self.statement(2) for _ in range(self.rng.randrange(1, 4))] + [self.write()])
        params = ", ".join(f"{'write' if name == 'to' else 'read'}_only {TYPES[kind][0]} {name}" for name, kind, _ in self.images)
        return (PROLOGUE + f"kernel void k{number}({params}, global const int *table, int n, volatile global uint *used SEEN_IN(, global uchar *seen))\n"
                f"{{\n    uint sum = 1;\n    {body}\n}}\n")


def main():
    footprint, runner, seed, count, folder = sys.argv[1:6]
    rng = random.Random(int(seed))
    answers, violations, ran, skipped = {}, 0, 0, 0
    noticed = dict.fromkeys(RULES, 0)
    for number in range(int(count)):
        k = Kernel(rng)
        path, limited, job = (os.path.join(folder, f) for f in (f"i{number}.cl", "limited.cl", "job"))
        with open(path, "w") as f:
            f.write(k.source(number))
        n = rng.randrange(0, 9)
        local = [rng.choice([1, 2, 4]) for _ in range(k.dims)]
        launch = {"kernel": f"k{number}", "global": [l * rng.randrange(1, 5) for l in local], "local": local,
                  "offset": [rng.choice([0, 0, 3]) for _ in range(k.dims)]}
        tiles = random_tiles(launch, 3, rng)
        result = claim(footprint, path, folder, launch, k, n, tiles)
        if "error" in result:
            print(f"k{number}: {result['error']['message']}")
            return 1
        with open(limited, "w") as f:
            f.write(limited_source(open(path).read(), launch["kernel"]))
        changed = run(runner, limited, job, launch, k, n, tiles)
        if isinstance(changed, str):
            skipped += 1
            print(f"k{number}: not run: {changed}")
            continue
        ran += 1
        for tile, claims, now in zip(tiles, result["results"][0]["tiles"], changed):
            for bad in compare(k, claims["args"], now, None, answers):
                print(f"k{number} groups {tile['first']}+{tile['count']}: {bad}")
                violations += 1
            for rule in RULES:
                noticed[rule] += any(compare(k, claims["args"], now, rule, {}))
    for side, t in sorted(answers.items()):
        print(f"{side}: " + ", ".join(f"{a} {v}" for a, v in sorted(t.items())))
    print(f"{ran} launches, {skipped} not run, {violations} violations; falsehoods noticed: {noticed}")
    if ran and not all(noticed.values()):
        return 1
    return 1 if violations else 0 if ran else 77


def claim(footprint, path, folder, launch, k, n, tiles):
    args = [{"image": size[:TYPES[kind][1]]} for _, kind, size in k.images] + [{"buffer": 64}, {"scalar": n}, {"buffer": 4}]
    with open(os.path.join(folder, "launch.json"), "w") as f:
        json.dump({"launches": [dict(launch, args=args, tiles=tiles)]}, f)
    done = subprocess.run([footprint, "--eval", f.name, path], capture_output=True, text=True)
    return json.loads(done.stdout)


def run(runner, source, job, launch, k, n, tiles):
    """Per tile {index of the image, or of the marks: [intervals of pixels]}; or an error text."""
    three = lambda key, fill: " ".join(str(v) for v in (launch[key] + [fill] * 3)[:3])
    lines = [f"source {source}", f"kernel {launch['kernel']}", "options -DSEEN",
             f"range {k.dims} {three('global', 1)} {three('local', 1)} {three('offset', 0)}"]
    for _, kind, (w, h, d) in k.images:
        lines.append(f"arg image {4 * w * h * d} {w} {h} {d} {kind}")
    w, h, d = k.images[-1][2]
    lines += ["arg buffer 64 int 0 15", f"arg value {n.to_bytes(4, 'little').hex()}", "arg buffer 4 zero", f"arg buffer {w * h * d} zero"]
    lines += ["tile " + " ".join(str(v) for v in t["first"] + t["count"]) for t in tiles]
    with open(job, "w") as f:
        f.write("\n".join(lines) + "\n")
    done = subprocess.run([runner, job], capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["died"])[-1]
    result = []
    for line in done.stdout.splitlines():
        f = line.split()
        if f == ["run"]:
            result.append({})
        elif f and f[0] == "changed":
            i, begin, end = map(int, f[1:])
            unit = 4 if i < len(k.images) else 1
            result[-1].setdefault(i, []).append((begin // unit, -(-end // unit)))
    return result


def compare(k, claims, now, broken, answers):
    for i, (name, _, _) in enumerate(k.images):
        side = "writes" if name == "to" else "reads"
        c = next((a for a in claims if a["index"] == i), {}).get(side, {"answer": "none", "at_most": [], "exact": []})
        may, must = c["at_most"], c.get("exact", [])
        answers.setdefault(side, {}).setdefault(c["answer"], 0)
        answers[side][c["answer"]] += 1
        if broken == "shift" and side == "writes":
            may, must = ([[b + 1, e + 1] for b, e in v] for v in (may, must))
        if broken == "grow" and must:
            must = must[:-1] + [[must[-1][0], must[-1][1] + 1]]
        if broken == "radius" and side == "reads" and may:
            may = may[:-1] + [[may[-1][0], may[-1][1] - 1]]
        if broken == "edge" and side == "reads" and may:
            may = [[may[0][0] + 1, may[0][1]]] + may[1:]
        touched = Spans(now.get(i if side == "writes" else len(k.images) + 3, []))
        stray, missing = touched.outside(Spans([tuple(v) for v in may])), Spans([tuple(v) for v in must]).outside(touched)
        if stray:
            yield f"{name} {side} pixels {stray[0]}..{stray[1] - 1}, claimed {c['answer']} {may[:4]}"
        if missing:
            yield f"{name} claimed exact, pixels {missing[0]}..{missing[1] - 1} not written"


if __name__ == "__main__":
    sys.exit(main())
