# Launches that come again are done inside their enqueue, and no program can tell: again.c, on a device that runs kernels
# there, so that it does not depend on what pays; then with helpers, where it does.
# COMPILER: shared
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "nothing is known of kernels here"; exit 77; }
program=$T/again
printf '#!/bin/sh\nexec "%s" alone\n' "$B/test/runmode/again" > "$program"
chmod +x "$program"
repeated() { awk "/launches repeated the one before/ { n = \$2 } END { print n + 0 }" "$T/summary"; }
export POCL_DEVICES=basic
bare "$program" || { done_; exit; }
for turn in 1 2 3; do # what is known of kernels may come late in the first
    in_run "$program" CLWEAVE_MANAGE_ALL=1
    [ "$(repeated)" -eq 0 ] || break
done
[ "$(repeated)" -gt 1000 ] || fail "only $(repeated) launches were done at once: $(cat "$T/summary")"
unset POCL_DEVICES
program=$B/test/runmode/again
bare "$program"
for turn in 1 2 3 4 5 6 7 8; do # its threads meet in many ways
    in_run "$program" CLWEAVE_DEVICES=cpu,basic:2
done
done_
