#!/bin/bash
# Launches in tiles of the rewritten kernel, compared byte by byte with the original, on one device and on two at once; a
# falsified hidden argument must be noticed. ids.c has every built-in in every shape.
# SECONDS: 20
set -u
[ -x "$B/clweave-footprint" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
tiles() { python3 test/rewrite/tiles.py --layer "$B/test/libtilecl.so" --footprint "$B/clweave-footprint" "$@"; }
"$B/test/rewrite/ids" > "$T/bare" 2>&1 || { echo "bare ids fails: $(tail -n 1 "$T/bare")"; exit 77; } # with PoCL 6.0
echo "ids -- $B/test/rewrite/ids" > "$T/list"
bad=0
tiles --launches 2 "$T/list" > "$T/out" || { cat "$T/out"; bad=1; }
for broken in base group; do
    TILECL_BREAK=$broken tiles --launches 1 "$T/list" > "$T/out" && { echo "a falsified $broken was not noticed"; bad=1; }
    grep -q "DIFFERS kernel" "$T/out" || { cat "$T/out"; bad=1; }
done
exit $bad
