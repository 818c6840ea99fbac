# Several vendors in one process: the loader's order of platforms, what NULL means and what kernels compute are as bare,
# and helpers and emulated DSPs are there all the same. Beside PoCL: oclgrind (a GPU as well: first by the loader's sort) and
# the test driver, under several file names, as the folder's order decides between equals.
. test/devices/common.sh
simulator=$(find /usr/lib -name 'liboclgrind-rt-icd.so' 2> /dev/null | head -n 1)
pocl=$(cat /etc/OpenCL/vendors/pocl.icd)

# vendors FOLDER NAME=LIBRARY...
vendors() {
    local folder=$T/$1 pair
    mkdir -p "$folder"; shift
    for pair in "$@"; do echo "${pair#*=}" > "$folder/${pair%%=*}.icd"; done
    export OCL_ICD_VENDORS=$folder
}

# bare FIRST_CALL; as_bare SETTING... FIRST_CALL compares with it, DSPs left out
bare() { timeout 60 "$B/test/devices/vendors" "$1" > "$T/bare" 2> "$T/bare.err" || fail "bare: exit status $?"; }
as_bare() {
    under "${@:1:$#-1}" timeout 60 "$B/test/devices/vendors" "${!#}" > "$T/out" 2> "$T/err" || fail "$*: exit status $?: $(cat "$T/err")"
    grep -v HXDSP "$T/out" | diff "$T/bare" - || fail "$OCL_ICD_VENDORS, $*: differs from bare"
}

compare() {
    local first
    for first in devices type platforms; do
        bare "$first"
        as_bare CLWEAVE_DSP=3 CLWEAVE_DSP_CLOCK=virtual CLWEAVE_MANAGE_ALL=1 "$first"
        [ "$(grep -c HXDSP "$T/out")" = 3 ] || fail "$OCL_ICD_VENDORS, $first: not three DSPs: $(cat "$T/err")"
    done
    [ "$(grep -c '^sum' "$T/bare")" -ge "$1" ] || fail "$OCL_ICD_VENDORS: fewer than $1 platforms computed"
    as_bare CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=1 CLWEAVE_DEVICES=basic:2,sub:2 platforms
    as_bare CLWEAVE_DEVICES=basic:2 CLWEAVE_POLICY=nonsense platforms # settings that stop the mode
}

for names in "a z" "z a" "m b"; do
    set -- $names
    vendors "with_test_driver_$1" "$1=$pocl" "$2=$B/test/libnullcl.so"
    compare 1
done
[ -z "$simulator" ] && { echo "oclgrind is not installed: not tried beside it"; exit 0; }
vendors both pocl="$pocl" oclgrind="$simulator"
compare 2
