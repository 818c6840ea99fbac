# Every row of the API table: what the program sends is what the vendor gets, and what the vendor answers is what the
# program gets, whichever doors are open, linked or dlopened, with nothing or everything hooked, and in every mode.
# SECONDS: 15
. test/shim/common.sh
program every_call
$CC $flags -DLINKED -o "$T/every_linked" test/shim/every_call.c -lOpenCL -ldl
build_count
export NULLCL_PLATFORMS=4

# The calls that trace mode makes on its own.
own='^clGet[A-Za-z]*Info '

# It asks for these results (a count, a code) where the program did not, or into its own memory first.
results='^(clGetDeviceIDs|clCreate[A-Za-z0-9]*|clCloneKernel|clLinkProgram|clEnqueueMapBuffer|clEnqueueMapImage) '
# Its own callback stands in for the program's, and calls that: to see when a command is known to be complete.
callbacks='^clSetEventCallback '
without_result() { sed -E "/$results/s/ [^ ]*\$/ RESULT/; /$callbacks/s/ [^ ]* [^ ]*\$/ CALLBACK/" "$1"; }

# run NAME VARIABLE... - runs both programs; leaves $T/NAME.{linked,so1,so}.{log,sent,results,count}
run() {
    local name=$1 v p; shift
    for v in linked so1 so; do
        p="$T/every_call $T/$name.$v.sent $T/$name.$v.results libOpenCL.so.1"
        [ $v = so ] && p=${p%.1}
        [ $v = linked ] && p="$T/every_linked $T/$name.$v.sent $T/$name.$v.results"
        env "$@" NULLCL_LOG="$T/$name.$v.log" COUNT_LOG="$T/$name.$v.count" CLWEAVE_OUT="$T/trace.json" $p \
            || fail "$name: $p failed"
        # addresses of code, stack and heap (the loader's calls, the program's set-up) differ in every process
        sed -i -E 's/ (5[56][0-9a-f]|7e[b-f]|7f[0-9a-f])[0-9a-f]{9}\b/ ADDRESS/g' \
            "$T/$name.$v.log" "$T/$name.$v.sent"
    done
}

# same NAME - the run NAME equals the bare one
same() {
    local v
    for v in linked so1 so; do
        cmp "$T/bare.$v.results" "$T/$1.$v.results" || fail "$1 $v: results differ"
        diff "$T/bare.$v.log" "$T/$1.$v.log" > "$T/diff" || { head -20 "$T/diff"; fail "$1 $v: other calls reach the vendor"; }
    done
}

# a row whose arguments are not its parameters in order would swap them for the program and for the driver alike
awk -F'[(]' '/^CW_(API|EXT)[(]/ {
    row = $0; args = row; sub(/.*, [(]/, "", args); gsub(/[)]/, "", args)
    params = substr(row, 1, length(row) - length(args) - 4); n = split(args, name, ", ")
    for (i = 1; i <= n; i++) {
        if (!match(params, "[ *(]" name[i] "([],)[]|$)")) { print "out of order: " row; bad = 1; break }
        params = substr(params, RSTART + RLENGTH - 1)
    }
} END { exit bad }' shim/door/api.inc || fail "api.inc: arguments that are not the parameters"

run bare
# the test itself: everything the table has was sent and arrived, but for what the loader answers
sent=$(cut -d' ' -f1 "$T/bare.linked.sent" | sort -u | grep -vc @)
rows=$(grep -cE '^CW_(API|EXT)\(' shim/door/api.inc)
[ "$sent" = $((rows - 1)) ] || fail "only $sent of $((rows - 1)) functions were called"
grep -vE '^(clGetPlatformIDs|clUnloadCompiler|clGetExtensionFunctionAddress)' "$T/bare.linked.sent" > "$T/want"
grep -Fxf "$T/want" "$T/bare.linked.log" > "$T/got" || true
[ "$(sort -u "$T/want" | wc -l)" = "$(sort -u "$T/got" | wc -l)" ] || { sort -u "$T/got" | comm -23 <(sort -u "$T/want") -; fail "bare: sent but not received"; }

run preload_off LD_PRELOAD="$shim" CLWEAVE_MODE=off; same preload_off
run layer_off OPENCL_LAYERS="$shim" CLWEAVE_MODE=off; same layer_off
run both_off LD_PRELOAD="$shim" OPENCL_LAYERS="$shim" CLWEAVE_MODE=off; same both_off

# everything hooked: nothing changes, and each call is hooked exactly once
for doors in "preload LD_PRELOAD=$count" "layer OPENCL_LAYERS=$count" "both LD_PRELOAD=$count OPENCL_LAYERS=$count"; do
    set -- $doors; name=count_$1; shift
    run $name "$@" CLWEAVE_MODE=trace; same $name
    for v in linked so1 so; do
        # extension functions carry their platform in `sent`
        sed -E 's/^(cl[A-Za-z]+)@[0-9]/\1/' "$T/$name.$v.sent" | grep -vE '^clGetExtension' > "$T/want"
        # the program's own set-up comes before the first row
        sed -n '/^clGetPlatformIDs 1 7e9000001000 /,$p' "$T/$name.$v.count" | grep -vE '^clGetExtension' | grep -Fxf "$T/want" > "$T/got"
        diff <(sort "$T/want") <(sort "$T/got") > "$T/diff" || { head -20 "$T/diff"; fail "$name $v: not hooked exactly once"; }
    done
done

# trace, and run for a vendor that it has no helpers for: nothing lost or changed; the extra calls are queries from the
# list above
extra=0
for doors in "trace_preload LD_PRELOAD=$shim" "trace_layer OPENCL_LAYERS=$shim" \
             "trace_both LD_PRELOAD=$shim OPENCL_LAYERS=$shim" "trace_calls LD_PRELOAD=$shim CLWEAVE_CALLS=1" "run_preload LD_PRELOAD=$shim" \
             "run_layer OPENCL_LAYERS=$shim"; do
    set -- $doors; name=$1; shift
    run $name "$@" CLWEAVE_MODE=${name%_*}
    for v in linked so1 so; do
        cmp "$T/bare.$v.results" "$T/$name.$v.results" || fail "$name $v: results differ"
        diff <(without_result "$T/bare.$v.log") <(without_result "$T/$name.$v.log") > "$T/diff" || true
        ! grep '^<' "$T/diff" || fail "$name $v: calls were lost or changed"
        sed -n 's/^> //p' "$T/diff" > "$T/extra"
        ! grep -vE "$own" "$T/extra" || fail "$name $v: calls that it should not make"
        extra=$((extra + $(wc -l < "$T/extra")))
    done
done
echo "$rows functions, $(wc -l < "$T/bare.linked.sent") calls, 3 programs, 15 settings; own queries: $extra"
