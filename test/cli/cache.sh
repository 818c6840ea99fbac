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
numbers() { "$@" 2>&1 | sed -E 's/[0-9]+(\.[0-9]+)? (us|ms|s|B|KiB|MiB)\b/N \2/g; s/ (us|ms|s)\b/ T/g; s/ +/ /g; s/ [0-9]+ N (B|KiB|MiB)/ n SIZE/; s/N (B|KiB|MiB)/SIZE/g; s/just now|[0-9]+ min ago/AGO/'; }
for i in 1 2; do
    clweave run -- "$B/test/apps/blockmatmul" > "$T/out" 2>&1 || fail "the program fails: $(cat "$T/out")"
done
expect cache_list 0 numbers clweave cache
expect cache_show 0 numbers clweave cache show blockmatmul
expect cache_near_program 1 clweave cache show blockmatmull
clweave cache list --json | python3 -c 'import json, sys; c = json.load(sys.stdin)
assert c["folder"].endswith("/clweave") and c["programs"][0]["program"] == "blockmatmul" and len(c["stores"]) == 5' || fail "list --json"
clweave cache show blockmatmul --json | python3 -c 'import json, sys; assert json.load(sys.stdin)[0]["bare_ns"] > 0' || fail "show --json"
clweave cache clear blockmatmul | grep -q '^removed 1 files' || fail "clear of one program"
clweave cache | grep -q blockmatmul && fail "a cleared program is still there"
[ -n "$(find "$T/cache/clweave/builds" -type f)" ] || fail "clear of one program has removed builds"

# clear: the folder stays, with other files; no link is followed; the lock of a builder stays
out=$T/outside digits=0123456789abcdef0123456789abcdef
mkdir "$out" "$T/cache/clweave/requests" && chmod 700 "$out" "$T/cache/clweave/requests"
echo mine > "$out/$digits"; echo mine > "$T/cache/clweave/notes"; echo mine > "$T/cache/clweave/builds/notes"
ln -s "$out/$digits" "$T/cache/clweave/builds/$digits"
rm -rf "$T/cache/clweave/compiled"; ln -s "$out" "$T/cache/clweave/compiled"
echo x > "$T/cache/clweave/requests/one"; echo x > "$T/cache/clweave/requests/log"; : > "$T/cache/clweave/requests/lock"
clweave cache | grep -qx 'builder: idle, 1 request waiting' || fail "a request is not counted: $(clweave cache)"
exec 9< "$T/cache/clweave/requests/lock"; flock 9
clweave cache | grep -qx 'builder: at work, 1 request waiting' || fail "a builder is not seen"
clweave cache clear > "$T/clear" || fail "clear"
grep -q 'a builder is at work' "$T/clear" || fail "clear does not tell of the builder: $(cat "$T/clear")"
exec 9<&-
[ "$(cd "$T/cache/clweave" && find . ! -type d | sort | tr '\n' ' ')" = "./builds/notes ./compiled ./notes ./requests/lock " ] ||
    fail "clear leaves $(cd "$T/cache/clweave" && find . ! -type d)"
[ "$(cat "$out/$digits")" = mine ] || fail "clear has followed a link"

# CLWEAVE_HISTORY moves the folder, perhaps to one with other files; `off`: there is none
mkdir "$T/home" "$T/home/kernels" && chmod 700 "$T/home" "$T/home/kernels"
echo mine > "$T/home/letter"; echo x > "$T/home/times.db"; echo x > "$T/home/times.db-wal"; echo x > "$T/home/kernels/$digits"
CLWEAVE_HISTORY=$T/home/times.db expect cache_moved_path 0 clweave cache path
CLWEAVE_HISTORY=$T/home/times.db expect cache_moved_clear 0 clweave cache clear
[ "$(ls "$T/home")" = "$(printf 'kernels\nletter')" ] || fail "clear leaves $(ls "$T/home")"
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
