# A program that closes all descriptors while its kernels are compiled for helpers is as well as bare. Each run starts with nothing
# compiled. ALL=1: more often, and without asking for helpers.
# SLOW: ALL=1
# SECONDS: 30
. test/runmode/common.sh
program=$B/test/runmode/closes moved=0
settings=(CLWEAVE_LEARN=all "CLWEAVE_DEVICES=basic:2 CLWEAVE_MANAGE_ALL=1")
if [ -n "${ALL:-}" ]; then
    printf '#!/bin/sh\nexec "%s" 250\n' "$program" > "$T/long"; chmod +x "$T/long"
    program=$T/long settings+=("${settings[@]}" "${settings[@]}" CLWEAVE_LEARN=all CLWEAVE_LEARN=all CLWEAVE_LEARN=all CLWEAVE_LEARN=auto CLWEAVE_LEARN=auto CLWEAVE_LEARN=auto)
fi
bare "$program" || done_
for setting in "${settings[@]}"; do
    rm -rf "$T/pocl" "$T/cache"; mkdir -p "$T/pocl"; mkdir -m 700 "$T/cache"
    export POCL_CACHE_DIR=$T/pocl XDG_CACHE_HOME=$T/cache
    in_run "$program" $setting
    moved=$((moved + $(count moved) + $(count cut)))
done
for how in "always CLWEAVE_LEARN=all" "full CLWEAVE_DEVICES=basic:2 CLWEAVE_MANAGE_ALL=1"; do
    setting=${how#* } how=${how%% *}
    printf '#!/bin/sh\nexec "%s" 60 %s < /dev/null\n' "$B/test/runmode/closes" $how > "$T/$how"; chmod +x "$T/$how"
    bare "$T/$how" || continue
    rm -rf "$T/pocl" "$T/cache"; mkdir -p "$T/pocl"; mkdir -m 700 "$T/cache"
    in_run "$T/$how" $setting
    moved=$((moved + $(count moved) + $(count cut)))
done
[ "$moved" -gt 0 ] || fail "helpers did nothing"
done_
