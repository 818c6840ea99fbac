# A part of a captured trace, cut out as a folder: it runs alone and gives the captured bytes, in any order; a changed byte, or an
# order that breaks an edge, is seen. The parts of a trace one after the other are the whole of it.
# SECONDS: 20
. test/execute/common.sh
records() { python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["commands"]))' "$1"; }
for app in jacobi images userevents_maps; do
    capture $app "$B/test/apps/$app"
    n=$(records "$T/$app.json") third=$(($(records "$T/$app.json") / 3))
    for part in "..$((third - 1))" "$third..$((2 * third - 1))" "$((2 * third)).."; do
        out=$("$cli" replay "$T/$app.json" --execute --commands "$part" -o "$T/$app$part" 2>&1) && [ -z "$out" ] || fail "$app $part: $out"
        out=$(CLWEAVE=$cli "$T/$app$part/run" --order random --repeat 3 2>&1) || fail "$app $part: $out"
        [[ $out == bit-identical:*"3 random orders"* ]] || fail "$app $part: $out"
    done
    sum=0
    for part in "..$((third - 1))" "$third..$((2 * third - 1))" "$((2 * third)).."; do sum=$((sum + $(records "$T/$app$part/trace.json"))); done
    [ "$sum" = "$n" ] || fail "$app: parts of $sum commands, the whole has $n"
done
# elsewhere: nothing but the folder, and the device by a part of its name
mv "$T"/jacobi[0-9]*..[0-9]* "$T/moved" || fail "no part in the middle"
rm -f "$T"/jacobi.json*
name=$("$cli" devices --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["devices"][0]["name"][:4].upper())')
out=$(cd / && CLWEAVE=$cli "$T/moved/run" --on "$name" 2>&1) && [[ $out == bit-identical:* ]] || fail "moved: $out"
"$cli" report "$T/moved/trace.json" | grep -q "^selected .*--commands" || fail "the part's report does not say that it is one"
[ "$(stat -c %a "$T/moved")" = 700 ] && [ "$(stat -c %a "$T/moved/trace.json.data")" = 600 ] || fail "the folder is open to others"
# without a folder: the part alone, and nothing is left
capture chain "$B/test/apps/jacobi"
before=$(ls "${TMPDIR:-/tmp}" | grep -c '^clweave-......$')
out=$("$cli" replay "$T/chain.json" --execute --commands 9..17 --on "$name" 2>&1) && [[ $out == bit-identical:* ]] || fail "at once: $out"
[ "$(ls "${TMPDIR:-/tmp}" | grep -c '^clweave-......$')" = "$before" ] || fail "a folder is left"
# one byte of what memory held at its end
printf '\377' | dd of="$T/moved/trace.json.data" bs=1 conv=notrunc seek=$(($(python3 -c 'import json, sys; print(next(m["final"][0] for m in json.load(open(sys.argv[1]))["memory"] if m.get("final")))' "$T/moved/trace.json") + 5)) 2> /dev/null
out=$("$cli" replay "$T/moved/trace.json" --execute 2>&1); [ $? = 1 ] && [[ $out == *"differ"* ]] || fail "a changed byte: $out"
# refusals
refused() { # refused STATUS MESSAGE ARGUMENT...
    local status=$1 message=$2; shift 2
    out=$("$cli" replay "$@" 2>&1); [ $? = "$status" ] && [[ $out == *"$message"* ]] || fail "$*: $out"
}
refused 1 "has a trace already" "$T/chain.json" --execute --commands 3..5 -o "$T/moved"
refused 1 "the trace has commands 0 to" "$T/chain.json" --execute --commands 900.. -o "$T/new"
[ ! -e "$T/new/trace.json" ] && [ ! -e "$T/new/trace.json.data" ] || fail "a part with nothing in it left files"
refused 1 "--kernel leaves out commands whose results the others need" "$T/chain.json" --execute --kernel . -o "$T/new"
refused 1 "no device here has 'nothing like it'" "$T/chain.json" --execute --on "nothing like it"
refused 2 "needs --execute" "$T/chain.json" --on 0
refused 2 "needs --execute" "$T/chain.json" -o "$T/new"
refused 1 "cannot make the folder" "$T/chain.json" --execute --commands 3..5 -o "$T/chain.json/x"
"$cli" graph "$T/chain.json" --commands 3..5 -o "$T/view.json" || fail "a view of a part"
refused 1 "cannot be run again, as it lacks the contents of memory" "$T/view.json" --execute
exit 0
