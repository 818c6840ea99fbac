# Finding the real OpenCL library, wherever the program has it from, and never ourselves.
. test/shim/common.sh
program platforms
$CC $flags -o "$T/platforms_linked" test/shim/platforms.c -Wl,--no-as-needed -lOpenCL -ldl -lpthread
$CC $flags -DMODULE -fPIC -shared -o "$T/module.so" test/shim/platforms.c -lOpenCL
program missing
build_count
mkdir "$T/old" "$T/none" "$T/self" "$T/copy"
$CC $flags -fPIC -shared -o "$T/old/libOpenCL.so.1" test/shim/old_loader.c -Wl,-soname,libOpenCL.so.1
# it is no OpenCL library, and loading it changes errno
printf '#include <errno.h>\n__attribute__((constructor)) static void f(void) { errno = 5; }\n' |
    $CC -fPIC -shared -o "$T/none/libOpenCL.so.1" -x c -
ln -s libOpenCL.so.1 "$T/none/libOpenCL.so"
export COUNT_LOG=$T/count.log
icd=$(ldd "$T/platforms_linked" | awk '/libOpenCL/ { print $3 }')

# some loaders change errno themselves
CHECK_ERRNO=1 "$T/platforms_linked" linked 16 > /dev/null 2>&1 && errno=CHECK_ERRNO=1 || errno=

# expect TEXT COMMAND... - the last line of the command's output is TEXT
expect() {
    local want=$1 got; shift
    got=$("$@" 2>"$T/stderr" | tail -n 1) || { cat "$T/stderr"; fail "failed: $*"; }
    [ "$got" = "$want" ] || { cat "$T/stderr"; fail "wanted '$want', got '$got' from: $*"; }
}

for lib in "$shim" "$count"; do
    for mode in off trace run; do
        with="env LD_PRELOAD=$lib CLWEAVE_MODE=$mode CLWEAVE_OUT=$T/out.json $errno"
        expect "1 platforms" $with "$T/platforms_linked" linked 16
        expect "1 platforms" $with "$T/platforms" linked 16 # bound to us alone
        expect "1 platforms" $with "$T/platforms" libOpenCL.so.1 16
        expect "1 platforms" $with "$T/platforms" libOpenCL.so 16
        expect "1 platforms" $with "$T/platforms" "module:$T/module.so" 16
        expect "1 platforms" env OPENCL_LAYERS="$lib" CLWEAVE_MODE=$mode CLWEAVE_OUT="$T/out.json" "$T/platforms" libOpenCL.so.1 16
        expect "1 platforms" $with "$T/platforms" "module:$T/module.so" 1 fork
        expect "1 platforms" $with "$T/platforms" libOpenCL.so.1 1 fork
    done

    # the library that is found may be ourselves, under its name or as another copy
    ln -sf "$lib" "$T/self/libOpenCL.so.1"
    cp "$lib" "$T/copy/libOpenCL.so.1"
    for folder in self copy; do
        for mode in off trace; do
            expect "1 platforms" env LD_PRELOAD="$lib" LD_LIBRARY_PATH="$T/$folder" CLWEAVE_MODE=$mode \
                CLWEAVE_OUT="$T/out.json" "$T/platforms" linked
        done
    done

    # a library that lacks nearly everything; none at all
    for mode in off trace; do
        expect "131 calls, 0 wrong; clGetPlatformIDs: 0, 3 platforms" env LD_PRELOAD="$lib" LD_LIBRARY_PATH="$T/old" \
            CLWEAVE_MODE=$mode CLWEAVE_OUT="$T/out.json" "$T/missing" clGetPlatformIDs clFlush
        expect "132 calls, 0 wrong; clGetPlatformIDs: -1001, 0 platforms" env LD_PRELOAD="$lib" LD_LIBRARY_PATH="$T/none" \
            CLWEAVE_MODE=$mode CLWEAVE_OUT="$T/out.json" "$T/missing" clGetPlatformIDs
        # looking for one in vain leaves errno alone
        expect "1000 platforms" env LD_PRELOAD="$lib" LD_LIBRARY_PATH="$T/none" CLWEAVE_MODE=$mode CLWEAVE_OUT="$T/out.json" \
            CHECK_ERRNO=1 "$T/platforms" linked
        [ "$(grep -c 'found no OpenCL library' "$T/stderr")" = 1 ] || { cat "$T/stderr"; fail "the reason was not said once"; }
    done
done

# a loader that knows no layers: the exported symbols hook
rm -f "$COUNT_LOG"
expect "3 platforms" env LD_PRELOAD="$count" LD_LIBRARY_PATH="$T/old" CLWEAVE_MODE=trace "$T/platforms" linked
grep -q '^clGetPlatformIDs 0 0' "$COUNT_LOG" || fail "not hooked behind a loader without layers"
[ "$(wc -l < "$COUNT_LOG")" = 1 ] || fail "hooked more than once behind a loader without layers"

# racing first calls, hooked once each
for how in "linked $T/platforms_linked" "libOpenCL.so.1 $T/platforms" "libOpenCL.so $T/platforms" "$icd $T/platforms" \
    "$(realpath "$icd") $T/platforms" "module:$T/module.so $T/platforms"; do
    set -- $how
    for i in 1 2 3 4 5 6 7 8 9 10; do
        rm -f "$COUNT_LOG"
        expect "1 platforms" env LD_PRELOAD="$count" CLWEAVE_MODE=trace "$2" "$1" 16
        [ "$(grep -c '^clGetPlatformIDs 0 0' "$COUNT_LOG")" = 16 ] || { cat "$COUNT_LOG"; fail "$1: 16 racing calls, not hooked once each"; }
    done
done

# nothing but the API and the layer interface is exported; what would come before the program's own libraries is not linked
symbols=$(nm -D --defined-only "$shim" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -v '^cl[A-Z]' || true)
[ -z "$symbols" ] || fail "exported beside the API: $symbols"
! readelf -d "$shim" | grep -E 'NEEDED.*(OpenCL|LLVM|unwind|gcc_s|stdc)' || fail "linked to what it must not be"
# the symbols that ocl-icd exports are all there, in the same versions
list() { nm -D --defined-only "$1" | awk '$3 ~ /^cl/ { print $3 }' | sort; }
missing=$(comm -23 <(list "$icd") <(list "$shim"))
[ -z "$missing" ] || fail "exported by the loader but not by us: $missing"
