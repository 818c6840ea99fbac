#!/usr/bin/env python3
"""models.py FOOTPRINT MODELS TABLE FOLDER... - what is evaluated with models that were written and read back must be
what the program that made them says, for random ranges of every launch of TABLE; and written again they are the same.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import check

footprint, models, table, *folders = sys.argv[1:]
rng = random.Random(5)
bad = tiles = 0
groups = {}
for launch in json.load(open(table)):
    groups.setdefault((launch["file"], tuple(launch.get("options", []))), []).append(launch)
with tempfile.TemporaryDirectory() as d:
    model_file, launch_file = os.path.join(d, "models.json"), os.path.join(d, "launches.json")
    for (name, options), launches in groups.items():
        path = check.find_file(folders, name)
        with open(launch_file, "w") as f:
            json.dump({"launches": [{"kernel": l["kernel"], "global": l["global"], "local": l["local"], "offset": l.get("offset", []),
                                     "args": check.arguments(l), "tiles": check.random_tiles(l, 8, rng)}
                                    for l in launches]}, f)
        with open(model_file, "w") as f:
            subprocess.run([footprint, "--models", *options, path], stdout=f)
        first = json.loads(subprocess.run([footprint, "--eval", launch_file, *options, path], capture_output=True).stdout)
        second = subprocess.run([models, model_file, launch_file], capture_output=True, text=True)
        again = subprocess.run([models, model_file], capture_output=True, text=True).stdout
        tiles += 8 * len(launches)
        if second.returncode != 0 or first["results"] != json.loads(second.stdout)["results"]:
            print(f"{name}: read back it says something else {second.stderr}")
            bad += 1
        if again != open(model_file).read():
            print(f"{name}: written again it is another file")
            bad += 1
print(f"{len(groups)} files, {tiles} tiles, {bad} differences")
sys.exit(bad != 0 or tiles == 0)
