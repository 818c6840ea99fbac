# clweave farm: tables, failures, errors; workers and masters killed and stopped at random: each result once, the table
# that of a quiet run. No line asserts a time.
. "$(dirname "$0")/common.sh"
root=$PWD B=$(realpath "$B"); PATH=$B:$PATH
cd "$T" || exit
farm() { # STATUS, then words behind `clweave farm`
    local wanted=$1 got; shift
    clweave farm "$@" > out 2> err < /dev/null; got=$?
    [ $got = "$wanted" ] || fail "status $got, expected $wanted: $* $(cat err)"
}
says() { grep -q -- "$1" err || fail "no message '$1': $(cat err)"; }
same() { cmp "$1" "$2" || fail "$1 is not $2"; }

printf '1 a\n\n2 "b c"\n3 '"'d'"'e\n' > list
seq 4 > four
expect farm_help 0 clweave farm --help
expect farm_words 0 clweave farm --each list -- printf '<%s>' {} x{}y {2}
expect farm_product 0 clweave farm --each four --each list --workers 3 -- echo {1}-{2}
expect farm_failing 1 clweave farm --each four -o failing.csv -- sh -c 'echo out $1; echo err $1 >&2; [ $1 != 3 ] || exit 7' x {}
expect farm_status 0 sh -c "clweave farm status failing.csv.farm | sed '/tasks.s/d'"
expect farm_table 0 cat failing.csv
expect farm_kills_worker 1 clweave farm --each four --workers 1 -- sh -c '[ $1 = 3 ] && kill -9 $PPID; echo $1' x {}
expect farm_timeout 1 clweave farm --each four --tries 1 --timeout 0.2 -- sh -c '[ $1 != 2 ] || { echo began; exec sleep 1000; }' x {}
expect farm_job_timeout 1 clweave farm --each four --tries 1 --timeout 0.02 -- clweave dispatch --tasks 5000000 --seed {}
expect farm_own_commands 1 clweave farm --each four -- clweave generate none --tasks {}
expect farm_usage 2 clweave farm
expect farm_no_command 2 clweave farm --each four
expect farm_bad_tries 2 clweave farm --each four --tries -1 -- true
expect farm_no_list 1 clweave farm --each none -- true
expect farm_empty 1 clweave farm --each /dev/null -- true
expect farm_open_quote 1 sh -c "printf 'a\n\"b\n' | clweave farm --each - -- echo {}"
expect farm_few_words 1 clweave farm --each four -- echo {2}
expect farm_no_program 1 clweave farm --each four -- ./none {}
expect farm_no_folder 1 clweave farm --each four -o none/x.csv -- true
expect farm_no_kind 1 clweave farm --each four -o x.txt -- true
expect farm_no_checkpoint 1 clweave farm status four
expect farm_there 1 clweave farm --each four -o failing.csv -- true
expect farm_resume_out 2 clweave farm -o x.csv resume failing.csv.farm
expect farm_other 1 clweave farm --each four -o failing.csv --resume -- true
farm 1 --each four -- {}; says 'task 1 (1) failed: cannot run it: No such file'

# JSON lines: any bytes; a table that is done has no checkpoint, a failed one is resumed to the same table
farm 0 --each list -o words.jsonl -- printf '%s\n"\t\377\0.' {2}
python3 - << 'P' || fail "JSON: $(cat words.jsonl)"
import json
rows = [json.loads(line) for line in open("words.jsonl")]
assert [r["task"] for r in rows] == [1, 2, 3] and {r["status"] for r in rows} == {"ok"} and rows[1]["input"] == '2 "b c"'
assert [r["output"] for r in rows] == [w + '\n"\t\uefff\uef00.' for w in ("a", "b c", "de")]
P
[ ! -e words.jsonl.farm ] && [ -e failing.csv.farm ] || fail "checkpoints: $(ls)"
cp failing.csv before.csv; farm 1 resume failing.csv.farm; same failing.csv before.csv

# the same rows for any number of workers and size of block
seq 2000 > many
job=(clweave dispatch --workers 9 --tasks 2000 --worker-mtbf 300 --seed {})
farm 0 --each many --workers 2 -o quiet.csv -- "${job[@]}"
[ "$(grep -c ',ok,' quiet.csv)" = 2000 ] || fail "quiet: $(wc -l quiet.csv)"
farm 0 --each many --workers 5 --block 1 -o other.csv -- "${job[@]}"; same other.csv quiet.csv

# clweave's own commands give inside a worker what they give as a process
clweave generate topcuoglu --tasks 12 --count 4 -o g.json > /dev/null; ls g-*.json > graphs; printf 'heft\nhscgs\n' > policies
for run in 'replay {1} --policy {2} --json' 'simulate {1} -p {2} --noise 0.3' 'compare {1} -p {2} -p peft'; do
    farm 0 --each graphs --each policies -o inside.csv -- clweave $run
    farm 0 --each graphs --each policies -o outside.csv -- env clweave $run; same inside.csv outside.csv
done

# workers are killed and stopped, and at last their master: it goes on from its checkpoint
RANDOM=${SEED:-1}
disturbed() { # TABLE LIST COMMAND... : until it is done
    local table=$1 list=$2 round=0 master workers; shift 2
    while :; do
        clweave farm --resume --each "$list" -o "$table" --workers 3 --patience 0.1 --tries 250 -- "$@" 2>> err &
        master=$!
        for _ in 1 2 3 4; do
            sleep 0.0$((RANDOM % 9 + 1))
            workers=($(ps -o pid= --ppid $master))
            [ ${#workers[@]} = 0 ] || kill -$([ $((RANDOM % 3)) = 0 ] && echo STOP || echo KILL) \
                "${workers[RANDOM % ${#workers[@]}]}" 2> /dev/null
        done
        round=$((round + 1))
        [ $round -gt 8 ] || kill -KILL $master 2> /dev/null
        wait $master 2> /dev/null && return
        [ $round -lt 60 ] || { fail "$table is not done in 60 rounds: $(tail -n 3 err)"; return; }
    done
}
disturbed disturbed.csv many "${job[@]}"; same disturbed.csv quiet.csv
head -n 150 many > some
farm 0 --each some -o quiet2.csv -- sh -c 'echo $(($1 * $1))' x {}
disturbed disturbed2.csv some sh -c 'echo $(($1 * $1))' x {}; same disturbed2.csv quiet2.csv

# each program was begun, and one at least has ended, when a signal comes: the farm ends them, and says how to go on
waits='[ -e go ] || [ $1 = 1 ] || { echo $$ >> pids; exec sleep 1000; }; echo $1'
clweave farm --each four --workers 3 -o stopped.csv -- sh -c "$waits" x {} 2> err &
master=$!
until [ "$(cat pids 2> /dev/null | wc -l)" = 3 ]; do sleep 0.02; done
clweave farm status stopped.csv.farm > out; grep -q '; at work$' out || fail "status: $(cat out)"
farm 1 resume stopped.csv.farm; says 'another clweave farm is at work on stopped.csv.farm'
kill -TERM $master; wait $master; got=$?
clweave farm status stopped.csv > out; grep -q ': 1 of 4 tasks done, 0 of them failed; stopped$' out || fail "status: $(cat out)"
[ $got = 1 ] || fail "stopped: status $got"
for pid in $(cat pids); do kill -0 "$pid" 2> /dev/null && fail "task $pid outlives its farm"; done
# a program's children end with the worker that ran it
clweave farm --each four --workers 1 --tries 1 -- sh -c '[ $1 = 2 ] || exit 0; sleep 1000 & echo $! > child; kill -KILL $PPID; wait' x {} > out 2> err
grep -q '^2,2,its worker died of signal 9' out || fail "killed: $(cat out)"
child=$(cat child)
for _ in $(seq 200); do # the kernel takes its time
    case $(ps -o stat= -p "$child") in '' | Z*) child=; break ;; esac
    sleep 0.05
done
[ -z "$child" ] || fail "the child of a program outlives the worker"
[ ! -e stopped.csv ] || fail "a farm that is not done has a table"
touch go; farm 0 resume stopped.csv.farm
[ "$(tail -n +2 stopped.csv | cut -d, -f4 | tr '\n' ' ')" = '1 2 3 4 ' ] || fail "resumed: $(cat stopped.csv)"

# a full disk: the checkpoint, then the table, do not fit
large=(sh -c 'head -c 3000 /dev/zero | tr "\0" x; echo $1' x {})
farm 0 --each some -o quiet3.csv -- "${large[@]}"
( ulimit -f 100; clweave farm --each some -o full.csv -- "${large[@]}" ) 2> err && fail "a full disk is no error"
says 'cannot write full.csv.farm: File too large'; says "'clweave farm resume full.csv.farm' goes on"
[ ! -e full.csv ] || fail "a table without room"
farm 0 resume full.csv.farm; same full.csv quiet3.csv

# stray bytes at the end of a checkpoint count for nothing
farm 1 --each four -o stray.csv -- sh -c 'echo $1; [ $1 != 3 ]' x {}
cp stray.csv before.csv; head -c 77 stray.csv.farm >> stray.csv.farm
clweave farm status stray.csv.farm > out 2> /dev/null; grep -q '^77 bytes at its end' out || fail "stray: $(cat out)"
farm 1 resume stray.csv.farm; same stray.csv before.csv
cd "$root" && finish
