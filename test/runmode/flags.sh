# Nothing that bare goes on beside a kernel which waits for the host waits for it: flags.c on helpers
# that share threads or have a memory of their own, with streams and staged transfers, with every launch managed, from an empty and from a
# full cache; and in mode trace, with contents captured.
# SECONDS: 40
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/flags
bare "$program" || exit
in_run "$program" CLWEAVE_LEARN=all
in_run "$program" CLWEAVE_LEARN=all
in_run "$program" CLWEAVE_FOOTPRINTS=off CLWEAVE_MANAGE_ALL=1
in_run "$program" CLWEAVE_DEVICES=sub:2 CLWEAVE_POLICY=chaos CLWEAVE_SEED=1
in_run "$program" CLWEAVE_DEVICES=far:2 CLWEAVE_POLICY=chaos CLWEAVE_SEED=2 CLWEAVE_MANAGE_ALL=1
managed 20
in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_STAGING=force
"$B/clweave" trace --capture-data -o "$T/flags.json" -- "$program" > "$T/traced" 2> "$T/traced.err" || fail "trace: $(tail -n 3 "$T/traced.err")"
cmp -s "$T/bare" "$T/traced" || fail "trace: other output"
export OPENCL_LAYERS=$(realpath "$B/test/libgpucl.so")
in_run "$program" CLWEAVE_STREAMS=force CLWEAVE_STAGING=force
done_
