# common.sh - builds the plugin of the dynamic checks in $T and sets f, oracle (arguments of check.py).
f=$B/clweave-footprint here=test/footprint
[ -x "$f" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
oracle=()
if command -v oclgrind > /dev/null && [ -e /usr/include/oclgrind/Plugin.h ] && command -v "${CXX:-c++}" > /dev/null; then
    ${CXX:-c++} -std=c++17 -O1 -fno-rtti -Wall -Wextra -shared -fPIC $here/trace_plugin.cc -o "$T/trace.so" -loclgrind || exit 1
    oracle=(--plugin "$T/trace.so")
else
    echo "no Oclgrind with headers (packages oclgrind, liboclgrind-dev): only writes are checked"
fi
check() { python3 $here/check.py --footprint "$f" --runner "$B/test/footprint/runner" "$@"; }
