# Functions that run mode knows nothing of: the program may have their addresses and all goes on as before. When it calls one, its
# commands are the vendor's from then on.
# COMPILER: shared
. test/runmode/common.sh
program=$B/test/runmode/asks
bare "$program" || exit 77
in_run "$program" CLWEAVE_MANAGE_ALL=1
managed 70
in_run "$program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos
managed 70
printf '#!/bin/sh\nexec "%s" call\n' "$(realpath "$program")" > "$T/calls"
chmod +x "$T/calls"
bare "$T/calls"
in_run "$T/calls" CLWEAVE_MANAGE_ALL=1
managed 20
[ "$(count commands)" -lt 60 ] || fail "commands are managed behind a function that may enqueue unseen"
in_run "$T/calls" CLWEAVE_STREAMS=force
done_
