#!/bin/bash
# demo.sh - what clweave does for three unmodified programs, with pictures, in build/demo.
#
# 1. nbody, eight star clusters on one in-order queue: `clweave learn` runs it bare and under `clweave run` in turn
#    and prints the ratio, whatever it is; then the summary of a run.
# 2. hashcat (from Debian) cracks a hash and is traced: its task graph, timeline and report.
# 3. The blocked matrix product of the HXDSP paper: task graph, timeline, and what HEFT and HDGEFT would
#    make of it on 1 CPU + 4 DSPs (Gantt charts and one table).
set -euo pipefail
cd "$(dirname "$0")/.."
B=$(realpath "${B:-build}")
out=$B/demo; rm -rf "$out"; mkdir -p "$out/home"
clweave=${TOOL:-$B/clweave} # TOOL: an installed one
export POCL_CACHE_DIR=$out/pocl-cache; mkdir -p "$POCL_CACHE_DIR"
unset ${!CLWEAVE_*} OPENCL_LAYERS LD_PRELOAD
step() { printf '\n== %s\n' "$*"; }
show() { printf '$ clweave %s\n' "${*//$B\//build/}"; "$clweave" "$@"; }

step "eight star clusters on one in-order queue (test/apps/nbody), as they are and under clweave run"
export XDG_CACHE_HOME=$out/home/.cache
show learn --seconds 20 -- "$B/test/apps/nbody" 8 256 400
show run --summary -- "$B/test/apps/nbody" 8 256 400

step "hashcat, as Debian ships it: traced while it cracks an MD5 hash (its kernels compile first: about 20 s)"
echo -n acl9 | md5sum | cut -d' ' -f1 > "$out/hash.txt"
rc=0
(cd "$out" && HOME=$out/home XDG_DATA_HOME=$out/home/.local \
    "$clweave" trace -o "$out/hashcat.json" -- hashcat -m 0 -a 3 hash.txt '?l?l?l?d' --force -D 1 -d 1 \
    --potfile-disable --quiet -w 1 --outfile cracked.txt --outfile-format 2) > "$out/hashcat.log" 2>&1 || rc=$?
if [ $rc != 0 ] || [ "$(cat "$out/cracked.txt")" != acl9 ]; then
    tail "$out/hashcat.log" >&2; echo "demo: hashcat failed under the tracer (exit status $rc)" >&2; exit 1
fi
echo "hashcat found the password: $(cat "$out/cracked.txt")"
show graph "$out/hashcat.json"
show graph "$out/hashcat.json" -o "$out/hashcat.svg"
show timeline "$out/hashcat.json" -o "$out/hashcat-timeline.json"
show report "$out/hashcat.json"
show report "$out/hashcat.json" -o "$out/hashcat.html"

step "blocked matrix product: one in-order queue, eleven kernels"
show trace --device-times -o "$out/blockmatmul.json" -- "$B/test/apps/blockmatmul"
for format in svg png dot; do show graph "$out/blockmatmul.json" -o "$out/blockmatmul.$format"; done
show timeline "$out/blockmatmul.json" -o "$out/blockmatmul-timeline.json"
show report "$out/blockmatmul.json" -o "$out/blockmatmul.html"

step "the same trace on 1 CPU + 4 DSPs (HXDSP board), planned by two policies"
for policy in heft hdgeft; do
    show replay "$out/blockmatmul.json" --platform hxdsp --kernels models --policy $policy \
        --gantt "$out/gantt-$policy.svg" > /dev/null
done
show replay "$out/blockmatmul.json" --platform hxdsp --kernels models --policy heft --policy hdgeft

step "pictures"
(cd "$out" && for f in *.html *.svg *.png *-timeline.json; do
    [ -s "$f" ] || { echo "demo: $f is missing" >&2; exit 1; }
    printf '    build/demo/%s\n' "$f"
done)
echo "Timelines open in https://ui.perfetto.dev or chrome://tracing."
