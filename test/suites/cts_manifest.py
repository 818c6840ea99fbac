#!/usr/bin/env python3
"""cts_manifest.py - a manifest of the OpenCL-CTS' sub-tests that pass bare here, for suite.py.

FOLDER is a build of the CTS (its test_conformance folder or one above); nothing is fetched or built. Every program
test_* in it is asked for its sub-tests, each runs once alone in wimpy mode, and those that end with 0 in time are printed,
the short ones first. How many did not is said on stderr, with --verbose also which.
"""
import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import time


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    p.add_argument("folder")
    p.add_argument("--limit", type=float, default=15, help="seconds that a sub-test may take alone")
    p.add_argument("--only", default=".", help="regular expression of PROGRAM/SUBTEST")
    p.add_argument("--skip", default="^test_(allocations|bruteforce|conversions)/", help="likewise, left out")
    p.add_argument("--verbose", action="store_true")
    return p.parse_args()


def programs(folder):
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            if re.fullmatch(r"test_\w+", name) and os.path.isfile(path) and os.access(path, os.X_OK):
                found[name] = os.path.abspath(path)
    return sorted(found.items())


def run(command, folder, limit):
    """The exit status, None when it ran out of time; and stdout. All that it started is ended."""
    env = dict(os.environ, CL_WIMPY_MODE="1")
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        out, status = process.communicate(timeout=limit)[0], process.returncode
    except subprocess.TimeoutExpired:
        out, status = b"", None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return status, out.decode(errors="replace")


def subtests(text):
    """The names that the help lists, one a line, after "Test names" or, as test_printf says, what the default is."""
    names = re.split(r"test names|default is to run the full test", text, maxsplit=1, flags=re.IGNORECASE)[1:]
    return [line.strip() for line in "".join(names).splitlines()[1:] if re.fullmatch(r"\s+\w+", line)]


def main():
    options, passed, other = arguments(), [], []
    for name, path in programs(options.folder):
        for subtest in subtests(run([path, "-h"], os.path.dirname(path), options.limit)[1]):
            full = f"{name}/{subtest}"
            if not re.search(options.only, full) or re.search(options.skip, full):
                continue
            start = time.monotonic()
            status, _ = run([path, subtest], os.path.dirname(path), options.limit)
            if status == 0:
                passed.append((time.monotonic() - start, full, path, subtest))
            else:
                other.append(f"{full}: {'out of time' if status is None else f'exit status {status}'}")
    for seconds, full, path, subtest in sorted(passed):
        # several times its own time: machines are busy, and what is managed for the first time is compiled twice
        print(f"cts/{full} compare=status,reads allows=none limit={max(60, 20 * seconds):.0f} env=CL_WIMPY_MODE=1 -- "
              f"{shlex.quote(path)} {subtest}")
    print(f"{len(passed)} sub-tests pass bare, {len(other)} do not", file=sys.stderr)
    if options.verbose:
        print("\n".join(other), file=sys.stderr)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
