# A call on a queue in which run mode has nothing to do takes 250 instructions more than bare at most, on the null driver: in programs of
# other vendors, and where the driver looks like NVIDIA's, once trials of streams are over, with staging and without either. A map is a record
# of staging's: its pair may take more there. Out of order, too. With --devices gpu commands pass until others are worth it: calls that
# wait for them take the lock there, and keep the account, once in ten milliseconds, which a counted call may last; releases always do.
# SECONDS: 15
set -u
[ "$(uname -m)" = x86_64 ] || { echo "instructions are counted on x86-64"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
export OCL_ICD_VENDORS=$B/test/libnullcl.so CLWEAVE_BUILDER=off
"$B/test/bench/call_steps" > "$T/bare" || { echo "this machine lets nothing be traced"; exit 77; }
failures=0
# within MOST MAP VARIABLE=VALUE... : no case takes more than MOST above bare; of maps, MAP
within() {
    local most=$1 map=$2
    shift 2
    env LD_PRELOAD="$B/libclweave.so" CLWEAVE_TOOL=1 "$@" "$B/test/bench/call_steps" > "$T/run" || { echo "FAIL: $*"; failures=1; return; }
    awk -v most="$most" -v map="$map" -v way="$*" 'NR == FNR { bare[$1] = $2; next }
        { seen++; limit = $1 ~ (way ~ /DEVICES=gpu/ ? "^Map|blocking|^Retain|^Wait|^Finish" : "^Map") ? map : most }
        $2 - bare[$1] > limit { printf "FAIL: %s: %s takes %d instructions, bare %d, limit + %d\n", way, $1, $2, bare[$1], limit; bad = 1 }
        END { if (seen != length(bare)) print "FAIL: " way ": " seen " cases"; exit bad || seen != length(bare) }' "$T/bare" "$T/run" || failures=1
}
within 30 30 CLWEAVE_MODE=off
within 250 250 CLWEAVE_MODE=run
gpu=NULLCL_GPU="NVIDIA CUDA"
within 250 250 CLWEAVE_MODE=run "$gpu" CLWEAVE_STAGING=off
within 250 500 CLWEAVE_MODE=run "$gpu" CLWEAVE_STAGING=8
within 250 250 CLWEAVE_MODE=run "$gpu" CLWEAVE_STREAMS=off CLWEAVE_STAGING=off
within 300 3000 CLWEAVE_MODE=run "$gpu" NULLCL_DEVICES=2 CLWEAVE_DEVICES=gpu
within 250 3000 CLWEAVE_MODE=run "$gpu" NULLCL_DEVICES=2 CLWEAVE_DEVICES=gpu CLWEAVE_STREAMS=off CLWEAVE_STAGING=off
exit $failures
