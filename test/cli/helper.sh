# A clweave-footprint that is missing, cannot start, or is another build's: what to do is said, not that a file has a syntax error.
. "$(dirname "$0")/common.sh"
[ -x "$B/clweave-footprint" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
export XDG_CACHE_HOME=$T/cache
trace=test/fuzz/blockmatmul.json kernel=test/footprint/kernels/in_place.cl

# a program whose library is gone, as clweave-footprint is without libLLVM
echo 'int gone(void); int gone(void) { return 0; }' > "$T/gone.c"
echo 'int gone(void); int main(void) { return gone(); }' > "$T/main.c"
${CC:-cc} -shared -fPIC -Wl,-soname,libgone.so -o "$T/libgone.so" "$T/gone.c" && ${CC:-cc} -o "$T/no_library" "$T/main.c" -L"$T" -lgone ||
    fail "no program without its library can be made"
rm "$T/libgone.so"
printf '#!/bin/sh\necho %s\n' "'"'{"format":"clweave-footprint","version":1,"model_version":0,"models":[]}'"'" > "$T/other_version"
printf '#!/bin/sh\necho hello\n' > "$T/other_program"
chmod +x "$T/other_version" "$T/other_program"

wrong='expected an object|:1:1:'
needs='libllvm[0-9]+, clang-[0-9]+'
says() { # WHAT WORDS: a line of $T/err has them, and no words that are beside the point
    grep -E "$2" "$T/err" | grep -Evq "$wrong" || fail "$1: $(cat "$T/err")"
}
for case in "no_library|$needs" 'other_version|install both from one build' 'other_program|install both from one build' 'none|make deps'; do
    helper=${case%%|*} words=${case#*|}
    CLWEAVE_FOOTPRINT=$T/$helper clweave graph --footprints on "$trace" > "$T/out" 2> "$T/err" || fail "graph fails: $(cat "$T/err")"
    says "graph with $helper" "kernels count as touching all of their buffers: .*($words)"
done
CLWEAVE_FOOTPRINT=$T/no_library clweave kernel "$kernel" > "$T/out" 2> "$T/err"; got=$?
[ $got = 1 ] || fail "kernel without libLLVM: exit status $got"
says "kernel" "$needs"
tools=$T/tools; mkdir "$tools" # a PATH without clang
env PATH="$tools" "$B/clweave" graph --footprints on "$trace" > "$T/out" 2> "$T/err" || fail "graph without clang fails"
says "graph without clang" 'clang-[0-9]+ is not installed; install it'

# run mode's summary says the same; where all is managed a program waits for the answer
pocl=$(cat "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/pocl.icd" 2> /dev/null) || { echo "run mode not tried: package pocl-opencl-icd"; finish; }
case $B in *address* | *undefined* | *thread*) finish ;; esac
for case in "no_library|$needs" 'other_version|install both from one build'; do
    CLWEAVE_FOOTPRINT=$T/${case%%|*} OCL_ICD_VENDORS=$pocl CLWEAVE_POLICY=heft CLWEAVE_MANAGE_ALL=1 clweave run --devices basic --summary -- "$B/test/apps/blockmatmul" \
        > "$T/out" 2> "$T/err" || fail "run fails: $(cat "$T/err")"
    says "run with ${case%%|*}" "nothing is known of the kernels of 1 programs.*(${case#*|})"
done
finish
