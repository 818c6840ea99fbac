#!/bin/bash
# The rewriter on mutated sources: never a crash, a hang or a bad answer (with the sanitizers, BUDGET seconds, default 60), and
# what it accepts still compiles (BUDGET seconds more). SEED to go elsewhere.
set -u
budget=${BUDGET:-60} seed=${SEED:-1} bad=0
files=(test/footprint/kernels/*.cl)
if ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all test/rewrite/fuzz.c \
    analyzer/kernels/rewrite/rewrite*.c analyzer/kernels/rows/*.c analyzer/kernels/source/cl_*.c analyzer/kernels/source/tokens*.c analyzer/kernels/source/inlined_headers.c analyzer/io/array.c sched/status.c sched/error.c -o "$T/fuzz"; then
    CASE="$T/case" timeout $((budget + 60)) "$T/fuzz" "$seed" "$budget" "${files[@]}" || { bad=1; head -c 2000 "$T/case"; }
else
    echo "no sanitizers"; bad=1
fi
clang=$(command -v clang-16 clang-15 clang-14 clang | head -n 1)
[ -n "$clang" ] || { echo "no clang: whether results compile is not checked"; exit $((bad ? 1 : 77)); }
python3 test/rewrite/fuzz.py --rewriter "$B/test/rewrite/rewriter" --clang "$clang" --seed "$seed" --seconds "$budget" "${files[@]}" || bad=1
exit $bad
