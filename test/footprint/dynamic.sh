#!/bin/bash
# The claims about the own kernels against Oclgrind's memory trace and against bytes that change on the first OpenCL
# device, and the proof that false claims are noticed. ALL=1: every kernel under Oclgrind instead of every fifth one (golden.sh has
# all claims, word by word), and more false claims.
# SLOW: ALL=1
# SECONDS: 25
set -u
. test/footprint/common.sh
bad=0
if [ ${#oracle[@]} -gt 0 ]; then
    check "${oracle[@]}" --tiles 8 --every $((${ALL:-0} ? 1 : 5)) $here/own.json $here/kernels || bad=1
    for rule in radius:stencil shift:strips grow:transpose lie:gather ${ALL:+radius:reduction shift:stencil grow:guarded_add lie:scatter}; do
        check "${oracle[@]}" --break ${rule%:*} --only ${rule#*:} --tiles 4 $here/own.json $here/kernels > "$T/broken"
        [ $? = 1 ] && grep -q "VIOLATION oclgrind" "$T/broken" || { echo "claims broken by '$rule' passed under Oclgrind"; bad=1; }
    done
fi
check --pocl --tiles 4 --every $((${ALL:-0} ? 9 : 20)) $here/own.json $here/kernels || bad=1
for rule in shift:vector_add grow:vector_add lie:scatter; do
    check --pocl --break ${rule%:*} --only ${rule#*:} $here/own.json $here/kernels > "$T/broken"
    [ $? = 1 ] && grep -q "VIOLATION device" "$T/broken" || { echo "claims broken by '$rule' passed on the device"; bad=1; }
done
exit $bad
