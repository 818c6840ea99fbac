# common.sh - sets f, oracle (arguments of check.py: the plugin of the dynamic checks).
f=$B/clweave-footprint here=test/footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
oracle=()
if [ -e "$B/test/footprint/trace.so" ]; then
    oracle=(--plugin "$B/test/footprint/trace.so")
else
    echo "no Oclgrind with headers (packages oclgrind, liboclgrind-dev): only writes are checked"
fi
check() { python3 $here/check.py --footprint "$f" --runner "$B/test/footprint/runner" "$@"; }
