# Names as long as the system allows: 255 bytes for what is written, for programs; logs need room beside the trace.
. "$(dirname "$0")/common.sh"
pocl=$(cat "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/pocl.icd" 2> /dev/null) || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
export OCL_ICD_VENDORS=$pocl
letters() { printf "$2%.0s" $(seq "$1"); }
cd "$T"; mkdir traces

long=$(letters 250 x).json
clweave graph "$OLDPWD/test/fuzz/blockmatmul.json" -o "$long" || fail "no output of 255 bytes"
[ -s "$long" ] || fail "the output of 255 bytes is empty"
[ "$(ls | wc -l)" = 2 ] || fail "left behind: $(ls)"

program=$(letters 255 p)
cp "$B/test/apps/reduction" "$program"
(cd traces && LD_PRELOAD="$B/libclweave.so" CLWEAVE_MODE=trace "../$program" > ../out 2> ../err) || fail "preloaded: $(cat err)"
[ ! -s err ] && ls traces | grep -q '^clweave-ppp.*-[0-9]*\.json$' || fail "preloaded: no trace: $(ls traces) $(cut -c1-200 err)"
clweave trace -o "traces/%e.json" -- "./$program" > out 2> err || fail "tool: $(cat err)"
[ -s "$(echo traces/pppp*.json)" ] || fail "tool: no trace: $(ls traces) $(cut -c1-200 err)"

long=$(letters 245 y).json # and its log and data have 254 and 255
clweave trace --capture-data -o "traces/$long" -- "$B/test/apps/reduction" > out 2> err || fail "250 bytes: $(cat err)"
[ -s "traces/$long" ] && [ -s "traces/$long.data" ] && [ ! -e "traces/$long.log" ] || fail "250 bytes: no trace: $(cat err)"
long=$(letters 246 z).json
clweave trace -o "traces/$long" -- "$B/test/apps/reduction" > out 2> err; status=$?
[ $status = 1 ] && [ ! -s out ] && grep -q 'the name is too long' err || fail "251 bytes: status $status, $(cut -c1-300 err)"
finish
