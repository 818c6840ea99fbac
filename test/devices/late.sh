# Emulated DSPs that die, hang or become slow at a tile of a launch that others share: the same bytes. A DSP that is late is
# stopped, and its tiles run elsewhere, where the launch reads nothing that it writes ("apart"); in place ("work") it is
# waited for. TILES, AFTER: at which tiles and after how many microseconds.
# SLOW: TILES="1 2 3 4 5 6 7 8 9 10 11 12" AFTER="0 2000 5000 10000 15000 20000 30000"
. test/devices/common.sh
export XDG_CACHE_HOME=$T/xdg; mkdir -p "$XDG_CACHE_HOME"
sharing="CLWEAVE_DSP=4 CLWEAVE_MANAGE_ALL=1 CLWEAVE_SUMMARY=1"
stopped=0
# one KERNEL FAULT : the same bytes, in tiles; only what works apart is stopped
one() {
    local kernel=$1 fault=$2 got
    got=$(under $sharing CLWEAVE_DSP_FAULT=$fault timeout 240 "$B/test/bench/tile_speed" dsp $kernel 4 16384 6 2 2> "$T/err" | grep -o 'hash=.*')
    [ "$got" = "$want" ] || { cat "$T/err"; fail "$kernel with $fault: $got instead of $want"; }
    grep -Eq 'run: .* [1-9][0-9]* cut' "$T/err" || { cat "$T/err"; fail "$kernel with $fault: nothing was cut"; }
    if grep -q 'too late and stopped' "$T/err"; then
        [ $kernel = apart ] || { cat "$T/err"; fail "a DSP was stopped that works in place"; }
        stopped=$((stopped + 1))
    fi
}
for kernel in work apart; do
    want=$(under CLWEAVE_DSP=1 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DEVICES=none "$B/test/bench/tile_speed" dsp $kernel 4 16384 6 2 | grep -o 'hash=.*')
    [ -n "$want" ] || fail "$kernel: no hash on one DSP"
    faults=0:slow@0*1
    for n in ${TILES:-4}; do faults="$faults 1:die@$n 1:hang@$n 1:hang@$n,2:die@$((n + 2))"; done
    for us in ${AFTER:-5000}; do faults="$faults 2:slow@$us*20"; done
    for fault in $faults; do one $kernel $fault; done
done
# on a busy host a DSP may have no fourth tile
for attempt in 1 2 3 4 5 6 7 8; do
    [ $stopped = 0 ] || break
    one apart 1:hang@$((attempt % 3 + 1))
done
[ $stopped -gt 0 ] || too_busy "no DSP was stopped"
