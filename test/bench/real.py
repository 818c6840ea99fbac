#!/usr/bin/env python3
"""real.py - programs that people run on GPUs, as Debian ships them: bare and under clweave in turn, outputs compared by content.

usage: real.py [--rounds N] [--only REGEX] [--clweave FILE] [--library FILE] [--programs FOLDER] [--save FILE]

It measures on the first GPU of the first platform that the programs find; name one vendor by OCL_ICD_VENDORS. Debian's packages are ffmpeg,
darktable, clpeak, hashcat, clfft-client, python3-pyopencl, python3-simtk with libopenmm-plugins. FOLDER may hold FluidX3D, built by its
own Makefile. A row whose program is missing is said and left out.

Each row is timed N times (its own number where --rounds is not given) behind two runs of each side that warm caches. Printed: the
medians of both sides, the median of the rounds' ratios (above 1: the second side is better) with its 95 % interval (ratios.py), the
least that the ratio has to be, and whether the outputs have one content. --save keeps all figures as JSON.

A ratio is met when the interval reaches the limit, missed when all of it lies below. Exit status 1: a program failed, contents
differ, or a limit is missed.
"""
import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ratios import interval  # noqa: E402  pylint: disable=wrong-import-position

WARM, LIMIT_S = 2, 300

PYOPENCL = """
import time, numpy as np, pyopencl as cl, pyopencl.array as array
queue = cl.CommandQueue(cl.Context(cl.get_platforms()[0].get_devices()[:1]))
a = np.random.default_rng(0).random(32 << 20).astype(np.float32)
b = a[::-1].copy()
for _ in range(3):
    begin = time.time()
    for _ in range(5):
        x, y = array.to_device(queue, a), array.to_device(queue, b)
        result = (2 * x + y ** 2 - x * y).get()
    took = time.time() - begin
print("figure %.3f\\ncontent %r" % (took / 5 * 1e3, float(result.sum())))
"""

OPENMM = """
import time, numpy as np, openmm
random, side = np.random.default_rng(0), 22
n, length, system, force = side ** 3, side * .4, openmm.System(), openmm.NonbondedForce()
force.setNonbondedMethod(openmm.NonbondedForce.PME)
force.setCutoffDistance(.9)
system.setDefaultPeriodicBoxVectors((length, 0, 0), (0, length, 0), (0, 0, length))
grid = [(i + .5) * length / side for i in range(side)]
places = np.array([(x, y, z) for x in grid for y in grid for z in grid]) + random.normal(0, .01, (n, 3))
for i in range(n):
    system.addParticle(39.9)
    force.addParticle(.1 * (-1) ** i, .34, .996)
system.addForce(force)
integrator = openmm.VerletIntegrator(.002)
context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("OpenCL"))
context.setPositions(places)
context.setVelocitiesToTemperature(100, 1)
integrator.step(20)
context.getState(getEnergy=True)
begin = time.time()
integrator.step(3000)
energy = context.getState(getEnergy=True).getPotentialEnergy()._value
print("figure %.3f\\ncontent %.0f" % ((time.time() - begin) / 3000 * 1e6, energy))
"""


def ffmpeg(size, seconds, filters):
    """ffmpeg with OpenCL filters on made frames; its output is a sum of each frame."""
    return ["ffmpeg", "-v", "error", "-nostdin", "-y", "-init_hw_device", "opencl=ocl:0.0", "-filter_hw_device", "ocl", "-f", "lavfi",
            "-i", f"testsrc2=s={size}:d={seconds}:r=25", "-vf", f"format=yuv420p,hwupload,{filters},hwdownload,format=yuv420p",
            "-f", "framemd5", "-"]


def darktable(folder):
    """darktable-cli on a made picture of 37 Mpixel, five modules; writes its input. The content is that of the picture's pixels."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    h, w = 5000, 7500
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    picture = np.stack([x / w, y / h, ((x.astype(int) ^ y.astype(int)) & 255) / 255.0], -1).astype("<f4")
    picture += np.random.default_rng(3).standard_normal(picture.shape, dtype=np.float32) * 0.02
    with open(f"{folder}/in.pfm", "wb") as out:
        out.write(b"PF\n%d %d\n-1.0\n" % (w, h) + np.clip(picture, 0, 1).tobytes())
    modules = (("nlmeans", 2, (2, 50, 0.5, 1)), ("sharpen", 1, (2, 0.5, 0.5)), ("highpass", 1, (30, 20)), ("bloom", 1, (20, 90, 25)),
               ("soften", 1, (50, 100, 0.33, 50)))
    items = "".join(f'<rdf:li darktable:num="{i}" darktable:operation="{name}" darktable:enabled="1" darktable:modversion="{version}" '
                    f'darktable:params="{struct.pack(f"<{len(values)}f", *values).hex()}" darktable:multi_name="" '
                    'darktable:multi_priority="0"/>' for i, (name, version, values) in enumerate(modules))
    with open(f"{folder}/history.xmp", "w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
                  'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
                  'xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="4" darktable:raw_params="0" '
                  f'darktable:auto_presets_applied="1" darktable:history_end="{len(modules)}" darktable:iop_order_version="2">'
                  f"<darktable:history><rdf:Seq>{items}</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>")
    os.makedirs(f"{folder}/config", exist_ok=True)
    with open(f"{folder}/config/darktablerc", "w", encoding="utf-8") as out:
        out.write("opencl=TRUE\nopencl_checksum=OFF\nopencl_scheduling_profile=very fast GPU\n")
    return ["sh", "-c", "rm -f out.png; darktable-cli in.pfm history.xmp out.png --icc-type SRGB --apply-custom-presets false --core "
            "--configdir config --cachedir cache --library :memory: -d perf 2>&1; "
            "LD_PRELOAD= OPENCL_LAYERS= ffmpeg -v error -i out.png -f md5 -"]


HASHCAT = ["hashcat", "-m", "1400", "-a", "3", "-O", "--potfile-disable", "--runtime", "10",
           "ef92b778bafe771e89245b89ecbc08a44a4e166c06659911881f383d4473e94f", "?a?a?a?a?a?a?a?a"]
NLMEANS = "nlmeans_opencl=s=3:p=5:r=9"
FIGURE, CONTENT = r"^figure ([\d.]+)", r"^content (.*)"
SPEED = r"Speed\.#[1*]\.*: *([\d.]+) MH"


def rows(folder, programs):
    """Each: name, command, pattern of the figure in the output (None: the whole process; "cpu": its processor time), unit ("+": more is
    better), pattern of the content (None: the whole output; "": none), the first and the second side, least ratio, rounds."""
    pyopencl, openmm = ["python3", "-c", PYOPENCL], ["python3", "-c", OPENMM]
    photo = darktable(folder) if shutil.which("darktable-cli") else ["darktable-cli"]
    fluid = ["timeout", "-s", "INT", "25", os.path.join(programs, "FluidX3D")]
    pipe, pixels = r"pixel pipeline processing took ([\d.]+)", r"^MD5=(.*)"
    run, bare, off = ["run", "--summary"], [], ["off"]
    return [
        ("nlmeans 4K", ffmpeg("3840x2160", 1, NLMEANS), None, "ms", None, bare, run, 1.75, 7),
        ("nlmeans 1080", ffmpeg("1920x1080", 2, NLMEANS), None, "ms", None, bare, run, 1.85, 7),
        ("blur, unsharp 4K", ffmpeg("3840x2160", 2, "avgblur_opencl=sizeX=5:sizeY=5,unsharp_opencl=lx=9:ly=9:la=1.5"), None, "ms", None,
         bare, run, .98, 7),
        ("darktable pipe", photo, pipe, "s", pixels, bare, run, 1.6, 7),
        ("clpeak write", ["clpeak", "--transfer-bandwidth"], r"enqueueWriteBuffer +: ([\d.]+)", "+GB/s", "", bare, run, 4, 7),
        ("clpeak read", ["clpeak", "--transfer-bandwidth"], r"enqueueReadBuffer +: ([\d.]+)", "+GB/s", "", bare, run, 2.5, 7),
        ("PyOpenCL 128 MiB", pyopencl, FIGURE, "ms", CONTENT, bare, run, 4.5, 7),
        ("OpenMM PME", openmm, FIGURE, "us", CONTENT, off, run, .99, 21),
        ("hashcat", HASHCAT, SPEED, "+MH/s", "", bare, run, .98, 3),
        ("clFFT 4096", ["clFFT-client", "-g", "-x", "4096", "-y", "4096", "-p", "50"], r"(?i)gflops[^\d]*([\d.]+)", "+GFLOPS", "",
         bare, run, .98, 7),
        ("FluidX3D", fluid, r"Peak MLUPs/s = (\d+)", "+MLUPs/s", "", bare, run, .98, 7),
        ("OpenMM, trace", openmm, FIGURE, "us", CONTENT, bare, ["trace", "-o", "t.json"], .95, 15),
        ("OpenMM, times", openmm, FIGURE, "us", CONTENT, bare, ["trace", "--device-times", "-o", "t.json"], .42, 15),
        ("OpenMM, every:16", openmm, FIGURE, "us", CONTENT, bare, ["trace", "--device-times=every:16", "-o", "t.json"], .78, 15),
        ("OpenMM, every:256", openmm, FIGURE, "us", CONTENT, bare, ["trace", "--device-times=every:256", "-o", "t.json"], .87, 15),
        ("hashcat, quiet wait", HASHCAT, "cpu", "s", "", run + ["--wait", "vendor"], run + ["--wait", "quiet"], 10, 3),
        ("FluidX3D, quiet wait", fluid, "cpu", "s", "", run + ["--wait", "vendor"], run + ["--wait", "quiet"], 10, 3),
        ("nlmeans 1080, GPUs", ffmpeg("1920x1080", 1, NLMEANS), None, "ms", None, bare, run + ["--devices", "gpu"], .98, 7),
        ("nlmeans, GPUs, all", ffmpeg("1920x1080", 1, NLMEANS), None, "ms", None, bare,
         run + ["--devices", "gpu", "--learn", "all"], .95, 7),
        ("darktable, GPUs", photo, pipe, "s", pixels, bare, run + ["--devices", "gpu"], .98, 7),
        ("OpenMM, GPUs", openmm, FIGURE, "us", CONTENT, off, run + ["--devices", "gpu"], .98, 21),
    ]


class Failed(Exception):
    """A program did not end as it should, or printed no figure."""


def run(command, side, where):
    """(done, seconds, processor's seconds) of one run. `side`: arguments of clweave; []: bare; ["off"]: the library is loaded and does
    nothing."""
    env = dict(os.environ)
    if side == ["off"]:
        env.update(LD_PRELOAD=where.library, CLWEAVE_MODE="off")
    elif side:
        command = [where.clweave, *side, "--", *command]
    used, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=where.folder, env=env,
                          timeout=LIMIT_S, check=False)
    wall, cpu = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, wall, cpu.ru_utime + cpu.ru_stime - used.ru_utime - used.ru_stime


def measure(row, k, i, where):
    """(figure, content) of side `k` in round `i`. Rows that differ in their figure alone share their runs."""
    _, command, figure, _, content, *sides = row
    key = repr((command, sides[:2], k, i))
    if key not in where.runs:
        where.runs[key] = run(command, sides[k], where)
    done, wall, cpu = where.runs[key]
    output = done.stdout.decode("utf-8", "replace").replace("\r", "\n")
    if figure in (None, "cpu"):
        if done.returncode and figure is None or done.returncode in (126, 127) or done.returncode < 0:
            raise Failed(f"exit status {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-300:]}")
        value = cpu if figure else wall * 1e3
    else:
        found = re.findall(figure, output, re.M)
        if not found:
            raise Failed(f"side {k + 1}: no figure, exit status {done.returncode}: {output[-200:]} {done.stderr.decode('utf-8', 'replace')[-300:]}")
        value = float(found[-1])
    whole = hashlib.sha256(done.stdout).hexdigest() if content is None else ""
    return value, " ".join(re.findall(content, output, re.M)) if content else whole


def print_row(row, sides, contents, rounds):
    """Prints one line; returns whether the row is as it has to be."""
    name, _, _, unit, _, _, _, least, _ = row
    found = interval([b / a if unit.startswith("+") else a / b for a, b in zip(*sides)])
    same = contents[0] == contents[1] and len(contents[0]) == 1
    verdict = "met" if found[0] >= least else "within noise" if found[2] >= least else "MISSED"
    first, second = (interval(side)[0] for side in sides)
    print(f"{name:22} {first:10.2f} {second:10.2f} {unit.lstrip('+'):8} {found[0]:6.2f} [{found[1]:5.2f}, {found[2]:5.2f}]  "
          f"least {least:5.2f}  {verdict:12} {rounds} rounds, {'same' if same else 'OUTPUTS DIFFER'}", flush=True)
    return same and verdict != "MISSED"


def run_row(row, where, rounds, figures):
    """False: it failed, or missed its limit."""
    sides, contents = ([], []), (set(), set())
    try:
        for i in range(WARM + rounds):
            for k in (0, 1) if i % 2 == 0 else (1, 0):
                value, content = measure(row, k, i, where)
                contents[k].add(content)
                if i >= WARM:
                    sides[k].append(value)
    except (Failed, subprocess.TimeoutExpired, OSError) as error:
        print(f"{row[0]:22} failed: {error}", flush=True)
        return False
    figures[row[0]] = {"unit": row[3], "first": sides[0], "second": sides[1]}
    return print_row(row, sides, contents, rounds)


def main():
    built = os.path.realpath(os.environ.get("B", "build"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--only", default=".")
    parser.add_argument("--clweave", default=f"{built}/clweave")
    parser.add_argument("--library", default=f"{built}/libclweave.so")
    parser.add_argument("--programs", default=".")
    parser.add_argument("--save")
    where, figures, good = parser.parse_args(), {}, True
    where.runs = {}
    if not os.access(where.clweave, os.X_OK) or not os.path.exists(where.library):
        sys.exit(f"real.py: no clweave at {where.clweave}, or no library at {where.library}: --clweave, --library")
    where.clweave, where.library = os.path.abspath(where.clweave), os.path.abspath(where.library)
    with tempfile.TemporaryDirectory(prefix="clweave-real.") as where.folder:
        os.environ.update(HOME=where.folder, XDG_CACHE_HOME=f"{where.folder}/cache")
        for row in rows(where.folder, os.path.abspath(where.programs)):
            program = row[1][3] if row[1][0] == "timeout" else row[1][0]
            if not re.search(where.only, row[0]):
                continue
            if not shutil.which(program):
                print(f"{row[0]:22} left out: there is no {program}", flush=True)
                continue
            good &= run_row(row, where, where.rounds or row[8], figures)
            if where.save:
                with open(where.save, "w", encoding="utf-8") as out:
                    json.dump(figures, out)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
