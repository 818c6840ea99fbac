# Other GPUs help under `run` alone only if NVIDIA's management library says that they are idle: no process, 1 % of their memory at most.
# idleml.c stands for that library, buscl.c gives PoCL's devices places on the bus, and counts contexts of others than the program's own.
# Whether they begin depends on what they gain on this machine.
# COMPILER: shared
. test/runmode/common.sh
flags="-std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Wno-deprecated-declarations -shared -fPIC -fvisibility=hidden"
mkdir "$T/nvml"
${CC:-cc} $flags -o "$T/nvml/libnvidia-ml.so.1" test/runmode/idleml.c && ${CC:-cc} $flags -o "$T/libbuscl.so" test/runmode/buscl.c || exit 1
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so:$T/libbuscl.so GPUCL_ALONE=1 POCL_DEVICES="pthread pthread"
export LD_LIBRARY_PATH=$T/nvml${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} IDLEML_LOG=$T/log
noise='^(run|clweave|buscl): '
printf '#!/bin/sh\nout=$("%s"/test/bench/gpus_speed pi) || exit 1\necho "$out" | grep hash\n' "$(realpath "$B")" > "$T/program"
chmod +x "$T/program"
bare "$T/program" || done_
sed -i '/^buscl: /d' "$T/bare.err"

# runs CACHE VARIABLE=VALUE... : as users run it, with a cache of its own; contexts of other GPUs in $opened
runs() {
    local cache=$T/cache-$1; shift
    : > "$T/log"
    in_run "$T/program" XDG_CACHE_HOME="$cache" CLWEAVE_LEARN=all "$@"
    opened=$(sed -n 's/^buscl: \([0-9]*\) contexts.*/\1/p' "$T/run.err" | sort -n | tail -n 1)
}
# until CONDITION CACHE VARIABLE=VALUE... : some runs of an empty cache, until the condition holds; false: it never did
until_() {
    local condition=$1 turn; shift
    for turn in 1 2 3 4 5 6 7 8; do
        runs "$@"
        eval "$condition" && return
    done
    return 1
}
# idle: offered, and opened, after NVML was asked
until_ '[ "$opened" -gt 0 ]' idle IDLEML=idle || too_busy "no idle GPU began: $(cat "$T/summary")"
grep -q '^init$' "$T/log" && grep -q '^shutdown$' "$T/log" || fail "a GPU was opened, and NVML was not asked"
grep -q '^run: other GPUs began' "$T/summary" || fail "nothing is said of GPUs that began: $(cat "$T/summary")"
cp -r "$T/cache-idle" "$T/known"

# all else: never opened, though the runs before have shown that they may begin
refused() {
    local name=$1 why=$2; shift 2
    cp -r "$T/known" "$T/cache-$name"
    until_ '[ "$opened" -gt 0 ] || grep -q "other GPUs were left alone" "$T/summary"' "$name" "$@" || { [ $name = computing ] && too_busy "$name: $(cat "$T/summary")"; }
    [ "$opened" = 0 ] || fail "$name: $opened GPUs were opened"
    ! grep -q 'left alone' "$T/summary" || grep -q "left alone: $why" "$T/summary" || fail "$name: $(grep 'left alone' "$T/summary")"
    said=$((${said:-0} + $(grep -c "left alone: $why" "$T/summary")))
}
refused computing 'in use: 1 processes' IDLEML=computing
refused drawing 'in use: 1 processes' IDLEML=drawing
refused filled 'in use: 2 % of its memory' IDLEML=filled
refused deaf 'not known whether it is idle: NVML answers with errors 0, 0, 999' IDLEML=deaf
refused stopped 'not known whether it is idle: NVML does not start (error 999)' IDLEML=stopped
refused elsewhere 'not known whether it is idle: NVML has no GPU at 0000:02:00' IDLEML=elsewhere
refused nowhere 'not known whether it is idle: its vendor does not say where it is' IDLEML=idle BUSCL=off
refused missing 'not known whether it is idle: libnvidia-ml.so.1 is not there' IDLEML=idle LD_LIBRARY_PATH=
[ "$said" -ge 4 ] || too_busy "only $said of 8 runs came so far"
# --devices none: nothing is offered, nothing asked
cp -r "$T/known" "$T/cache-none"
runs none IDLEML=idle CLWEAVE_DEVICES=none
[ "$opened" = 0 ] && [ ! -s "$T/log" ] || fail "--devices none: $opened opened, $(cat "$T/log")"
# --devices gpu asks nothing: the user has
until_ '[ "$opened" -gt 0 ]' asked IDLEML=computing CLWEAVE_DEVICES=gpu || too_busy "no GPU that the user asked for began"
[ ! -s "$T/log" ] || fail "--devices gpu: NVML is asked"

# long commands on one stream: the next run is offered them
for state in idle computing; do
    runs long-$state IDLEML=$state CLWEAVE_LEARN=auto
    [ "$opened" = 0 ] || fail "opened in the first run"
    grep -q '; idle GPUs are offered to the next run$' "$T/run.err" || too_busy "the last line: $(grep '^clweave' "$T/run.err")"
    runs long-$state IDLEML=$state CLWEAVE_LEARN=auto
    grep -q '^run: streams' "$T/summary" && fail "streams in a run that GPUs are offered to: $(cat "$T/summary")"
done

done_
