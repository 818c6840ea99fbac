#!/usr/bin/env python3
"""by_binary.py - clweave-footprint, of the binary that the first device's compiler makes of the source.

CW_FOOTPRINT, CW_TO_BINARY: the programs; CW_BINARIES: a folder for binaries, which are made once."""
import hashlib
import os
import subprocess
import sys

*words, path = sys.argv[1:]
build = [w for w in words if w.startswith("-") and not w.startswith("--")]
with open(path, "rb") as f:
    name = hashlib.sha1(f.read() + " ".join(build).encode()).hexdigest()
binary = os.path.join(os.environ["CW_BINARIES"], name)
if not os.path.exists(binary):
    subprocess.run([os.environ["CW_TO_BINARY"], path, binary, " ".join(build)], check=True)
os.execv(os.environ["CW_FOOTPRINT"], [sys.argv[0]] + [w for w in words if w not in build] + [binary])
