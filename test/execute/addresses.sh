# Kernels that keep addresses of buffers in memory, and others that follow them (runmode/addresses.c): the graph orders these with
# every command of the context, so that each order that it allows gives the same bytes, but for the addresses. Refused where the
# program itself has read one.
. test/execute/common.sh
program=$B/test/runmode/addresses
capture kept "$program" kept
edges() { "$cli" graph "$T/kept.json" --command "$1" | grep -c '^after .*: data RAW' || true; }
# the first launch of far_add (behind four fills and `keep`) and the launch of add behind it
[ "$(edges 5)" -ge 4 ] || fail "the kernel that follows an address is not behind the writes to its buffer: $("$cli" graph "$T/kept.json" --command 5)"
"$cli" graph "$T/kept.json" --command 6 | grep -q '^after 5: data' || fail "a launch is not behind the one that writes through an address"
equal kept 20
"$cli" replay "$T/kept.json" --execute | grep -q 'left out because they may be addresses: [1-9]' || fail "addresses are compared"
[ ! -x "$B/clweave-footprint" ] || wrong kept
# without models its text makes the program doubtful
"$cli" graph --footprints off "$T/kept.json" -o "$T/text.json" || fail "no graph by the text"
"$cli" graph "$T/text.json" --command 6 | grep -q '^after 5: data' || fail "by the text: a launch is not behind the one that writes through an address"
capture read "$program"
out=$("$cli" replay "$T/read.json" --execute 2>&1) && fail "an address of the traced process was used: $out"
[[ $out == *"may read addresses"* ]] || fail "refused for another reason: $out"
out=$("$cli" replay "$T/kept.json" --execute --commands 4..8 -o "$T/part" 2>&1) && fail "a part with addresses was cut: $out"
[[ $out == *"a part of a trace"* ]] || fail "the part is refused for another reason: $out"
