# clweave kernel: what a person reads about kernels, JSON, launches, and what it says about bad input.
. "$(dirname "$0")/common.sh"
[ -x "$B/clweave-footprint" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
kernels=test/footprint/kernels
expect kernel_stencil 0 clweave kernel $kernels/stencil.cl --kernel stencil --launch 64x64/8x8 --set width=64 --set height=64
expect kernel_histogram 0 clweave kernel $kernels/histogram.cl
expect kernel_in_place 0 clweave kernel $kernels/in_place.cl -l 64/8 -s n=64 -s a=256
expect kernel_product 0 clweave kernel $kernels/product.cl -l 128x128/8x8 -s n=128
# LLVM 14, whose count of integer operations the text has
! ldd "$B/clweave-footprint" | grep -q 'libLLVM-14' || expect kernel_same_buffer 0 clweave kernel $kernels/cutting.cl -k shifted -l 64/8 -s out=in
expect kernel_triangle 0 clweave kernel $kernels/triangle.cl -k triangle -l 1000/10 -s n=1000
expect kernel_by_zero 0 clweave kernel $kernels/by_zero.cl -l 32/8
expect kernel_macro 0 clweave kernel $kernels/cutting.cl -k vendor_macro -DVENDOR_HAS_WIDE_GROUPS -l 64/8
expect kernel_assembly 0 clweave kernel $kernels/assembly.cl -k assembly
expect kernel_rewritten 0 clweave kernel $kernels/reduction.cl --rewritten
expect kernel_rewritten_refused 1 clweave kernel $kernels/reduction.cl -r -D __COUNTER__=1
clweave kernel $kernels/assembly.cl -r | grep -q "^/\* assembly stays whole: uses '__asm__' \*/" || fail "a kernel with assembly is rewritten"
expect kernel_rewritten_and_launch 2 clweave kernel $kernels/reduction.cl -r --launch 64/8
expect kernel_help 0 clweave kernel --help

clweave kernel $kernels/in_place.cl --json --launch 64/8 --set n=64 > "$T/k.json" || fail "no JSON"
python3 - "$T/k.json" <<'E2' || fail "the JSON is not what it should be"
import json
import sys
j = json.load(open(sys.argv[1]))
k = j["kernels"][0]
assert k["name"] == "in_place" and k["cut"]["verdict"] == "whole" and not k["cut"]["certain"]
assert k["accesses"][0]["offset"] == "4*gid0" and k["operations"][1]["counts"]["store"] == 1
assert j["launches"][0]["global"] == [64] and j["results"][0]["cut"]["verdict"] == "whole"
assert j["results"][0]["tiles"][0]["args"][0]["writes"]["exact"] == [[128, 160]]
E2

expect kernel_no_file 2 clweave kernel
expect kernel_missing_file 1 clweave kernel "$T/none.cl"
echo 'kernel void broken(global int *a) { a[0] = b; }' > "$T/broken.cl"
expect kernel_broken 1 clweave kernel "$T/broken.cl"
expect kernel_no_such_kernel 1 clweave kernel $kernels/in_place.cl --kernel in_plaice
expect kernel_bad_launch 2 clweave kernel $kernels/in_place.cl --launch 64
expect kernel_uneven_launch 2 clweave kernel $kernels/in_place.cl --launch 64x64/8
expect kernel_bad_set 2 clweave kernel $kernels/in_place.cl --launch 64/8 --set n=many
expect kernel_set_unknown 2 clweave kernel $kernels/cutting.cl -l 64/8 --set ouut=64
expect kernel_set_unknown_far 2 clweave kernel $kernels/in_place.cl -l 64/8 --set width=64
expect kernel_set_without_launch 2 clweave kernel $kernels/in_place.cl --set n=64
# as many macros as a program has
macros=$(seq 400 | sed 's/.*/-DM&=&/')
{ echo '#if M1 + M400 != 401'; echo '#error macros are missing'; echo '#endif'; cat $kernels/in_place.cl; } > "$T/many.cl"
clweave kernel "$T/many.cl" $macros -b -w -b -g $(yes -- '-b -w' | head -n 40) > "$T/many" 2>&1 || fail "400 macros: $(cat "$T/many")"
clweave kernel "$T/many.cl" -r $macros > "$T/many" 2>&1 || fail "400 macros, rewritten: $(cat "$T/many")"
# build options need no -b, wherever they stand
clweave kernel $kernels/in_place.cl > "$T/plain"
for options in "-cl-mad-enable" "-w -Werror -cl-std=CL1.2" "-I . -D X=1 -g -O3" "-cl-fast-relaxed-math -k in_place" "-U X -nv-verbose"; do
    clweave kernel $kernels/in_place.cl $options > "$T/got" 2> "$T/err" && cmp -s "$T/got" "$T/plain" || fail "FILE $options: $(cat "$T/err")"
    clweave kernel $options $kernels/in_place.cl > "$T/got" 2> "$T/err" && cmp -s "$T/got" "$T/plain" || fail "$options FILE: $(cat "$T/err")"
done
clweave kernel $kernels/in_place.cl -D in_place=renamed -cl-mad-enable | grep -q renamed || fail "-D beside another build option"
expect kernel_spir 1 clweave kernel $kernels/in_place.cl -x spir -spir-std=1.2
expect kernel_unknown_letters 2 clweave kernel $kernels/in_place.cl -qz
expect kernel_argument_like_option 1 clweave kernel $kernels/in_place.cl -k -cl-mad-enable
# a wait takes no processor time: what the machine does beside changes no answer
printf '#!/bin/sh\nsleep 4\nexec "%s" "$@"\n' "$(command -v clang-14 clang-15 clang-16 clang-18 clang-19 clang | head -n 1)" > "$T/slow"
chmod +x "$T/slow"
CLWEAVE_CLANG="$T/slow" clweave kernel $kernels/in_place.cl --seconds 3 > "$T/got" 2>&1 && cmp -s "$T/got" "$T/plain" ||
    fail "a clang that waits four seconds: $(cat "$T/got")"
expect kernel_unknown_build_option 1 clweave kernel $kernels/in_place.cl -b -fmagic
expect kernel_no_helper 1 env CLWEAVE_FOOTPRINT="$T/none" "$B/clweave" kernel $kernels/in_place.cl
ls "${TMPDIR:-/tmp}"/clweave-kernel-* > /dev/null 2>&1 && fail "a launch file was left behind"
finish
