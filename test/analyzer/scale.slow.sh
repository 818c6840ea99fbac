# A trace of 1,000,000 commands: converted, graphed and replayed under HEFT in at most 2 GB, nothing missing, and one
# command found without the rest (SCALE_COMMANDS for another number); five times as many graphed and reported in at most
# 700 MB. Times are printed; million.bench judges them.
set -eu
driver=$B/test/libnullcl.so n=${SCALE_COMMANDS:-1000000}
[ -x "$B/test/bench/trace_million" ] || { echo "test/bench/trace_million is not built (make check-all builds it)"; exit 77; }
case $B in *address* | *undefined* | *thread* | *coverage*) echo "limits are for plain builds"; exit 77 ;; esac
export OCL_ICD_VENDORS=$driver
# the library alone, so that the log stays
LD_PRELOAD=$B/libclweave.so CLWEAVE_MODE=trace CLWEAVE_TOOL=1 CLWEAVE_OUT=$T/m.json "$B/test/bench/trace_million" "$n"
total=0 most=0
processor_ms() { # of all children so far, from "0m1.234s 0m0.100s"
    times > "$T/times"
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); ms += t[1] * 60000 + t[2] * 1000 } print int(ms) }' "$T/times" > "$T/ms"
    read -r ms < "$T/ms"
}
step() { # what command...
    local what=$1 before began key value rest kib=0 pid; shift
    processor_ms; before=$ms began=$(date +%s%N)
    "$@" > "$T/out" & pid=$!
    while kill -0 $pid 2> /dev/null && [ -r /proc/$pid/status ]; do
        while read -r key value rest; do
            [ "$key" != VmHWM: ] || [ "$value" -le $kib ] || kib=$value
        done < /proc/$pid/status 2> /dev/null || true
        sleep 0.05
    done
    wait $pid || { cat "$T/out"; echo "$what failed"; exit 1; }
    processor_ms
    printf '%-28s %6d ms of processor, %6d ms wall, %5d MiB\n' "$what" $((ms - before)) $((($(date +%s%N) - began) / 1000000)) $((kib / 1024))
    total=$((total + ms - before))
    [ $kib -le $most ] || most=$kib
}
step "convert and graph" "$B/clweave" graph "$T/m.json.log" -o "$T/m.json"
step "replay under HEFT" "$B/clweave" replay "$T/m.json" --policy heft
ls -l "$T/m.json.log" "$T/m.json" | awk '{ print $5, $NF }'
# is it all there, and is one command found without the rest
[ "$(grep -c '^{"id":[0-9]*,"type":"CL_COMMAND_' "$T/m.json")" = "$n" ] || { echo "commands are missing"; exit 1; }
last=$((n - 2))
"$B/clweave" graph "$T/m.json" --command $last | head -n 2 | grep -q "\"id\": $last" || { echo "command $last is not found"; exit 1; }
echo "$n commands: $total ms, $((most / 1024)) MiB at most"
[ $most -gt 0 ] && [ $total -gt 0 ] || { echo "nothing was measured"; exit 1; }
[ $most -le $((2 * 1024 * 1024)) ] || [ "$n" -gt 1000000 ] || { echo "more than 2 GB"; exit 1; }

LD_PRELOAD=$B/libclweave.so CLWEAVE_MODE=trace CLWEAVE_TOOL=1 CLWEAVE_OUT=$T/long.json "$B/test/bench/trace_million" $((5 * n))
for command in graph report; do
    most=0
    step "$command of $((5 * n))" "$B/clweave" $command "$T/long.json.log"
    [ $most -le $((700 * 1000000 / 1024)) ] || [ "$n" -gt 1000000 ] || { echo "more than 700 MB"; exit 1; }
done
