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
bad = launches = 0
with tempfile.TemporaryDirectory() as d:
    model_file, launch_file = os.path.join(d, "models.json"), os.path.join(d, "launches.json")
    for launch in json.load(open(table)):
        path = check.find_file(folders, launch["file"])
        tiles = check.random_tiles(launch, 8, rng)
        with open(launch_file, "w") as f:
            json.dump({"launches": [{"kernel": launch["kernel"], "global": launch["global"], "local": launch["local"],
                                     "offset": launch.get("offset", []),
                                     "args": [check.arg_json(a) for a in launch["args"]], "tiles": tiles}]}, f)
        source = launch.get("options", []) + [path]
        with open(model_file, "w") as f:
            subprocess.run([footprint, "--models"] + source, stdout=f)
        first = json.loads(subprocess.run([footprint, "--eval", launch_file] + source, capture_output=True).stdout)
        second = subprocess.run([models, model_file, launch_file], capture_output=True, text=True)
        again = subprocess.run([models, model_file], capture_output=True, text=True).stdout
        launches += 1
        if second.returncode != 0 or first["results"] != json.loads(second.stdout)["results"]:
            print(f"{launch['file']}:{launch['kernel']}: read back it says something else {second.stderr}")
            bad += 1
        if again != open(model_file).read():
            print(f"{launch['file']}: written again it is another file")
            bad += 1
print(f"{launches} launches, {bad} differences")
sys.exit(bad != 0 or launches == 0)
