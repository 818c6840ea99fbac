# Bad input: a message that says what, where and what to do, status 1 or 2, nothing half-written.
. "$(dirname "$0")/common.sh"
good=test/fuzz/blockmatmul.json

expect missing_file 1 clweave graph "$T/none.json"
expect a_folder 1 clweave graph "$T"
: > "$T/empty.json"; expect empty_file 1 clweave graph "$T/empty.json"
echo hello > "$T/text.json"; expect not_json 1 clweave graph "$T/text.json"
echo '{"a":1}' > "$T/other.json"; expect another_json 1 clweave graph "$T/other.json"
head -c 3000 "$good" > "$T/cut.json"; expect truncated 1 clweave graph "$T/cut.json" -o "$T/cut.svg"
sed 's/"version":1/"version":99/' "$good" > "$T/future.json"; expect future_version 1 clweave graph "$T/future.json"
sed 's/"version":1/"version":2/' "$good" > "$T/rows.json"; expect compact_form 1 clweave report "$T/rows.json"
expect compact_form 1 clweave graph "$T/rows.json" --command 1
sed 's/{"from":0,"to":2,/{"from":2,"to":2,/' "$good" > "$T/self.json"; expect self_edge 1 clweave graph "$T/self.json"
sed '0,/{"from":0,"to":2,/s//{"from":11,"to":2,/' "$good" > "$T/cycle.json"; expect cyclic 1 clweave graph "$T/cycle.json"
sed 's/"kernel":1,/"kernel":77,/' "$good" > "$T/lying.json"; expect lying 1 clweave timeline "$T/lying.json" -o "$T/timeline.svg"
waits() { # waits NAME LIST - the third command waits for LIST
    sed "s/^{\"id\":2,\"type\"/{\"id\":2,\"wait_list\":$2,\"type\"/" "$good" > "$T/$1.json"; expect "$1" 1 clweave graph "$T/$1.json"
}
waits waits_for_itself '[0,2]'
waits waits_for_a_later_one '[0,1,7]'
waits waits_for_none '[4711]'
expect no_such_command 1 clweave graph "$good" --command 4711
expect missing_folder 1 clweave graph "$good" -o "$T/no/such/folder/x.dot"
if [ -e /dev/full ]; then
    expect full_disk 1 clweave graph "$good" -o /dev/full -f json
    clweave graph "$good" > /dev/full 2> "$T/full.err" && fail "a full standard output goes unnoticed"
    grep -q "cannot write standard output" "$T/full.err" || fail "no message about a full standard output"
fi
# a limit on the file's size: the earlier file stays, nothing else is left
clweave graph "$good" -o "$T/keep.json" && cp "$T/keep.json" "$T/keep.copy"
(ulimit -f 1; clweave graph "$good" -o "$T/keep.json" 2> "$T/limit.err") && fail "a file-size limit goes unnoticed"
grep -q "cannot write $T/keep.json" "$T/limit.err" || fail "no message about the file-size limit"
cmp -s "$T/keep.json" "$T/keep.copy" || fail "the earlier file was harmed"
expect missing_dot 1 env PATH="$T" "$B/clweave" graph "$good" -o "$T/x.svg"
expect missing_program 1 clweave trace -o "$T/p.json" -- "$T/no-such-program"
expect missing_library 1 env CLWEAVE_LIB="$T/none.so" clweave trace -o "$T/p.json" -- true
expect unwritable_trace 1 clweave trace -o "$T/none/p.json" -- true
left=$(ls "$T" | grep -vE '\.(json|copy|out|err)$'); [ -z "$left" ] || fail "left behind: $left"
ls "$T" | grep -qE '\.tmp$|^p|svg$' && fail "left behind: $(ls "$T")"
finish
