# The builder (compile/requests.h): makes what is asked for, says so, is one at a time, has nothing in common with the process that
# starts it, and leaves nothing half when it is killed.
# SECONDS: 30
: "${T:?an empty folder}"
mkdir -m 700 "$T/cache" "$T/pocl"
export POCL_CACHE_DIR=$T/pocl
requests=$T/cache/requests log=$T/cache/requests/log bad=0
fail() { echo "FAIL: $*"; bad=1; }
leave() { "$B/test/compile/requester" "$T/cache" "$@" || { [ $? != 77 ] || exit 77; fail "requester $*"; }; }
builder() { "$B/clweave-compile" --requests "$T/cache" "$@" > "$T/out" 2>&1 || fail "builder $*: status $?"; [ ! -s "$T/out" ] || fail "the builder says: $(cat "$T/out")"; }
pids() { pgrep -f -- "clweave-compile $1 $T/cache"; } # --requests: the builder, --request: its process for one of them
until_() { for i in $(seq 6000); do "$@" > /dev/null && return 0; sleep 0.05; done; fail "never: $*"; return 1; }
gone() { ! pids --request && ! pids --requests; }
says() { grep -q "$1" "$log"; }

# all kinds
leave program 1 stand-in models program bad count | diff - <(printf '%s: left\n' 1 stand-in models bad; echo '4 wait') || fail "requests"
builder --wait
leave count program 1 stand-in has | diff - <(printf '%s\n' '1 wait' '1: left' 'stand-in: left' 'result 0: there' 'result 1: there') || fail "results"
[ "$(ls "$T/cache/footprints" | wc -l)" = 1 ] || fail "no models"
for line in 'a binary for requester: made' 'a stand-in for requester: made' 'models for requester: made' 'a binary for requester: failed'; do
    says "$line" || fail "the log does not say: $line"
done
# what fails is tried some times, each time by another builder
builder --wait; builder --wait
leave count program bad | diff - <(printf '%s\n' '0 wait' 'bad: not left') || fail "what has failed"
[ "$(grep -c 'failed' "$log")" = 3 ] || fail "tried otherwise: $(cat "$log")"

# a builder at work: another process's descriptors, session and priority, not the caller's
leave program endless > /dev/null
builder 5< "$0"
until_ pids --request
builder=$(pids --requests) worker=$(pids --request)
for i in $builder $worker; do
    [ "$(ls -l /proc/$i/fd | grep -v -e /dev/null -e requests/lock -e '^total' | grep -c "$0\|pipe:\|$T/out")" = 0 ] || fail "$i has open: $(ls -l /proc/$i/fd)"
    [ "$(readlink /proc/$i/cwd)" = / ] || fail "$i is in $(readlink /proc/$i/cwd)"
    [ "$(ps -o ni= -p $i | tr -d ' ')" = 10 ] || fail "$i has another priority: $(ps -o ni= -p $i)"
    [ "$(ps -o sid= -p $i | tr -d ' ')" = "$builder" ] || fail "$i is in another session"
    [ "$(cat /proc/$i/oom_score_adj)" = 1000 ] || fail "$i is not the first to go"
done
builder # there is one
[ "$(pids --requests)" = "$builder" ] || fail "two builders: $(pids --requests)"
# ended, or killed, it leaves nothing: the request waits for the next one
for signal in TERM KILL; do
    kill -$signal "$builder"
    until_ gone
    [ -z "$(find "$T/cache/kernels" -name '*.*')" ] || fail "left by SIG$signal: $(ls "$T/cache/kernels")"
    leave count | diff - <(echo '1 wait') || fail "after SIG$signal"
    builder
    until_ pids --request
    builder=$(pids --requests)
done
# a compiler that dies is a request that has failed; the builder goes on with the next, and ends for want of others
leave program 2 > /dev/null
kill -KILL $(pids --request)
until_ says 'ended by signal 9'
until_ gone
leave program 2 has count | diff - <(printf '%s\n' '2: left' 'result 0: there' '2 wait') || fail "after a compiler's death"

# where it may not work it does not: nothing fails by that
rm -rf "$requests"; leave program 3 > /dev/null
(ulimit -t 1000; ! "$B/clweave-compile" --requests "$T/cache" --wait) || fail "works in a limited process"
! "$B/clweave-compile" --requests "$T/nowhere" --wait || fail "works in no folder"
# the log is bounded
head -c 60000 /dev/zero | tr '\0' x > "$log"
builder --wait
[ "$(stat -c %s "$log")" -lt 1000 ] && [ "$(stat -c %s "$log.old")" = 60000 ] && says 'made' || fail "the log: $(ls -l "$requests")"
[ $bad = 0 ]
