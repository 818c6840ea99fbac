# clweave learn: programs that fail, differ, hang, are stopped; its verdict and its progress. No line asserts a time.
. "$(dirname "$0")/common.sh"
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
export XDG_CACHE_HOME=$T/cache
mkdir "$T/cache"
unset CLWEAVE_HISTORY CLWEAVE_LEARN CLWEAVE_MODE
times='(bare [0-9.]* m*s, run [0-9.]* m*s, processor [0-9.]* m*s and [0-9.]* m*s, [0-9]* pairs*)'
learn() { # STATUS, then words behind `clweave learn`
    local wanted=$1 got; shift
    clweave learn "$@" > "$T/out" 2> "$T/err" < /dev/null; got=$?
    [ $got = "$wanted" ] || fail "status $got, expected $wanted: $* $(cat "$T/out" "$T/err")"
}
says() { grep -q -- "$1" "$T/err" || fail "no message '$1': $(cat "$T/err")"; }

expect learn_help 0 sh -c "clweave learn --help | sed -n '1,/^options/p; /--rounds/,\$p'"
expect learn_no_program 2 clweave learn
expect learn_bad_rounds 2 clweave learn --rounds 0 -- true
expect learn_bad_setting 2 clweave learn --policy nothing -- true
expect learn_recording 2 clweave learn --out x.json -- true
expect learn_fails 3 clweave learn -- sh -c 'echo reason >&2; exit 3'
expect learn_killed 137 clweave learn -- sh -c 'kill -KILL $$'
expect learn_missing 1 clweave learn -- "$T/none"

# a program without OpenCL: nothing to learn, which three rounds tell; rounds are counted and bounded
learn 0 --rounds 4 -- sh -c 'echo "$1"' x --rounds
[ "$(grep -c '^round [1-3]: bare [0-9.]* ms, run [0-9.]* ms, ' "$T/err")" = 3 ] || fail "not three rounds: $(cat "$T/err")"
grep -q "^clweave learn: no OpenCL call: run changes nothing $times$" "$T/out" || fail "verdict: $(cat "$T/out")"
[ "$(wc -l < "$T/out")" = 1 ] || fail "the program's output is shown: $(cat "$T/out")"
learn 0 --rounds 1 --verbose -- echo hello
[ "$(head -n 1 "$T/out")" = hello ] && [ "$(wc -l < "$T/out")" = 2 ] || fail "the first output is not shown once: $(cat "$T/out")"
learn 0 --seconds 0.001 --rounds 1000 -- true
[ "$(grep -c '^round' "$T/err")" -le 1 ] || fail "--seconds does not bound the rounds"
echo input | clweave learn --rounds 1 -- sh -c "cat >> $T/input" > "$T/out" 2>&1
[ -e "$T/input" ] && [ ! -s "$T/input" ] || fail "the program reads the tool's input"

# outputs and statuses: alike, different from run to run, different under run
learn 0 --rounds 3 -- sh -c 'head -c 300000 /dev/zero; echo end'
grep -q output "$T/err" && fail "outputs that are alike differ: $(cat "$T/err")"
learn 0 --rounds 3 -- sh -c 'date +%N'; says "differs from run to run, in [1-3] of 3 bare runs"
learn 1 --rounds 3 -- sh -c 'echo $CLWEAVE_MODE'; says 'prints the same in 3 runs, under run something else in 3 of 3'
learn 1 --rounds 3 -- sh -c '[ $CLWEAVE_MODE = off ] || exit 7'; says 'ends with status 0, under run with status 7 in 3 of 3 runs'
# children of the program that keep its output open are not waited for
learn 0 --rounds 1 -- sh -c 'sleep 1000 & echo $! >> '"$T/children"
xargs kill 2> /dev/null < "$T/children"

# a real program: settings reach the library, all figures are in the JSON, and run knows the program afterwards
learn 0 --rounds 3 --learn off --json -- "$B/test/apps/blockmatmul"
python3 - "$T/out" <<'P' || fail "JSON: $(cat "$T/out")"
import json, sys
v = json.load(open(sys.argv[1]))
assert len(v["rounds"]) == 3 and v["pairs"] == sum(r["measured"] for r in v["rounds"]) and v["other_outputs_run"] == 0
assert v["verdict"] == "too few pairs to tell" and v["low"] is None and v["ratio"] > 0 and v["bare_ns"] > 0 and v["bare_cpu_ns"] > 0 and v["run_cpu_ns"] > 0 and  v["state"] in ("watching", "trying", "gains", "no gain")
P
clweave cache | grep -q '^blockmatmul ' || fail "run does not know the program: $(clweave cache)"
learn 0 --rounds 1 --history "$T/own.db" -- "$B/test/apps/blockmatmul"
[ -s "$T/own.db" ] || [ -d "$T/programs" ] || fail "--history does not reach the library: $(ls "$T")"

# a signal ends the program with its children, and the rounds so far are printed
clweave learn --rounds 1000 -- sh -c "echo \$\$ >> $T/pids; [ \$(wc -l < $T/pids) -lt 6 ] || { sleep 1000 & echo \$! > $T/child; wait; }" \
    > "$T/out" 2> "$T/err" &
learner=$!
until [ -s "$T/child" ]; do sleep 0.1; done
kill -TERM $learner; wait $learner; got=$?
[ $got = 143 ] || fail "SIGTERM became status $got: $(cat "$T/err")"
grep -q "$times" "$T/out" || fail "no verdict after a signal: $(cat "$T/out" "$T/err")"
runs() { case $(ps -o stat= -p "$1") in "" | Z*) return 1 ;; esac; } # one that has ended may wait for its new parent
for pid in $(cat "$T/pids" "$T/child"); do
    for i in 1 2 3 4 5 6 7 8 9 10; do runs "$pid" && sleep 0.1; done
    runs "$pid" && { fail "process $pid is left"; kill "$pid"; }
done

# a terminal gets a bar on one line, and no line per round
python3 - "$B/clweave" > "$T/terminal" <<'P' || fail "on a terminal"
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "learn", "--rounds", "3", "--", "true"])
text = b""
try:
    while True:
        text += os.read(fd, 4096)
except OSError:
    pass
sys.stdout.buffer.write(text)
sys.exit(os.waitpid(pid, 0)[1])
P
grep -q 'learning \[[#-]*\] round [23]' "$T/terminal" || fail "no bar: $(cat -v "$T/terminal")"
grep -q '^round' "$T/terminal" && fail "lines beside the bar"
tail -n 1 "$T/terminal" | grep -q "$(printf '\r\033\[Kclweave learn: ')" || fail "the bar is not wiped: $(cat -v "$T/terminal")"

# what runs ask the builder for is made between the runs; without clweave-compile it stays, which is told
requests=$T/cache/clweave/requests
mkdir -p "$requests"; chmod 700 "$requests"; rm -f "$requests"/[0-9a-f]*
ask() { "$B/test/compile/requester" "$T/cache/clweave" program "$1" > "$T/asked" || fail "no request: $(cat "$T/asked")"; }
ask 1; mkdir "$T/alone"; cp "$B/libclweave.so" "$T/alone/"
CLWEAVE_LIB=$T/alone/libclweave.so learn 0 --rounds 1 -- true; says '1 request for builds stay, as clweave-compile is missing'
learn 0 --rounds 1 -- true; grep -q request "$T/err" && fail "the builder was not run: $(cat "$T/err")"
clweave cache | grep -qx 'builder: .*, 0 requests waiting' || fail "a request is left: $(clweave cache)"
# beside another builder it waits, and a signal ends the wait
ask 2; : >> "$requests/lock"; exec 9< "$requests/lock"; flock 9
clweave learn --rounds 5 -- sh -c "echo x >> $T/count" 9<&- > "$T/out" 2> "$T/err" & learner=$!
until [ -e "$T/count" ] && [ "$(wc -l < "$T/count")" -ge 3 ]; do sleep 0.05; done
sleep 0.3; [ "$(wc -l < "$T/count")" = 3 ] || fail "it does not wait for the builder"
kill -INT $learner; kill -TERM $learner; wait $learner; got=$?
exec 9<&-
[ $got = 143 ] || [ $got = 130 ] || fail "a signal while it waits became status $got: $(cat "$T/err")"
grep -q '1 pair)' "$T/out" || fail "no verdict after a signal while it waits: $(cat "$T/out")"
finish
