# Sourced by the tests of this folder. Needs B and T; SLICE=K/N: see mine().
#
# same NAME VARIABLE=VALUE... : $B/test/runmode/NAME under run mode prints what it printed bare ($T/NAME.bare).
shim=${SHIM:-$B/libclweave.so} failures=0 compared=0 skipped=0
export CLWEAVE_BUILDER=${CLWEAVE_BUILDER:-off} # no builder outlives its test
noise='^(run|clweave): ' # what run mode and what it is run with may say on stderr
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac

fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# too_busy WHY... : this machine had no time for what the test wants to see (see test/README.md); beside failures it is one more
too_busy() { [ $failures = 0 ] || { fail "$*"; return; }; echo "$*"; exit 75; }

bare() {
    timeout 240 "$1" > "$T/bare" 2> "$T/bare.err"
    case $? in
    0) return 0 ;;
    77) echo "$1: $(tail -n 1 "$T/bare")"; skipped=$((skipped + 1)); return 1 ;;
    *) fail "$1 bare: $(tail -n 3 "$T/bare.err")"; return 1 ;;
    esac
}

# known PROGRAM : as `bare`, which runs it for the first time alone. The program and its surroundings stay as they are
known() {
    local of=$T/known/${1##*/}
    if [ -e "$of" ]; then cp "$of" "$T/bare"; cp "$of.err" "$T/bare.err"; return; fi
    mkdir -p "$T/known"
    bare "$1" && cp "$T/bare.err" "$of.err" && cp "$T/bare" "$of"
}

# Says that the latest run has to be repeated, as its tools, not the program, came to grief.
again() { false; }

# in_run PROGRAM VARIABLE=VALUE... : compares with the latest bare run; the summary is left in $T/summary
in_run() {
    local program=$1 status; shift
    while :; do
        env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 "$@" timeout 240 "$program" > "$T/run" 2> "$T/run.err"
        status=$?
        again || break
    done
    grep '^run: ' "$T/run.err" > "$T/summary" || true
    [ $status = 0 ] || fail "$(basename "$program") $*: exit status $status: $(grep -vE "$noise" "$T/run.err" | tail -n 3)"
    cmp -s "$T/bare" "$T/run" || { fail "$(basename "$program") $*: other output"; diff "$T/bare" "$T/run" | head -20; }
    grep -vE "$noise" "$T/run.err" | diff "$T/bare.err" - > "$T/diff" || { fail "$(basename "$program") $*: other stderr"; head -5 "$T/diff"; }
    compared=$((compared + 1))
}

# watched OUT COMMAND... : runs it; after LIMIT_S seconds (240) shows its stacks, where there is gdb, and kills it (124)
watched() {
    local out=$1 pid i=0
    shift
    env "$@" > "$out" 2> "$out.err" &
    pid=$!
    while kill -0 $pid 2> /dev/null; do
        if [ $i -ge $((${LIMIT_S:-240} * 50)) ]; then
            ! command -v gdb > /dev/null || gdb -batch -p $pid -ex 'thread apply all bt' 2>&1 | grep -v '^\[New'
            kill -9 $pid
            wait $pid 2> /dev/null
            return 124
        fi
        i=$((i + 1))
        sleep .02
    done
    wait $pid
}

# count WORD : the number before WORD in the first lines of the latest summary, all processes together
count() { awk -v word="$1" '/ commands managed/ { for (i = 2; i <= NF; i++) if ($i ~ "^" word) n += $(i - 1) } END { print n + 0 }' "$T/summary"; }

# managed LEAST : at least so many commands were managed in the latest run
managed() { [ "$(count commands)" -ge "$1" ] || fail "only $(count commands) commands managed, at least $1 expected: $(cat "$T/summary")"; }

# mine : true when the next of what a test looks at belongs to this part: with SLICE=K/N every N-th does, from the K-th on (from 1)
SLICE=${SLICE:-} nth=0
mine() {
    nth=$((nth + 1))
    [ -z "$SLICE" ] || [ $((nth % ${SLICE#*/})) = $((${SLICE%/*} % ${SLICE#*/})) ]
}

# sums NUMBER... : puts into `sum` what all parts of a test say here, when this is the last of them to say it, and of a test that is
# not in parts its own. False: others are to come, or this part alone is run (test/run, PARTS).
sums() {
    sum=("$@")
    [ -n "$SLICE" ] || return 0
    [ -n "${PARTS:-}" ] || return 1
    echo "$@" >> "$PARTS"
    [ "$(wc -l < "$PARTS")" -ge "${SLICE#*/}" ] || return 1
    sum=($(awk '{ for (i = 1; i <= NF; i++) s[i] += $i } END { for (i = 1; i <= NF; i++) print s[i] }' "$PARTS"))
    echo "all parts: ${sum[*]}"
}

done_() {
    echo "$compared runs compared, $failures differences"
    if [ -n "$SLICE" ] && [ $((compared + failures)) = 0 ] && [ $skipped -gt 0 ]; then
        echo "all $skipped programs of this part are skipped"
        exit 77
    fi
    [ $compared -gt 0 ] && [ $failures = 0 ]
}
