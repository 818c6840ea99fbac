# Under run mode a buffer that nobody has written yet is zero, whatever was released before.
. test/runmode/common.sh
env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 timeout 240 "$B/test/runmode/fresh" 1 2> "$T/err" || { cat "$T/err"; exit 1; }
grep -q '^run: [1-9][0-9]* commands managed' "$T/err" || { echo "nothing was managed"; cat "$T/err"; exit 1; }
