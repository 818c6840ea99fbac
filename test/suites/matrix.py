#!/usr/bin/env python3
"""matrix.py MANIFEST [OPTION...] - every mode, online policy and set of devices over the programs of a manifest.

The programs are the caller's (manifest.py), nothing is fetched or built. Prints suite.py's table and the sums of what was
managed, reordered, moved and cut. OPTIONs go to suite.py, for example --only REGEX, --seeds N, --repeat N, --build FOLDER.

Each policy plans first as users have it (`--repeat` runs that share their history), then with every command managed and no
profit asked for, once; chaos with every command managed, `--seeds` times. The variables MATRIX_POLICIES and MATRIX_DEVICES,
lists with blanks between, take a part.
"""
import os
import sys

POLICIES = "chaos heft dm dmda ws eager random cpu-only dsp-only"
DEVICES = "devices=none devices=sub:2 devices=basic:2 dsp=4/dsp_clock=virtual"


def configurations(policies, devices):
    """suite.py's -c options."""
    yield from ("off", "trace")
    for policy in policies:
        for chosen in devices:
            if policy != "chaos":
                yield f"run/policy={policy}/{chosen}"
            yield f"run/policy={policy}/manage_all=1/{chosen}" + ("" if policy == "chaos" else "*1")


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    chosen = configurations(os.environ.get("MATRIX_POLICIES", POLICIES).split(),
                            os.environ.get("MATRIX_DEVICES", DEVICES).split())
    options = [word for name in chosen for word in ("-c", name)]
    suite = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suite.py")
    os.execv(sys.executable, [sys.executable, suite, *options, *sys.argv[2:], sys.argv[1]])


if __name__ == "__main__":
    sys.exit(main())
