# The thread that closes windows nobody else closes lets a program alone that waits for each launch: what it takes, kernels want.
. test/runmode/common.sh
program=$B/test/runmode/wakes
printf '#!/bin/sh\nexec "%s" 8\n' "$program" > "$T/wakes"
chmod +x "$T/wakes"
bare "$T/wakes" || exit
! grep -q restless "$T/bare" || { cat "$T/bare.err"; fail "bare"; }
in_run "$T/wakes" CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=none
managed 200
in_run "$T/wakes" CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=cpu,basic:1
managed 200
done_
