# The detail of public.bench: where the commands of a program went, and its output compared; one that prints more under run
# mode must be caught. A folder of lists is read whole.
# SECONDS: 10
set -u
[ -e /etc/OpenCL/vendors/pocl.icd ] || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

mkdir "$T/lists" "$T/pocl" "$T/cache"
export POCL_CACHE_DIR=$T/pocl XDG_CACHE_HOME=$T/cache CLWEAVE_BUILDER=off
echo "honest -- '$(realpath "$B")/test/apps/lu'" > "$T/lists/a.list"
echo "liar -- sh -c '\"$(realpath "$B")/test/apps/lu\" && echo \$CLWEAVE_MODE'" > "$T/lists/b.list"
MANIFEST=$T/lists DETAIL=1 ROUNDS=1 WARM=0 SAVE=$T/figures bash test/bench/public.bench > "$T/table" 2>&1 &&
    fail "the liar is not caught"
grep -Eq '^ +honest +run/manage_all=1/policy=chaos +same ' "$T/table" || fail "the honest program's output is not compared"
grep -Eq '^ +liar +run +different +stdout' "$T/table" || fail "the liar's output is not told"
grep -Eq '^ +all +100\.0 %( +0\.0 %){2} +[1-9][0-9]* ' "$T/table" || fail "not every command is counted as managed with manage_all"
grep -Eq '^ +(native|left) +[1-9][0-9]* +[0-9.]+ %  ' "$T/table" || fail "no reason for commands that are not managed is shown"
LOAD=$T/figures DETAIL=1 bash test/bench/public.bench 2>&1 | grep -Eq '^ +all +100\.0 %' || fail "kept figures lose the counts"
[ $failures = 0 ] || cat "$T/table"
exit $((failures > 0))
