#!/bin/bash
# harness.sh - the harness itself: a program that lies must be caught whatever it lies in, one that does not must not.
# SECONDS: 20
set -u
[ -e /etc/OpenCL/vendors/pocl.icd ] || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect NAME OUTCOME WORDS: the table's line of `liar NAME` under trace has this outcome, and says these words
expect() {
    local line
    line=$(grep -E "^$1 +trace " "$T/table")
    [[ $line == *" $2 "*"$3"* ]] && return
    fail "liar $1: expected '$2 ... $3', got: $line"
}

# liars AGAIN NAME... : their lines of the table, after AGAIN further bare runs of one that seems different
liars() {
    local again=$1 what limit; shift
    for what in "$@"; do
        limit=120
        [ $what != hang ] || limit=3
        echo "$what limit=$limit -- '$(realpath "$B")/test/suites/liar' $what"
    done > "$T/manifest"
    python3 test/suites/suite.py --build "$B" --bare 3 --again "$again" --jobs 2 -c trace "$T/manifest" >> "$T/table"
}
liars 2 byte early order missing unseen error stdout file status crash hang leave same noisy undone
status=$?
[ $status = 1 ] || fail "exit status $status, not 1"
liars 12 rare woken # by chance the same in the first runs
expect byte different "reads: at 2:"
expect early different "reads: at 0:"
expect order different "reads: at 0:"
expect missing different "reads: "
expect unseen different "1016 unseen"
expect error different "status -30"
expect stdout different "stdout: at 0: b'Done'"
expect file different "files: at 0:"
expect status different "status: '3'"
expect crash crash "signal 6"
expect hang hang "ran out of time"
expect leave different "processes left: 1"
expect same same ""
expect undone same ""
expect rare same ""
expect noisy same ""
expect woken same "" # as bare runs with threads that do not sleep do that, too
grep -qE "^woken +bare +awake +12 runs with threads that do not sleep; varies by itself: 1 words of stdout" "$T/table" ||
    fail "nothing is said of threads that do not sleep"
grep -qE "^noisy +bare .*varies by itself: 1 words of stdout" "$T/table" ||
    fail "noisy is not listed as varying"
[ $failures = 0 ] || cat "$T/table"

# what a program reads without anyone having written it is its own; what it reads beside that is still compared
for what in unwritten unwritten-byte; do
    echo "$what -- '$(realpath "$B")/test/suites/liar' $what"
done > "$T/unwritten"
python3 test/suites/suite.py --build "$B" --bare 3 --again 3 --repeat 1 -c run "$T/unwritten" > "$T/table"
grep -qE '^unwritten +bare +unwritten ' "$T/table" && grep -qE '^unwritten +run +same' "$T/table" ||
    fail "liar unwritten: $(cat "$T/table")"
grep -qE '^unwritten-byte +run +different +reads: at 3:' "$T/table" || fail "liar unwritten-byte: $(cat "$T/table")"

# clean samples are the same in every mode; the witness does not see what clweave reads for itself
for name in blockmatmul images threads; do
    echo "$name without=eager -- '$(realpath "$B")/test/apps/$name'"
done > "$T/samples"
python3 test/suites/suite.py --build "$B" --bare 2 --repeat 1 --jobs 2 \
    -c off -c trace/capture_data=1 -c run "$T/samples" || fail "samples differ"

# the whole matrix on little
MATRIX_POLICIES="chaos eager" MATRIX_DEVICES=devices=none test/suites/matrix.py "$T/samples" --build "$B" --bare 2 --seeds 1 \
    --repeat 1 --only blockmatmul > "$T/table" || fail "matrix: $(cat "$T/table")"
[ "$(grep -c ' same ' "$T/table")" = 3 ] && grep -qE '^together +3 +[1-9]' "$T/table" || fail "matrix: $(cat "$T/table")"

# sub-tests of a program that looks like one of the CTS: those that pass alone are listed
mkdir -p "$T/cts"
cat > "$T/cts/test_fake" << 'END'
#!/bin/bash
case $1 in
-h) printf 'usage\n\tTest names:\n\t\tpasses\n\t\tfails\n\t\thangs\n' ;;
hangs) sleep 100 ;;
*) [ "$1" = passes ] && [ "$CL_WIMPY_MODE" = 1 ] ;;
esac
END
chmod +x "$T/cts/test_fake"
printf '#!/bin/bash\n[ "$1" = -h ] &&
printf "\\tdefault is to run the full test on the default device\\n\\n\\tint_0\\n"\n:\n' > "$T/cts/test_printf"
chmod +x "$T/cts/test_printf"
python3 test/suites/cts_manifest.py "$T" --limit 6 > "$T/cts.list" 2> "$T/err"
[ "$(wc -l < "$T/cts.list")" = 2 ] && grep -q '^cts/test_printf/int_0 .* int_0$' "$T/cts.list" &&
    grep -q '^cts/test_fake/passes .* passes$' "$T/cts.list" &&
    grep -q '^2 sub-tests pass bare, 2 do not$' "$T/err" || fail "cts: $(cat "$T/cts.list" "$T/err")"

# a manifest that cannot be read is a usage error that names the line
printf 'a -- b\na -- c\n' > "$T/twice"
python3 test/suites/suite.py "$T/twice" 2> "$T/err"
[ $? = 2 ] && grep -q "twice:2: 'a' is there twice" "$T/err" || fail "$(cat "$T/err")"

# nor is one that lacks what the comparison is made with
mkdir -p "$T/bare"
ln -s "$(realpath "$B")/clweave-footprint" "$T/bare/"
python3 test/suites/suite.py --build "$T/bare" "$T/samples" > "$T/out" 2> "$T/err"
[ $? = 2 ] && grep -q 'bare/test/libreadcl.so is not built' "$T/err" || fail "a build without tests: $(cat "$T/out" "$T/err")"

# a build whose kernels would never be cut is not compared at all
mkdir -p "$T/half"
python3 test/suites/suite.py --build "$T/half" "$T/samples" > "$T/out" 2> "$T/err"
[ $? = 2 ] && grep -q 'half/clweave-footprint does not start here' "$T/err" || fail "half a build: $(cat "$T/out" "$T/err")"
# where only streams are asked for, nothing is cut anyhow
ln -s "$(realpath "$B")"/{clweave,libclweave.so,test} "$T/half/"
echo "same -- '$(realpath "$B")/test/suites/liar' same" > "$T/one"
python3 test/suites/suite.py --build "$T/half" --bare 1 --repeat 1 -c run/streams=force "$T/one" > "$T/out" 2> "$T/err" || fail "streams without footprints: $(cat "$T/out" "$T/err")"
python3 test/suites/test_suite.py 2> "$T/err" || fail "$(cat "$T/err")"
[ $failures = 0 ]
