#!/bin/bash
# matrix.sh MANIFEST [OPTION...] - every mode, online policy and set of devices over the programs of a manifest
# (manifest.py; the programs are the caller's, nothing is fetched or built), and the sums of what was managed, reordered
# and moved. OPTIONs go to suite.py, for example --only REGEX, --seeds N, --repeat N, --build FOLDER, --keep FOLDER.
#
# Each policy plans first as users have it (`--repeat` runs that share their history), then with every command managed and
# no profit asked for, once; chaos with every command managed, `--seeds` times. MATRIX_POLICIES and MATRIX_DEVICES take a part.
set -u
[ $# -gt 0 ] || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
manifest=$1
shift
policies=${MATRIX_POLICIES:-chaos heft dm dmda ws eager random cpu-only dsp-only}
devices=${MATRIX_DEVICES:-devices=none devices=sub:2 devices=basic:2 dsp=4/dsp_clock=virtual}
configurations=(-c off -c trace)
for policy in $policies; do
    for set in $devices; do
        if [ "$policy" = chaos ]; then
            configurations+=(-c "run/policy=chaos/manage_all=1/$set")
        else
            configurations+=(-c "run/policy=$policy/$set" -c "run/policy=$policy/manage_all=1/$set*1")
        fi
    done
done
exec python3 "$(dirname "$0")/suite.py" "${configurations[@]}" "$@" "$manifest"
