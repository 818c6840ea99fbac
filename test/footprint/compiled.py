#!/usr/bin/env python3
"""compiled.py FOOTPRINT COMPILED [--time] TABLE FOLDER... - runs the program COMPILED (form.c) for every launch of TABLE,
a list as of check.py. Models are made once per file. Exit status 1 when one run says that something is wrong."""
import json
import os
import subprocess
import sys
import tempfile

import check

footprint, compiled, *rest = sys.argv[1:]
timed = ["--time"] if rest[0] == "--time" else []
table, *folders = rest[len(timed):]
bad = 0
groups = {}
for launch in json.load(open(table)):
    groups.setdefault((launch["file"], tuple(launch.get("options", []))), []).append(launch)
with tempfile.TemporaryDirectory() as d:
    model_file, launch_file = os.path.join(d, "models.json"), os.path.join(d, "launches.json")
    for (name, options), launches in groups.items():
        path = check.find_file(folders, name)
        if not path:
            continue
        with open(launch_file, "w") as f:
            json.dump({"launches": [{"kernel": l["kernel"], "global": l["global"], "local": l["local"], "offset": l.get("offset", []),
                                     "args": check.arguments(l)} for l in launches]}, f)
        with open(model_file, "w") as f:
            subprocess.run([footprint, "--models", *options, "-I" + os.path.dirname(path), path], stdout=f)
        done = subprocess.run([compiled, *timed, model_file, launch_file], capture_output=True, text=True)
        if timed or done.returncode:
            print(f"{name}: {done.stdout}{done.stderr}", end="")
        bad += done.returncode != 0
print(f"{len(groups)} files, {bad} with differences")
sys.exit(bad != 0)
