# Transfers through pinned memory (--set staging=force, on PoCL's CPU taken for a device with a memory of its own): all programs read
# the same as bare; with a fault planted one does not; without pinned memory nothing changes.
# SLOW: ALL=1
# SECONDS: 20
. test/runmode/common.sh
export CLWEAVE_DEVICES=none CLWEAVE_STAGING=force

# staged LEAST : at least so many transfers went through pinned memory in the latest run
staged() {
    awk -v least="$1" '/through pinned memory/ { n += $2 + $10 } END { exit n < least }' "$T/summary" ||
        fail "fewer than $1 staged transfers: $(cat "$T/summary")"
}

for program in staged staged_images; do
    bare "$B/test/runmode/$program" && in_run "$B/test/runmode/$program" && staged 100
    each=$([ $program = staged ] || echo each)
    for fault in uncopied:4 ${ALL:+uncopied:40} uncopied:100 short:3 ${ALL:+short:30} open:1 ${ALL:+open:5}; do
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_FAULT=$fault timeout 240 "$B/test/runmode/$program" $each > "$T/run" 2> "$T/run.err" &&
            fail "$program: fault $fault is not noticed"
        grep -q "^run: fault $fault planted" "$T/run.err" || fail "$program: fault $fault: $(cat "$T/run.err")"
    done
done
bare "$B/test/runmode/staged"
in_run "$B/test/runmode/staged" CLWEAVE_FAULT=unpinned:1
! grep -q 'through pinned' "$T/summary" || fail "pinned memory that there is none of was used"

# buffers with CL_MEM_ALLOC_HOST_PTR, until they are mapped: one more read is of what the map has written elsewhere
"$B/test/runmode/staged" pinned > "$T/bare" || fail "pinned: $(cat "$T/bare")"
for streams in off force; do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_STREAMS=$streams timeout 240 "$B/test/runmode/staged" pinned > "$T/run" 2> "$T/run.err" ||
        fail "pinned: $(cat "$T/run" "$T/run.err")"
    cmp "$T/bare" "$T/run" || fail "pinned: other bytes"
    grep -q '^run: 10 writes .* 11 reads .* through pinned' "$T/run.err" || fail "pinned, streams $streams: $(cat "$T/run.err")"
    compared=$((compared + 1))
done

# a context that the program holds by a queue alone
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 timeout 240 "$B/test/runmode/staged" held > "$T/run" 2> "$T/run.err" || fail "held: $(cat "$T/run" "$T/run.err")"
grep -q '^run: 7 writes .* 7 reads .* through pinned' "$T/run.err" || fail "held: $(cat "$T/run.err")"

timeout 240 env LD_PRELOAD="$shim" CLWEAVE_MODE=run "$B/test/runmode/staged" exit > "$T/run" 2>&1 || fail "end with transfers under way: $(cat "$T/run")"
timeout 240 env LD_PRELOAD="$shim" CLWEAVE_MODE=run "$B/test/runmode/staged" last > "$T/run" 2>&1 || fail "end before transfers: $(cat "$T/run")"
grep -q '^the same bytes' "$T/run" || fail "end before transfers: $(cat "$T/run")"
for text in 0 65 many -1; do
    CLWEAVE_STAGING=$text CLWEAVE_MODE=run LD_PRELOAD="$shim" timeout 240 "$B/test/apps/pi" 2>&1 | grep -q "CLWEAVE_STAGING is $text:" ||
        fail "--set staging=$text passes"
done

# The null driver as a GPU, without --set staging=force: pinned memory comes when it would have paid, or cannot be had.
# large VARIABLE=VALUE... : as on the null driver bare
large() {
    env NULLCL_GPU="NVIDIA CUDA" OCL_ICD_VENDORS="$B/test/libnullcl.so" LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 "$@" \
        timeout 240 "$B/test/runmode/$program" large > "$T/run" 2> "$T/run.err" || fail "large $*: $(cat "$T/run" "$T/run.err")"
    grep '^run: ' "$T/run.err" > "$T/summary"
}
for program in staged_images staged; do
    large CLWEAVE_STAGING=4
    staged 1
    grep -qE '^clweave: staging( [0-9.]+x|, gain not measured yet) \([0-9.]+ MB to and from the device' "$T/run.err" || fail "the last line: $(cat "$T/run.err")"
done
large CLWEAVE_STAGING=4 NULLCL_UNPINNED=1
! grep -q 'through pinned' "$T/summary" || fail "memory that cannot be pinned was used"
large CLWEAVE_STAGING=off
! grep -q 'through pinned' "$T/summary" || fail "--set staging=off stages"

# PoCL as a GPU, which waits for events as the null driver does not: the pool comes at once where one transfer pays for it
env OPENCL_LAYERS="$(realpath "$B")/test/libgpucl.so" GPUCL_ALONE=1 POCL_DEVICES=pthread LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 \
    CLWEAVE_STAGING=1 timeout 240 "$B/test/runmode/staged" first > "$T/run" 2> "$T/run.err" || fail "first: $(cat "$T/run" "$T/run.err")"
grep -q '^run: 1 writes .* through pinned' "$T/run.err" || fail "the first write was not staged: $(cat "$T/run.err")"
compared=$((compared + 1))

# The other programs; with ALL=1 all but `counts`: a queue's count of references includes its last command's, which PoCL keeps or
# not by the way that the command was waited for.
few=' disjoint manybufs threads userevents_maps callbacks natives order '
for program in "$B"/test/apps/* "$B"/test/runmode/*; do
    name=$(basename "$program")
    case $name in
    staged | staged_images | counts | *.*) continue ;;
    esac
    [ -n "${ALL:-}" ] || [[ $few = *" $name "* ]] || continue
    { [ -f "$program" ] && [ -x "$program" ] && mine; } || continue
    bare "$program" && in_run "$program"
done
done_
