#!/bin/bash
# gpu.sh - what `clweave run` does for one GPU, in one call: names the card, runs the two programs below bare and under `run` in
# turn, compares what they read back, prints medians of the rounds; then compares own programs, and public ones of a list.
#
#   B=build test/bench/gpu.sh       B: what `make tests` has built, here or on a machine with older libraries
#
#   DEVICE=NVIDIA   a part of the platform's name
#   ICD=LIBRARY     the vendor's library: programs see no other vendor. Else the libnvidia-opencl.so.1 of ldconfig or LD_LIBRARY_PATH
#   STREAMS=auto STAGING=auto       as `run` is asked; on PoCL both are `force` (DEVICE=Portable ICD=libpocl.so.2)
#   ROUNDS=5        of the two programs, and of public ones
#   LIMIT=60        seconds of one run; what takes longer is not run again, and the tables show the rounds before
#   OWN=REGEX       which own programs (all; - is none)
#   PROGRAMS=LIST   built public programs (test/suites/manifest.py): the bytes that they read, then public.bench's table
#   JOBS=4          public programs at a time, where bytes are compared
#
# Exit status 1: bytes differ, or a program failed or took too long. 77: there is no such device.
set -u
cd "$(dirname "$0")/../.."
B=$(realpath "${B:-build}") rounds=${ROUNDS:-5} device=${DEVICE:-NVIDIA} limit=${LIMIT:-60} failed=0 compared=0
streams=${STREAMS:-auto} staging=${STAGING:-auto}
T=$(mktemp -d "${TMPDIR:-/tmp}/clweave-gpu.XXXXXX"); export T XDG_CACHE_HOME=$T/cache
trap 'rm -rf "$T"' EXIT
unset ${!CLWEAVE_*} OPENCL_LAYERS LD_PRELOAD

# the vendor's library
found() {
    ldconfig -p 2> /dev/null | sed -n 's/.*libnvidia-opencl\.so\.1 .*x86-64.* => //p'
    tr : '\n' <<< "${LD_LIBRARY_PATH:-}" | sed -n 's,.,&,; s,$,/libnvidia-opencl.so.1,p' | while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}
icd=${ICD:-$(found | head -n 1)}
[ -n "$icd" ] || { echo "no library of '$device' is found: name it (ICD)"; exit 77; }
mkdir "$T/vendors"
echo "$icd" > "$T/vendors/gpu.icd"
export OCL_ICD_VENDORS=$T/vendors

# one NAME OUTPUT COMMAND... : runs COMMAND within the time limit, stderr in $T/err. A NAME that took too long is not run again.
one() {
    local name=$1 output=$2 status; shift 2
    [ ! -e "$T/$name.late" ] || return 1
    timeout -k 5 "$limit" "$@" > "$output" 2> "$T/err"; status=$?
    case $status in
    0) return 0 ;;
    124 | 137) echo "$name: not over after $limit s"; touch "$T/$name.late" ;;
    *) echo "$name: exit status $status: $(tail -n 2 "$output" "$T/err" | tr '\n' ' ')" ;;
    esac
    failed=1
    return 1
}

for program in gpu_speed staging_speed; do
    cp "$B/test/bench/$program" "$T" 2> /dev/null || gcc -O2 -w test/bench/$program.c -o "$T/$program" -lOpenCL -lm || exit 1
done
timeout -k 5 "$limit" "$T/gpu_speed" "$device" small8 > "$T/first" 2>&1 || { echo "no device of '$device': $(tail -n 1 "$T/first")"; exit 77; }
timeout 20 nvidia-smi -L 2> /dev/null
grep '^device' "$T/first"
for round in $(seq "$rounds"); do
    for program in gpu_speed staging_speed; do
        one $program.bare "$T/$program.bare.$round" "$T/$program" "$device"
        one $program.run "$T/$program.run.$round" "$B/clweave" run --set streams="$streams" --set staging="$staging" --summary -- "$T/$program" "$device" &&
            cp "$T/err" "$T/$program.summary"
    done
done
python3 test/bench/gpu.py "$T" "$rounds" || failed=1
grep -hsE 'streams|pinned|staging' "$T"/*.summary

# own programs read the same as bare, with streams by the rule and by lot; those that fail bare, or that bare runs print differently,
# are left out
left=0
for program in "$B"/test/apps/* "$B"/test/runmode/{waits,staged,staged_images,hostile_threads,hostile_queues,drops}; do
    name=$(basename "$program")
    { [ -f "$program" ] && [ -x "$program" ] && [[ $name =~ ${OWN:-.} ]]; } || continue
    timeout -k 5 "$limit" "$program" > "$T/bare" 2> /dev/null && timeout -k 5 "$limit" "$program" > "$T/again" 2> /dev/null &&
        cmp -s "$T/bare" "$T/again" || { left=$((left + 1)); continue; }
    for how in "CLWEAVE_STREAMS=$streams" "CLWEAVE_STREAMS=force CLWEAVE_POLICY=chaos CLWEAVE_SEED=1"; do
        compared=$((compared + 1))
        one "$name" "$T/run" env $how CLWEAVE_STAGING="$staging" CLWEAVE_MODE=run LD_PRELOAD="$B/libclweave.so" "$program" || continue
        cmp -s "$T/bare" "$T/run" || { echo "$name: other output with $how"; failed=1; }
    done
done
echo "$compared runs of own programs compared with bare, $left programs left out"
[ $compared -gt 0 ] || [ "${OWN:-}" = - ] || { echo "no own program could be compared"; failed=1; }

if [ -n "${PROGRAMS:-}" ]; then
    python3 test/suites/suite.py "$PROGRAMS" --build "$B" --bare 2 --repeat 1 --seeds 1 --jobs "${JOBS:-4}" --quiet \
        -c "run/streams=$streams/staging=$staging" -c "run/streams=force/staging=$staging/policy=chaos" || failed=1
    # slower programs are its table's to show
    CLWEAVE_STREAMS=$streams CLWEAVE_STAGING=$staging MANIFEST=$PROGRAMS ROUNDS=$rounds WARM=1 bash test/bench/public.bench
fi
exit $failed
