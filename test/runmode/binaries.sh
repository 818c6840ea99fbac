#!/bin/bash
# Programs that are made of binaries are managed, reordered and moved: by the source that run mode has seen the binary come from, and
# else by the binary's bitcode. The same bytes always; binaries of another format stay native, and the summary says so.
# SECONDS: 20
# COMPILER: shared
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
program=$B/test/runmode/binaries
eager='CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY=off'
chaos="CLWEAVE_POLICY=chaos $eager"
moved() { [ "$(count moved)" -ge "$1" ] || fail "only $(count moved) moved: $(cat "$T/summary")"; }

bare "$program" || exit
in_run "$program" $chaos CLWEAVE_SEED=1 # the source is known
managed 140
# a device with a memory of its own gets the bytes that the kernels need, and gives back those that they write
in_run "$program" $chaos CLWEAVE_SEED=1 CLWEAVE_DEVICES=far:2
managed 140
# with a local size that must fit the vendor sees one launch of each kind first, whatever object it comes from
export CW_OPTIONS=-DSIZED
bare "$program" || exit
in_run "$program" $eager
managed 130
unset CW_OPTIONS
# in its cache folder pyopencl keeps the source beside the binary, but not the options of the build: the builder builds the source with
# those that the program gives, and the next run knows whether that is the binary's build
name=pyopencl_defeat_cache_0123456789abcdef0123456789abcdef
entry=$T/third/pyopencl/pyopencl-compiler-cache-v2-py3/5d
mkdir -p "$entry"
export CW_NAMED=$name CW_BINARY=$entry/binary CW_SOURCE=$entry/source.cl
beside() { in_run "$program" $chaos CLWEAVE_SEED=6 XDG_CACHE_HOME="$T/third" CLWEAVE_HISTORY="$T/third/history.db" CLWEAVE_LEARN=all CLWEAVE_BUILDER=wait; managed 140; }
export CW_OPTIONS=-DTIMES=3
bare "$program" || exit # makes the binary, with options
for options in '' -DTIMES=3; do
    export CW_OPTIONS=$options
    bare "$program" || exit
    beside
    [ "$(count cut)" = 0 ] || fail "options '$options': $(count cut) cut, though the build is not known"
    beside
    [ -z "$options" ] || [ "$(count cut)" -ge 3 ] || fail "by pyopencl's source: only $(count cut) cut into tiles"
    [ -n "$options" ] || [ "$(count cut)" = 0 ] || fail "other options than the binary's: $(count cut) cut"
done
grep 'whole:.*work-groups' "$T/summary" && fail "the program depends on the order of work-groups: bare is not always the same"
sed -i "s/$name/${name%f}0/" "$CW_SOURCE" # another program's
beside
[ "$(count cut)" = 0 ] || fail "by another source: $(count cut) cut"
rm "$CW_SOURCE"; mkfifo "$CW_SOURCE" # without a writer
in_run "$program" XDG_CACHE_HOME="$T/third"
unset CW_OPTIONS
unset CW_NAMED CW_SOURCE
export CW_BINARY=$T/binary
bare "$program" || exit # makes the file
XDG_CACHE_HOME=$T/other # nothing is known of the binary there
export XDG_CACHE_HOME
for seed in 2 3; do
    in_run "$program" $chaos CLWEAVE_SEED=$seed
    managed 140; moved 20
    grep -q ' 0 cut' "$T/summary" || fail "a program without source is cut: $(cat "$T/summary")"
    grep -q 'native: 1 kernel that cannot be read or has side effects' "$T/summary" || fail "the kernel that prints: $(cat "$T/summary")"
done
# helpers load the very same binary
env LD_PRELOAD="$shim" CLWEAVE_MODE=run $chaos CLWEAVE_LOG=debug timeout 240 "$program" > "$T/run" 2> "$T/run.err"
cmp -s "$T/bare" "$T/run" || fail "with a log: other output"
grep -q 'hidden' "$T/run.err" || fail "no helpers: $(cat "$T/run.err")"
grep 'was not compiled beside' "$T/run.err" && fail "helpers cannot load the binary"
in_run "$program" $eager CLWEAVE_DEVICES=basic
export CW_BOTH=1
bare "$program" || exit
in_run "$program" $chaos CLWEAVE_SEED=4 CLWEAVE_DEVICES=basic:1
in_run "$program" $chaos CLWEAVE_SEED=5
managed 140
unset CW_BOTH
# planted: accesses that are too narrow must be noticed, or the comparison sees nothing
bare "$program" || exit
seen=0
for seed in 1 2 3 4; do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run $chaos CLWEAVE_SEED=$seed CLWEAVE_FAULT=narrow:1 timeout 240 "$program" > "$T/run" 2> "$T/run.err"
    cmp -s "$T/bare" "$T/run" || seen=1
done
[ $seen = 1 ] || fail "accesses narrowed, and the same bytes"
in_run "$program" $chaos CLWEAVE_FOOTPRINT=/nowhere
grep -q 'native: 145 kernel of a binary' "$T/summary" || fail "without footprints: $(cat "$T/summary")"
printf '\12' | dd of="$CW_BINARY" bs=1 seek=16 conv=notrunc 2> /dev/null # version 10
bare "$program" || exit
in_run "$program" $chaos
grep -q 'native: 145 kernel of a binary' "$T/summary" || fail "another version: $(cat "$T/summary")"
done_
