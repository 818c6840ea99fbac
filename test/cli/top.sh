# top.sh - the live view: of a log, of a running process, of logs that are damaged or used again; plain text in a pipe.
. "$(dirname "$0")/common.sh"
export OCL_ICD_VENDORS=$B/test/libnullcl.so
million=$B/test/bench/trace_million
record() { LD_PRELOAD=$B/libclweave.so CLWEAVE_MODE=trace CLWEAVE_TOOL=1 CLWEAVE_OUT="$T/$1.json" "${@:2}" > /dev/null || fail "recording $1"; }
record small "$million" 5000
clweave top "$T/small.json.log" > "$T/said" || fail "a log"
awk '$1 == "update" && $0 ~ / 4688 / || $1 == "READ_BUFFER" && $0 ~ / 312 /' "$T/said" | wc -l | grep -qx 2 || fail "counts: $(cat "$T/said")"
grep -q "5000 commands in .* the program has ended" "$T/said" || fail "the first line: $(head -n 1 "$T/said")"
grep -qE "^null device +[0-9.]+ [kM]? +[0-9]+ % +0 " "$T/said" || fail "the device: $(cat "$T/said")"
grep -q $'\033' "$T/said" && fail "control characters in a pipe"
clweave top --rows 1 "$T/small.json.log" | grep -q "(and 1 more; --rows N shows more)" || fail "--rows"

# a running process, by the tool's number and its own; the views end with the program, and the last one has all
${CC:-cc} -w -o "$T/slow" -x c - -lOpenCL << 'C' || fail "a program"
#include <CL/cl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    cl_platform_id p;
    cl_device_id d;
    clGetPlatformIDs(1, &p, 0);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, 0);
    cl_command_queue q = clCreateCommandQueue(clCreateContext(0, 1, &d, 0, 0, 0), d, 0, 0);
    for (int i = 0; access(argv[1], F_OK); i++) {
        clEnqueueMarker(q, 0);
        if (i % 10 == 0)
            clFinish(q);
        usleep(5000);
    }
}
C
clweave trace -o "$T/slow.json" -- "$T/slow" "$T/stop" 2> /dev/null &
tool=$!
until clweave top --once -i .1 $tool 2> /dev/null | grep -q '^MARKER '; do kill -0 $tool 2> /dev/null || { fail "the program has ended"; break; }; done
clweave top -i .1 $tool > "$T/said" &
view=$!
until [ "$(grep -c '^device ' "$T/said")" -gt 2 ]; do kill -0 $view 2> /dev/null || { fail "the view has ended"; break; }; sleep .1; done
touch "$T/stop"
wait $view || fail "the view: status $?"
wait $tool
[ "$(tail -n 3 "$T/said" | awk '$1 == "MARKER" { print $3 }')" = "$(grep -c '"type":"CL_COMMAND_MARKER"' "$T/slow.json")" ] ||
    fail "the last view: $(tail -n 6 "$T/said")"

# a log that is used again while it is read
CLWEAVE_LIMIT=4M record again "$million" 300000 &
recorder=$!
for i in 1 2 3 4 5 6 7 8; do [ -s "$T/again.json.log" ] && { timeout 240 "$B/clweave" top --once -i .05 "$T/again.json.log" > /dev/null || fail "used again"; }; done
wait $recorder
clweave top "$T/again.json.log" | grep -qE " 300[0-9]+ commands in" || fail "used again: $(clweave top "$T/again.json.log")"

# damaged ones: an error or what makes sense, never more
python3 - "$T" << 'P'
import random, sys
data = open(f"{sys.argv[1]}/small.json.log", "rb").read()
random.seed(1)
for n in range(60):
    b = bytearray(data[:random.choice((len(data), random.randrange(len(data))))])
    for _ in range(random.randrange(40)):
        if b: b[random.randrange(min(len(b), random.choice((100, 70000, len(b)))))] = random.randrange(256)
    open(f"{sys.argv[1]}/bad{n}.log", "wb").write(b)
P
for f in "$T"/bad*.log; do
    timeout 240 "$B/clweave" top "$f" > "$T/said" 2>&1; status=$?
    [ $status -le 1 ] || fail "$f: status $status: $(tail -n 2 "$T/said")"
done

expect top_no_process 1 clweave top 999999999
clweave top $$ 2> "$T/said" && fail "a process without a log"
grep -q "process $$ records nothing yet" "$T/said" || fail "a process without a log: $(cat "$T/said")"
expect top_no_file 1 clweave top "$T/none.log"
expect top_no_trace 1 clweave top test/fuzz/blockmatmul.json
expect top_bad_interval 2 clweave top -i 0 1
expect top_bad_rows 2 clweave top -n -1 1
mkfifo "$T/pipe.log"; expect top_a_pipe 1 clweave top "$T/pipe.log"
finish
