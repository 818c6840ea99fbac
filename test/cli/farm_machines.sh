# clweave farm --manager and farm worker on this machine: errors, the table of an embedded run, files that are sent along, a
# worker of another version, one that dies. No line asserts a time. Three network namespaces: farm_machines.slow.sh.
. "$(dirname "$0")/common.sh"
root=$PWD B=$(realpath "$B"); PATH=$B:$PATH
cd "$T" && mkdir tmp || exit
export TMPDIR=$T/tmp
farm() { # STATUS, then words behind `clweave farm`
    local wanted=$1 got; shift
    clweave farm "$@" > out 2> err < /dev/null; got=$?
    [ $got = "$wanted" ] || fail "status $got, expected $wanted: $* $(cat err)"
}
says() { grep -q -- "$1" err || fail "no message '$1': $(cat err)"; }

# what is missing, and where to get it
seq 40 > list
mkdir alone; cp "$B/clweave" alone/
expect farm_no_queue 1 alone/clweave farm --each list --manager 0 -- echo {}
expect farm_no_work_queue 1 env PATH=/nowhere "$B/clweave" farm worker localhost:1
expect farm_worker_help 0 clweave farm worker --help
expect farm_worker_usage 2 clweave farm worker
expect farm_with_alone 1 clweave farm --each list --with list -- echo {}
expect farm_two_ways 2 clweave farm --each list --levels 2 --manager 0 -- echo {}
expect farm_no_workers 2 clweave farm --each list --workers 0 -- echo {}
[ -x "$B/clweave-farm-queue" ] || { cd "$root"; [ $failed = 0 ] || finish; echo "no Work Queue: package coop-computing-tools-dev"; exit 77; }
command -v work_queue_worker > /dev/null || { cd "$root"; [ $failed = 0 ] || finish; echo "no Work Queue: package coop-computing-tools"; exit 77; }

expect farm_bad_port 1 clweave farm --each list --manager here: -- echo {}
expect farm_not_here 1 clweave farm --each list --manager 192.0.2.1:0 -- echo {}
expect farm_no_with 1 clweave farm --each list --manager 0 --with none -- echo {}
expect farm_bad_address 1 clweave farm worker localhost
expect farm_nothing_there 1 clweave farm worker --wait 0 localhost:1

begin() { # TABLE, then words behind `clweave farm --manager`: begins a farm whose port is $port then
    : > "$1.log"
    clweave farm --manager localhost:0 -o "$@" 2> "$1.log" < /dev/null & master=$!
    until port=$(sed -n 's/.*join with: clweave farm worker .*localhost:\([0-9]*\)$/\1/p' "$1.log"); [ -n "$port" ]; do
        kill -0 $master 2> /dev/null || { fail "no farm: $(cat "$1.log")"; return 1; }
        sleep 0.02
    done
}
ends() { # TABLE STATUS
    wait $master; local got=$?
    [ $got = "$2" ] || fail "$1: status $got, expected $2: $(cat "$1.log")"
}
same() { cmp "$1" "$2" || fail "$1 is not $2"; }

# an own program, a folder, files that words name; each way to fail: the table is that of an embedded run
mkdir data in far old
echo D > data/d; for i in 1 2 3 4 5 6 7; do echo "in $i" > in/$i; echo "$i in/$i"; done > jobs
cat > app <<'A'
#!/bin/sh
echo "$1 $(cat data/d) $(cat "$2")"
case $1 in 3) echo wrong >&2; exit 3 ;; 4) kill -9 $$ ;; 5) kill -9 $PPID ;; 6) exec sleep 1000 ;; esac
A
chmod +x app
farm 1 --each jobs --timeout 6 --tries 1 -o quiet.csv -- ./app {}
echo secret > word
if begin far.csv --each jobs --timeout 6 --tries 1 --workers 0 --with data --password word -- ./app {}; then
    expect farm_port_taken 1 sh -c "clweave farm --each list --manager $port -- echo {} 2>&1 | sed 's/port $port/port N/' >&2; exit 1"
    LC_ALL=C sed 's/0\.1\.0/0.0.9/g' "$B/clweave" > old/clweave; chmod +x old/clweave
    ( cd far; ../old/clweave farm worker --password ../word --wait 60 localhost:$port ) > out 2> err; [ $? = 1 ] || fail "the old worker served: $(cat err)"
    says 'the farm is of clweave 0.1.0, and this worker has clweave 0.0.9'
    echo other > other
    expect farm_no_password 1 clweave farm worker --wait 60 localhost:$port
    expect farm_wrong_password 1 clweave farm worker --password other --wait 60 localhost:$port
    ( cd far; clweave farm worker --password ../word --wait 60 localhost:$port ) > out 2> err || fail "the worker fails: $(cat err)"
    ends far.csv 1; same far.csv quiet.csv
fi

# a worker dies at tasks that it would never end: their programs end too, and the farm's own worker takes the tasks
pass='cd "$2" && if [ $1 -ge 20 ] && [ -z "${HERE:-}" ]; then echo $$ >> pids; exec sleep 1000; fi
    [ $1 -lt 20 ] || until [ -e go ]; do sleep 0.05; done; echo $(($1 * $1))'
farm 0 --each list -o quiet2.csv -- sh -c 'echo $(($1 * $1))' x {}
export HERE=1
if begin lost.csv --each list --block 5 --workers 1 -- sh -c "$pass" x {} "$T"; then
    ( cd far; unset HERE; exec clweave farm worker --workers 2 --wait 60 localhost:$port ) > out 2> err & worker=$!
    until [ -s pids ]; do sleep 0.05; done
    kill -KILL $worker $(ps -o pid= --ppid $worker); wait $worker 2> /dev/null; touch go
    ends lost.csv 0; same lost.csv quiet2.csv
    for pid in $(cat pids); do
        for _ in $(seq 6000); do # the kernel takes its time
            case $(ps -o stat= -p "$pid") in '' | Z*) pid=; break ;; esac
            sleep 0.05
        done
        [ -z "$pid" ] || { fail "a program outlives its worker"; kill "$pid"; }
    done
fi
[ -z "$(ls -d tmp/clweave-farm.* 2> /dev/null)" ] || fail "a farm leaves its folder of answers"
cd "$root" && finish
