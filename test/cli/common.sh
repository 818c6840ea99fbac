# common.sh - golden tests of the command line: `expect NAME STATUS command...` compares standard output, standard
# error and the exit status with expected/NAME.out and NAME.err (a missing file stands for an empty one). The build and
# scratch folders read @B@ and @T@ there, the list of all policies (as sched/policy_list.inc has them) @POLICIES@.
# UPDATE=1 writes the files anew; look at the difference before you commit it.
set -u
PATH=$B:$PATH
expected=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/expected
failed=0
fail() { echo "FAILED: $*"; failed=1; }
policy_names=$(sed -n 's/^CW_POLICY(\(.*\))$/\1/p' sched/policy_list.inc | tr '_' '-' | paste -sd, | sed 's/,/, /g')
masked() { sed -e "s|$B|@B@|g" -e "s|$T|@T@|g" -e "s|are: $policy_names\$|are: @POLICIES@|" "$1"; }
compare() { # NAME.out or NAME.err against what came
    local golden=$expected/$1 came=$2
    if [ -n "${UPDATE:-}" ]; then
        if [ -s "$came" ]; then cp "$came" "$golden"; else rm -f "$golden"; fi
    elif ! diff -u "$([ -e "$golden" ] && echo "$golden" || echo /dev/null)" "$came"; then
        fail "$1 differs"
    fi
}
expect() {
    local name=$1 wanted=$2 status; shift 2
    "$@" > "$T/raw.out" 2> "$T/raw.err" < /dev/null; status=$?
    masked "$T/raw.out" > "$T/$name.out"; masked "$T/raw.err" > "$T/$name.err"
    [ $status = "$wanted" ] || { fail "$name: exit status $status, expected $wanted"; cat "$T/$name.err"; }
    compare "$name.out" "$T/$name.out"
    compare "$name.err" "$T/$name.err"
}
finish() { exit $failed; }
