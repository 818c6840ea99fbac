# Emulated DSPs: what the program sees of them, programs on them, and the times of table 1.
# COMPILER: shared
. test/devices/common.sh

# table 1, on both clocks
for clock in virtual real; do
    under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=$clock CLWEAVE_SUMMARY=1 "$B/test/devices/table1" $clock 2> "$T/log" || { cat "$T/log"; fail "$clock clock: not the times of table 1"; }
    grep -q "run: 4 DSPs, $clock clock: [0-9]* commands modelled, .* 4 programs built (564 us" "$T/log" || { cat "$T/log"; fail "$clock clock: no report"; }
done
under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_SUMMARY=1 "$B/test/devices/table1" virtual 2>&1 > /dev/null | grep -q ' 0 overran' || fail "virtual clock: something overran"


# the virtual clock: the CPU takes what the platform says, one command after the other; less with a DSP beside it that is as fast
echo '{"format": "clweave-platform", "version": 1, "devices": [{"class": "cpu", "kernels": [{"name": "multiply", "ns_per_item": 156250}]},
 {"class": "dsp", "transfers": {"bytes_per_ns": 4}, "ns_per_item": 156250}]}' > "$T/host.json"
# waits POLICY : puts the virtual time of 64 launches of 10 ms into `waited`
waits() {
    under CLWEAVE_DSP=1 CLWEAVE_DEVICES=dsp CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DSP_PLATFORM="$T/host.json" CLWEAVE_MANAGE_ALL=1 \
        CLWEAVE_POLICY=$1 CLWEAVE_SUMMARY=1 "$B/test/apps/gemm" 32 16 > "$T/out" 2>&1 || { cat "$T/out"; fail "$1 on the virtual clock"; }
    waited=$(sed -n 's/.*the program waited \([0-9]*\) us.*/\1/p' "$T/out")
    [ "${waited:-0}" -ge $2 ] && [ "$waited" -lt 641000 ] || { cat "$T/out"; fail "$1 on the virtual clock: ${waited:-nothing} us"; }
}
waits cpu-only 640000
# a window that holds one launch leaves nothing to share: on a busy host the first runs may have only such windows
for i in 1 2 3 4 5 6 7 8; do
    waits dm 320000
    [ "$waited" -ge 635000 ] || break
done
[ "$waited" -lt 635000 ] || too_busy "dm on the virtual clock: the DSP has no launch in eight runs"
under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_PRELOAD_POSTSTORE=1 "$B/test/devices/table1" virtual preload > "$T/out" 2>&1 || { cat "$T/out"; fail "preload_poststore: not the modelled times"; }
under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_SUMMARY=1 "$B/test/devices/table1" virtual 2>&1 > /dev/null | grep -Eq ' [1-9][0-9]* us behind each other at the DDR' || fail "contention is not reported"

# by operations: table 1 too, and what counts of operations say (models are made by clweave-footprint)
if [ -x "$B/clweave-footprint" ]; then
    # not with everything managed: idle DSPs would share its launches
    under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DSP_PLATFORM=hxdsp-operations "$B/test/devices/table1" virtual > "$T/out" 2>&1 || { cat "$T/out"; fail "by operations: not the times of table 1"; }
    for all in 0 1; do
        under CLWEAVE_DSP=1 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DSP_PLATFORM=hxdsp-operations CLWEAVE_MANAGE_ALL=$all "$B/test/devices/operations" > "$T/out" 2>&1 || { cat "$T/out"; fail "times are not those of operations"; }
    done
fi

# cpu-only says who may have parts of launches, too: five runs, as what is known of the launches decides what is cut (nothing is
# where LLVM is missing)
echo '{"format": "clweave-platform", "version": 1, "devices": [{"class": "dsp", "count": 4, "launch_ns": 20000, "memory": "ddr",
 "transfers": {"bytes_per_ns": 4}, "ns_per_item": 4096}]}' > "$T/four.json"
for i in 1 2 3 4 5; do
    under XDG_CACHE_HOME="$T/only" POCL_MAX_PTHREAD_COUNT=1 CLWEAVE_DSP=4 CLWEAVE_DEVICES=dsp CLWEAVE_DSP_PLATFORM="$T/four.json" CLWEAVE_MANAGE_ALL=1 \
        CLWEAVE_POLICY=cpu-only CLWEAVE_SUMMARY=1 "$B/test/apps/pi" 65536 16 > "$T/out" 2>&1 || { cat "$T/out"; fail "pi under cpu-only"; }
    grep -q 'clock: 0 commands modelled' "$T/out" || { cat "$T/out"; fail "cpu-only: DSPs had parts of launches in run $i"; }
done

# a platform file of the user's: everything twice as slow
cat > "$T/slow.json" <<END
{"format": "clweave-platform", "version": 1, "devices": [
  {"class": "cpu", "transfers": {"table": [[8000, 72000], [16000, 162000], [24000, 204000], [32000, 258000]]}},
  {"class": "dsp", "launch_ns": 448000, "ns_per_item": 540}]}
END
! under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DSP_PLATFORM="$T/slow.json" "$B/test/devices/table1" virtual > "$T/out" 2>&1 || fail "the platform file is not used"
grep -q '258.0 us, table     129.0' "$T/out" && grep -q '4320.0 us, table    2160.0' "$T/out" || { cat "$T/out"; fail "the platform file's times are not the modelled ones"; }
# a host that cannot keep up says so
printf '{"format": "clweave-platform", "version": 1, "devices": [{"class": "dsp", "ns_per_item": 0.001, "transfers": {"bytes_per_ns": 1e6}}]}' > "$T/fast.json"
under CLWEAVE_DSP=4 CLWEAVE_DSP_PLATFORM="$T/fast.json" "$B/test/devices/table1" real 2>&1 > /dev/null |
    grep -q '[1-9][0-9]* overran (worst [0-9]*[1-9][0-9.]* x)' || fail "overruns are not reported"

# wrong settings: said once, passed through
for bad in CLWEAVE_DSP=-1 CLWEAVE_DSP=1000 "CLWEAVE_DSP=1 CLWEAVE_DSP_PLATFORM=/nowhere/x.json" "CLWEAVE_DSP=1 CLWEAVE_DSP_CLOCK=none" CLWEAVE_DEVICES=cuda CLWEAVE_DEVICES=basic:0 "CLWEAVE_DSP=1 CLWEAVE_DSP_FAULT=1:die@1" "CLWEAVE_DSP=1 CLWEAVE_DSP_FAULT=x"; do
    under $bad "$B/test/devices/table1" virtual > "$T/out" 2>&1 && fail "$bad: there are DSPs"
    [ "$(grep -c 'clweave.*error:.*passing every call through' "$T/out")" = 1 ] || { cat "$T/out"; fail "$bad: not said once"; }
done
for bad in --dsp=-1 --dsp=65 --dsp=x --devices=cuda --devices=sub,sub --devices=basic:0; do
    "$B/clweave" run $bad -- true > "$T/out" 2>&1 && fail "clweave run $bad is accepted"
    [ $? = 0 ] || true
    grep -q "clweave" "$T/out" || fail "clweave run $bad: no message"
done

# a sample program on the CPU beside the DSPs and on two of them: the bytes of a bare run (dsp_apps.slow.sh: more programs)
want=$("$B/test/apps/jacobi") || fail "jacobi: bare run failed"
for device in 0 1 4; do
    got=$(under CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual APP_DEVICE=$device "$B/test/apps/jacobi") || fail "jacobi on device $device failed: $got"
    [ "$got" = "$want" ] || fail "jacobi on device $device: $got instead of $want"
done
got=$(under CLWEAVE_DSP=2 APP_DEVICE=2 "$B/test/apps/reduction") || fail "reduction on the real clock failed"

if command -v clinfo > /dev/null; then
    "$B/clweave" run --dsp 4 -- clinfo -l > "$T/list"
    clinfo -l | sed 's/^ `--/ +--/' > "$T/want"
    for i in 1 2 3; do echo " +-- Device #$i: HXDSP1042 (emulated)"; done >> "$T/want"
    echo ' `-- Device #4: HXDSP1042 (emulated)' >> "$T/want"
    diff "$T/want" "$T/list" || fail "clinfo -l does not list the CPU first and four DSPs"
    under CLWEAVE_DSP=1 clinfo > "$T/info" 2>&1
    sed -n '/HXDSP1042/,/NULL platform behavior/p' "$T/info" > "$T/dsp"
    for line in 'Device Type  *Accelerator' 'Max compute units  *2$' 'Max clock frequency  *500MHz' 'Local memory type  *Local' \
        'Local memory size  *6291456' 'Unified memory for Host and Device  *Yes' 'Global Memory cache type  *None' \
        'Supported partition types  *None' 'int  *4 / 4'; do
        grep -q "$line" "$T/dsp" || { cat "$T/dsp"; fail "clinfo does not say '$line' of the DSP"; }
    done
    # the CPU beside it is what it is without
    cpu() { grep -vE 'lobal memory size|memory alloc' | sed -n '/Device Name.*\(pthread\|cpu\)/,$p' | sed '/HXDSP1042/,$d; /^NULL platform/,$d; /^$/d'; }
    cpu < "$T/info" > "$T/cpu"
    clinfo | cpu | diff - "$T/cpu" > "$T/diff" || { head "$T/diff"; fail "the CPU looks different beside a DSP"; }
    [ "$(wc -l < "$T/cpu")" -gt 50 ] || fail "clinfo says little about the CPU"
fi
