# clweave farm over three network namespaces: a manager, a foreman (a regional master), workers below it and one beside it.
# The table is that of an embedded run, also when a worker, the foreman and the manager's program are killed; each result is
# in the checkpoint once. No line asserts a time.
. "$(dirname "$0")/common.sh"
[ "$(id -u)" = 0 ] || { echo "network namespaces need root"; exit 77; }
command -v ip > /dev/null || { echo "no ip: package iproute2"; exit 77; }
[ -x "$B/clweave-farm-queue" ] || { echo "no Work Queue: package coop-computing-tools-dev"; exit 77; }
command -v work_queue_worker > /dev/null || { echo "no Work Queue: package coop-computing-tools"; exit 77; }
root=$PWD B=$(realpath "$B"); PATH=$B:$PATH
cd "$T" && mkdir tmp far || exit
export TMPDIR=$T/tmp
space=cw$$ port=9123
started=
remove() {
    [ -z "$started" ] || kill $started 2> /dev/null
    for n in a b c; do ip netns del $space$n 2> /dev/null; done
}
ip netns add ${space}a 2> err && ip netns add ${space}b && ip netns add ${space}c || { remove; echo "no network namespaces: $(cat err)"; exit 77; }
trap remove EXIT

# a bridge in the manager's namespace connects them: 10.77.0.1 is the manager's machine, .2 the foreman's, .3 the workers'
within() { local n=$1; shift; ip netns exec "$space$n" "$@"; }
within a ip link add hub type bridge && within a ip addr add 10.77.0.1/24 dev hub && within a ip link set hub up &&
    within a ip link set lo up || { echo "no bridge in a network namespace"; exit 77; }
i=1
for n in b c; do
    i=$((i + 1))
    within a ip link add to$n type veth peer name port netns $space$n && within a ip link set to$n master hub up &&
        within $n ip addr add 10.77.0.$i/24 dev port && within $n ip link set port up && within $n ip link set lo up ||
        { echo "no pair of devices between network namespaces"; exit 77; }
done

worker() { # NAMESPACE, then words behind `clweave farm worker`: $! is its process
    local n=$1; shift
    ( cd far; exec ip netns exec "$space$n" "$B/clweave" farm worker --wait 60 "$@" ) >> workers.log 2>&1 &
    started="$started $!"
}
done_tasks() { clweave farm status "$1" 2> /dev/null | sed -n 's/.*: \([0-9]*\) of .* tasks done.*/\1/p'; }
until_done() { # CHECKPOINT TASKS
    until [ "$(done_tasks "$1")" -ge "$2" ] 2> /dev/null; do
        kill -0 $master 2> /dev/null || { fail "the farm has ended: $(cat log)"; return; }
        sleep 0.1
    done
}
murder() { kill -KILL "$1" $(ps -o pid= --ppid "$1"); } # the worker with its work_queue_worker
once() { # CHECKPOINT TASKS: each result is there once
    python3 - "$@" << 'P' || fail "results of $1"
import struct, sys
data, seen, at = open(sys.argv[1], "rb").read(), [], 0
while at < len(data):
    _, kind, size, _, _, _ = struct.unpack_from("=IIQIIQ", data, at)
    at, end = at + 32, at + 32 + size
    while kind == 2 and at < end:
        task, _, _, out, errors, _, _ = struct.unpack_from("=IIiIIIQ", data, at)
        seen.append(task)
        at += 32 + out + errors
    at = end
assert sorted(seen) == list(range(int(sys.argv[2]))), "%d results, %d tasks" % (len(seen), len(set(seen)))
P
}
farm() { # CHECKPOINT TABLE LIST COMMAND...: $master is its process
    local checkpoint=$1 table=$2 list=$3; shift 3
    ( exec ip netns exec "${space}a" clweave farm --manager 10.77.0.1:$port --workers 0 --checkpoint "$checkpoint" -o "$table" \
        --each "$list" --block 5 --tries 250 -- "$@" ) > log 2>&1 < /dev/null & master=$!
}

seq 400 > list
square='[ $1 -le $2 ] || until [ -e "$3" ]; do sleep 0.05; done; echo $(($1 * $1))'
clweave farm --each list -o quiet.csv -- sh -c 'echo $(($1 * $1))' x {} || fail "no quiet run"

expect farm_no_answer 1 within c "$B/clweave" farm worker --wait 1 10.77.0.1:$port

# quiet: two workers below the foreman, one beside it
worker b --foreman 9124 10.77.0.1:$port; foreman=$!
for n in 1 2; do worker c --workers 2 10.77.0.2:9124 10.77.0.1:$port; done; below=$!
worker c --workers 1 10.77.0.1:$port
farm calm.farm calm.csv list sh -c 'echo $(($1 * $1))' x {}
wait $master || fail "quiet: $(cat log)"
cmp calm.csv quiet.csv || fail "over the foreman: another table"
once calm.farm 400
for pid in $started; do wait $pid || fail "a worker ends with status $?: $(cat workers.log)"; done

# killed: a worker, the foreman, the program of the manager, each while tasks run; workers turn to the manager's machine
started=
worker b --foreman 9124 10.77.0.1:$port; foreman=$!
worker c --workers 2 10.77.0.2:9124 10.77.0.1:$port; below=$!
farm torn.farm torn.csv list sh -c "cd '$T'; if [ \$1 -le 200 ]; then set -- \$1 100 go1; else set -- \$1 300 go2; fi; $square" x {}
until_done torn.farm 75 # of the first 100 all but four blocks, at least
murder $below; worker c --workers 2 10.77.0.2:9124 10.77.0.1:$port; touch go1
until_done torn.farm 150
murder $foreman
kill -KILL "$(ps -o pid=,args= --ppid $master | sed -n 's/^ *\([0-9]*\) clweave-farm-queue .*/\1/p')" || fail "no program to kill"
touch go2
wait $master || fail "torn: $(cat log)"
cmp torn.csv quiet.csv || fail "after kills: another table"
once torn.farm 400
for pid in $started; do kill -TERM $pid 2> /dev/null; wait $pid 2> /dev/null; done
cd "$root" && finish
