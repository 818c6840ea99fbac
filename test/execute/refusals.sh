# What cannot be run again is refused with a message that says what to do, status 1 (2 for usage), before anything runs.
. test/execute/common.sh

# refused STATUS WORDS ARGUMENT...
refused() {
    local want=$1 words=$2 out status; shift 2
    out=$("$cli" replay "$@" 2>&1); status=$?
    [ $status = "$want" ] && [[ $out == *"$words"* ]] || fail "replay $*: status $status, \"$out\" lacks \"$words\""
}

"$cli" trace -o "$T/bare.json" -- "$B/test/apps/reduction" > /dev/null || fail "the traced program failed"
refused 1 "with --capture-data" "$T/bare.json" --execute
capture full "$B/test/apps/reduction"
refused 2 "trace|plan|random" "$T/full.json" --execute --order backwards
refused 2 "--repeat 0" "$T/full.json" --execute --repeat 0
refused 2 "--order drop:5" "$T/full.json" --execute --order drop:5
refused 1 "no event, barrier, host or data edge" "$T/full.json" --execute --order drop:999999:0
refused 1 "no device 900" "$T/full.json" --execute --on 900
cp "$T/full.json.data" "$T/data"
truncate -s -1000 "$T/full.json.data"
refused 1 "may be truncated" "$T/full.json" --execute
# what the trace names is opened only if it is a file: no pipe is waited for, no device is read
rm "$T/full.json.data"
mkfifo "$T/full.json.data" || fail "mkfifo"
out=$(timeout 240 "$cli" replay "$T/full.json" --execute 2>&1) && fail "a pipe: $out"
[[ $out == *"not a file"* ]] || fail "a pipe: $out"
rm "$T/full.json.data"
sed 's|"data":"[^"]*"|"data":"/dev/zero"|' "$T/full.json" > "$T/zero.json"
grep -q '"data":"/dev/zero"' "$T/zero.json" || fail "the trace names no data"
refused 1 "not a file" "$T/zero.json" --execute
mkdir "$T/full.json.data"
refused 1 "not a file" "$T/full.json" --execute
rmdir "$T/full.json.data"
# one byte of what the program sent or got is another: the comparison is what notices
cp "$T/data" "$T/full.json.data"
"$cli" replay "$T/full.json" --execute > /dev/null || fail "the restored data are not accepted"
printf '\xff' | dd of="$T/full.json.data" bs=1 seek=$(($(stat -c %s "$T/data") - 60000)) conv=notrunc 2> /dev/null
cmp -s "$T/data" "$T/full.json.data" && fail "the byte was 0xff already"
refused 1 "results differ" "$T/full.json" --execute
# a trace and its data may move together
mkdir "$T/moved"
mv "$T/full.json" "$T/moved/"
mv "$T/data" "$T/moved/full.json.data"
rm "$T/full.json.data"
"$cli" replay "$T/moved/full.json" --execute > /dev/null || fail "a trace that was moved with its data is not accepted"
mv "$T/moved/full.json" "$T/"
refused 1 "No such file" "$T/full.json" --execute
