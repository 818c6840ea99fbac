# DSPs that an earlier run has seen to be slow, as others used the machine, are asked again in the next one, and have their parts of
# its launches when they are not slow any more. Whoever believes what is kept cuts nothing.
. test/devices/common.sh
export XDG_CACHE_HOME=$T/xdg; mkdir -p "$XDG_CACHE_HOME"
[ -x "$B/clweave-footprint" ] || { echo "kernels without models are not shared (clweave-footprint)"; exit 77; }
want=$(under CLWEAVE_DSP=1 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DEVICES=none "$B/test/bench/tile_speed" dsp apart 4 16384 6 4 | grep -o 'hash=.*')
for fault in 1:slow@0*20,2:slow@0*20,3:slow@0*20 0:slow@0*1; do
    got=$(under CLWEAVE_DSP=4 CLWEAVE_MANAGE_ALL=1 CLWEAVE_SUMMARY=1 CLWEAVE_DSP_FAULT=$fault timeout 240 "$B/test/bench/tile_speed" dsp apart 4 16384 6 4 2> "$T/err" | grep -o 'hash=.*')
    [ "$got" = "$want" ] || { cat "$T/err"; fail "$fault: $got instead of $want"; }
    grep -Eq 'run: .* [1-9][0-9]* cut' "$T/err" || { cat "$T/err"; fail "$fault: nothing was cut"; }
done
