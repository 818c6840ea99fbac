#!/bin/bash
# Claims about the bitcode in PoCL's binaries of the own kernels, against Oclgrind's trace of their sources, and the proof that
# false claims are noticed. ALL=1: every kernel, also on the first OpenCL device.
# SECONDS: 25
# SLOW: ALL=1
set -u
. test/footprint/common.sh
export CW_FOOTPRINT=$f CW_TO_BINARY=$B/test/footprint/to_binary CW_BINARIES=$T/binaries
mkdir -p "$CW_BINARIES"
"$CW_TO_BINARY" $here/kernels/vectors.cl "$T/vectors" "" || { echo "the first device builds no binary"; exit 77; }
head -c 7 "$T/vectors" | grep -q poclbin || { echo "the first device is not PoCL's"; exit 77; }
check() { python3 $here/check.py --footprint $here/by_binary.py --runner "$B/test/footprint/runner" "$@"; }
bad=0
[ -z "${ALL:-}" ] || check --pocl --tiles 4 $here/own.json $here/kernels || bad=1
[ ${#oracle[@]} -gt 0 ] || exit $bad
check "${oracle[@]}" --tiles 4 --every $((${ALL:-0} ? 1 : 20)) $here/own.json $here/kernels > "$T/claims" || { cat "$T/claims"; bad=1; }
check "${oracle[@]}" --tiles 4 --only threes $here/own.json $here/kernels || bad=1 # vectors of three, which the binary stores as four
check "${oracle[@]}" --tiles 4 --only handed_over $here/own.json $here/kernels || bad=1
check "${oracle[@]}" --break radius --only stencil --tiles 4 $here/own.json $here/kernels > "$T/broken"
[ $? = 1 ] && grep -q "VIOLATION oclgrind" "$T/broken" || { echo "claims broken passed under Oclgrind"; bad=1; }
exact=$(grep -c 'exact' "$T/claims")
[ "$exact" -ge 3 ] || { echo "only $exact lines of exact claims: $(cat "$T/claims")"; bad=1; }
exit $bad
