#!/bin/bash
# Launches in tiles of the rewritten kernel, compared byte by byte with the original, on one device and on two at once:
# every shape of ids.c, and whole programs.
# CLWEAVE_SUITES (a manifest, test/suites/manifest.py): those programs too.
set -u
[ -x "$B/clweave-footprint" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
tiles() { python3 test/rewrite/tiles.py --layer "$B/test/libtilecl.so" --footprint "$B/clweave-footprint" "$@"; }
cat > "$T/list" <<END
ids -- $B/test/rewrite/ids
END
for app in blockmatmul chains8 disjoint jacobi mapreduce reduction; do echo "$app -- $B/test/apps/$app" >> "$T/list"; done
bad=0
tiles --launches 20 "$T/list" || bad=1
tiles --launches 3 --two basic "$T/list" || bad=1
[ -z "${CLWEAVE_SUITES:-}" ] || tiles "$CLWEAVE_SUITES" || bad=1
exit $bad
