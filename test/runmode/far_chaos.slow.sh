# Memories by lot (CLWEAVE_POLICY=chaos): the programs of apps/ and this folder, and random programs with other seeds each, print
# what they print bare, with helpers' memories of their own (far:N), with too little of it (cap=), and where the program's own device
# has one, too (far-home). One run after the other. RUNS=n: so many runs (default 400), SEED=n: the first seed. LIMIT_S=n: a run's
# time limit. SAY=FILE: the counts so far, by setting.
# SECONDS: 400
. test/runmode/common.sh
settings=(far:2 far:1,far-home far:2/cap=40K far:1/cap=40K,far-home)
# long, and about other things: every tenth seed
rare=" again closes ends_building errors exits firsts forks headers interrupted kept limited linked linkers macros pixels quiet sources state strided "
declare -A runs

# chaos SETTING SEED PROGRAM [ARGUMENT]... : one run, the same as bare
chaos() {
    local setting=$1 seed=$2 name status=0 bare
    shift 2
    name=$(basename "$1") bare=$T/$(basename "$1").${2:-}.${3:-}
    [[ $name != overlaid || $setting != *far-home ]] || return # it leans on a device that works in place
    [ -e "$bare" ] || timeout 120 "$@" > "$bare" 2> "$bare.err" || status=$?
    [ $status != 77 ] || { touch "$bare.skipped"; return; }
    [ $status = 0 ] || { fail "$name bare: $status"; rm "$bare"; return; }
    watched "$T/run" LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_DEVICES="$setting" CLWEAVE_POLICY=chaos CLWEAVE_SEED="$seed" \
        CLWEAVE_MANAGE_ALL=1 "$@"
    status=$?
    [ $status = 0 ] && cmp -s "$bare" "$T/run" && grep -vE "$noise" "$T/run.err" | cmp -s "$bare.err" - ||
        { fail "$name ${*:2} $setting seed $seed: status $status"; diff "$bare" "$T/run" | head; tail -3 "$T/run.err"; }
    compared=$((compared + 1)) runs[$setting]=$((${runs[$setting]:-0} + 1))
    [ -z "${SAY:-}" ] || { echo "$compared runs, $failures differences, seed $seed"; declare -p runs; } > "$SAY"
}

# each SEED : all programs, each in one setting, other ones with other seeds; in all settings three of each random program
each() {
    local seed=$1 n=$1 program setting
    for program in "$B"/test/apps/* "$B"/test/runmode/*; do
        [ -f "$program" ] && [ -x "$program" ] && [ ! -e "$T/$(basename "$program")...skipped" ] || continue
        [ "$(basename "$program")" != events_ooo ] || continue
        [[ $rare != *" $(basename "$program") "* ]] || [ $((seed % 10)) = 0 ] || continue
        n=$((n + 1))
        chaos "${settings[n % ${#settings[@]}]}" "$seed" "$program"
    done
    for n in $((3 * seed)) $((3 * seed + 1)) $((3 * seed + 2)); do
        for setting in "${settings[@]}"; do
            chaos "$setting" "$n" "$B/test/runmode/anything" "$n"
            chaos "$setting" "$n" "$B/test/runmode/crowd" "$n"
            chaos "$setting" "$n" "$B/test/runmode/medley" 20 "$n"
        done
    done
    rm -f "$T"/{anything,crowd,medley}.*
}

seed=${SEED:-1}
while [ $compared -lt "${RUNS:-400}" ]; do
    each "$seed"
    seed=$((seed + 1))
done
done_
