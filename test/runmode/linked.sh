# Programs that are compiled apart and linked are managed, reordered and run in tiles like others; where their parts are not one
# source they stay native. The same bytes always (linked.c knows them), and nothing said.
# COMPILER: shared
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
chaos="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY=off"
for which in one two odd; do
    printf '#!/bin/sh\nexec %s %s\n' "$B/test/runmode/linked" $which > "$T/$which"; chmod 755 "$T/$which"
    bare "$T/$which" || exit
    seeds=1; [ $which = two ] && seeds='1 2'
    for seed in $seeds; do
        in_run "$T/$which" $chaos CLWEAVE_SEED=$seed
        [ $which = odd ] && { [ "$(count reordered)" = 0 ] || fail "odd: $(count reordered) reordered"; continue; }
        [ "$(count reordered)" -ge 5 ] || fail "$which: only $(count reordered) reordered"
        [ "$(count cut)" -ge 3 ] || fail "$which: only $(count cut) cut into tiles"
    done
done
# without models a linked program of several parts is not known to be one source
in_run "$T/odd" $chaos CLWEAVE_FOOTPRINT=/nowhere
bare "$B/test/runmode/linked" || exit
in_run "$B/test/runmode/linked" $chaos CLWEAVE_FOOTPRINT=/nowhere CLWEAVE_DEVICES=basic
in_run "$B/test/runmode/linked"
done_
