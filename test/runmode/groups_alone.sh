# Chains that come to nothing beside launches that do not depend on them: while one is planned, and waits for its kernels, somebody
# else may use the lane that it was to begin on. (Once both did at the same time, and a launch had the other's arguments: 8 of 175
# such runs had other bytes.)
# SLOW: ROUNDS=20
# COMPILER: shared
# SECONDS: 10
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
program=("$B/test/apps/stencil/planes" 1024 1024 16 1 0 0)
"${program[@]}" > "$T/bare" 2> "$T/bare.err" || fail "$(cat "$T/bare.err")"
nothing=0
: "${ROUNDS:=3}"
for round in $(seq "$ROUNDS"); do
    rm -rf "$T/kept"; mkdir -m 700 "$T/kept"
    for n in 1 2 3; do # the first learns what plain order takes
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_GROUPS=auto CLWEAVE_GROUP_TILE=64:1024 CLWEAVE_DEVICES=cpu,basic:2 \
            CLWEAVE_HISTORY="$T/kept/history.db" timeout 240 "${program[@]}" > "$T/run" 2> "$T/run.err" ||
            fail "run $round.$n: $(tail -n 3 "$T/run.err")"
        cmp -s "$T/bare" "$T/run" || { fail "run $round.$n: other output"; cat "$T/run.err"; }
        for plain in $(sed -n 's/^run: groups: plain: \([0-9]*\) .*/\1/p' "$T/run.err"); do nothing=$((nothing + plain)); done
        compared=$((compared + 1))
    done
done
echo "$nothing chains came to nothing"
[ $nothing -ge $((ROUNDS / 2)) ] || fail "few chains prove nothing"
done_
