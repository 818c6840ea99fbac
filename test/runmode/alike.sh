# All keys of caches are the same (CLWEAVE_FAULT=alike:1): what another program has left is neither taken nor loaded, so results stay
# right and everything is made anew; and two programs of which source and options together are one text.
# COMPILER: shared
# SECONDS: 10
. test/runmode/common.sh
program=$B/test/runmode/alike cache=$T/cache
mkdir -m 700 "$cache"
printf '#!/bin/sh\nexec "%s" sources\n' "$program" > "$T/sources"
chmod +x "$T/sources"
answered() { sed -n 's/^run: \([0-9]*\) builds answered.*/\1/p' "$T/summary"; }
alike() { in_run "$1" CLWEAVE_HISTORY="$cache/history.db" CLWEAVE_LEARN=all CLWEAVE_BUILDER=wait CLWEAVE_FAULT=alike:1 "${@:2}"; }

# what was kept in one run meets the next one's questions
bare "$program" || done_
for seed in 1 2; do
    alike "$program" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=$seed CLWEAVE_DEVICES=basic:1
    managed 1
    [ "$(count moved)" -gt 0 ] || fail "nothing moved: $(cat "$T/summary")"
done
grep -q '^run: fault alike:1 planted$' "$T/summary" || fail "the keys were not the same: $(cat "$T/summary")"
bare "$T/sources"
for i in 1 2 3 4 5; do
    alike "$T/sources" CLWEAVE_DEVICES=none
    [ -z "$(answered)" ] || fail "run $i: $(answered) builds answered, though another one's was kept in between"
done
alike "$T/sources"
for folder in footprints builds kernels compiled programs; do
    [ "$(find "$cache/$folder" -type f | wc -l)" = 1 ] || fail "$folder: $(ls "$cache/$folder"), one key expected"
done

# with keys of their own: both builds are answered
rm -r "$cache/builds"
for i in 1 2 3 4; do in_run "$T/sources" CLWEAVE_HISTORY="$cache/history.db" CLWEAVE_LEARN=all CLWEAVE_BUILDER=wait CLWEAVE_DEVICES=none; done
[ "$(answered)" = 2 ] || fail "'$(answered)' builds answered, 2 expected"
done_
