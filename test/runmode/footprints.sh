# Launches that share one buffer: with their footprints they run in other orders and give the same bytes, without they
# stay in line; a footprint that is one element too short is noticed. SEEDS: random orders.
# SLOW: SEEDS="1 2 3 4 5 6"
# SECONDS: 30
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
program=$B/test/apps/onebuffer
chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY=off CLWEAVE_DEVICES=none"
bare "$program" || exit
in_run "$program" # the first run finds out, the second knows
in_run "$program"
for seed in ${SEEDS:-1}; do
    in_run "$program" $chaos CLWEAVE_SEED=$seed CLWEAVE_FOOTPRINT=/nowhere
    [ "$(count reordered)" = 0 ] || fail "$(count reordered) launches on one buffer reordered without footprints"
    in_run "$program" $chaos CLWEAVE_SEED=$seed
    [ "$(count reordered)" -ge 100 ] || fail "only $(count reordered) reordered with footprints"
    reordered="${reordered:-}$(count reordered) "
done
echo "reordered: $reordered; without footprints: 0"

# the harness notices a wrong footprint
caught=0
for seed in 1 2 3; do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 $chaos CLWEAVE_SEED=$seed CLWEAVE_FAULT=narrow:1 timeout 240 "$program" > "$T/run" 2> "$T/run.err"
    grep -q 'fault narrow:1 planted' "$T/run.err" || fail "the fault was not planted"
    cmp -s "$T/bare" "$T/run" || caught=$((caught + 1))
done
echo "footprints one element too short: $caught of 3 noticed"
[ $caught -ge 2 ] || fail "wrong footprints go unnoticed"

# helpers that do not work: whole buffers, the same bytes, nothing said but in the summary. With everything managed the program
# waits for its models; it does not for a helper that hangs, and ends first.
for what in 'exit 1' 'echo garbage' 'head -c 1000000000 /dev/zero' 'kill -SEGV $$' 'exec sleep 1000'; do
    printf '#!/bin/sh\n%s\n' "$what" > "$T/helper"
    chmod 755 "$T/helper"
    all=1
    [ "$what" != 'exec sleep 1000' ] || all=0
    in_run "$program" CLWEAVE_DEVICES=basic CLWEAVE_FOOTPRINT="$T/helper" CLWEAVE_HISTORY=off CLWEAVE_MANAGE_ALL=$all
    [ $all = 0 ] || grep -q 'nothing is known of the kernels of 1 programs' "$T/summary" || fail "the summary says nothing of '$what'"
done
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_LOG=info CLWEAVE_DEVICES=basic CLWEAVE_HISTORY=off CLWEAVE_FOOTPRINT=/nowhere "$program" 2>&1 > /dev/null | grep -c 'clweave-footprint, which reads kernels, is not beside' | grep -qx 1 || fail "a missing helper is not said once when asked"
# indices that hang on the vendor's macros: it is asked, and what it says is believed, not what another compiler would
bare "$B/test/runmode/macros" || exit
for seed in ${SEEDS:-1}; do
    in_run "$B/test/runmode/macros" $chaos CLWEAVE_SEED=$seed
    [ "$(count reordered)" -ge 20 ] || fail "macros: only $(count reordered) reordered"
done
# by the tool in a process of its own; a tool that says anything else is not believed
tool=$(realpath "$B/clweave") true_shim=$shim
mkdir "$T/lib" && cp "$shim" "$T/lib/libclweave.so" && shim=$T/lib/libclweave.so
beside="CLWEAVE_FOOTPRINT=$(realpath "$B/clweave-footprint")"
for what in "$tool "'"$@"'" > $T/answer; cat $T/answer" "echo no >> $T/no; exit 1" "echo no >> $T/no; head -c 4096 /dev/zero"; do
    printf '#!/bin/sh\n%s\n' "$what" > "$T/lib/clweave"
    chmod 755 "$T/lib/clweave"
    rm -rf "$XDG_CACHE_HOME/clweave/footprints"
    in_run "$B/test/runmode/macros" $chaos CLWEAVE_SEED=1 $beside
    [ "$(count reordered)" -ge 20 ] || fail "macros, asked by '$what': only $(count reordered) reordered"
done
shim=$true_shim
head -n 1 "$T/answer" 2> /dev/null | grep -qx macros || fail "the tool does not answer for the vendor's macros"
[ -s "$T/no" ] || fail "the tool beside the library was not asked"
# headers are read when the vendor reads them: they are other files afterwards
bare "$B/test/runmode/headers" || exit
for seed in ${SEEDS:-1}; do
    in_run "$B/test/runmode/headers" $chaos CLWEAVE_SEED=$seed
    [ "$(count reordered)" -ge 20 ] || fail "headers: only $(count reordered) reordered"
done
done_
