"""runs.py - runs a program once, in one configuration, below the witness, and says what came of it.

A configuration is `bare`, `bare/N` (with N more devices, of PoCL's `basic` driver), or MODE[/OPTION=VALUE...]: the mode and the options of clweave (their CLWEAVE_ variables),
for example run/policy=chaos/devices=cpu,dsp:4/seed=7.
"""
import dataclasses
import fnmatch
import hashlib
import os
import re
import select
import shutil
import signal
import subprocess
import threading
import time

SUMMARY = re.compile(rb"run: (\d+) commands? managed[^,\n]*, (\d+) reordered[^,\n]*, (\d+) moved"
                     rb"(?:, (\d+) cut \((\d+) tiles\))?")
STREAMED = re.compile(rb"run: streams: .*, (\d+) beside the first stream")
STAGED = re.compile(rb"run: (\d+) writes .* and (\d+) reads .* through pinned memory")
COUNTS = ("managed", "reordered", "moved", "cut", "tiles", "beside", "staged")  # beside: other streams than the first
FAULT = re.compile(rb"run: (fault [^\n]*)")  # CLWEAVE_FAULT: planted or not
# A child that is started while another thread copies a program keeps that file open for writing until it is another program
# itself, and meanwhile nobody can execute the copy ("Text file busy"). Popen returns when the child has left us.
STARTING = threading.Lock()
OWN = ("CLWEAVE_", "OPENCL_LAYERS", "LD_PRELOAD", "READCL_")


@dataclasses.dataclass
class Result:
    status: str  # the exit status, "hang" or "signal N"
    stdout: bytes
    files: dict  # name -> hash of what the program left in its folder
    reads: list  # lines of the witness, in program order
    counts: tuple  # of COUNTS; None if it said nothing
    stderr: bytes
    left: int = 0  # processes that were still there when it had ended


def environment(program, configuration, library, witness, folder, home, fresh, awake=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith(OWN)}
    env.update(program.env, READCL_DIR=os.path.join(folder, "reads"), HOME=home, OPENCL_LAYERS=witness)
    if fresh:  # glibc fills what it hands out with the complement of MALLOC_PERTURB_, except out of its per-thread caches
        env.update(READCL_FRESH=fresh, MALLOC_PERTURB_=str(int(fresh, 16) ^ 0xff),
                   GLIBC_TUNABLES="glibc.malloc.tcache_count=0")
    if configuration.startswith("bare"):  # bare/N: with N devices more
        env.update({"LD_PRELOAD": awake} if awake else {})
        env.update({"POCL_DEVICES": "pthread" + " basic" * int(configuration[5:])} if configuration[5:] else {})
        return env
    mode, *options = configuration.split("/")
    # the last layer is the outermost: the witness sees what the program sees
    env.update(OPENCL_LAYERS=library + ":" + witness, LD_PRELOAD=library, CLWEAVE_MODE=mode, CLWEAVE_BUILDER="off",
               CLWEAVE_OUT=os.path.join(folder, "traces", "%e-%p.json"))
    if mode == "run":
        env["CLWEAVE_SUMMARY"] = "1"
    for option in options:
        name, _, value = option.partition("=")
        env["CLWEAVE_" + name.upper().replace("-", "_")] = value
    return env


def counted(err):
    """COUNTS of all processes that have said theirs, None if none has."""
    said = SUMMARY.findall(err)
    if not said:
        return None
    sums = [sum(int(s[i] or 0) for s in said) for i in range(5)]
    return (*sums, sum(map(int, STREAMED.findall(err))), sum(int(n) for pair in STAGED.findall(err) for n in pair))


def masked(text, program):
    for mask in program.masks:
        text = mask.sub(b"#", text)
    return text


def left_files(work, program):
    found = {}
    for root, _, names in os.walk(work):
        for name in names:
            path = os.path.join(root, name)
            short = os.path.relpath(path, work)
            if os.path.islink(path) or any(fnmatch.fnmatch(short, glob) for glob in program.skip):
                continue
            with open(path, "rb") as file:
                found[short] = hashlib.sha256(masked(file.read(), program)).hexdigest()
    return found


def witness_lines(folder):
    """All processes' lines. With one process, sorting by thread and number is program order; the numbers themselves
    are left out, as programs that poll make a varying number of calls."""
    lines = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="ascii") as file:
            lines.append([re.sub(r" \d+ ", " ", line, count=1) for line in sorted(file.read().splitlines())])
    return [line for process in sorted(lines) for line in process]


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def ended(process, limit):
    """Waits without the steps in which subprocess looks; False after `limit` seconds. It is not reaped, so that its
    number still names its group."""
    handle = os.pidfd_open(process.pid)
    try:
        return bool(select.select([handle], [], [], limit)[0])
    finally:
        os.close(handle)


def left_running(env):
    """The processes that the run has left, in whatever session: their environment names its folder. Children that are just
    ending are given half a second."""
    mark, until = f"\0READCL_DIR={env['READCL_DIR']}\0".encode(), time.monotonic() + 0.5
    while True:
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if mark in b"\0" + file.read():
                        found.append(int(name))
            except OSError:  # ended, or another user's
                pass
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.02)


def execute(command, work, env, limit):
    """Returns (status, stdout, stderr, processes left). Whatever the program started and left is ended."""
    with open(os.path.join(work, "..", "stdout"), "w+b") as out, open(os.path.join(work, "..", "stderr"), "w+b") as err:
        try:
            with STARTING:
                process = subprocess.Popen(command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                           start_new_session=True)
        except OSError as why:
            return f"not started: {why}", b"", b"", 0
        over = ended(process, limit)
        left = left_running(env) if over else []
        end_group(process)
        for number in left:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        code = process.wait()
        status = "hang" if not over else f"signal {-code}" if code < 0 else str(code)
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read(), len(left)


def run(program, configuration, library, witness, folder, home=None, fresh=None, awake=None):
    """Runs it in `folder`, which must not exist; leaves stdout, stderr, work, reads and traces there. `home`, its HOME,
    may exist: caches stay there from run to run. `fresh`: two hex digits that fresh memory holds. `awake`: the library by
    which the threads of a bare run do not sleep."""
    work, home = os.path.join(folder, "work"), home or os.path.join(folder, "home")
    for name in ("reads", "traces"):
        os.makedirs(os.path.join(folder, name))
    os.makedirs(home, exist_ok=True)
    if program.folder:
        with STARTING:
            shutil.copytree(program.folder, work, symlinks=True)
    else:
        os.makedirs(work)
    env = environment(program, configuration, library, witness, folder, home, fresh, awake)
    status, out, err, left = execute(program.command, work, env, program.limit)
    out = masked(out, program)
    if program.sorted:
        out = b"\n".join(sorted(out.split(b"\n")))
    return Result(status, out, left_files(work, program),
                  witness_lines(os.path.join(folder, "reads")), counted(err), err, left)
