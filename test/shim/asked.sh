# Device times in mode trace: the vendor is asked while the program waits in the vendor, by a thread of the library alone; without a
# wait by the program once memory wants it, one command for each new one. Below is a driver with one lock (askedcl.c).
. test/shim/common.sh
program asked -lOpenCL
layer=$T/libaskedcl.so
$CC $flags -shared -fPIC -fvisibility=hidden -o "$layer" test/shim/askedcl.c -lpthread
export OPENCL_LAYERS=$layer NULLCL_KERNEL_NS=10000000 # its clock is no slower than the host's

# asks CASE... : the program's output in $T/out, the trace in $T/trace.json; all commands have times
asks() {
    "$B/clweave" trace --device-times -o "$T/trace.json" -- "$T/asked" "$layer" "$@" > "$T/out" 2> "$T/err" || fail "$*: $(cat "$T/err")"
    "$B/clweave" graph --json "$T/trace.json" > "$T/sums" || fail "$*: no graph"
    python3 - "$T/sums" <<'PY' || fail "$*: commands without times"
import json, sys
rows = json.load(open(sys.argv[1]))["commands"]
sys.exit(not rows or any(not row["device_ns"] for row in rows if row["type"] == "CL_COMMAND_NDRANGE_KERNEL"))
PY
}

asks waits
diff "$T/out" - <<'END' || fail "waits"
no wait: 0 by the program, 0 by others
waits of 9 kinds: others ask in 9, the program asks 0 times
beside waits: none
another thread enqueues: none
behind the queue's release: 0 events
END
# one part in 256 of the machine's memory, 4 KiB for an event, at most 2^18 of them
most=$(($(getconf _PHYS_PAGES) * $(getconf PAGESIZE) / 256 / 4096))
[ $most -lt 262144 ] || most=262144
asks many $most
diff "$T/out" - <<'END' || fail "many: $most"
1 pending: 0 questions
1 pending at most: the program asks for 1
others ask 0 times
END
echo ok
