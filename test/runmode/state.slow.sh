# What belongs to the program's threads stays theirs, and does not reach kernels, whoever runs them: each case by itself,
# as the first one of several would leave threads behind that later ones need.
. test/runmode/common.sh
for case in rounding denormals signals traps stacks divisions write_barrier cancelled; do
    printf '#!/bin/sh\nexec "%s" %s\n' "$B/test/runmode/state" $case > "$T/$case"
    chmod +x "$T/$case"
    bare "$T/$case" || continue
    in_run "$T/$case" CLWEAVE_MANAGE_ALL=1
    in_run "$T/$case" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=basic:2
    managed 1
done
done_
