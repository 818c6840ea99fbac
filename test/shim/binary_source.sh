# From their second run on pyopencl's programs are made of binaries, beside which it keeps the source: a trace has that source, and so
# ranges instead of whole buffers. It lies in the user's cache, or where build(cache_dir=...) says: below the working folder, or below
# that of a file which the command line names. Another program's source, and --set no_sources=1, leave it out.
set -u
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
B=$(realpath "$B")
program=$B/test/runmode/binaries name=pyopencl_defeat_cache_0123456789abcdef0123456789abcdef
export CW_NAMED=$name CW_OPTIONS=-DTIMES=3
in_folder() { # FOLDER: pyopencl's cache lies there
    mkdir -p "$1/5d"
    export CW_BINARY=$1/5d/binary CW_SOURCE=$1/5d/source.cl
    "$program" > "$T/bare" 2> "$T/bare.err" || { cat "$T/bare.err"; exit 1; } # makes the binary
}
# traced HOW OPTION... -- WORD... : in the folder $T/here; how many programs of binaries have a source, and launches ranges
traced() {
    local how=$1; shift
    (cd "$T/here" && XDG_CACHE_HOME=$T/cache "$B/clweave" trace -o "$T/trace.json" "$@") > "$T/run" 2> "$T/run.err" || fail "$how: $(cat "$T/run.err")"
    cmp -s "$T/bare" "$T/run" || fail "$how: other output"
    python3 - "$T/trace.json" << 'PY'
import json, sys
t = json.load(open(sys.argv[1]))
size = {m["id"]: m["size"] for m in t["memory"]}
binaries = [p for p in t["programs"] if p["kind"] == "binary"]
parts = [a for c in t["commands"] if "kernel" in c for a in c.get("writes", []) if a["bytes"] < size[a["memory"]]]
print(len(binaries), sum("source" in p for p in binaries), "ranges" if parts else "whole")
PY
}
is() { [ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"; }
mkdir -p "$T/here" "$T/script" "$T/cache"
in_folder "$T/cache/pyopencl/pyopencl-compiler-cache-v2-py3.11"
is "the user's cache" "$(traced cache -- "$program")" "1 1 ranges"
is "--set no_sources=1" "$(traced without --set no_sources=1 -- "$program")" "1 0 whole"
sed -i "s/$name/${name%f}0/" "$CW_SOURCE"
is "another program's source" "$(traced another -- "$program")" "1 0 whole"
rm -r "$T/cache/pyopencl"
touch "$T/script/p.py"
for folder in "$T/here" "$T/here/kernels" "$T/script" "$T/script/kernels" "$T/elsewhere"; do
    in_folder "$folder"
    is "cache_dir $folder" "$(traced "$folder" -- "$program" "$T/script/p.py")" "1 $([ "$folder" = "$T/elsewhere" ] && echo 0 whole || echo 1 ranges)"
    rm -r "$folder/5d"
done
in_folder "$T/here"
rm "$CW_SOURCE"; mkfifo "$CW_SOURCE" # without a writer
is "a pipe" "$(traced pipe -- "$program")" "1 0 whole"
[ $failures = 0 ]
