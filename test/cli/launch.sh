# trace and run: the program's own output, exit status and signals; one trace per process; what is said when there is none.
. "$(dirname "$0")/common.sh"
driver=$B/test/libnullcl.so
[ -e "$driver" ] || { echo "the null driver is not built"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
export OCL_ICD_VENDORS=$driver
app=$B/test/apps/blockmatmul

for mode in trace run; do
    for status in 0 1 3 42 255; do
        clweave $mode -o "$T/s.json" -- sh -c "exit $status" 2> "$T/err"; got=$?
        [ $got = $status ] || fail "$mode: status $status became $got"
    done
    clweave $mode -o "$T/s.json" -- sh -c 'kill -TERM $$' 2> "$T/err"; got=$?
    [ $got = 143 ] || fail "$mode: SIGTERM became status $got"
    clweave $mode -o "$T/s.json" -- sh -c 'kill -KILL $$' 2> "$T/err"; got=$?
    [ $got = 137 ] || fail "$mode: SIGKILL became status $got"
    clweave $mode -o "$T/s.json" -- sh -c "ulimit -f 1; yes > $T/yes" 2> "$T/err"; got=$?
    [ $got = 153 ] || fail "$mode: SIGXFSZ became status $got"
done
expect no_opencl 0 clweave trace -o "$T/s.json" -- sh -c 'echo out; echo err >&2'
[ "$(clweave trace -o "$T/s.json" sh -c 'echo "$1"' x --summary 2> /dev/null)" = --summary ] || fail "options behind the program are the program's"

# standard input, output and the working folder are the program's
[ "$(echo in | clweave trace -o "$T/s.json" -- cat 2> /dev/null)" = in ] || fail "standard input is lost"

# a program that uses OpenCL: the trace has its enqueues, its folder may change, the log is gone afterwards
mkdir "$T/d" "$T/e"
(cd "$T/d" && clweave trace -o sub.json -- sh -c "cd ../e && exec $app" > "$T/out" 2> "$T/err")
[ -s "$T/d/sub.json" ] || fail "no trace where it was asked for: $(cat "$T/err")"
[ ! -e "$T/d/sub.json.log" ] || fail "the converted log is still there"
[ "$(stat -c %a "$T/d/sub.json")" = 600 ] || fail "the trace is readable by others"
grep -q 'sub.json: 12 commands, [0-9]* edges$' "$T/err" || fail "no line about the trace: $(cat "$T/err")"
[ "$(grep -c '"type":"CL_COMMAND_NDRANGE_KERNEL"' "$T/d/sub.json")" = 11 ] || fail "kernels are missing in the trace"

# a trace that run mode made says so, also when it managed nothing
clweave run -o "$T/d/ran.json" -- "$app" > "$T/out" 2> "$T/err"
grep -q '"run_mode":true' "$T/d/ran.json" || fail "a trace of run does not say so: $(cat "$T/err")"
grep -q '"run_mode"' "$T/d/sub.json" && fail "a trace of trace says that it is one of run"

# %e and %p; two processes of one run; blanks and brackets in names
clweave trace -o "$T/d/%e [x] %p.json" -- sh -c "$app; $app" > "$T/out" 2> "$T/err"
[ "$(ls "$T/d" | grep -c '^blockmatmul \[x\] [0-9]*\.json$')" = 2 ] || fail "two processes, but $(ls "$T/d"): $(cat "$T/err")"
clweave trace -o "$T/e/one.json" -- sh -c "$app & $app & wait" > "$T/out" 2> "$T/err"
[ "$(ls "$T/e" | grep -c '^one.*\.json$')" = 2 ] || fail "two processes at once, but $(ls "$T/e"): $(cat "$T/err")"

# one name for several processes: the program that was named gets it, not the first that has touched OpenCL.
# Where that program enqueues nothing it is the process that enqueues most; one line names the others' traces
more=$B/test/apps/jacobi # 24 kernels
kernels() { grep -c '"type":"CL_COMMAND_NDRANGE_KERNEL"' "$1"; }
mkdir "$T/o"
clweave trace --capture-data -o "$T/o/one.json" -- \
    sh -c "clweave devices; $app; $more; clweave devices" > "$T/out" 2> "$T/err"
[ "$(kernels "$T/o/one.json")" = 24 ] || fail "not the process that enqueues most: $(cat "$T/err")"
[ "$(ls "$T/o" | grep -c '^one-[0-9]*\.json$')" = 3 ] || fail "four processes, but $(ls "$T/o")"
[ "$(grep -c 'one.json: ' "$T/err")" = 1 ] && [ "$(grep -c 'other processes have traces' "$T/err")" = 1 ] ||
    fail "not two lines: $(cat "$T/err")"
for f in "$T"/o/one-*.json; do
    grep -q "own: .*$f ([a-z]*, [0-9]* command" "$T/err" || fail "$f is not named: $(cat "$T/err")"
done
for f in "$T"/o/*.json; do
    [ ! -e "$f.data" ] || grep -q "^\"data\":\"$f.data\"" "$f" || fail "$f does not name $f.data"
done
[ -s "$T/o/one.json.data" ] && [ "$(ls "$T/o" | grep -c 'data$')" -ge 2 ] ||
    fail "captured data are lost: $(ls "$T/o")"
clweave trace -o "$T/o/named.json" -- sh -c "$more; exec $app" > "$T/out" 2> "$T/err"
[ "$(kernels "$T/o/named.json")" = 11 ] || fail "not the program that was named: $(cat "$T/err")"

# a summary on standard error; nothing of ours on standard output
clweave trace --summary -o "$T/s.json" -- "$app" > "$T/out" 2> "$T/err"
[ "$(wc -l < "$T/out")" = 1 ] || fail "standard output has more than the program's line"
grep -q 'multiply' "$T/err" || fail "no summary"

# a name that ends in .log keeps the log, which says the same to every command as the JSON trace made of it; the program
# that was named gets the name, as with JSON
mkdir "$T/l"
clweave trace -o "$T/l/one.log" -- sh -c "$app; $more" > "$T/out" 2> "$T/err"
[ "$(ls "$T/l" | wc -l)" = 2 ] && [ "$(ls "$T/l" | grep -c '^one-[0-9]*\.log$')" = 1 ] || fail "not two logs: $(ls "$T/l")"
grep -q 'one.log: [0-9]* commands$' "$T/err" || fail "no line about the log: $(cat "$T/err")"
clweave graph "$T/l/one.log" -o "$T/l/one.json" && [ "$(kernels "$T/l/one.json")" = 24 ] || fail "not the process that enqueues most"
head -c 5 "$T/l/one.log" | grep -q CWLOG || fail "not a log"
for command in graph report "replay -p heft" "timeline -o -" "diff $T/l/one.json"; do
    clweave $command "$T/l/one.log" > "$T/of_log" 2>&1 && clweave $command "$T/l/one.json" > "$T/of_json" 2>&1 || fail "$command: $(cat "$T/of_log")"
    sed 's/one.log/one.json/g' "$T/of_log" | cmp -s - "$T/of_json" || fail "$command: a log says $(diff "$T/of_log" "$T/of_json")"
done
LD_PRELOAD=$B/libclweave.so CLWEAVE_MODE=trace CLWEAVE_OUT=$T/l/bare.log "$app" > "$T/out" 2> "$T/err"
clweave graph "$T/l/bare.log" | grep -q ' 12 commands' || fail "without the tool: $(ls "$T/l")"
clweave trace -o "$T/l/bare.log" --kernel multiply -- touch "$T/ran" 2> /dev/null; [ $? = 2 ] && [ ! -e "$T/ran" ] || fail "a part of a log"
for command in trace run graph; do expect "moved_compact_$command" 2 clweave $command --compact "$T/s.json"; done

# a program that only asks
clweave trace -o "$T/q.json" -- clweave devices > "$T/out" 2> "$T/err"
grep -q 'enqueued nothing' "$T/err" || fail "no warning about zero enqueues: $(cat "$T/err")"

# times that no clock has shown are none, and that is said
NULLCL_NO_CLOCK=1 clweave trace --device-times --summary -o "$T/still.json" -- "$app" > "$T/out" 2> "$T/err"
grep -q 'device times of .* left out, as they cannot be' "$T/err" || fail "times 0 to 3 count: $(cat "$T/err")"
clweave report "$T/still.json" > "$T/out"
grep -q 'Device times that cannot be' "$T/out" && ! grep -q ', device time' "$T/out" || fail "report: $(cat "$T/out")"

# a process that outlives the program keeps its log, which can be converted when it has ended
cat > "$T/linger.c" <<'C'
#include <CL/cl.h>
#include <unistd.h>
int main(void)
{
    cl_platform_id p;
    cl_device_id d;
    clGetPlatformIDs(1, &p, 0);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, 0);
    clCreateContext(0, 1, &d, 0, 0, 0);
    return (int)sleep(60);
}
C
${CC:-cc} -DCL_TARGET_OPENCL_VERSION=300 -o "$T/linger" "$T/linger.c" -lOpenCL || fail "cannot build linger"
clweave trace -o "$T/bg.json" -- sh -c "$T/linger > $T/linger.out 2>&1 & echo \$! > $T/pid; sleep 1" > "$T/out" 2> "$T/err"
grep -q "process $(cat "$T/pid") is still running" "$T/err" || fail "a running process is not noticed: $(cat "$T/err")"
[ ! -e "$T/bg.json" ] && [ -e "$T/bg.json.log" ] || fail "the log of a running process was taken away"
kill -KILL "$(cat "$T/pid")"
while [ -e "/proc/$(cat "$T/pid")" ] && ! grep -q '^State:.*Z' "/proc/$(cat "$T/pid")/status"; do sleep 0.05; done
clweave graph "$T/bg.json.log" -o "$T/bg.json" || fail "its log cannot be converted"

# a process that was killed and whose memory the kernel still gives back is not one that runs
cat > "$T/large.c" <<'C'
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    const size_t bytes = (size_t)256 << 20;
    char *memory = malloc(bytes);
    cl_platform_id p;
    cl_device_id d;
    clGetPlatformIDs(1, &p, 0);
    clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, 0);
    clCreateContext(0, 1, &d, 0, 0, 0);
    memset(memory, 1, bytes);
    write(1, "ready\n", 6);
    return (int)sleep(600) + memory[bytes / 2];
}
C
${CC:-cc} -O0 -w -DCL_TARGET_OPENCL_VERSION=300 -o "$T/large" "$T/large.c" -lOpenCL || fail "cannot build large"
mkfifo "$T/ready"
clweave trace -o "$T/killed.json" -- bash -c "$T/large > $T/ready & read -r _ < $T/ready; kill -KILL \$!" > "$T/out" 2> "$T/err"
grep -q 'still running' "$T/err" && fail "a process that was killed is said to run: $(cat "$T/err")"
[ -e "$T/killed.json" ] && [ ! -e "$T/killed.json.log" ] || fail "the log of a process that was killed is not converted: $(cat "$T/err")"

# an interrupt from the terminal (to the whole process group) ends the program, not the tool
setsid clweave trace -o "$T/i.json" -- sh -c "$app; kill -INT 0; exit 7" > "$T/out" 2> "$T/err"; got=$?
[ $got = 130 ] || fail "an interrupt became status $got"
[ -s "$T/i.json" ] || fail "no trace after an interrupt: $(cat "$T/err")"

# a signal that a process sends to the tool is the program's; the trace is saved
for signal in TERM:143 HUP:129; do
    rm -f "$T/sg".*
    clweave trace -o "$T/sg.json" -- sh -c "$app; touch $T/sg.ready; while :; do sleep 0.1; done" > "$T/out" 2> "$T/err" &
    tool=$!
    until [ -e "$T/sg.ready" ]; do sleep 0.05; done
    kill -${signal%:*} $tool
    wait $tool; got=$?
    [ $got = ${signal#*:} ] || fail "SIG${signal%:*} to the tool became status $got"
    [ -s "$T/sg.json" ] || fail "no trace after SIG${signal%:*}: $(cat "$T/err")"
done

# what the library could only refuse in the program is a usage error; the program does not run
for bad in --set=callsites=0x --set=callsites=-1 --set=callsites=33 --log=loud --out= --out=%q; do
    clweave trace "$bad" -- touch "$T/ran" 2> "$T/err"; got=$?
    [ $got = 2 ] && [ -s "$T/err" ] && [ ! -e "$T/ran" ] || fail "$bad: status $got, $(cat "$T/err")"
done
echo '{"format":"clweave-platform","version":1,"devices":[{"class":"cpu"}]}' > "$T/no_dsp.json"
for bad in --policy=nosuch --policy= --policy=heft:nosuch --policy=heft:insertion=perhaps --policy=exact --policy=weave --set=seed=x --set=exchange=-1 --group-reuse=0 --group-reuse=x --set=exchange=+5 --set=exchange=0 \
    --devices=nosuch --devices=sub:0x --devices=basic,basic --dsp=four --dsp=-1 --dsp=65 --dsp= --set=dsp_clock=fast --set=dsp_platform=/nowhere \
    --set=dsp_platform="$T/no_dsp.json" --set=numerics=exact --set=rows=perhaps --footprints=maybe --history="$T" --log=loud --log=info:%q --set=callsites=x --out=; do
    clweave run "$bad" -- touch "$T/ran" 2> "$T/err"; got=$?
    [ $got = 2 ] && [ -s "$T/err" ] && [ ! -e "$T/ran" ] || fail "$bad: status $got, $(cat "$T/err")"
    bad=${bad#--}; bad=${bad#set=}; name=${bad%%=*}
    variable=CLWEAVE_$(echo "$name" | tr a-z- A-Z_)
    [ -n "${bad#*=}" ] || continue # an empty variable is an unset one
    env "$variable=${bad#*=}" clweave run -- touch "$T/ran" 2> "$T/err"; got=$?
    [ $got = 2 ] && grep -q "$variable" "$T/err" && [ ! -e "$T/ran" ] || fail "$variable=${bad#*=}: status $got, $(cat "$T/err")"
done
clweave run --policy=nosuch -- true 2>&1 | grep -q 'heft.*chaos\|chaos.*heft' || fail "policies that there are are not named"
# --set: the last value wins, over the variable, too; a name or a value that is none is told before the program runs
CLWEAVE_ROWS=perhaps clweave run --set rows=on --set seed=1 --set rows=off -- sh -c 'echo $CLWEAVE_ROWS $CLWEAVE_SEED' > "$T/out" 2> "$T/err"
[ "$(cat "$T/out")" = "off 1" ] || fail "--set gives $(cat "$T/out" "$T/err")"
for bad in rowz=on ROWS=on dsp-clock=real rows rows= =on '' policy=heft mode=run builder=wait; do
    clweave run --set "$bad" -- touch "$T/ran" 2> "$T/err"; got=$?
    [ $got = 2 ] && grep -q -- "--set $bad: " "$T/err" && [ ! -e "$T/ran" ] || fail "--set $bad: status $got, $(cat "$T/err")"
done
expect set_near 2 clweave run --set rowz=on -- touch "$T/ran"
expect set_value_missing 2 clweave run --set rows -- touch "$T/ran"
expect set_of_run 2 clweave trace --set rows=off -- touch "$T/ran"
CLWEAVE_POLICY=nosuch clweave run --policy=heft -- true 2> "$T/err" || fail "an option does not take the place of its variable: $(cat "$T/err")"
CLWEAVE_POLICY=nosuch clweave trace -o "$T/s.json" -- true 2> "$T/err" || fail "trace minds a setting of run: $(cat "$T/err")"
clweave run --policy=chaos --set seed=7 --devices=basic:2,sub --dsp=4 --set dsp_platform=hxdsp --history=off -- true 2> "$T/err" ||
    fail "good options are refused: $(cat "$T/err")"
mkdir "$T/100%e"
clweave trace -o "$T/e" -- touch "$T/ran" 2> "$T/err"; got=$?
[ $got = 1 ] && grep -q "is a folder" "$T/err" && [ ! -e "$T/ran" ] || fail "a folder as trace: status $got, $(cat "$T/err")"

# a library that the dynamic linker would split at a blank is refused before the program runs
mkdir "$T/b l"; cp "$B/libclweave.so" "$T/b l/"
CLWEAVE_LIB="$T/b l/libclweave.so" clweave trace -o "$T/e/x.json" -- touch "$T/ran" 2> "$T/err"; got=$?
[ $got = 1 ] && grep -q "cannot be preloaded" "$T/err" && [ ! -e "$T/ran" ] || fail "a blank in the library's path: status $got, $(cat "$T/err")"

# the name of the working folder is no pattern
(cd "$T/100%e" && clweave trace -o x.json -- "$app" > "$T/out" 2> "$T/err")
[ -s "$T/100%e/x.json" ] || fail "no trace in a folder with a percent sign: $(cat "$T/err")"
finish
