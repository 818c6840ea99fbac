# What run mode remembers between runs: the history and the helpers' binaries, whatever state they are in, change no output.
. test/runmode/common.sh
program=$B/test/apps/chains8 folder=$T/kept
mkdir -m 700 "$folder"
bare "$program" || done_
kept() { in_run "$program" CLWEAVE_BUILDER=wait CLWEAVE_HISTORY="$folder/history.db" "$@"; }
mode() { [ "$(stat -c %a "$1")" = "$2" ] || fail "$1 has mode $(stat -c %a "$1"), not $2"; }

mkdir "$T/cache" # other tests keep theirs where XDG_CACHE_HOME was
in_run "$program" CLWEAVE_HISTORY=off CLWEAVE_MANAGE_ALL=1 XDG_CACHE_HOME="$T/cache"
[ -z "$(ls -A "$folder")" ] && [ ! -e "$T/cache/clweave" ] || fail "CLWEAVE_HISTORY=off left files"

# cold: launches move, helpers build, both are kept
kept CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
[ "$(count moved)" -gt 0 ] || { fail "nothing moved"; cat "$T/summary"; }
mode "$folder/history.db" 600
mode "$folder/kernels" 700
binary=$(ls "$folder"/kernels | head -n 1)
[ -n "$binary" ] || fail "no binary was kept"
mode "$folder/kernels/$binary" 600
before=$(stat -c %y "$folder/kernels/$binary")

# warm: the binary is taken, not built and written again
for policy in heft hscgs dm dmda ws eager random chaos; do
    kept CLWEAVE_POLICY=$policy CLWEAVE_MANAGE_ALL=1
    [ "$(count moved)" -gt 0 ] || { fail "$policy: nothing moved"; cat "$T/summary"; }
done
kept
[ "$(stat -c %y "$folder/kernels/$binary")" = "$before" ] || fail "the binary was written again"

# damaged: said, or silently made anew; never believed
printf 'garbage' | dd of="$folder/kernels/$binary" bs=1 seek=100 conv=notrunc 2> /dev/null
kept CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
[ "$(stat -c %y "$folder/kernels/$binary")" != "$before" ] || fail "the damaged binary was left"
head -c 5000 /dev/urandom > "$folder/history.db"
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY="$folder/history.db" timeout 240 "$program" > "$T/run" 2> "$T/run.err"
cmp -s "$T/bare" "$T/run" || fail "a damaged history changes the output"
grep -q 'performance history.*damaged' "$T/run.err" || fail "nothing said about the damaged history: $(cat "$T/run.err")"
[ -e "$folder/history.db.damaged" ] || fail "the damaged history was not set aside"
kept CLWEAVE_MANAGE_ALL=1

# a policy that no window can wait for: said, and everything passes
for policy in exact nosuch; do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_POLICY=$policy timeout 240 "$program" > "$T/run" 2> "$T/run.err"
    cmp -s "$T/bare" "$T/run" || fail "policy $policy changes the output"
    grep -q "policy.*$policy" "$T/run.err" || fail "nothing said about policy $policy: $(cat "$T/run.err")"
done

# what plans have really gained is said once it is known what home takes: not in a first run
small() { env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_POLICY=dm CLWEAVE_DEVICES=basic CLWEAVE_BUILDER=wait CLWEAVE_HISTORY="$1" "$B/test/bench/run_speed" small-io 2>&1 > /dev/null | grep '^run: ' > "$T/summary"; }
planned() { sed -n 's/^run: .* planned \([0-9]*\) windows.*/\1/p' "$T/summary"; }
judged() { sed -n 's/^run: measured: \([0-9]*\) planned windows took [0-9.]* ms, home would have taken [0-9.]* +- [0-9.]* ms by history; of .*/\1/p' "$T/summary"; }
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_POLICY=ws CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY=off "$program" 2>&1 > /dev/null | grep -q '^run: measured' || fail "nothing is said of the gain of a first run"
for run in 1 2 3 4; do
    small "$folder/gain.db"
    [ "$(judged)0" -gt 500 ] && break
done
[ "$(judged)0" -gt 500 ] && [ "$(judged)" -le "$(planned)" ] || { fail "the gain is not measured"; cat "$T/summary"; }
done_
