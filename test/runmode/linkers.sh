# Programs that take away what the vendor's compiler needs, or limit files, after their own kernels are compiled. PoCL would end the process: it
# compiles for helpers in another one (clweave-compile), which the program does not touch. Each setting starts with the
# program's own kernels compiled, and nothing for helpers. ALL=1: also with what earlier runs have learnt, and with groups in every case.
# SLOW: ALL=1
# SECONDS: 30
. test/runmode/common.sh
program=$B/test/runmode/linkers
fast="CLWEAVE_DEVICES=basic:2 CLWEAVE_MANAGE_ALL=1" slow=(CLWEAVE_DEVICES=basic:2 CLWEAVE_LEARN=all CLWEAVE_LEARN=all)
mkdir "$T/own"
POCL_CACHE_DIR=$T/own bare "$program" || done_
anew() {
    rm -rf "$T/pocl" "$T/cache"; cp -a "$T/own" "$T/pocl"; mkdir -m 700 "$T/cache"
    export POCL_CACHE_DIR=$T/pocl XDG_CACHE_HOME=$T/cache
}
# one by one: there are helpers, whatever was taken away but the right to start programs (3)
for case in 0 1 2 3 4; do
    printf '#!/bin/sh\nexec "%s" %s\n' "$program" $case > "$T/one"; chmod +x "$T/one"
    anew
    bare "$T/one" || continue
    in_run "$T/one" $fast
    [ $case = 3 ] || [ $(($(count moved) + $(count cut))) -gt 0 ] || fail "helpers did nothing: $(cat "$T/summary")"
    # chains as groups: what their tiles need is compiled before the first one runs
    [ $case = 3 ] || [ -n "${ALL:-}" ] || continue
    for seed in 3 ${ALL:+4}; do
        anew
        in_run "$T/one" CLWEAVE_DEVICES=basic:2 CLWEAVE_POLICY=chaos CLWEAVE_GROUPS=on CLWEAVE_SEED=$seed
    done
done
# limited while parts of launches run whose last work-group needs code of its own: all of a launch's code is there before its first part
printf '#!/bin/sh\nexec "%s" 5\n' "$program" > "$T/one"
for seed in 1 ${ALL:+2}; do
    anew
    bare "$T/one" || continue
    in_run "$T/one" CLWEAVE_DEVICES=basic:2 CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed
    [ "$(count cut)" -gt 0 ] || fail "nothing was cut: $(cat "$T/summary")"
done
for setting in ${ALL:+"${slow[@]}"}; do
    [ "$setting" = "${before:-}" ] || anew # the last is with what the one before has learnt
    before=$setting
    bare "$program" && in_run "$program" $setting
done
done_
