#!/bin/bash
# gpu.sh - what `clweave run` does for one GPU, in one call: builds the two programs below, names the card, runs each bare
# and under `run` in turn, compares what they read back, prints medians of the rounds.
#
#   B=build test/bench/gpu.sh                  ROUNDS (5); DEVICE: a part of the platform's name ("NVIDIA")
#   PROGRAMS=LIST B=build test/bench/gpu.sh    and public.bench's table of built programs (test/suites/manifest.py)
#
# Exit status 1: bytes differ, or a program failed.
set -u
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}") rounds=${ROUNDS:-5} device=${DEVICE:-NVIDIA}
T=$(mktemp -d "${TMPDIR:-/tmp}/clweave-gpu.XXXXXX"); export T XDG_CACHE_HOME=$T/cache
trap 'rm -rf "$T"' EXIT
unset ${!CLWEAVE_*} OPENCL_LAYERS LD_PRELOAD
for program in gpu_speed staging_speed; do
    gcc -O2 -w test/bench/$program.c -o "$T/$program" -lOpenCL -lm || exit 1
done
"$T/gpu_speed" "$device" small8 > "$T/first" 2>&1 || { echo "no device of '$device': $(tail -n 1 "$T/first")"; exit 77; }
nvidia-smi -L 2> /dev/null
for round in $(seq "$rounds"); do
    for program in gpu_speed staging_speed; do
        timeout 60 "$T/$program" "$device" > "$T/$program.bare.$round" 2>&1 || { cat "$T/$program.bare.$round"; exit 1; }
        timeout 60 "$B/clweave" run --streams auto --staging auto --summary -- "$T/$program" "$device" > "$T/$program.run.$round" 2> "$T/summary" ||
            { cat "$T/$program.run.$round" "$T/summary"; exit 1; }
    done
done
python3 test/bench/gpu.py "$T" "$rounds"; failed=$?
# own programs read the same as bare, with streams by the rule and by lot; those that bare runs print differently are left out
vendor=$(grep -ls -- "${ICD:-nvidia}" /etc/OpenCL/vendors/*.icd | head -1)
for program in "$B"/test/apps/* "$B"/test/runmode/{waits,staged,hostile_threads,hostile_queues,drops}; do
    [ -x "$program" ] && [ -n "$vendor" ] || continue
    export OCL_ICD_VENDORS=$vendor
    timeout 60 "$program" > "$T/bare" 2> /dev/null && timeout 60 "$program" > "$T/again" 2> /dev/null && cmp -s "$T/bare" "$T/again" || continue
    for how in "CLWEAVE_STREAMS=auto CLWEAVE_STAGING=auto" "CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED=1"; do
        compared=$((${compared:-0} + 1))
        env $how CLWEAVE_MODE=run LD_PRELOAD="$B/libclweave.so" timeout 60 "$program" > "$T/run" 2> /dev/null && cmp -s "$T/bare" "$T/run" ||
            { echo "$program: other output with $how"; failed=1; }
    done
    unset OCL_ICD_VENDORS
done
echo "${compared:-0} runs of own programs compared with bare"
[ "${compared:-0}" -gt 0 ] || { echo "no own program could be compared: does a file of /etc/OpenCL/vendors name '${ICD:-nvidia}' (ICD)?"; failed=1; }
grep -E 'streams|pinned|staging' "$T/summary"
[ -z "${PROGRAMS:-}" ] || MANIFEST=$PROGRAMS bash test/bench/public.bench || failed=1
exit $failed
