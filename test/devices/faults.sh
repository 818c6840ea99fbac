# Emulated DSPs that die, hang or become slow at any launch, as helpers: the program reads the same bytes, and is told
# nothing. As the program's own device: its launches fail, and what it reads is not what it wanted.
. test/devices/common.sh
export XDG_CACHE_HOME=$T/xdg; mkdir -p "$XDG_CACHE_HOME"
moving="CLWEAVE_DSP=2 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DEVICES=dsp CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SUMMARY=1"
for app in chains8 gemm; do
    want=$("$B/test/apps/$app") || fail "$app: bare run failed"
    for fault in 0:die@1,1:die@1 0:die@2,1:die@3 0:hang@2,1:hang@2 0:hang@1,1:die@1 0:slow@0*20,1:slow@100*3; do
        got=$(under $moving CLWEAVE_DSP_FAULT=$fault CLWEAVE_SEED=$((${#fault} + 7)) timeout 240 "$B/test/apps/$app" 2> "$T/err") ||
            { cat "$T/err"; fail "$app with $fault failed: $got"; }
        [ "$got" = "$want" ] || fail "$app with $fault: $got instead of $want"
        grep -Eq 'run: [0-9]+ commands managed.* [1-9][0-9]* moved' "$T/err" || { cat "$T/err"; fail "$app with $fault: nothing moved"; }
        case $fault in
        *die*) grep -q ', dsp[01] died' "$T/err" || { cat "$T/err"; fail "$app with $fault: nobody died"; } ;;
        esac
        case $fault in
        *hang*) grep -q ', dsp[01] hung' "$T/err" || { cat "$T/err"; fail "$app with $fault: nobody hung"; } ;;
        esac
    done
done
# its own device
under CLWEAVE_DSP=1 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_DSP_FAULT=0:die@2 APP_DEVICE=1 timeout 240 "$B/test/apps/jacobi" > "$T/out" 2>&1 &&
    fail "the death of a program's own device has no effect"
[ -s "$T/out" ] || fail "it says nothing"
