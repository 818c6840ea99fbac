# A launch that ended by what another queue wrote while it ran never ends where commands run one after the other: that is said, in
# bounded time.
# SECONDS: 10
. test/execute/common.sh
capture flag "$B/test/runmode/flags" once
out=$("$cli" replay "$T/flag.json" --execute 2>&1); status=$?
[ $status = 1 ] && [[ $out == *"(NDRANGE_KERNEL plain) has not ended after"*"(WRITE_BUFFER) wrote while it ran"* ]] ||
    fail "status $status, \"$out\""
