# Under run mode buffers that kernels go through side by side begin at different places of their pages: begun at one place
# each, hotspot3D's kernels took three times as long.
. test/runmode/common.sh
export CLWEAVE_MANAGE_ALL=1 CLWEAVE_SUMMARY=1
env LD_PRELOAD="$shim" CLWEAVE_MODE=run timeout 240 "$B/test/runmode/places" apart > "$T/out" 2> "$T/err" ||
    { cat "$T/out" "$T/err"; exit 1; }
grep -q '^run: [1-9][0-9]* commands managed' "$T/err" || { echo "nothing was managed"; cat "$T/err"; exit 1; }
