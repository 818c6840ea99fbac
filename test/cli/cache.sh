# clweave cache: what it lists, shows and clears, and that it removes nothing else.
. "$(dirname "$0")/common.sh"
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
export XDG_CACHE_HOME=$T/cache
unset CLWEAVE_HISTORY
mkdir "$T/cache"

expect cache_empty 0 clweave cache list
expect cache_path 0 clweave cache path
expect cache_help 0 clweave cache --help
expect cache_unknown_word 2 clweave cache shwo
expect cache_no_program 2 clweave cache show
expect cache_extra 2 clweave cache list app
expect cache_unknown_program 1 clweave cache show app
expect cache_clear_empty 0 clweave cache clear

# what a program has left: numbers depend on the machine
time='(-|[0-9.]+ (us|ms|s))' size='[0-9.]+ (B|KiB|MiB)' state='(watching|trying|gains|no gain)' age='(just now|[0-9]+ min ago)' gain='(-|[0-9.]+x)'
says() { clweave cache $1 | grep -Eqx -- "$2" || fail "cache $1 has no line '$2': $(clweave cache $1)"; }
for i in 1 2; do
    CLWEAVE_BUILDER=off clweave run -- "$B/test/apps/blockmatmul" > "$T/out" 2>&1 || fail "the program fails: $(cat "$T/out")"
done
says list "blockmatmul +[12] +$time +$time +$gain +$state +$age +$size"
says list "programs +1 +$size +4096 files, 256 MiB +how long runs of programs took"
says list "builder: (idle|at work), [0-9]+ requests? waiting"
says "show blockmatmul" "blockmatmul: [12] runs, used $age; they took $time in all, (nothing|$time) more than bare"
says "show blockmatmul" "  arguments: \(none\)"
says "show blockmatmul" "    $state; bare $time, run $time, gain $gain, beginning costs $time; [01] runs ago"
CLWEAVE_BUILDER=off clweave run --groups on -- "$B/test/apps/blockmatmul" > "$T/out" 2>&1
says "show blockmatmul" "blockmatmul with groups=on: .*"
[ "$(clweave cache show "./some/where/blockmatmul")" = "$(clweave cache show blockmatmul)" ] || fail "a path does not name its program"
expect cache_near_program 1 clweave cache show blockmatmull
clweave cache list --json | python3 -c 'import json, sys; c = json.load(sys.stdin)
assert c["folder"].endswith("/clweave") and c["programs"][0]["program"] == "blockmatmul" and len(c["stores"]) == 6' || fail "list --json"
clweave cache show blockmatmul --json | python3 -c 'import json, sys; assert json.load(sys.stdin)[0]["bare_ns"] > 0' || fail "show --json"
# the record, and no request of another program
before=$(find "$T/cache/clweave" -type f | wc -l)
clweave cache clear blockmatmul | grep -q '^removed [1-9][0-9]* files*, ' || fail "clear of one program"
[ "$(find "$T/cache/clweave" -type f | wc -l)" -lt "$before" ] || fail "clear of one program has removed nothing"
clweave cache | grep -q blockmatmul && fail "a cleared program is still there"
[ -n "$(find "$T/cache/clweave/builds" -type f)" ] || fail "clear of one program has removed builds"

# clear: the folder stays, with other files; no link is followed; the lock of a builder stays
out=$T/outside digits=0123456789abcdef0123456789abcdef
mkdir -p "$out" "$T/cache/clweave/requests" && chmod 700 "$out" "$T/cache/clweave/requests"
echo mine > "$out/$digits"; echo mine > "$T/cache/clweave/notes"; echo mine > "$T/cache/clweave/builds/notes"
ln -s "$out/$digits" "$T/cache/clweave/builds/$digits"
rm -rf "$T/cache/clweave/compiled"; ln -s "$out" "$T/cache/clweave/compiled"
requests=$T/cache/clweave/requests
request() { rm -f "$requests"/[0-9a-f]*; "$B/test/compile/requester" "$T/cache/clweave" program "$1" > "$T/err" || fail "no request: $(cat "$T/err")"; }
request 1; echo x > "$requests/log"; : > "$requests/lock"
clweave cache | grep -qx 'builder: idle, 1 request waiting' || fail "a request is not counted: $(clweave cache)"
exec 9< "$requests/lock"; flock 9
clweave cache | grep -qx 'builder: at work, 1 request waiting' || fail "a builder is not seen"
clweave cache clear > "$T/clear" || fail "clear"
grep -q 'a builder is at work' "$T/clear" || fail "clear does not tell of the builder: $(cat "$T/clear")"
exec 9<&-
[ "$(cd "$T/cache/clweave" && find . ! -type d | sort | tr '\n' ' ')" = "./builds/notes ./compiled ./machine ./notes ./requests/lock " ] ||
    fail "clear leaves $(cd "$T/cache/clweave" && find . ! -type d)"
[ "$(cat "$out/$digits")" = mine ] || fail "clear has followed a link"

# CLWEAVE_HISTORY moves the folder, perhaps to one with other files; `off`: there is none
mkdir "$T/home" "$T/home/kernels" && chmod 700 "$T/home" "$T/home/kernels"
echo mine > "$T/home/letter"; echo x > "$T/home/times.db"; echo x > "$T/home/times.db-wal"; echo x > "$T/home/kernels/$digits"
CLWEAVE_HISTORY=$T/home/times.db expect cache_moved_path 0 clweave cache path
CLWEAVE_HISTORY=$T/home/times.db expect cache_moved_clear 0 clweave cache clear
[ "$(ls "$T/home")" = "$(printf 'kernels\nletter')" ] || fail "clear leaves $(ls "$T/home")"
# another machine's, or an earlier version's: it stays as it is, and the list says that it is not used
mkdir -m 700 "$T/old" "$T/old/clweave" "$T/old/clweave/kernels"
XDG_CACHE_HOME=$T/old clweave cache list > "$T/out" && [[ $(sed -n 1p "$T/out") == "$T/old/clweave-"* ]] && sed -n 2p "$T/out" |
    grep -q 'clweave beside it is not used' || fail "the list does not say which folder it is: $(head -2 "$T/out")"
CLWEAVE_HISTORY=off expect cache_off 1 clweave cache list
CLWEAVE_HISTORY=$T/nowhere/h.db expect cache_nowhere 1 clweave cache list
# a folder that others may write to, or a link, is not used
chmod 777 "$T/cache/clweave"
expect cache_open_to_others 1 clweave cache clear
completed() { bash -c 'source <(clweave help --completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clweave; echo "${COMPREPLY[@]}"' x "$@"; }
[ "$(completed clweave cache "")" = "list show clear path" ] || fail "completion of cache gives '$(completed clweave cache "")'"
[ "$(completed clweave cache cl)" = clear ] || fail "completion of cache cl"
[ "$(completed clweave cache --j)" = --json ] || fail "completion of cache --j"
finish
