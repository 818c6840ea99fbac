# Results for later runs: a run asks for them and does not wait, the builder makes them, later runs use them; the program cannot
# see the builder; where there can be none, nothing else changes and one message says so.
# SECONDS: 30
: "${T:?an empty folder}"
. test/runmode/common.sh
program=$B/test/apps/chains8 cache=$T/cache
mkdir -m 700 "$cache"
all="CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos CLWEAVE_DEVICES=cpu,basic:2"
kept() { in_run "$program" CLWEAVE_HISTORY="$cache/history.db" "$@"; }
waiting() { find "$cache/requests" -type f -name '????????????????????????????????' 2> /dev/null | wc -l; }
builder() { "$B/clweave-compile" --requests "$cache" --wait > /dev/null 2>&1 || fail "the builder: status $?"; }
bare "$program" || { done_; exit; }

# nothing is asked for where nothing is to be learnt
kept $all CLWEAVE_LEARN=off
in_run "$program" $all CLWEAVE_HISTORY=off
[ ! -e "$cache/requests" ] || fail "CLWEAVE_LEARN=off: requests"
# a first run asks; the builder makes all of it
kept $all
[ "$(waiting)" -ge 1 ] && [ ! -e "$cache/kernels" ] || fail "a first run: $(waiting) requests, $(ls "$cache")"
[ "$(stat -c %a "$cache/requests")" = 700 ] || fail "mode of the folder: $(stat -c %a "$cache/requests")"
builder
[ "$(waiting)" = 0 ] && [ -n "$(ls "$cache/kernels")" ] || fail "the builder: $(cat "$cache/requests/log")"
grep -q '^[-0-9T:]*Z a binary for chains8: made, [0-9]* ms$' "$cache/requests/log" || fail "the log: $(cat "$cache/requests/log")"
# the next run finds it: it asks for nothing more, and builds no program for helpers
before=$(ls -l --time-style=full-iso "$cache/kernels")
kept $all
[ "$(waiting)" = 0 ] || fail "a second run asks again"
[ "$(count moved)" -gt 0 ] || fail "nothing moved"
grep -q 'builds took' "$T/summary" && fail "a second run builds: $(cat "$T/summary")"
[ "$(ls -l --time-style=full-iso "$cache/kernels")" = "$before" ] || fail "binaries are written again"

# an analysis that is not over when the program ends is left to the builder
printf '#!/bin/sh\nexec sleep 1000\n' > "$T/helper"; chmod 755 "$T/helper"
rm -rf "$cache"; mkdir -m 700 "$cache"
kept CLWEAVE_DEVICES=basic CLWEAVE_FOOTPRINT="$T/helper"
[ "$(waiting)" -ge 1 ] || fail "no models are asked for"

# the program sees no builder, whichever way it ends, and however it looks
watched=$B/test/runmode/quiet
gone() { for i in $(seq 6000); do pgrep -f -- "clweave-compile --requests* $T" > /dev/null || return 0; [ "${1:-}" = "" ] || kill $(pgrep -f -- "clweave-compile --requests $T") 2> /dev/null; sleep 0.05; done; fail "a builder stays"; }
for how in wait exit _exit abort kill exec; do
    rm -rf "$T/q"; mkdir -m 700 "$T/q"
    { timeout 240 "$watched" ${how/wait/} > "$T/bare" 2> "$T/bare.err"; expected=$?; } 2> /dev/null # bash says how it ended
    { env LD_PRELOAD="$shim" CLWEAVE_MODE=run $all CLWEAVE_BUILDER=auto CLWEAVE_HISTORY="$T/q/history.db" timeout 240 "$watched" ${how/wait/} > "$T/run" 2> "$T/run.err"; got=$?; } 2> /dev/null
    [ $got = $expected ] || fail "$how: status $got instead of $expected: $(tail -n 3 "$T/run.err")"
    cmp -s "$T/bare" "$T/run" || { fail "$how: other output"; diff "$T/bare" "$T/run" | head; }
    [ $how != wait ] || [ -d "$T/q/requests" ] || fail "$how: nothing was asked for"
    gone now
    compared=$((compared + 1))
done

# without a builder, or where nothing can be written, all is as it was, and said once
mkdir -m 700 "$T/lib" "$T/alone"; cp "$shim" "$T/lib/libclweave.so"; ln -s "$(realpath "$B")/clweave-footprint" "$T/lib/"
shim=$T/lib/libclweave.so
said() { # MESSAGE
    [ "$(grep -c 'nothing is built for later runs' "$T/log")" = 1 ] && grep -q "$1" "$T/log" || fail "not said once: $1: $(cat "$T/log")"
    rm -f "$T/log"
}
bare "$program"
in_run "$program" $all CLWEAVE_BUILDER=auto CLWEAVE_LOG=info:"$T/log" CLWEAVE_HISTORY="$T/alone/history.db"
said 'clweave-compile is not there'
shim=$B/libclweave.so
rm -rf "$cache"; mkdir -m 700 "$cache"; mkdir -m 777 "$cache/requests"; chmod 777 "$cache/requests"
kept $all CLWEAVE_BUILDER=auto CLWEAVE_LOG=info:"$T/log"
said 'no request can be written'
[ -z "$(ls "$cache/requests")" ] || fail "written to a folder that others may write to"
gone now
done_
