# Threads on one queue, managed and native commands mixed, long enough to meet where one thread waits for all while another has just
# asked what to wait for: a wait is over when everything is.
# COMPILER: shared
. test/runmode/common.sh
for seed in 1 2; do
    printf '#!/bin/sh\nexec "%s"/test/runmode/crowd %s 1000\n' "$B" $seed > "$T/crowd"
    chmod +x "$T/crowd"
    bare "$T/crowd" || continue
    for devices in none cpu,basic:2; do
        in_run "$T/crowd" CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=$devices
        managed 5000
        in_run "$T/crowd" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=$devices CLWEAVE_SEED=$seed
        managed 5000
    done
done
done_
