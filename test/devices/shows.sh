# Helpers do not show: every answer about devices, contexts, programs and kernels is the bare one, whichever helpers
# are chosen; nor do they in the environment, of the process or its children.
# COMPILER: shared
. test/devices/common.sh
# PoCL derives the size of global memory from what is free at that moment
still() { sed -E '/^10(1f|10) /d; /(lobal memory size|GLOBAL_MEM_SIZE|Max memory allocation|MAX_MEM_ALLOC_SIZE)/d'; }

"$B/test/devices/shows" | still > "$T/bare" || fail "bare: the program failed"
"$B/test/devices/shows" | still | cmp - "$T/bare" || { echo "bare: two runs differ"; exit 1; }
[ "$(grep -c 'error 0,' "$T/bare")" -gt 200 ] || fail "bare: little is shown"
for devices in "" none basic:1 basic:7 sub sub:2,basic; do
    under CLWEAVE_DEVICES=$devices "$B/test/devices/shows" | still > "$T/run"
    diff "$T/bare" "$T/run" > "$T/diff" || { head -5 "$T/diff"; fail "CLWEAVE_DEVICES=$devices shows"; }
done
# by the layer door alone, and with both
env OPENCL_LAYERS="$shim" CLWEAVE_MODE=run "$B/test/devices/shows" | still | diff - "$T/bare" > "$T/diff" || { head -5 "$T/diff"; fail "layer: helpers show"; }
under OPENCL_LAYERS="$shim" "$B/test/devices/shows" | still | diff - "$T/bare" > "$T/diff" || { head -5 "$T/diff"; fail "both doors: helpers show"; }

# the helpers are there: what has not been hidden is not hidden by their absence
under CLWEAVE_LOG=debug CLWEAVE_DEVICES=basic:3 "$B/test/devices/shows" 2> "$T/log" > /dev/null
grep -q 'PoCL: 1 own devices, 3 hidden, 0 DSPs' "$T/log" || { cat "$T/log"; fail "there are no helpers"; }

# 72 processors make 63 equal parts of one processor each, and some more than there may be: then of two
under POCL_MAX_PTHREAD_COUNT=72 CLWEAVE_DEVICES=sub:63 CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SUMMARY=1 \
    "$B/test/apps/nbody" 8 64 4 2> "$T/log" > /dev/null
! grep -q 'cannot be divided' "$T/log" && grep -q ' [1-9][0-9]* moved' "$T/log" || { cat "$T/log"; fail "sub-devices of 72 processors do not help"; }

# clinfo, byte for byte, where it is installed
if command -v clinfo > /dev/null; then
    for form in --human --raw; do
        under clinfo $form 2>&1 | still | cmp - <(clinfo $form 2>&1 | still) || fail "clinfo $form differs"
    done
fi

# children: bare ones see the bare devices, those under clweave too; POCL_DEVICES never shows in a child's environment
under "$B/test/devices/shows" "env -u LD_PRELOAD -u OPENCL_LAYERS -u CLWEAVE_MODE '$B/test/devices/shows'; env" | still > "$T/children"
n=$(wc -l < "$T/bare")
sed -n "$((n + 1)),$((2 * n))p" "$T/children" | cmp - "$T/bare" || fail "a child without clweave sees helpers"
! sed -n "$((2 * n + 1)),\$p" "$T/children" | grep -q '^POCL_DEVICES' || fail "POCL_DEVICES leaks to children"
under "$B/test/devices/shows" "'$B/test/devices/shows'" | still > "$T/children"
sed -n "$((n + 1)),\$p" "$T/children" | cmp - "$T/bare" || fail "a child under clweave sees helpers"
under sh -c "'$B/test/devices/shows'" | still | cmp - "$T/bare" || fail "a grandchild sees helpers"
under sh -c "env -u LD_PRELOAD -u OPENCL_LAYERS '$B/test/devices/shows'" | still | cmp - "$T/bare" || fail "a bare grandchild sees helpers"
# started in the moment when the variable was shown: the value is known for ours
under POCL_DEVICES="basic basic pthread  " "$B/test/devices/shows" | still | cmp - "$T/bare" || fail "our own value is taken for the user's"

# the user's POCL_DEVICES holds, and is said to
export POCL_DEVICES="basic pthread"
"$B/test/devices/shows" | still > "$T/bare.users"
under CLWEAVE_LOG=info "$B/test/devices/shows" 2> "$T/log" | still | cmp - "$T/bare.users" || fail "POCL_DEVICES of the user does not hold"
grep -q 'POCL_DEVICES is set' "$T/log" || fail "the user is not told that POCL_DEVICES holds"
under CLWEAVE_DSP=2 "$B/test/devices/shows" 2> "$T/log" | still | cmp - "$T/bare.users" || fail "POCL_DEVICES of the user does not hold against --dsp"
grep -q 'error: no emulated DSPs: POCL_DEVICES is set' "$T/log" || fail "the user is not told why there is no DSP"
