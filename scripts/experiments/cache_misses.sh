#!/bin/bash
# cache_misses.sh [FOLDER] - priority groups: bytes from memory as `clweave replay --policy groups` and run mode's own plan predict
# them, beside the misses of the last cache that valgrind's cachegrind counts of the same stencil, bare and in run mode. Machines
# that are shared rarely let their counters be read, so caches are simulated: arrays of 2 MiB over a last cache of 128 to 512 KiB, 4
# to 16 times as large. Counted: data misses within kernels, whose two lanes share the cache. Replay gives half of it to one lane; the
# plan that ran gives a quarter to each, and so goes fewer steps at once. Exit 0: bare misses are those predicted, within 5 %; in
# groups they fall by at least .75 of the logarithm of what that plan predicts (the rest: valgrind changes threads amid groups,
# caches have 16 ways); no bytes differ.
. "$(dirname "$0")/common.sh"
command -v valgrind > /dev/null && [ -x "$B/clweave-footprint" ] || { echo "cache_misses: valgrind or LLVM is missing" >&2; exit 1; }
export POCL_CACHE_DIR=$scratch/pocl XDG_CACHE_HOME=$scratch/cache CLWEAVE_SUMMARY=1
mkdir -p "$POCL_CACHE_DIR"; mkdir -m 700 "$XDG_CACHE_HOME"

# program KIND STEPS : sets `command`
program() {
    case $1 in
    five|box|star) command="$B/test/apps/stencil/flat $1 512 1024 $2 0 0" ;;
    wave) command="$B/test/apps/stencil/wave 512 1024 $2 0 0" ;;
    seven) command="$B/test/apps/stencil/solid seven 32 32 512 $2 0 0" ;;
    esac
}

# misses LL_KIB SETTINGS COMMAND... : data misses of the last cache in kernels; results in $scratch/now, what run says in $scratch/says
misses() {
    local kib=$1; shift
    env "$@" > "$scratch/now" 2> "$scratch/says" || { cat "$scratch/says" >&2; return 1; }
    awk '/^fn=/ { ours = /_pocl_kernel_/ } /^[0-9]/ && ours { sum += $7 + $10 } END { print sum + 0 }' "$scratch/cg"
}
sim() { # LL_KIB
    echo "valgrind --tool=cachegrind --cache-sim=yes --fair-sched=yes --cachegrind-out-file=$scratch/cg --D1=16384,8,64 --LL=$(($1 * 1024)),16,64"
}
grouped() { # LL_KIB : half of the cache for both lanes together, in tiles of an eighth of that
    echo "LD_PRELOAD=$B/libclweave.so CLWEAVE_MODE=run CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=basic:2 CLWEAVE_GROUPS=on CLWEAVE_GROUP_TILE=$(($1 / 32)):$(($1 / 4))"
}

planned() { # KIND STEPS KIB : what the plan that runs says of itself: times fewer bytes
    program "$1" "$2"
    env $(grouped "$3") CLWEAVE_HISTORY=off CLWEAVE_LOG=debug $command 2>&1 > /dev/null |
        awk '/groups: .* MiB from memory/ { sub(/.*groups: /, ""); print $5 / $1; exit }'
}

fetched() { # KIND STEPS CACHE_KIB : what replay says that the steps fetch: as enqueued, in our order (bytes)
    program "$1" "$2"
    clweave trace -o "$scratch/t.json" -- $command > /dev/null 2>&1
    clweave replay "$scratch/t.json" -p groups:tiles=1024,cache="$3K" --json | python3 -c '
import json, sys
plain, _, skew = json.load(sys.stdin)["orders"]
print(plain["fetched_bytes"], skew["fetched_bytes"])'
}

echo "stencils of two or three arrays of 2 MiB; MiB from memory, and times fewer in groups"
printf '%-8s%6s%9s | %19s%8s | %8s | %19s%8s\n' "" steps "cache" "replay: plain" "groups" "run's" "counted: bare" "groups"
echo "program,steps,cache_kib,predicted_plain,predicted_groups,planned_times,counted_bare,counted_groups" > "$out/results.csv"
failed=0
while read -r kind steps kib; do
    read -r setup _ <<< "$(fetched "$kind" 0 $((kib / 2)))"
    read -r plain ours <<< "$(fetched "$kind" "$steps" $((kib / 2)))"
    if [ "$kind" != "${before:-}" ]; then # compilers, models
        program "$kind" "$steps"
        for n in 1 2; do env $(grouped "$kib") valgrind --tool=none $command > /dev/null 2>&1; done
        valgrind --tool=none $command > /dev/null 2>&1
        before=$kind
    fi
    own=$(planned "$kind" "$steps" "$kib")
    program "$kind" "$steps"
    b=$(misses "$kib" $(sim "$kib") $command); cp "$scratch/now" "$scratch/bare"
    g=$(misses "$kib" $(grouped "$kib") $(sim "$kib") $command)
    cmp -s "$scratch/bare" "$scratch/now" || { echo "$kind: other results"; failed=1; }
    python3 - "$kind" "$steps" "$kib" $((plain - setup)) $((ours - setup)) $((b * 64)) $((g * 64)) "$own" "$out/results.csv" \
        "$(sed -n 's/^run: groups: \([0-9]* chains of [0-9]* launches\).*/\1/p' "$scratch/says")" << 'PY' || failed=1
import math, sys
kind, steps, kib = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
plain, ours, bare, groups = map(int, sys.argv[4:8])
own = float(sys.argv[8])
mib = 1048576
print('%-8s%6d%5d KiB | %7.1f %7.1f %8.2f | %8.2f | %7.1f %7.1f %8.2f   %s' % (
    kind, steps, kib, plain / mib, ours / mib, plain / ours, own, bare / mib, groups / mib, bare / groups, sys.argv[10]), flush=True)
with open(sys.argv[9], 'a', encoding='utf-8') as out:
    print(kind, steps, kib, plain, ours, own, bare, groups, sep=',', file=out)
sys.exit(abs(bare - plain) > .05 * plain or math.log(bare / groups) < .75 * math.log(own))
PY
done << 'ROWS'
five 2 256
five 4 256
five 8 256
five 16 128
five 16 256
five 16 512
wave 16 256
star 16 256
seven 16 256
ROWS
echo "results: $out/results.csv"
exit $failed
