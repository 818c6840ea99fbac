# Programs that take away what the vendor's compiler needs, after their own kernels are compiled: nothing is compiled for helpers
# then, as PoCL would end the process. Each setting starts with nothing compiled. ALL=1 (linkers.slow.sh): also with
# what earlier runs have learnt.
. test/runmode/common.sh
program=$B/test/runmode/linkers
fast=("CLWEAVE_DEVICES=basic:2 CLWEAVE_MANAGE_ALL=1") slow=(CLWEAVE_DEVICES=basic:2 CLWEAVE_LEARN=all CLWEAVE_LEARN=all)
for setting in "${fast[@]}" ${ALL:+"${slow[@]}"}; do
    [ "$setting" = "${before:-}" ] || rm -rf "$T/pocl" "$T/cache"
    before=$setting
    mkdir -p "$T/pocl"; mkdir -p -m 700 "$T/cache"
    export POCL_CACHE_DIR=$T/pocl XDG_CACHE_HOME=$T/cache
    bare "$program" || continue
    in_run "$program" $setting
done
# the same with nothing taken away: there are helpers, which must be compiled for
printf '#!/bin/sh\nexec "%s" 4\n' "$program" > "$T/nothing"; chmod +x "$T/nothing"
rm -rf "$T/pocl" "$T/cache"; mkdir -p "$T/pocl"; mkdir -m 700 "$T/cache"
bare "$T/nothing" && in_run "$T/nothing" ${fast[0]}
[ $(($(count moved) + $(count cut))) -gt 0 ] || fail "helpers did nothing: $(cat "$T/summary")"
done_
