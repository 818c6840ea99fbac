# clweave farm --levels: regional masters and the global master are killed, and their successors go on; signals end the
# farm as with one level; random kill plans (ALL=1: a hundred over 10,000 tasks, and three with a stop of a minute). No line
# asserts a time.
. test/cli/common.sh
B=$(realpath "$B"); plans=$PWD/test/cli/farm_plans.py; PATH=$B:$PATH
if [ -n "${ALL:-}" ]; then
    python3 "$plans" "$B/clweave" "$T" "${PLANS:-100}" "${TASKS:-10000}" "${FIRST:-1}" || fail "kill plans"
    STOP=60 python3 "$plans" "$B/clweave" "$T" 3 10000 "${FIRST:-1}" || fail "kill plans with a stop of a minute"
    finish
fi
cd "$T" || exit
seq 300 > list; seq 6 > six
says() { grep -q -- "$1" err || fail "no message '$1': $(cat err)"; }
members() { ps -o pid=,stat=,comm= -s "$1" | awk -v name="$2" '$2 !~ /Z/ && $3 == name {print $1}'; } # SESSION NAME
waited() { # COMMAND...: until it holds
    for _ in $(seq 6000); do "$@" && return; sleep 0.05; done
    fail "waited in vain: $*; $(ps -o pid,ppid,stat,comm -s "$farm") $(cat err)"; exit $failed
}
began() { [ "$(cat began 2> /dev/null | wc -l)" -ge "$1" ]; }
gone() { [ -z "$(members "$farm" clweave)$(members "$farm" farm-region)$(members "$farm" farm-worker)" ]; }
start() { # TABLE WORDS...: a farm in a session of its own, whose tasks wait for the file `go`
    local table=$1; shift
    rm -f began go
    setsid clweave farm --each six --workers 4 -o "$table" "$@" -- \
        sh -c 'echo $1 >> began; until [ -e go ]; do sleep 0.02; done; echo $(($1 * $1))' x {} > out 2> err < /dev/null &
    farm=$!
    waited began 4
}

# the same table in a tree of any shape
for way in '1 2' '1 1' '2 1' '2 2' '2 7' '3 5' '6 9'; do
    set -- $way
    clweave farm --each list --levels "$1" --workers "$2" -o tree.csv -- clweave dispatch --workers 5 --tasks 50 --seed {} 2> err ||
        fail "levels $1, workers $2: $(cat err)"
    [ -e quiet.csv ] || cp tree.csv quiet.csv
    cmp tree.csv quiet.csv || fail "levels $1, workers $2"
done
expect farm_bad_levels 2 clweave farm --each list --levels 7 -- true
clweave farm --each six -o six.csv -- sh -c 'echo $(($1 * $1))' x {} || fail "six"

# a regional master is killed: a worker takes over, and the tasks that run are not run again
start region.csv --levels 2
kill -KILL "$(members $farm farm-region | head -n 1)"
waited grep -q 'regional master [12] has died; process [0-9]* has taken its place' err
touch go; wait $farm || fail "region: $(cat err)"
cmp region.csv six.csv || fail "region: the table"
[ "$(wc -l < began)" = 6 ] || fail "region: tasks were run again: $(cat began)"
waited gone

# the global master is killed: a regional master takes over, and writes the table; killed once more
for times in 1 2; do
    start global.csv --levels 3
    for n in $(seq $times); do
        waited [ -n "$(members $farm clweave)" ]
        kill -KILL "$(members $farm clweave)"
        took_over() { [ "$(grep -c "the farm's process has died; process [0-9]* goes on: " err)" = "$n" ]; }
        waited took_over
    done
    clweave farm status global.csv > out; grep -q '; at work$' out || fail "status: $(cat out)"
    touch go; waited gone
    says '6 tasks done, '
    cmp global.csv six.csv || fail "global: the table"
    [ "$(wc -l < began)" = 6 ] || fail "global: tasks were run again: $(cat began)"
    rm global.csv
done

# it is killed while it writes the table, into a pipe that is full
mkfifo pipe.csv; exec 3<> pipe.csv
setsid clweave farm --each list --levels 2 --workers 2 --checkpoint pipe.farm -o pipe.csv -- \
    clweave dispatch --workers 5 --tasks 50 --seed {} 2> err < /dev/null 3>&- &
farm=$!
complete() { clweave farm status pipe.farm 2> /dev/null | grep -q '300 of 300 tasks done'; }
waited complete
kill -KILL $farm
took_over() { grep -q 'goes on: ' err; }
waited took_over
cat <&3 > piped &
reader=$!
waited gone
written() { [ "$(tail -c "$(stat -c %s quiet.csv)" piped | cksum)" = "$(cksum < quiet.csv)" ]; }
waited written
kill $reader; exec 3>&-

# all masters are killed at once
start masters.csv --levels 3
kill -KILL $(members $farm clweave) $(members $farm farm-region)
touch go; waited gone
cmp masters.csv six.csv || fail "masters: the table $(cat err)"

# without a checkpoint there is nothing to go on with
start - --levels 2
kill -KILL $farm; waited gone
says "the farm's process has died, with its results; --checkpoint or -o would have kept them"

# with one level nothing takes over; programs end with their children
start one.csv --levels 1
kill -KILL $farm; waited gone
rm -f began
setsid clweave farm --each six --workers 4 --levels 1 -- sh -c 'sleep 1000 & echo $1 >> began; wait' x {} > out 2> err < /dev/null &
farm=$!
waited began 4
kill -KILL $farm; waited gone
no_sleep() { [ -z "$(members $farm sleep)" ]; }
waited no_sleep
[ ! -e one.csv ] || fail "one level: a table"
touch go; clweave farm resume one.csv 2> err || fail "resume: $(cat err)"
cmp one.csv six.csv || fail "one level: the table"

# signals end the farm, also that of a successor
for sig in HUP TERM; do # a shell's background job ignores INT and QUIT
    start stopped.csv --levels 2
    if [ $sig = TERM ]; then
        kill -KILL $farm; waited grep -q 'goes on: ' err
        kill -TERM "$(members $farm clweave)"
    else
        kill -$sig $farm
        wait $farm && fail "$sig: status 0"
    fi
    waited gone
    says 'stopped by signal'; says "of 6 tasks are done; 'clweave farm resume .*stopped.csv.farm' goes on"
    [ ! -e stopped.csv ] || fail "$sig: a table"
    touch go; clweave farm --levels 2 resume stopped.csv 2> err || fail "$sig: $(cat err)"
    cmp stopped.csv six.csv || fail "$sig: the table"
    rm stopped.csv
done

python3 "$plans" "$B/clweave" "$T" 4 600 || fail "kill plans"
finish
