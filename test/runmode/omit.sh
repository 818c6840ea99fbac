# An instruction of run mode's own that is left out (core/instruction.h; copies in the host's memory, too) shows, whichever path makes it:
# whole launches, tiles on the host's devices, groups, memories of devices' own, merged tiles, GPUs. Not each one does: a copy may bring
# bytes that the kernel does not read after all, and by lot some bring bytes that nothing needs.
# SECONDS: 30
# COMPILER: shared
. test/runmode/common.sh

# left_out PATH PROGRAM VARIABLE=VALUE... : of the first instructions several show
left_out() {
    local path=$1 program=$B/test/apps/$2 shown=0 n
    shift 2
    known "$program" || return
    for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_MANAGE_ALL=1 CLWEAVE_FAULT=omit:$n "$@" timeout 240 "$program" > "$T/run" 2> "$T/run.err"
        grep -q "^run: fault omit:$n planted" "$T/run.err" || fail "$path: omit:$n was not planted: $(grep fault "$T/run.err")"
        compared=$((compared + 1))
        cmp -s "$T/bare" "$T/run" || shown=$((shown + 1))
        [ $shown -lt 3 ] || return
    done
    fail "$path: of 12 instructions that were left out $shown showed"
}

chaos="CLWEAVE_POLICY=chaos CLWEAVE_SEED=2"
left_out whole chains8 CLWEAVE_DEVICES=none
left_out tiles tiles CLWEAVE_DEVICES=cpu,basic:2 $chaos
left_out groups jacobi CLWEAVE_DEVICES=none CLWEAVE_GROUPS=on
left_out memories chains8 CLWEAVE_DEVICES=far:2 $chaos
left_out merges integers CLWEAVE_DEVICES=far:2 $chaos
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1 POCL_DEVICES="pthread pthread pthread"
left_out gpus jacobi CLWEAVE_DEVICES=gpu $chaos
done_
