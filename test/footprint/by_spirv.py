#!/usr/bin/env python3
"""by_spirv.py - clweave-footprint, of the SPIR-V module that clang and llvm-spirv make of the source.

CW_FOOTPRINT: the program; CW_LLVM: its LLVM's version; CW_MODULES: a folder for modules, which are made once. Arguments of
kernels have the names of the source: clang drops them."""
import hashlib
import os
import subprocess
import sys

*words, path = sys.argv[1:]
version, takes = os.environ["CW_LLVM"], ("--kernel", "--eval", "--seconds", "--wall", "--mib")
build = [w for i, w in enumerate(words) if not w.startswith("--") and (i == 0 or words[i - 1] not in takes)]
with open(path, "rb") as f:
    name = hashlib.sha1(f.read() + "\0".join(build).encode()).hexdigest()
module = os.path.join(os.environ["CW_MODULES"], name + ".spv")
if not os.path.exists(module):
    optimisation = [] if os.environ.get("CW_OPTIMISED") else ["-O1", "-Xclang", "-disable-llvm-passes"]
    standard = [] if any(w.startswith("-cl-std=") for w in build) else ["-cl-std=CL1.2"]
    subprocess.run([f"clang-{version}", "-c", "-emit-llvm", "-target", "spir64-unknown-unknown", "-w", "-Xclang",
                    "-finclude-default-header", "-fno-discard-value-names", *optimisation, *standard, *build, "-x", "cl", path, "-o",
                    module + ".bc"], check=True)
    subprocess.run([f"llvm-spirv-{version}", module + ".bc", "-o", module], check=True)
os.execv(os.environ["CW_FOOTPRINT"], [sys.argv[0]] + [w for w in words if w not in build] + [module])
