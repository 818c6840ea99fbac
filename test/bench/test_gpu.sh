#!/bin/bash
# test_gpu.sh - gpu.sh and gpus.sh on PoCL in a GPU's place; with programs that hang under run, or read other bytes there.
# SECONDS: 15
set -u
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
icd=$(cat "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/pocl.icd" 2> /dev/null) || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
export ICD=$icd DEVICE=Portable STREAMS=force STAGING=force ROUNDS=1 GPU_SPEED_MIB=1 GPU_SPEED_STEPS=100 STAGING_SPEED_MIB=2 TMPDIR=$T

# said STATUS OWN B LINE... : gpu.sh ends so, and prints a line for each of LINE (regular expressions)
said() {
    local wanted=$1 own=$2 line status; shift 2
    B=$1 OWN=$own LIMIT=${LIMIT:-60} bash test/bench/gpu.sh > "$T/out" 2>&1
    status=$?; shift
    [ $status = "$wanted" ] || fail "exit status $status, not $wanted: $(cat "$T/out")"
    for line; do
        grep -qE "$line" "$T/out" || fail "no line '$line': $(cat "$T/out")"
    done
}

echo "pi -- $(realpath "$B")/test/apps/pi" > "$T/list"
PROGRAMS=$T/list said 0 '^chains8$' "$B" '^device ' '^small8 .* ms +[0-9]' '^events .* ms ' '^2 MiB write .* GB/s' '^2 MiB takes ' \
    '^run: streams: .* [1-9][0-9]* beside the first stream' '^run: .* writes .* through pinned memory' '^2 runs of own programs compared with bare' \
    '^1 programs, 0 failures' '^  pi +bare ' 'run +[0-9.]+ ms'
DEVICE=none said 77 - "$B" "^no device of 'none'"

RUNS=1 OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1 POCL_DEVICES="pthread pthread" bash test/bench/gpus.sh pi:1024:2 > "$T/gpus" 2>&1 ||
    fail "gpus.sh: $(cat "$T/gpus")"
grep -qE '^pi +1024 +[0-9.]+ +[0-9.]+ +[0-9.]+ ' "$T/gpus" || fail "gpus.sh: $(cat "$T/gpus")"

# a build whose `run` hangs in its second case, or reads something else
mkdir -p "$T/b/test/bench"
for program in gpu_speed staging_speed; do
    printf '#!/bin/sh\necho device d\necho "first  1.0 ms hash=0123456789abcdef"; [ -z "$HANG" ] || sleep 30; echo "second 1.0 ms hash=0123456789abcdef"\n' > "$T/b/test/bench/$program"
done
printf '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; [ -n "$OTHER" ] || exec env HANG=1 "$@"; "$@" | sed "s/0123/0124/"\n' > "$T/b/clweave"
chmod +x "$T/b/test/bench"/* "$T/b/clweave"
export OTHER=
ROUNDS=3 LIMIT=1 said 1 - "$T/b" '^gpu_speed.run: not over after 1 s' '^first .*1 of 3 rounds' '^second +no round has both'
[ "$(grep -c 'not over' "$T/out")" = 2 ] || fail "a program that hangs is run again: $(cat "$T/out")"
OTHER=1 said 1 - "$T/b" '^gpu_speed: run 1 read other bytes than the first run, in first'
[ $failures = 0 ]
