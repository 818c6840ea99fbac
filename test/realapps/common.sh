# common.sh - sourced by the tests that run programs from Debian bare, under `clweave trace`, and with LD_PRELOAD alone.
#
# A test names what it needs, prepares its input in $T/input, says in mask() what may differ between two runs, and
# calls same_everywhere. The three runs must agree in standard output, exit status and every file left in the work
# folder, and the trace must hold as many commands of each type as reached the vendor. WAYS="far far_home" runs the programs bare
# and in these ways of run_modes alone.
set -u
. test/shim/witness.bash
export LC_ALL=C.UTF-8
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
mkdir -p "$T/input"
least_enqueues=1 # a run with fewer fails
folder=          # where the program starts; default: its work folder
recorded="tool preload"
[ -z "${WAYS:-}" ] || recorded=

# needs PROGRAM PACKAGE
needs() {
    command -v "$1" > /dev/null && return
    echo "$1 is missing: package $2"
    exit 77
}

# needs_module MODULE PACKAGE sets $python to an interpreter that has it: the first one found need not be Debian's.
needs_module() {
    needs python3 python3
    for python in /usr/bin/python3 "$(command -v python3)"; do
        "$python" -c "import $1" 2> /dev/null && return
    done
    echo "python module $1 is missing: package $2"
    exit 77
}

# needs_header HEADER PACKAGE
needs_header() {
    needs c++ g++
    echo "#include <$1>" | c++ -x c++ -DCL_TARGET_OPENCL_VERSION=300 -E - > /dev/null 2>&1 && return
    echo "header $1 is missing: package $2"
    exit 77
}

# build_client SOURCE OPTION... builds test/realapps/SOURCE, a client of a library from Debian, as $T/NAME.
build_client() {
    local source=$1 language=c++
    shift
    [[ $source == *.c ]] && language=cc
    "$language" -O1 -w -DCL_TARGET_OPENCL_VERSION=300 -o "$T/${source%.*}" "test/realapps/$source" "$@" -lOpenCL || exit 1
}

# What of standard output must be equal; timings are taken out here.
mask() {
    cat
}

# Run mode's ways: settings of clweave, by name.
declare -A run_modes=(
    [run]="CLWEAVE_POLICY=heft"
    [all]="CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=sub:2"
    [chaos1]="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=1 CLWEAVE_DEVICES=basic:2"
    [chaos2]="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=2 CLWEAVE_DEVICES=sub:2"
    [far]="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=${SEED:-4} CLWEAVE_DEVICES=far:2"
    [far_home]="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=${SEED:-4} CLWEAVE_DEVICES=far:1,far-home"
    [dsp]="CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_SEED=3 CLWEAVE_DSP=4 CLWEAVE_DSP_CLOCK=virtual"
)

# one_run MODE COMMAND... in a mode of run_as or of run_modes. A program's caches live in its home: bare and tool start without one and go through program
# sources; preload finds the home of tool and goes, where the program caches binaries, through those.
one_run() {
    local mode=$1 run=$T/$1 work=$T/$1/work home=$T/home.$1
    shift
    [ "$mode" = preload ] && home=$T/home.tool
    mkdir -p "$work" "$home"
    set -- "${@//@work@/$work}"
    if [ "${run_modes[$mode]+is}" ]; then
        # shellcheck disable=SC2086
        set -- witnessed "$run" env LD_PRELOAD="$B/libclweave.so" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 ${run_modes[$mode]} "$@"
    else
        set -- run_as "$mode" "$run" "$@"
    fi
    (cd "${folder:-$work}" && HOME=$home "$@")
    mask < "$run/stdout" > "$run/masked"
    (cd "$work" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum) > "$run/files"
}

compare_with_bare() {
    local mode=$1 seen expected part
    for part in status masked files; do
        cmp -s "$T/bare/$part" "$T/$mode/$part" && continue
        fail "$mode: $part differs from the bare run"
        diff "$T/bare/$part" "$T/$mode/$part" | head -n 20
        tail -n 5 "$T/$mode/stderr"
    done
    seen=$(in_traces "$T/$mode")
    expected=$(reached_vendor "$T/$mode")
    [ "$seen" = "$expected" ] || fail "$mode: the trace has" $seen "; the vendor saw" $expected
    [ "$(total_of "$expected")" -ge "$least_enqueues" ] || fail "$mode: only $(total_of "$expected") commands reached the vendor"
    echo "$mode: status $(cat "$T/$mode/status")," $expected
}

# same_everywhere COMMAND... @work@ in an argument stands for the run's work folder. $expected_status: default 0.
same_everywhere() {
    local mode
    for mode in bare $recorded; do
        one_run "$mode" "$@"
    done
    [ "$(cat "$T/bare/status")" = "${expected_status:-0}" ] ||
        fail "bare: exit status $(cat "$T/bare/status"): $(tail -n 5 "$T/bare/stderr")"
    for mode in $recorded; do
        compare_with_bare "$mode"
    done
}

# same_in_run_mode COMMAND... the same of run mode's ways, after same_everywhere; $run_ways: which (default: all). The
# program must have been managed under chaos: a run that did nothing proves nothing.
same_in_run_mode() {
    local way part managed
    for way in ${WAYS:-${run_ways:-run all chaos1 chaos2 far far_home dsp}}; do
        one_run "$way" "$@"
        for part in status masked files; do
            cmp -s "$T/bare/$part" "$T/$way/$part" && continue
            fail "$way: $part differs from the bare run"
            diff "$T/bare/$part" "$T/$way/$part" | head -n 20
            tail -n 5 "$T/$way/stderr"
        done
        echo "$way: $(grep -hoE 'run: ([0-9]+ commands? managed|memories: ).*' "$T/$way/stderr" | head -n 3)"
        [[ $way == run ]] || grep -q 'run: [1-9][0-9]* commands\? managed' "$T/$way/stderr" || fail "$way: nothing was managed"
    done
}

# Ends the test; call it last.
verdict() {
    echo "$failures differences"
    [ "$failures" = 0 ]
    exit
}
