#!/bin/bash
# Cut launches of kernels that test for borders run by rows of work-items, which clang's reading of the kernels allows
# (analyzer/kernels/llvm/rows_proof.h); with --set rows=off none does, and the results are the same.
# COMPILER: shared
. test/runmode/common.sh
rows() { sed -n 's/^run: \([0-9]*\) tiles by rows.*/\1/p' "$T/summary"; }
for kind in box star; do
    printf '#!/bin/sh\nexec "%s"/test/apps/stencil/flat %s 512 768 6\n' "$B" $kind > "$T/$kind"; chmod +x "$T/$kind"
    bare "$T/$kind" && in_run "$T/$kind" CLWEAVE_DEVICES=basic:2 CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1
    n=$(rows); [ "${n:-0}" -ge 4 ] || fail "$kind: '$(rows)' tiles by rows"
    echo "$kind: $(rows) tiles by rows"
    in_run "$T/$kind" CLWEAVE_DEVICES=basic:2 CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_ROWS=off
    [ "$(count cut)" -ge 4 ] && [ -z "$(rows)" ] || fail "$kind: --set rows=off: $(cat "$T/summary")"
done
done_
