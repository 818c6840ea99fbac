#!/usr/bin/env python3
"""corpus_record.py - traces the programs of a list, for corpus_cut.py.

usage: corpus_record.py --clweave PROGRAM [--only REGEX] [--limit SECONDS] MANIFEST FOLDER      (manifest: test/suites/manifest.py)

FOLDER gets one trace per program that has one, and one more for each process that it starts. Prints a line SUITE=TRACE.json
for each; the suite is what stands before the first slash of the program's name. Programs that end with a signal or not in
time are said on stderr: what they did until then is in the trace."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
import manifest  # noqa: E402


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--clweave", required=True)
    p.add_argument("--only", default="")
    p.add_argument("--limit", type=float, default=60)
    p.add_argument("manifest")
    p.add_argument("folder")
    return p.parse_args()


def record(options, program):
    name = re.sub(r"[^A-Za-z0-9_.-]", "-", program.name)
    traces = os.path.join(options.folder, name)
    os.makedirs(traces, exist_ok=True)
    with tempfile.TemporaryDirectory() as d:
        folder = os.path.join(d, "run")
        shutil.copytree(program.folder, folder) if program.folder else os.mkdir(folder)
        command = [options.clweave, "trace", "-o", os.path.join(traces, "%p.json"), "--", *program.command]
        try:
            status = subprocess.run(command, cwd=folder, env=dict(os.environ, **program.env), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=options.limit).returncode
        except (subprocess.TimeoutExpired, OSError) as e:
            status = type(e).__name__
    if isinstance(status, str) or status < 0:
        print(f"{program.name} ends with {status}", file=sys.stderr)
    return [os.path.join(traces, f) for f in sorted(os.listdir(traces)) if f.endswith(".json")]


def main():
    options = parse_args()
    options.clweave, options.folder = os.path.abspath(options.clweave), os.path.abspath(options.folder)
    for program in manifest.read(options.manifest):
        if re.search(options.only, program.name):
            for trace in record(options, program):
                print(f"{program.name.split('/')[0]}={trace}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
