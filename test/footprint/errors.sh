#!/bin/bash
# Whatever goes wrong: one JSON object with a message on standard output, a status that says so, and never a hang.
set -u
f=$B/clweave-footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
bad=0 k=test/footprint/kernels
# expect NAME STATUS WORDS COMMAND...: the exit status and a part of the message
expect() {
    local name=$1 status=$2 words=$3 got; shift 3
    timeout 240 "$@" > "$T/out" 2> "$T/err" < /dev/null; got=$?
    if [ $got != "$status" ]; then
        echo "$name: exit status $got, expected $status"; head -c 500 "$T/out" "$T/err"; bad=1
    elif [ "$status" = 1 ] && ! python3 -c '
import json, sys
e = json.load(open(sys.argv[1]))["error"]
sys.exit(sys.argv[2] not in e["message"])' "$T/out" "$words"; then
        echo "$name: no JSON error with \"$words\":"; head -c 500 "$T/out"; bad=1
    fi
}
script() { printf '#!/bin/sh\n%s\n' "$2" > "$T/$1"; chmod +x "$T/$1"; echo "$T/$1"; }

expect usage 2 "" "$f"
expect good 0 "" "$f" $k/vector_add.cl
expect "missing file" 1 "does not compile" "$f" $T/none.cl
printf 'kernel void k(global int *p) { p[0] = nothing; }\n' > "$T/bad.cl"
expect "syntax error" 1 "undeclared identifier 'nothing'" "$f" "$T/bad.cl"
for first in "" x; do # a long name in a message that is cut off, within a letter or before one
    printf 'kernel void k(global int *p) { p[0] = %s%s; }\n' "$first" "$(printf '\303\251%.0s' $(seq 300))" > "$T/letters.cl"
    expect "a message that is cut off" 1 "does not compile" "$f" "$T/letters.cl"
done
expect "unknown option" 1 "build option '-fplugin=x'" "$f" -fplugin=x $k/vector_add.cl
expect "unknown kernel" 1 "no kernel 'nobody'" "$f" --kernel nobody $k/vector_add.cl
expect "no launches" 1 "none.json" "$f" --eval "$T/none.json" $k/vector_add.cl
echo '{"launches":[{"kernel":"vector_add","global":[64],"local":[8],"args":[]}]}' > "$T/args.json"
expect "wrong arguments" 1 '"args" 3 entries' "$f" --eval "$T/args.json" $k/vector_add.cl
echo '{"launches":[{"kernel":"vector_add","global":[64],"local":[8],"args":[null,null,{"buffer":256}],
 "tiles":[{"first":[7],"count":[2]}]}]}' > "$T/tile.json"
expect "tile too far" 1 "beyond the 8 work-groups" "$f" --eval "$T/tile.json" $k/vector_add.cl
CLWEAVE_CLANG=$(script hang 'sleep 60') expect "clang hangs" 1 "no answer within 1 seconds" "$f" --wall 1 $k/vector_add.cl
CLWEAVE_CLANG=$(script crash 'kill -SEGV $$') expect "clang crashes" 1 "does not compile" "$f" $k/vector_add.cl
CLWEAVE_CLANG=$(script junk 'echo junk') expect "clang writes junk" 1 "" "$f" $k/vector_add.cl
CLWEAVE_CLANG=$(script flood 'cat /dev/zero') expect "clang floods" 1 "" "$f" --seconds 10 $k/vector_add.cl
expect "no clang" 1 "is not installed" env PATH="$T" CLWEAVE_CLANG="$T/absent" "$f" $k/vector_add.cl
if [ -z "${SAN:-}" ] && ! nm "$f" 2> /dev/null | grep -q __asan_init; then
    expect "no memory" 1 "" "$f" --mib 60 $k/vector_add.cl
fi
# a source that makes the front end busy for ever must end at the deadline, with no process left behind
echo 'kernel void k(global int *p) { p[0] = 1; }' > "$T/slow.cl"
CLWEAVE_CLANG=$(script busy "echo \$\$ > $T/pid; while :; do :; done") expect "busy clang" 1 "no answer within 1 seconds of processor time" "$f" --seconds 1 "$T/slow.cl"
[ -s "$T/pid" ] || { echo "the busy clang never ran"; bad=1; }
while grep -qs '^State:.[^ZX]' "/proc/$(cat "$T/pid")/status"; do sleep 0.02; done # the kernel takes its time
exit $bad
