# Two devices of one context (--set streams=force, on PoCL): buffers that one has written and the other uses next are moved by run mode,
# by way of pinned memory; a program prints what it prints bare. Below libgpucl.so a buffer that is migrated without its contents has
# other bytes. Planted fault: bytes that leave a device too soon.
# SLOW: SEEDS=200
. test/runmode/common.sh
program=$B/test/runmode/exchange
layer=$(realpath "$B")/test/libgpucl.so

# moved LEAST : at least so many buffers were moved in the latest run
moved() {
    local n
    n=$(sed -n 's/^run: streams: \([0-9]*\) buffers moved from one device.*/\1/p' "$T/summary")
    [ "${n:-0}" -ge "$1" ] || fail "only ${n:-no} buffers moved: $(cat "$T/summary")"
}

for devices in "pthread pthread" "basic basic"; do
    export POCL_DEVICES=$devices
    for seed in $(seq "${SEEDS:-2}"); do
        export EXCHANGE=$seed
        bare "$program" || continue
        in_run "$program" CLWEAVE_STREAMS=force
        moved 20
        in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed"
        # enqueueing on `basic` devices hangs where a command waits for a user event, as staged ones do
        in_run "$program" OPENCL_LAYERS="$layer" CLWEAVE_STREAMS=force CLWEAVE_STAGING="$([ "$devices" = "basic basic" ] && echo off || echo force)" CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed"
        moved 20
    done
done
in_run "$program" CLWEAVE_STREAMS=off
grep -q ' buffers moved' "$T/summary" && fail "moved with --set streams=off"
export POCL_DEVICES="pthread pthread" EXCHANGE="1 200 2048"
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_FAULT=loose:1 timeout 240 "$program" > "$T/run" 2> "$T/run.err"
bare "$program" && cmp -s "$T/bare" "$T/run" && fail "loose was not noticed"
done_
