# Run mode where the surroundings are against it: everything prints and ends as it does bare, and nothing of ours stays behind.
# ALL=1: every trouble in every way.
# SLOW: ALL=1
# SECONDS: 25
. test/runmode/common.sh
all() { [ -n "${ALL:-}" ]; }
program=$B/test/runmode/trouble
home() { rm -rf "$T/cache"; mkdir -m 700 "$T/cache"; export XDG_CACHE_HOME=$T/cache; }
home
noise="$noise|cannot start a thread|performance history"

# meets WHAT VARIABLE=VALUE... : the trouble, bare and under run mode; stdout is a pipe, as some troubles are about files
meets() {
    local what=$1 expected got; shift
    timeout 240 "$program" "$what" 2> "$T/bare.err" | cat > "$T/bare"; expected=${PIPESTATUS[0]}
    rm -f "${FULL:-/nonexistent}"
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 "$@" timeout 240 "$program" "$what" 2> "$T/run.err" | cat > "$T/run"; got=${PIPESTATUS[0]}
    grep '^run: ' "$T/run.err" > "$T/summary"
    rm -f "${FULL:-/nonexistent}"
    [ "$got" = "$expected" ] || fail "$what $*: status $got instead of $expected: $(grep -vE "$noise" "$T/run.err" | tail -n 2)"
    cmp -s "$T/bare" "$T/run" || { fail "$what $*: other output"; diff "$T/bare" "$T/run" | head -5; }
    grep -vE "$noise" "$T/run.err" | diff "$T/bare.err" - > "$T/diff" || { fail "$what $*: other stderr"; head -5 "$T/diff"; }
    compared=$((compared + 1))
}
"$program" > /dev/null || exit # PoCL's own files are there from now on

# What the bare program does not need any more, helpers would: files, disk, memory. (Chaos may send all launches elsewhere, and
# home has not loaded the vendor's code when files run out; policies measure a kernel at home first.)
for what in files size memory; do
    [ $what = files ] || meets $what CLWEAVE_POLICY=chaos
    ! all && [ $what != files ] || meets $what CLWEAVE_DEVICES=basic
    [ $what = size ] || managed 50 # no summary goes into a file then
done
for what in closed fork $(all && echo environment spawn signals); do
    meets $what CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
    managed 50
done
! all || meets closed CLWEAVE_DEVICES=basic CLWEAVE_OUT="$T/recorded.json"
mkdir "$T/disk"
if mount -t tmpfs -o size=24m none "$T/disk" 2> /dev/null; then
    export FULL=$T/disk/full
    mkdir -m 700 "$T/disk/cache" "$T/disk/pocl"
    XDG_CACHE_HOME=$T/disk/cache POCL_CACHE_DIR=$T/disk/pocl meets disk CLWEAVE_POLICY=chaos
    managed 50
    unset FULL
    umount -l "$T/disk" # what was started beside a program may end later
fi

# A child that goes on, which it can where kernels run inside calls: what its parent had enqueued is done.
POCL_DEVICES=basic meets working_fork CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
managed 50
! all || POCL_DEVICES=basic meets working_fork CLWEAVE_POLICY=dm CLWEAVE_DEVICES=none

# A helper runs a launch and says then that it failed: kernels that read what they write must not run again elsewhere.
for n in 11 12 $(all && seq 5 10); do
    meets environment CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=late:$n
    grep -q "fault late:$n planted" "$T/summary" || fail "late:$n was not planted"
done

# Home refuses a launch that the program believes to be enqueued: the event says so, and what is behind it runs. Nothing hangs.
CLWEAVE_DEVICES=none CLWEAVE_POLICY=dm CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=fail:3 LD_PRELOAD="$shim" CLWEAVE_MODE=run timeout 240 "$program" refused > "$T/run" 2> "$T/run.err" ||
    fail "a refused launch: status $?"
grep -q 'fault fail:3 planted' "$T/run.err" || fail "no launch was refused: $(cat "$T/run.err")"
grep -q '^refused: -5, behind it 0$' "$T/run" || fail "a refused launch: $(grep refused: "$T/run")"

# The end, whichever, with a window open and helpers at work.
for how in term quick_exit $(all && echo exit _exit abort exec kill); do
    meets $how CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
done
left=$(cd "$T/cache/clweave" && find . -type f | grep -vE '^\./(history\.db|machine|(kernels|footprints|programs|builds|compiled|requests)/[0-9a-f]{32}|requests/(lock|log))$')
[ -z "$left" ] || fail "files of no use are left: $left"

# Killed from outside, at moments that differ: nothing that was started beside it lives on, and no file of no use is left.
for turn in 1 2 $(all && seq 3 12); do
    for signal in KILL TERM; do
        mark=killed-$$-$turn-$signal
        rm -rf "$T/cache"; mkdir -m 700 "$T/cache" # kernels are analysed and built again
        env KILLED="$mark" LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 "$program" endless > "$T/run" 2> "$T/run.err" &
        victim=$!
        until [ -s "$T/run" ]; do sleep 0.05; done
        sleep 0.$((turn * 7 % 10))
        kill -$signal $victim
        wait $victim 2> /dev/null
        for i in $(seq 3000); do
            alive=$(grep -lz "^KILLED=$mark\$" /proc/[0-9]*/environ 2> /dev/null)
            [ -n "$alive" ] || break
            sleep 0.1
        done
        [ -z "$alive" ] || fail "$signal: left behind: $alive"
        compared=$((compared + 1))
    done
done
left=$(cd "$T/cache" && find . -type f | grep -vE '^\./clweave/(history\.db(-wal|-shm|-journal)?|machine|runs/.*|(kernels|footprints|programs|builds|compiled|requests)/[0-9a-f]{32}(\.[A-Za-z0-9]{6})?|clweave/requests/(lock|log))$')
[ -z "$left" ] || fail "files of no use are left by a killed program: $left"

# The OpenCL library is unloaded while commands are under way.
${CC:-cc} -std=gnu11 -DCL_TARGET_OPENCL_VERSION=300 -o "$T/unloaded" test/shim/unloaded.c -ldl || exit 1
if bare "$T/unloaded"; then
    for door in LD_PRELOAD="$shim" OPENCL_LAYERS="$shim"; do
        in_run "$T/unloaded" LD_PRELOAD= CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 "$door"
        managed 500
    done
fi

# The history: another process has it for itself; there is no folder for it; there is no environment at all.
program=$B/test/apps/chains8
bare "$program" || exit
in_run "$program" CLWEAVE_POLICY=dm
python3 - "$T/cache/clweave/history.db" "$T/locked" << 'END' &
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
open(sys.argv[2], "w").close()
time.sleep(100000)
END
holder=$!
until [ -e "$T/locked" ]; do sleep 0.05; done
in_run "$program" CLWEAVE_POLICY=dm
grep -q 'history.*locked by another process' "$T/run.err" || fail "nothing said about the lock: $(grep -v '^run: ' "$T/run.err")"
kill $holder; wait $holder 2> /dev/null
for folder in /proc $(all && echo "$T/none" "$T/run"); do # where nothing can be made; not there; a file
    in_run "$program" XDG_CACHE_HOME="$folder" CLWEAVE_POLICY=chaos
done
in_run "$program" XDG_CACHE_HOME= HOME= CLWEAVE_POLICY=chaos
managed 10
# nor a linker, which helpers' programs would need: what the program itself needs has been compiled
no_environment() { env -i LD_PRELOAD="$shim" POCL_CACHE_DIR="$T/linked" CLWEAVE_MODE=run CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 "$@" "$program"; }
env -u OCL_ICD_VENDORS POCL_CACHE_DIR="$T/linked" "$program" > "$T/run"
no_environment CLWEAVE_DEVICES=cpu,basic:2 2> "$T/run.err" | cmp - "$T/bare" || fail "no environment: other output: $(tail -n 3 "$T/run.err")"

all || { done_; exit; }

# The helper that analyses kernels: not there, no program, refuses, dies, talks nonsense or without end.
program=$B/test/apps/onebuffer
bare "$program" || exit
helper() { home; printf '#!/bin/sh\n%s\n' "$1" > "$T/helper"; chmod 755 "$T/helper"; in_run "$program" CLWEAVE_FOOTPRINT="$T/helper" CLWEAVE_MANAGE_ALL=1; }
home
for file in /nonexistent /etc/passwd; do
    in_run "$program" CLWEAVE_FOOTPRINT=$file CLWEAVE_MANAGE_ALL=1
done
for words in 'exit 1' 'kill -9 $$' 'echo "{\"format\":\"clweave-footprint\",\"version\":1"' 'exec cat /dev/zero'; do
    helper "$words"
done
done_
